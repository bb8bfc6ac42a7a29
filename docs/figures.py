"""Draw the pictures of the pages, each for light and dark pages, and for phones.

`python docs/figures.py` writes them to docs/_static: the winner's curse, which the README and the
explanation show; the choice of a method, from `WHICH_METHOD` of `_tables.py`, whose leaves are
links; and agents on noise, from `benchmarks/ledger/noise.csv`. A name, such as `which-method` or
`ledger-on-noise`, draws one alone, which takes no time.
"""

from __future__ import annotations

import csv
import sys
import textwrap
from dataclasses import dataclass
from html import escape
from itertools import product
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

import earnest as en
from earnest.plotting.svg.canvas import TOKENS

sys.path.insert(0, str(Path(__file__).parent))  # tests load this file by its path
import _tables as tables

HERE = Path(__file__).parent
NOISE = HERE.parent / "benchmarks" / "ledger" / "noise.csv"
COUNTS = (1, 2, 5, 10, 20, 50, 100, 200)
RUNS, CASES, TRUTH = 60, 100, 0.68


THEMES = {"": 0, "-dark": 1}  # the ending of a file, and the place of its colours in TOKENS
WIDTHS = {"": False, "-phone": True}


@dataclass(frozen=True)
class Theme:
    """The colours of a page: those of the report on light or on dark paper."""

    accent: str
    warn: str
    ink: str
    paper: str
    strong: str
    quiet: str
    surface: str
    rule: str

    @classmethod
    def of(cls, place: int) -> Theme:
        """Return the light theme, 0, or the dark one, 1."""
        names = ("accent", "warn", "ink2", "bg", "ink", "ink3", "surface", "rule")
        return cls(*(TOKENS[name][place] for name in names))


def scores_of_searches() -> tuple[list[float], list[float]]:
    """Return the mean naive and the mean corrected AUC for each number of equal configurations."""
    naive, honest = [], []
    y = np.tile([0, 1], CASES // 2)
    for count in COUNTS:
        both = []
        for run in range(RUNS):
            rng = np.random.default_rng([count, run])
            scores = y[:, None] + 1.5 * rng.standard_normal((CASES, count))
            pi = en.Predictions.from_arrays(y, scores, np.arange(CASES) // 2 % 10)
            found = en.estimate(pi, metric="roc_auc", n_resamples=200, rng=run)
            both.append((found.naive, found.value))
        means = np.mean(both, axis=0)
        naive.append(float(means[0]))
        honest.append(float(means[1]))
    return naive, honest


def draw(naive: list[float], honest: list[float], theme: Theme, *, narrow: bool) -> Figure:
    """Draw both lines in the colours of a theme, with their names beside or, narrow, above them."""
    size = (4.6, 3.6) if narrow else (7.2, 3.4)
    figure, axes = plt.subplots(figsize=size, layout="constrained", facecolor=theme.paper)
    axes.set_facecolor(theme.paper)
    axes.axhline(TRUTH, color=theme.ink, lw=1, ls=":")
    axes.plot(COUNTS, naive, color=theme.warn, ls="--", marker="D", mfc=theme.paper)
    axes.plot(COUNTS, honest, color=theme.accent, marker="o")
    axes.set_xscale("log")
    axes.set_xticks(COUNTS, [str(count) for count in COUNTS])
    axes.minorticks_off()
    axes.tick_params(colors=theme.ink)
    axes.set_xlabel("configurations tried, all equally good", color=theme.ink)
    axes.set_title("ROC AUC of the winner, 100 cases", loc="left", fontsize=11, color=theme.ink)
    end = COUNTS[-1] if narrow else 1.15 * COUNTS[-1]
    side = "right" if narrow else "left"
    lift, above = (0.008, "bottom") if narrow else (0, "center")
    axes.text(end, naive[-1] + lift, "what a search reports", color=theme.warn, va=above, ha=side)
    lower = honest[-1] - (0.006 if narrow else 0.002)
    axes.text(end, lower, "what earnest reports", color=theme.accent, va="top", ha=side)
    axes.text(end, TRUTH + 0.002, "the truth", color=theme.ink, va="bottom", ha=side)
    axes.set_xlim(0.9, 240 if narrow else 1200)
    axes.set_ylim(0.65, 0.83)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["bottom", "left"]].set_color(theme.ink)
    return figure


# ---- which method?

_ROW, _LINE = 48, 19  # heights of a row and of a line of text
_LETTER, _BOLD = 7.9, 9.2  # widths of a letter in a wide font: no browser's font is known here


def draw_choice(theme: Theme, *, narrow: bool) -> str:
    """Return the choice of a method as SVG, the leaves below their situation where it is narrow."""
    draw_one = _draw_below if narrow else _draw_beside
    parts: list[str] = []
    top = 1.0
    for situation in tables.WHICH_METHOD:
        made, height = draw_one(situation, theme, top)
        parts += made
        top += height
    width = 350 if narrow else 760
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top:g}" '
        f'font-family="system-ui, sans-serif" font-size="15">\n'
        f"<title>Which method? What you have leads to the method to use.</title>\n{body}\n</svg>\n"
    )


