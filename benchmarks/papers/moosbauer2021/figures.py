"""Figures 6, 7, 8, 10 and 11, from the results; with the published numbers where there are any."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.papers.agreement import read_published
from benchmarks.papers.drawing import add_legend, save, set_plain
from benchmarks.papers.reproduce import read_results
from benchmarks.papers.study import facts_of
from earnest.plotting.figures.style import HONEST, INK, LABEL, NAIVE, OTHER, new_figure

NAME = "moosbauer2021"
BIASES = {"low": OTHER, "medium": HONEST, "high": NAIVE}
Curves = dict[tuple[str, str], dict[str, list[float]]]  # by panel and number of splits


def draw_all(folder: Path) -> None:
    """Draw what there are results for."""
    for name, draw in (
        ("figure6", draw_bias),
        ("figure7", draw_effects_in_kind),
        ("figure10", draw_effects),
        ("figure11", draw_splits),
    ):
        if (folder / f"{name}.csv").is_file():
            save(draw(read_results(NAME, name, folder)), folder / f"{name}.svg")
    if (folder / "table3.csv").is_file():
        save(draw_bands(read_results(NAME, "table3", folder)), folder / "figure8.svg")


def draw_bias(lines: list[dict[str, str]]) -> Any:
    """Draw quartiles and means of both measures by dimension and sampling bias."""
    figure = new_figure((8.4, 3.2))
    by = {
        (facts["measure"], facts["d"], facts["bias"], line["quantity"]): float(line["ours"])
        for line in lines
        if (facts := facts_of(line["row"]))
    }
    sizes = list(dict.fromkeys(key[1] for key in by))
    titles = {"mc": "mean confidence", "nll": "negative log-likelihood"}
    axes = figure.subplots(1, 2)
    for ax, (measure, title) in zip(axes, titles.items(), strict=True):
        for turn, (bias, color) in enumerate(BIASES.items()):
            for place, d in enumerate(sizes):
                x = place + 0.22 * (turn - 1)
                low, middle, high = (
                    by[measure, d, bias, f"quantile {share:g}"] for share in (0.25, 0.5, 0.75)
                )
                ax.plot([x, x], [low, high], color=color, lw=5, alpha=0.4, solid_capstyle="butt")
                ax.plot(x, middle, "_", color=color, ms=9, mew=2)
                mean = by[measure, d, bias, "mean"]
                label = f"{bias} bias" if place == 0 else None
                ax.plot(x, mean, "o", color=color, ms=3.5, label=label)
        ax.set_xticks(range(len(sizes)), [f"d = {d}" for d in sizes])
        set_plain(ax, title=title)
    add_legend(figure, axes[0])
    return figure


def draw_bands(lines: list[dict[str, str]]) -> Any:
    """Draw the likelihood under both bands, mean and standard deviation, published and ours."""
    published = read_published(Path(__file__).parent / "expected.csv")
    figure = new_figure((8.4, 3.2))
    shown = [line for line in lines if facts_of(line["row"])["surrogate"] == "kriging"]
    sizes = list(dict.fromkeys(facts_of(line["row"])["d"] for line in shown))
    axes = figure.subplots(1, len(sizes), sharey=True, squeeze=False)[0]
    names = {"matern32": "right", "rbf": "wrong"}
    for ax, d in zip(axes, sizes, strict=True):
        places: list[str] = []
        for line in shown:
            facts = facts_of(line["row"])
            if facts["d"] != d:
                continue
            place = len(places)
            places.append(f"{names[facts['kernel']]}\neq. {line['quantity'][2:]}")
            theirs = published["table3", line["row"], line["quantity"]]
            for shift, value, spread, color, label in (
                (-0.12, theirs.value, theirs.spread, LABEL, "published"),
                (0.12, float(line["ours"]), float(line["spread"]), HONEST, "ours"),
            ):
                ax.errorbar(
                    place + shift,
                    value,
                    spread,
                    fmt="o",
                    ms=4,
                    lw=1.2,
                    color=color,
                    label=label if place == 0 else None,
                )
        ax.set_xticks(range(len(places)), places)
        set_plain(ax, title=f"d = {d}", x="kernel and equation")
    set_plain(axes[0], y="NLL, mean ± sd")
    add_legend(figure, axes[0])
    return figure


def read_curves(lines: list[dict[str, str]]) -> tuple[Curves, dict[str, float]]:
    """Return curves by panel and number of splits, and where the best configuration is."""
    curves: Curves = {}
    best = {}
    for line in lines:
        facts = facts_of(line["row"])
        splits = facts.pop("splits", "")
        facts.pop("at", None)
        panel = ", ".join(f"d = {v}" if name == "d" else v for name, v in facts.items())
        if line["quantity"] == "best":
            best[panel] = float(line["ours"])
        else:
            columns = curves.setdefault((panel, splits), {})
            columns.setdefault(line["quantity"], []).append(float(line["ours"]))
    return curves, best


def draw_effects(lines: list[dict[str, str]]) -> Any:
    """Draw a row per dimension: the effect of the first parameter after 0, 1 and 3 splits."""
    return _draw_curves(lines, ("0", "1", "3"), "first parameter")


def draw_effects_in_kind(lines: list[dict[str, str]]) -> Any:
    """Draw a row per data set and parameter: its effect everywhere, and after 6 splits."""
    return _draw_curves(lines, ("0", "6"), "level of the parameter")


def _draw_curves(lines: list[dict[str, str]], splits: tuple[str, ...], x: str) -> Any:
    curves, best = read_curves(lines)
    figure = new_figure((8.4, 1.9 * len(best) + 0.4))
    axes = figure.subplots(len(best), len(splits), squeeze=False, sharex="row", sharey="row")
    for row, panel in zip(axes, best, strict=True):
        for ax, count in zip(row, splits, strict=True):
            last = max(int(n) for name, n in curves if name == panel)
            one = curves[panel, str(min(int(count), last))]
            middle, sd = one["mean"], one["sd"]
            low = [m - 1.96 * s for m, s in zip(middle, sd, strict=True)]
            high = [m + 1.96 * s for m, s in zip(middle, sd, strict=True)]
            ax.fill_between(one["x"], low, high, color=LABEL, alpha=0.25, lw=0, label="95 % band")
            ax.plot(one["x"], middle, color=HONEST, lw=1.4, label="effect of the surrogate")
            ax.plot(one["x"], one["truth"], color=INK, lw=1.1, label="true effect")
            ax.axvline(best[panel], color=NAIVE, lw=1, label="best configuration")
            word = "everywhere" if count == "0" else f"after {count} split{'s' * (count != '1')}"
            set_plain(ax, title=f"{panel}, {word}")
        set_plain(row[0], y="objective")
    for ax in axes[-1]:
        set_plain(ax, x=x)
    add_legend(figure, axes[0, 0])
    return figure


def draw_splits(lines: list[dict[str, str]]) -> Any:
    """Draw median gains by the number of splits, a line per parameter, and the paper's example."""
    published = read_published(Path(__file__).parent / "expected.csv")
    known = [facts_of(line["row"]) for line in lines]
    sets, params = (
        list(dict.fromkeys(facts[name] for facts in known)) for name in ("set", "param")
    )
    figure = new_figure((8.4, 5.4))
    axes = figure.subplots(2, len(sets), sharex=True, sharey="row", squeeze=False)
    colors = (HONEST, NAIVE, OTHER, INK, LABEL)
    for row, (measure, label) in zip(
        axes, {"mc": "narrower band, %", "nll": "better likelihood, %"}.items(), strict=True
    ):
        for ax, name in zip(row, sets, strict=True):
            for color, param in zip(colors, params, strict=True):
                mine = [
                    (int(facts["splits"]), float(line["ours"]))
                    for line, facts in zip(lines, known, strict=True)
                    if (facts["set"], facts["param"]) == (name, param)
                    and line["quantity"] == measure
                ]
                ax.plot(*zip(*mine, strict=True), "o-", ms=3, lw=1.1, color=color, label=param)
            example = [
                (n, published["figure11", f"set=published splits={n}", measure].value)
                for n in (2, 6)
            ]
            ax.plot(
                *zip(*example, strict=True), "x--", color=LABEL, lw=0.8, label="published example"
            )
            ax.axhline(0.0, color=INK, lw=0.8, ls=":")
            set_plain(ax, title=name)
        set_plain(row[0], y=label)
    for ax in axes[-1]:
        set_plain(ax, x="splits")
    add_legend(figure, axes[0, 0])
    return figure
