"""An explanation as people read it in a terminal: the finding, shares, regions, cautions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.padding import Padding
from rich.text import Text

from earnest.cli.show.estimate import (
    Fact,
    Part,
    emit_blocks,
    grid,
    indented,
    label_facts,
    remarks,
    show_paragraph,
)
from earnest.cli.show.terminal import ACCENT, GREY, NO_BREAK, WARN, clean, columns
from earnest.core.space.levels import show_level
from earnest.core.text.numbers import write_count
from earnest.explanation.curves import EffectCurve
from earnest.explanation.regions.regions import RegionTree, band_words
from earnest.explanation.result import Explanation, show_share
from earnest.explanation.stable import say_share
from earnest.explanation.suggest import Suggestion
from earnest.explanation.surrogate.quality import Trust

MOST_PARAMS, MOST_TREES = 12, 3
Row = tuple[str, str, str, str, str]  # name, share, curve, best value, range
SPARK = "▁▂▃▄▅▆▇█"
WIDEST_SPARK = 12
NOT_READ = (
    "Shares, curves, regions and suggestions are left out: they would be read from this surrogate. "
    "What was measured is below; more trials may help."
)
CHECKED = "surrogate, where the search looked, edges of the space, regions"


def show_explanation(
    explanation: Explanation, advice: Sequence[Suggestion] = (), page: Path | None = None
) -> None:
    """Write an explanation; what a poor surrogate would say is left out."""
    is_shown = explanation.trust is Trust.SHOWN
    listed = [*show_facts(explanation), *(suggestions(advice) if is_shown else ())]
    if page is not None:
        listed.append(("Page", str(page)))
    emit_blocks(
        [
            show_paragraph(f"{explanation.headline}.", "bold"),
            show_paragraph(str(explanation.surrogate_quality)),
        ],
        *(_read_surrogate(explanation) if is_shown else ([show_paragraph(NOT_READ, GREY)],)),
        [label_facts(listed)],
        remarks(explanation.cautions, CHECKED),
    )


def _read_surrogate(explanation: Explanation) -> Iterator[Iterable[Part]]:
    """Yield the blocks that are read from the surrogate."""
    trees = [tree for tree in explanation.regions.values() if len(tree) > 1]
    yield show_winner(explanation)
    yield effects(explanation)
    for tree in trees[:MOST_TREES]:
        yield regions(tree, shown=tree is explanation.winner_tree)


def show_winner(explanation: Explanation) -> Iterator[Part]:
    """Yield the branch of the best configuration, and the effect in its region."""
    tree = explanation.winner_tree
    if tree is None or tree.best is None:
        return
    leaf = tree.best
    yield show_paragraph("The best configuration lies where", GREY)
    yield Padding(Text(clean(leaf.words), style=ACCENT), (0, 0, 0, 4), expand=False)
    effect = f"{tree.param} there: {span(leaf.curve)}, best at {best_at(leaf.curve)}"
    yield Padding(Text(clean(f"{leaf.facts}; {effect}"), style=GREY), (0, 0, 0, 4), expand=False)
    if explanation.joint_effect is not None:
        joint = Text(clean(str(explanation.joint_effect)), style=GREY)
        yield Padding(joint, (0, 0, 0, 4), expand=False)


def effects(explanation: Explanation) -> Iterator[Part]:
    """Yield one row per parameter: its share, its curve, where it is best, its range and band."""
    objective = explanation.objective
    better = "higher" if objective.greater_is_better else "lower"
    last = clean(f"{objective.name}, {better} is better")
    heads = ("", "share of variance", "curve", "best at", last)
    shown = list(explanation.effects.values())[:MOST_PARAMS]
    rows = [
        (
            clean(_cut(curve.param)),
            show_share(explanation.importance.total[curve.param]),
            spark(curve),
            clean(_cut(best_at(curve), 12)),
            span(curve),
        )
        for curve in shown
    ]
    widths = [max(map(cell_len, cells)) for cells in zip(heads, *rows, strict=True)]
    if sum(widths) + 2 * len(widths) <= columns():
        yield _side_by_side(heads, rows)
    else:
        yield from _one_below_another(objective.name, better, shown, rows)
    more = len(explanation.effects) - len(shown)
    if more > 0:
        yield show_paragraph(f"{more} more; --json has them all.", GREY)


def _side_by_side(heads: Sequence[str], rows: Sequence[Row]) -> Part:
    table = grid(5)
    table.add_row(*(Text(head, style=GREY) for head in heads))
    for name, share, curve, best, ends in rows:
        table.add_row(
            Text(name, style="bold"), Text(share), Text(curve, style=ACCENT), Text(best), Text(ends)
        )
    return indented(table)


def _one_below_another(
    objective: str, better: str, curves: Sequence[EffectCurve], rows: Sequence[Row]
) -> Iterator[Part]:
    """Yield two lines per parameter, where a terminal has no room for a table; nothing is cut."""
    legend = f"Share of variance, curve, best value, range of {objective} ({better} is better)"
    yield show_paragraph(legend, GREY)
    for whole, (_, share, curve, _, ends) in zip(curves, rows, strict=True):
        yield show_paragraph(whole.param, "bold")
        line = Text(share.replace(" ", NO_BREAK))
        line.append(f"  {curve}", ACCENT).append(clean(f"  best at {best_at(whole)}  "))
        yield Padding(line.append(ends.replace(" ", NO_BREAK)), (0, 0, 0, 4), expand=False)


def regions(tree: RegionTree, *, shown: bool = False) -> Iterator[Part]:
    """Yield the regions of a hyperparameter, the best one first and in colour.

    With `shown` the best one stands elsewhere, and the others are listed.
    """
    yield show_paragraph(f"{'Other regions' if shown else 'Regions'} of {tree.param}", GREY)
    table = grid(2)
    for leaf in sorted(tree.leaves, key=lambda leaf: not leaf.holds_best):
        if shown and leaf.holds_best:
            continue
        style = ACCENT if leaf.holds_best else ""
        mark = " · best here" if leaf.holds_best else ""
        words = Text(clean(leaf.words), style=style)
        band = Text(clean(f"{leaf.extent}, "), style=GREY)
        band.append(clean(band_words(leaf.narrower)), WARN if leaf.narrower < -0.005 else ACCENT)
        table.add_row(words, band.append(mark, ACCENT))
    for column in table.columns:  # the first may wrap too: conditions are long
        column.no_wrap = False
    yield Padding(table, (0, 0, 0, 4), expand=False)


def show_facts(explanation: Explanation) -> Iterator[Fact]:
    """Yield what was explained, and what is not shown to be worse than the best."""
    best = ", ".join(
        f"{name}={show_level(value)}" for name, value in explanation.best_config.items()
    )
    yield "Best", f"{explanation.best_value:.4g} with {best}"
    stable = explanation.stable_optimum
    if explanation.trust is Trust.SHOWN:
        yield (
            "Rivals",
            f"{len(stable)} of {write_count(stable.n_trials, 'trial')} and "
            f"{say_share(stable.share)} of the space are not shown to be worse",
        )
    for gap in explanation.untested:
        trials = write_count(gap.n_pruned, "pruned trial")
        yield "Untested", f"{gap.param} {gap.words} ({trials} without a value)"
    parts = [
        str(explanation.counts),
        explanation.surrogate,
        f"{explanation.provenance['n_points']:,} points",
    ]
    yield "Evidence", ", ".join([*parts, f"seed {explanation.provenance['seed']}"])
    overall = explanation.sampling_bias.overall
    yield "Looked at", f"{overall.unbiased:.2f} from an even spread (MMD, 0 is even)"
    if explanation.trust is Trust.SHOWN:
        yield "Bands", "how uncertain the surrogate is about single configurations, on average"


def suggestions(advice: Sequence[Suggestion]) -> Iterator[Fact]:
    """Yield what to try next."""
    for number, each in enumerate(advice):
        words = ", ".join(f"{name}={show_level(_round(v))}" for name, v in each.config.items())
        gain = f"all bands {100 * each.narrower:.0f}\u00a0% narrower"
        yield "Try next" if number == 0 else "", f"{words} ({gain})"


def spark(curve: EffectCurve) -> str:
    """Return the curve as a row of blocks, eight heights from its lowest to its highest value."""
    values = [float(v) for v in curve.mean if v == v]
    low, high = min(values), max(values)
    every = -(-len(values) // WIDEST_SPARK)
    if high <= low:
        return SPARK[0] * len(values[::every])
    return "".join(SPARK[min(7, int(8 * (v - low) / (high - low)))] for v in values[::every])


def best_at(curve: EffectCurve) -> str:
    """Return the value at which a curve is best."""
    return show_level(_round(curve.grid[curve.objective.best(curve.mean)]))


def span(curve: EffectCurve) -> str:
    """Return the range of a curve and the half width of its band."""
    values = curve.mean[curve.mean == curve.mean]
    return f"{values.min():.3g} to {values.max():.3g} ± {curve.half_width():.2g}"


def _round(value: object) -> object:
    return float(f"{value:.3g}") if isinstance(value, float) else value


def _cut(name: str, most: int = 20) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