def _draw_beside(situation: tables.Situation, theme: Theme, top: float) -> tuple[list[str], float]:
    """Draw a situation at the left, its conditions in the middle, and the leaves at the right."""
    height = max(_ROW * len(situation.leaves), _measure_box(situation.have, 252) + 10)
    parts = _draw_box(situation.have, theme, 1, top, 252, height - 10)
    step = height / len(situation.leaves)
    for place, leaf in enumerate(situation.leaves):
        y = top + step * place + (step - 10) / 2
        lines = _wrap(leaf.condition, 232)
        parts.append(_draw_path(f"M253 {y:g}H276", theme))
        parts += _draw_lines(lines, 284, y - _LINE * (len(lines) - 1) / 2 + 5, theme.ink)
        parts.append(_draw_path(f"M526 {y:g}H552m-7 -5l7 5l-7 5", theme))
        parts += _draw_leaf(leaf, theme, 560, y - 17, 199)
    return parts, height + 14


def _draw_below(situation: tables.Situation, theme: Theme, top: float) -> tuple[list[str], float]:
    """Draw a situation over the whole width, and its conditions and leaves one under the other."""
    tall = _measure_box(situation.have, 348)
    parts = _draw_box(situation.have, theme, 1, top, 348, tall)
    y = start = top + tall
    for leaf in situation.leaves:
        lines = _wrap(leaf.condition, 300)
        parts += _draw_lines(lines, 36, y + 25, theme.ink)
        y += _LINE * len(lines) + 17
        parts += _draw_leaf(leaf, theme, 36, y, 313)
        parts.append(_draw_path(f"M16 {y + 17:g}H29m-6 -5l7 5l-7 5", theme))
        last = y + 17
        y += 36
    parts.append(_draw_path(f"M16 {start:g}V{last:g}", theme))
    return parts, y - top + 22


def _measure_box(words: str, width: float) -> float:
    return _LINE * len(_wrap(words, width - 24, _BOLD)) + 18


def _draw_box(
    words: str, theme: Theme, x: float, y: float, width: float, height: float
) -> list[str]:
    lines = _wrap(words, width - 24, _BOLD)
    first = y + (height - _LINE * (len(lines) - 1)) / 2 + 5
    box = _draw_rectangle(x, y, width, height, f'fill="{theme.surface}" stroke="{theme.rule}"')
    return [box, *_draw_lines(lines, x + 12, first, theme.strong, 'font-weight="640"')]


def _draw_leaf(leaf: tables.Leaf, theme: Theme, x: float, y: float, width: float) -> list[str]:
    """Draw a leaf, which is a link to the page of its method."""
    font = "" if leaf.method == tables.COMPARE else 'font-family="ui-monospace, monospace"'
    box = _draw_rectangle(x, y, width, 34, f'fill="{theme.paper}" stroke="{theme.accent}"')
    words = _draw_lines([leaf.method], x + 12, y + 22, theme.accent, f'font-weight="640" {font}')
    return [f'<a href="{tables.find_leaf_page(leaf)}.html">', box, *words, "</a>"]


