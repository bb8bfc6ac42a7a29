"""The winner against all others, and the set that cannot be shown to be worse.

One law serves picture, p-value and verdict: that of the largest error over all pairs. A
configuration is worse where its interval for all at once, the thin bar, leaves 0 on the winner's
side, which is where its p-value is at most α. All of it holds for every pair at once, and so though
the winner was found on the same cases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from earnest.comparison.base import TESTS
from earnest.core.results.cautions import Caution
from earnest.core.results.comparison import Comparison
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.estimate import by_severity
from earnest.core.results.interval import Interval
from earnest.core.results.specs import ComparisonEstimand, Standing
from earnest.core.text.comparison import p_value_text, places_of_difference
from earnest.core.text.names import ConfigName
from earnest.core.text.numbers import MINUS, decimals, percent, print_number, prose
from earnest.plotting.svg.strips import Difference, comparison_strip, difference_scale, strip_axis
from earnest.reporting.model import NONE, RivalRow, RivalsPart
from earnest.reporting.parts.forest import WIDTH
from earnest.reporting.parts.headings import rivals_heading
from earnest.reporting.sources.asking import Results

SHOWN = 8  # rows that stand open
MOST_PLACES = 4
ANY_SIZE = (-math.inf, math.inf)
SAME = 1e-9  # by which rounding may part two scores
MOST = 60  # rows drawn; the audit table holds all
BETTER = "winner better →"
NOT_WORSE = (
    "means that these data cannot show it to be worse. The winner was chosen for looking best, "
    "so the differences favour it."
)


@dataclass(frozen=True)
class RivalComparison:
    """One comparison with the level that holds for all at once.

    `ahead` and the intervals say by how much the winner is better, for losses too.
    """

    comparison: Comparison
    ahead: float
    pairwise: tuple[float, float] | None
    all: tuple[float, float] | None
    p: float
    standing: Standing

    @property
    def worse(self) -> bool:
        """Whether the other one is shown to be worse."""
        return self.standing is Standing.WORSE


def verdicts(many: Comparisons) -> list[RivalComparison]:
    """Return the comparisons with the winner, the nearest rival first."""
    standings = many.standings
    return [
        _verdict(many, comparison, p, standings[comparison.b]) for comparison, p in many.ranked()
    ]


def _verdict(
    many: Comparisons, comparison: Comparison, p: float, standing: Standing
) -> RivalComparison:
    sign = 1.0 if comparison.scale.greater_is_better else -1.0
    return RivalComparison(
        comparison=comparison,
        ahead=sign * comparison.difference,
        pairwise=_turn(comparison.interval, sign),
        all=_turn(many.family.interval(comparison), sign),
        p=p,
        standing=standing,
    )


def _turn(interval: Interval | None, sign: float) -> tuple[float, float] | None:
    """Return limits of winner minus other as those of how far the winner is ahead."""
    if interval is None:
        return None
    low, high = sorted((sign * interval.low, sign * interval.high))
    return low, high


def rivals_of(results: Results) -> RivalsPart | None:
    """Return the part on the winner and the others, None if there are none."""
    many = results.many
    if many is None or not len(many):
        return None
    rows = verdicts(many)
    not_worse = [row.comparison.b for row in rows if not row.worse]
    cheapest = many.cheapest
    names = results.material.names
    spec = TESTS[rows[0].comparison.test].spec.of_folds(results.n_folds)
    drawn = _choose_drawn(rows, cheapest)
    differences = [_difference(row, cheapest) for row in drawn]
    shown = _find_shown(drawn)
    scale = difference_scale([differences[i] for i in sorted(shown)], width=WIDTH)
    places = min(max(places_of_difference(row.comparison) for row in drawn), MOST_PLACES)
    level = percent(many.confidence_level)
    return RivalsPart(
        heading=rivals_heading(len(not_worse), len(rows)),
        lede=_lede(many, rows, cheapest, names, places),
        note=NOT_WORSE,
        test=f"Test: {spec.title} ({spec.name}), two-sided. {_bars(many, level)}"
        f"{_say_scored(results, rows[0].comparison)}",
        rows=tuple(
            replace(
                _row(row, places, names, cheapest),
                strip=comparison_strip(each, scale, name=f"rival-{i}"),
                shown=i in shown or row.comparison.b == cheapest,
            )
            for i, (row, each) in enumerate(zip(drawn, differences, strict=True))
        ),
        n_others=len(rows),
        not_worse=tuple(not_worse),
        cheapest=cheapest,
        margin=_say_margin(many),
        cautions=_cautions(results, many),
        axis=strip_axis(scale, name="rivals-axis", words=BETTER),
    )


def _cautions(results: Results, many: Comparisons) -> tuple[Caution, ...]:
    """Return what the comparisons are to be taken with: each kind once, none of the number's."""
    cautions = () if results.estimate is None else results.estimate.cautions
    fresh = {each.kind: each for each in reversed(many.cautions) if each not in cautions}
    return by_severity(fresh.values())


