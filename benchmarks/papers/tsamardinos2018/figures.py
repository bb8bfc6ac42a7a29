"""Figures 1 to 7, from the results.

The paper has no table beside its figures: what its text says of them in numbers is drawn in grey.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.papers.agreement import read_published
from benchmarks.papers.drawing import add_legend, save, set_plain
from benchmarks.papers.reproduce import read_results
from benchmarks.papers.study import facts_of
from earnest.plotting.figures.style import HONEST, INK, LABEL, NAIVE, OTHER, TINY, new_figure

NAME = "tsamardinos2018"
TITLES = {"cvt": "CVT", "tt": "TT", "ncv": "NCV", "bbc": "BBC", "bced": "BCED"}
LOOKS = {"bbc": (HONEST, "o"), "bced": (OTHER, "s"), "bbc10": (NAIVE, "^")}


ADDED = {"figure2": "early_figure2", "figure3": "ties"}  # tables drawn in the same figure
EARLY = "early_figure2: bced"
PROTOCOLS = {**TITLES, "bbc10": "BBC, 10 repeats", EARLY: "BCED from fold 1"}
RULES = {"bced .99": (HONEST, "o"), "bced_adjusted .99": (NAIVE, "^")}
SAVINGS = ("times faster", "AUC", "AUC of bced")


def draw_all(folder: Path) -> None:
    """Draw what there are results for."""
    of_samples = {
        "figure2": draw_real_bias,
        "figure5": draw_choices,
        "figure6": draw_coverage,
        "figure7": draw_widths,
    }
    every = {
        "figure1": draw_bias,
        "figure3": draw_relative,
        "figure4": draw_dropping,
        **of_samples,
        "portfolio": draw_savings,
        **{f"portfolio_{name}": draw for name, draw in of_samples.items()},
    }
    for name, draw in every.items():
        if (folder / f"{name}.csv").is_file():
            lines = read_results(NAME, name, folder)
            other = ADDED.get(name)
            if other is not None and (folder / f"{other}.csv").is_file():
                lines += [
                    {**line, "quantity": f"{other}: {line['quantity']}"}
                    for line in read_results(NAME, other, folder)
                ]
            save(draw(lines), folder / f"{name}.svg")


def list_published(table: str, quantity: str) -> dict[str, float]:
    """Return what the text of the paper says of a curve in numbers, by row."""
    every = read_published(Path(__file__).parent / "expected.csv")
    return {
        row: one.value
        for (name, row, what), one in every.items()
        if (name, what) == (table, quantity)
    }


def draw_real_bias(lines: list[dict[str, str]]) -> Any:
    """Draw a panel per protocol: bias against cases, a thin line per data set, all in bold."""
    known = {line["quantity"] for line in lines}
    panels = {name: title for name, title in PROTOCOLS.items() if name in known}
    figure = new_figure((1.75 * len(panels), 2.8))
    axes = figure.subplots(1, len(panels), sharey=True)
    for ax, (name, title) in zip(axes, panels.items(), strict=True):
        _draw_sets(ax, [line for line in lines if line["quantity"] == name], "cases")
        for row, value in list_published("figure2", name).items():
            ax.plot(int(facts_of(row)["cases"]), value, "s", ms=6, mfc="none", color=NAIVE)
        ax.axhline(0.0, color=INK, lw=0.8, ls=":")
        _set_sizes(ax)
        set_plain(ax, title=title, x="cases")
    set_plain(axes[0], y="bias of the AUC")
    return figure


def draw_relative(lines: list[dict[str, str]]) -> Any:
    """Draw what dropping from the first fold on costs and saves, thin lines and all sets in bold.

    The mean over all sets with ties for worse has another color.
    """
    figure = new_figure((9.6, 2.8))
    panels = {
        "over cvt": "AUC of BCED from fold 1 over CVT",
        "times faster": "models trained, all over dropping",
        "dropped after two folds": "share dropped after two folds",
    }
    for ax, (name, title) in zip(figure.subplots(1, 3), panels.items(), strict=True):
        _draw_sets(ax, [line for line in lines if line["quantity"] == name], "cases")
        tied = [
            (int(facts["cases"]), float(line["ours"]))
            for line in lines
            if line["quantity"] == f"ties: {name}"
            and (facts := facts_of(line["row"]))["set"] == "all"
        ]
        if tied:
            ax.plot(*zip(*tied, strict=True), "^-", ms=4, lw=1.5, color=OTHER, label="ties count")
        if name == "over cvt":
            ax.axhline(1.0, color=INK, lw=0.8, ls=":")
            for row, loss in list_published("figure3", "loss").items():
                cases = int(facts_of(row).get("cases", 500))
                ax.plot(cases, 1 - loss / 100, "s", ms=5, mfc="none", color=NAIVE)
            ax.legend(frameon=False, fontsize=TINY)
        _set_sizes(ax)
        set_plain(ax, title=title, x="cases")
    return figure


def draw_savings(lines: list[dict[str, str]]) -> Any:
    """Draw figure 3 for the 610 configurations: what early dropping saves, and what it costs."""
    shown = {name: [line for line in lines if line["quantity"] == name] for name in SAVINGS}
    lost = [
        {**line, "ours": str(100 * (1 - float(early["ours"]) / float(line["ours"])))}
        for line, early in zip(shown["AUC"], shown["AUC of bced"], strict=True)
    ]
    figure = new_figure((7.2, 2.8))
    faster, worse = figure.subplots(1, 2)
    published = list_published("figure4", "ratio")
    low, high = (published[f"published={word}"] for word in ("low", "high"))
    faster.axhspan(low, high, color=LABEL, alpha=0.2, lw=0)
    _draw_sets(faster, shown["times faster"], "cases")
    _draw_sets(worse, lost, "cases")
    worse.axhline(0.0, color=INK, lw=0.8, ls=":")
    set_plain(faster, title="models trained, all over dropping", x="cases")
    set_plain(worse, title="loss of hold-out AUC, %", x="cases")
    for ax in (faster, worse):
        _set_sizes(ax)
    return figure


def _set_sizes(ax: Any) -> None:
    ax.set_xscale("log")
    ax.set_xticks([20, 100, 500], ["20", "100", "500"])
    ax.minorticks_off()


def draw_choices(lines: list[dict[str, str]]) -> Any:
    """Draw the relative AUC of what ten repeats choose, a thin line per data set, all in bold."""
    figure = new_figure((7.2, 2.8))
    axes = figure.subplots(1, 2, sharey=True)
    for ax, name in zip(axes, ("over bbc", "over ncv"), strict=True):
        _draw_sets(ax, [line for line in lines if line["quantity"] == name], "cases")
        ax.axhline(1.0, color=INK, lw=0.8, ls=":")
        _set_sizes(ax)
        set_plain(ax, title=f"ten repeats {name}", x="cases")
    set_plain(axes[0], y="relative AUC")
    return figure


def draw_widths(lines: list[dict[str, str]]) -> Any:
    """Draw a panel per size: width against repeats, a thin line per data set, all in bold."""
    sizes = list(dict.fromkeys(facts_of(line["row"])["cases"] for line in lines))
    figure = new_figure((10.4, 2.8))
    axes = figure.subplots(1, len(sizes), sharey=True, squeeze=False)[0]
    for ax, size in zip(axes, sizes, strict=True):
        mine = [
            {**line, "row": f"{line['row']} {line['quantity']}"}
            for line in lines
            if facts_of(line["row"])["cases"] == size
        ]
        _draw_sets(ax, mine, "repeats")
        set_plain(ax, title=f"{size} cases", x="repeats")
    set_plain(axes[0], y="width of 95 % intervals")
    return figure


def _draw_sets(ax: Any, lines: list[dict[str, str]], along: str) -> None:
    curves: dict[str, list[tuple[int, float]]] = {}
    for line in lines:
        facts = facts_of(line["row"])
        curves.setdefault(facts["set"], []).append((int(facts[along]), float(line["ours"])))
    for name, curve in curves.items():
        look = {"color": HONEST, "lw": 2} if name == "all" else {"color": LABEL, "lw": 0.7}
        ax.plot(*zip(*curve, strict=True), marker="o", ms=3, **look)


def draw_dropping(lines: list[dict[str, str]]) -> Any:
    """Draw what dropping saves and loses with 500 cases: ours, and the numbers of the text."""
    published = read_published(Path(__file__).parent / "expected.csv")
    by = {
        (facts["set"], facts["rule"], line["quantity"]): float(line["ours"])
        for line in lines
        if (facts := facts_of(line["row"]))
    }
    sets = list(dict.fromkeys(key[0] for key in by))
    figure = new_figure((9.6, 3.2))
    saved, lost = figure.subplots(1, 2, width_ratios=(1, 1.6))
    low, high, most = (
        published["figure4", f"published={word}", "ratio"].value
        for word in ("low", "high", "gisette")
    )
    saved.axhspan(low, high, color=LABEL, alpha=0.2, lw=0, label="published: typically")
    saved.axhline(most, color=LABEL, lw=1, ls="--", label="published: at most (gisette)")
    for rule, (color, marker) in RULES.items():
        ratios = [by[name, rule, "ratio"] for name in sets]
        losses = [
            100 * (1 - by[name, rule, "holdout_auc"] / by[name, "none", "holdout_auc"])
            for name in sets
        ]
        saved.plot(range(len(sets)), ratios, marker, color=color, ms=5, label=rule)
        lost.plot(range(len(sets)), losses, marker, color=color, ms=5)
    theirs = {
        facts_of(row)["set"]: one.value
        for (table, row, _), one in published.items()
        if table == "figure3" and "cases" not in facts_of(row)
    }
    places = range(len(sets) + 1, len(sets) + 1 + len(theirs))
    lost.plot(places, list(theirs.values()), "s", color=LABEL, ms=4)
    saved.plot([], [], "s", color=LABEL, ms=4, label="published, on other data sets")
    saved.set_xticks(range(len(sets)), sets, rotation=60)
    lost.set_xticks([*range(len(sets)), *places], [*sets, *theirs], rotation=60)
    set_plain(saved, title="models trained, all over dropping")
    set_plain(lost, title="loss of hold-out AUC, %")
    add_legend(figure, saved)
    return figure


def draw_bias(lines: list[dict[str, str]]) -> Any:
    """Draw a row per law and a panel per protocol: bias against cases, darker with more configs."""
    shown = [(facts_of(line["row"]), line) for line in lines]
    laws = list(dict.fromkeys((facts["alpha"], facts["beta"]) for facts, _ in shown))
    figure = new_figure((10.4, 0.6 + 2.2 * len(laws)))
    grid = figure.subplots(len(laws), len(TITLES), sharex=True, sharey="row", squeeze=False)
    for axes, law in zip(grid, laws, strict=True):
        mine = [one for one in shown if (one[0]["alpha"], one[0]["beta"]) == law]
        for ax, (name, title) in zip(axes, TITLES.items(), strict=True):
            _draw_law(ax, mine, name)
            if law == laws[0] and name == "cvt":
                most = list_published("claims", "bias")["the largest bias of CVT, Beta(9, 6)"]
                ax.axhline(most, color=LABEL, lw=1, ls="--", label="published: at most")
            set_plain(
                ax,
                title=title if law == laws[0] else "",
                x="cases" if law == laws[-1] else "",
                y=f"bias, Beta({law[0]}, {law[1]})" if name == "cvt" else "",
            )
    known = grid[0][0].get_legend_handles_labels()
    grid[0][2].legend(*known, frameon=False, fontsize=TINY, loc="upper right", labelspacing=0.1)
    return figure


def _draw_law(ax: Any, shown: list[tuple[dict[str, str], dict[str, str]]], name: str) -> None:
    counts = list(dict.fromkeys(int(facts["configs"]) for facts, _ in shown))
    for turn, count in enumerate(counts):
        curve = [
            (int(facts["cases"]), float(line["ours"]))
            for facts, line in shown
            if line["quantity"] == name and int(facts["configs"]) == count
        ]
        dark = (turn + 1) / len(counts)
        ax.plot(
            *zip(*curve, strict=True),
            "o-",
            ms=2.5,
            lw=1,
            color=HONEST,
            alpha=0.25 + 0.75 * dark,
            label=f"{count} configs",
        )
    ax.axhline(0.0, color=INK, lw=0.8, ls=":")
    _set_sizes(ax)


def draw_coverage(lines: list[dict[str, str]]) -> Any:
    """Draw a panel per size: how often intervals of each level held, over all data sets."""
    sizes = list(dict.fromkeys(facts_of(line["row"])["cases"] for line in lines))
    figure = new_figure((10.4, 3.0))
    axes = figure.subplots(1, len(sizes), sharey=True, squeeze=False)[0]
    for ax, size in zip(axes, sizes, strict=True):
        for name, (color, marker) in LOOKS.items():
            mine = [
                (float(facts_of(line["row"])["level"]), float(line["ours"]))
                for line in lines
                if line["quantity"] == name and facts_of(line["row"])["cases"] == size
            ]
            ax.plot(*zip(*mine, strict=True), marker=marker, ms=3, lw=1, color=color, label=name)
        ax.plot([0.5, 1], [0.5, 1], color=INK, lw=0.8, ls=":")
        set_plain(ax, title=f"{size} cases", x="level")
    set_plain(axes[0], y="share that held")
    axes[0].legend(frameon=False, fontsize=TINY)
    return figure