def _draw_rectangle(x: float, y: float, width: float, height: float, look: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5" {look}/>'


def _draw_path(path: str, theme: Theme) -> str:
    return f'<path d="{path}" fill="none" stroke="{theme.quiet}"/>'


def _draw_lines(lines: list[str], x: float, y: float, color: str, look: str = "") -> list[str]:
    return [
        f'<text x="{x:g}" y="{y + _LINE * place:g}" fill="{color}" {look}>{escape(line)}</text>'
        for place, line in enumerate(lines)
    ]


def _wrap(words: str, width: float, letter: float = _LETTER) -> list[str]:
    return textwrap.wrap(words, int(width / letter), break_on_hyphens=False)


def name_picture(stem: str, width: str, theme: str) -> Path:
    """Return the path of a picture: its siblings have the same name with an ending."""
    return HERE / "_static" / f"{stem}{width}{theme}.svg"


def write_choice() -> None:
    """Draw and write the picture of the choice of a method."""
    for (width, narrow), (ending, place) in product(WIDTHS.items(), THEMES.items()):
        made = draw_choice(Theme.of(place), narrow=narrow)
        name_picture("which-method", width, ending).write_text(made, encoding="utf-8")


def write_curse() -> None:
    """Draw and write the picture of the winner's curse."""
    naive, honest = scores_of_searches()
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "earnest", "font.size": 11})
    for (width, narrow), (ending, place) in product(WIDTHS.items(), THEMES.items()):
        figure = draw(naive, honest, Theme.of(place), narrow=narrow)
        path = name_picture("winners-curse", width, ending)
        figure.savefig(path, metadata={"Date": None, "Creator": None})
    print([round(value, 3) for value in naive], [round(value, 3) for value in honest])


# ---- an agent on noise


def read_noise() -> dict[int, dict[str, list[float]]]:
    """Return, by the number of agents with a ledger, means over repetitions for each step."""
    with NOISE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    curves: dict[int, dict[str, list[float]]] = {}
    for agents in (0, 1, 2):
        curves[agents] = {"step": [], "told": [], "value": [], "low": [], "high": []}
        chosen = [row for row in rows if int(row["agents"]) == agents]
        for step in sorted({int(row["step"]) for row in chosen}):
            alike = [row for row in chosen if int(row["step"]) == step]
            curves[agents]["step"].append(step)
            for name in ("told", "value", "low", "high"):
                numbers = [float(row[name]) for row in alike if row[name] not in ("", "nan")]
                curves[agents][name].append(float(np.mean(numbers)) if numbers else np.nan)
    return curves


def draw_noise(curves: dict[int, dict[str, list[float]]], theme: Theme, *, narrow: bool) -> Figure:
    """Draw what agents report after some steps on noise, with a ledger and without."""
    figure, axes = plt.subplots(
        figsize=(4.6, 3.9) if narrow else (7.2, 3.6), layout="constrained", facecolor=theme.paper
    )
    axes.set_facecolor(theme.paper)
    lie, honest = curves[0], curves[1]
    axes.axhline(0.5, color=theme.ink, lw=1, ls=":")
    axes.fill_between(
        honest["step"], honest["low"], honest["high"], color=theme.accent, alpha=0.18, lw=0
    )
    axes.plot(lie["step"], lie["told"], color=theme.warn, ls="--", marker="D", mfc=theme.paper)
    axes.plot(honest["step"], honest["value"], color=theme.accent, marker="o")
    end = 200 if narrow else 206
    side, lift = ("right", 0.014) if narrow else ("left", 0.0)
    above = "bottom" if narrow else "center"
    top, middle = lie["told"][-1] + lift, honest["value"][-1]
    axes.text(end, top, "without a ledger", color=theme.warn, ha=side, va=above)
    axes.text(end, middle - 0.012, "with a ledger,", color=theme.accent, ha=side, va="top")
    axes.text(end, middle - 0.042, "mean 95 % interval", color=theme.accent, ha=side, va="top")
    axes.text(end, 0.505, "the truth", color=theme.ink, ha=side, va="bottom")
    axes.set_xlim(0, 206 if narrow else 290)
    axes.set_ylim(0.3, 0.72)
    axes.set_xticks([1, 50, 100, 150, 200])
    axes.tick_params(colors=theme.ink)
    axes.set_xlabel("steps of an agent that keeps what scored better", color=theme.ink)
    axes.set_title(
        "Reported ROC AUC, pure noise, 200 cases", loc="left", fontsize=11, color=theme.ink
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["bottom", "left"]].set_color(theme.ink)
    return figure


def write_noise() -> None:
    """Draw and write the picture of agents on noise."""
    curves = read_noise()
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "earnest", "font.size": 11})
    for (width, narrow), (ending, place) in product(WIDTHS.items(), THEMES.items()):
        figure = draw_noise(curves, Theme.of(place), narrow=narrow)
        path = name_picture("ledger-on-noise", width, ending)
        figure.savefig(path, metadata={"Date": None, "Creator": None})
        plt.close(figure)


WRITERS = {"which-method": write_choice, "ledger-on-noise": write_noise, "curse": write_curse}


def main() -> None:
    """Draw and write the pictures that are named, or all."""
    for name in sys.argv[1:] or WRITERS:
        WRITERS[name]()


if __name__ == "__main__":
    main()