def _bars(many: Comparisons, level: str) -> str:
    count = len(many)
    if count == 1:
        return f"Bar: {level} interval, which decides the verdict."
    how = "the largest error of any pair" if many.joint else "Bonferroni's rule"
    return (
        f"Thick bar: {level} for this one comparison, had it been chosen in advance. Thin bar: "
        f"{level} for all pairs of the {count + 1:,} configurations at once, as is p, by {how}; "
        "that allows for the choice of the winner, and the verdict follows it."
    )


def _say_scored(results: Results, comparison: Comparison) -> str:
    """Say over what the scores of this table are, which the test decides."""
    naive = None if results.estimate is None else results.estimate.naive
    if naive is None or comparison.value_a != comparison.value_a:
        return ""
    if abs(comparison.value_a - naive) < SAME * max(1.0, abs(naive)):
        units = "items" if comparison.estimand is ComparisonEstimand.ITEMS else "cases"
        return f" Scores are over all {units}, like the naive score."
    return " Scores are computed as in this test and may differ a little from the naive score."


def _choose_drawn(rows: list[RivalComparison], cheapest: str | None) -> list[RivalComparison]:
    """Return the nearest rivals and some of the worse, so that both verdicts are seen."""
    first = rows[:MOST]
    if len(rows) > MOST:
        first = [*rows[: MOST - 1], rows[-1]]
    named = [row for row in rows if row.comparison.b == cheapest and row not in first]
    return [*first, *named]


def _find_shown(drawn: list[RivalComparison]) -> set[int]:
    """Return which rows stand open: the nearest, and where the verdict turns."""
    if len(drawn) <= SHOWN + 2:
        return set(range(len(drawn)))
    turn = [i for i, row in enumerate(drawn) if row.worse][:2]
    return {*range(SHOWN - len(turn)), *turn}


def _difference(row: RivalComparison, cheapest: str | None) -> Difference:
    return Difference(
        name=row.comparison.b,
        value=row.ahead,
        one=row.pairwise,
        all=row.all,
        worse=row.worse,
        cheapest=row.comparison.b == cheapest,
        words="the winner is ahead by",
    )


def _row(
    row: RivalComparison, places: int, names: dict[str, ConfigName], cheapest: str | None
) -> RivalRow:
    comparison = row.comparison
    name = names.get(comparison.b, ConfigName("", comparison.b))
    limits = comparison.scale.limits
    return RivalRow(
        config=comparison.b,
        label=name.words,
        model=name.model,
        settings=name.settings,
        score=prose(comparison.value_b, places, limits),
        ahead=_ahead(row, places),
        interval=_ends(row.all, places, comparison),
        interval_one=_ends(row.pairwise, places, comparison),
        p=NONE if comparison.p_value is None else p_value_text(row.p),
        ahead_by=_drop_nan(row.ahead),
        limits=row.all,
        limits_one=row.pairwise,
        p_value=None if comparison.p_value is None else row.p,
        worse=row.worse,
        standing=str(row.standing),
        cheapest=comparison.b == cheapest,
    )


def _ahead(row: RivalComparison, places: int) -> str:
    """Return how far the winner is ahead; never 0 for a number that is not."""
    shown = print_number(row.ahead, places, row.comparison.limits)
    if not row.ahead or shown.value:
        return shown.words
    least = f"{10.0**-places:.{places}f}"
    return f"< {least}" if row.ahead > 0 else f"> {MINUS}{least}"


def _drop_nan(value: float) -> float | None:
    return value if value == value else None


def _ends(ends: tuple[float, float] | None, places: int, comparison: Comparison) -> str:
    if ends is None:
        return NONE
    return " to ".join(prose(end, places, comparison.limits) for end in ends)


def _lede(
    many: Comparisons,
    rows: list[RivalComparison],
    cheapest: str | None,
    names: dict[str, ConfigName],
    places: int,
) -> str:
    if cheapest is None:
        return (
            "Which of them is cheapest is unknown, because no order from cheap to costly was "
            "passed (Configs.with_complexity)."
        )
    if all(row.worse for row in rows):
        return "These data leave no choice but the winner."
    if cheapest == many.reference:
        return f"None of the cheaper ones scores at most {_say_margin(many)} worse here."
    row = next(row for row in rows if row.comparison.b == cheapest)
    ahead = _ahead(replace(row, ahead=abs(row.ahead)), places)
    ends = ""
    if row.all is not None:
        at_once = "" if len(rows) == 1 else " for all pairs at once"
        level = percent(many.confidence_level)
        ends = f" ({level} interval{at_once}: {_ends(row.all, places, row.comparison)})"
    better = "better" if row.ahead < 0 else "worse"
    amount = (
        "It scores the same" if not row.comparison.difference else f"It scores {ahead} {better}"
    )
    name = names[cheapest].words if cheapest in names else cheapest  # not in a damaged run file
    near = f"The cheapest of those that score at most {_say_margin(many)} worse here is {name}."
    return f"{near} {amount}{ends}: these data cannot tell the two apart."


def _say_margin(many: Comparisons) -> str:
    """Return how much worse than the winner the cheapest may score."""
    return prose(many.margin or 0.0, decimals(None, many.margin or 0.0), ANY_SIZE)
