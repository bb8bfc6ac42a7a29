"""What we say of subgroups: a line, a table, and what a reader may conclude."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from earnest.core.results.calibration import CalibrationVerdict
from earnest.core.results.subgroups import LargestGap, Subgroup, Subgroups, SubgroupStanding
from earnest.core.text.numbers import decimals, number, percent

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable

ANYTHING = (float("-inf"), float("inf"))
NONE = "–"


def count_places(groups: Subgroups) -> int:
    """Return the decimals of all scores: those that the narrowest limits deserve."""
    widths = [
        each.high - each.low
        for each in groups.judged
        if each.high is not None and each.low is not None and each.high > each.low
    ]
    return decimals(min(widths) / 4 if widths else None, groups.value)


def show_score(groups: Subgroups, value: float | None) -> str:
    """Return a score with the decimals it deserves, a dash where there is none."""
    limits = ANYTHING if groups.baseline is not None else groups.scale.limits
    return NONE if value is None else number(value, count_places(groups), limits)


def show_gap(groups: Subgroups, value: float | None) -> str:
    """Return a difference of scores."""
    return NONE if value is None else number(value, count_places(groups), ANYTHING)


def show_limits(groups: Subgroups, each: Subgroup) -> str:
    """Return the limits of a score, or why there are none."""
    if each.low is None:
        return str(each.standing)
    return f"[{show_score(groups, each.low)}, {show_score(groups, each.high)}]"


def show_gap_limits(groups: Subgroups, each: Subgroup) -> str:
    """Return the limits of the difference to the other cases."""
    if each.gap_low is None:
        return NONE
    return f"[{show_gap(groups, each.gap_low)}, {show_gap(groups, each.gap_high)}]"


def show_value(groups: Subgroups, each: Subgroup) -> str:
    """Return the score of a subgroup; one without limits stands in brackets."""
    value = show_score(groups, each.value)
    return value if each.judged or each.value is None else f"({value})"


def join_names(names: Sequence[str]) -> str:
    """Return names as an enumeration.

    Examples
    --------
    >>> from earnest.core.text.subgroups import join_names
    >>> join_names(["a", "b", "c"]), join_names(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def name_winner(groups: Subgroups) -> str:
    """Return what the scores are of: a configuration, or an ensemble."""
    if groups.winner is None and groups.n_members is not None:
        return f"ensemble of {groups.n_members}"
    return groups.winner or NONE


def word_headline(groups: Subgroups, margin: float | None = None) -> str:
    """Return what is shown, as the heading of a page.

    Parameters
    ----------
    margin : float, optional
        Below which a deficit does not count.
    """
    bad = [
        each
        for each in groups.subgroups
        if (ends := groups.limit_deficit(each)) is not None and ends[0] > (margin or 0.0)
    ]
    beyond = "" if not margin else f" by more than {margin:g}"
    if groups.baseline is not None and groups.judged:
        where = join_names([each.name for each in bad]) or "any subgroup"
        verb = "is shown" if bad else "is not shown"
        return f"{groups.winner} {verb} to be worse than {groups.baseline}{beyond} in {where}."
    if not groups.judged:
        return "No subgroup has enough cases to be judged."
    if not bad:
        return f"No subgroup is shown to be worse than the others{beyond}."
    names = join_names([each.name for each in bad])
    verb = "is" if len(bad) == 1 else "are"
    return f"{names} {verb} shown to be worse than the other cases{beyond}."


def word_bound(groups: Subgroups) -> str:
    """Return how much worse a subgroup may still be."""
    most = groups.worse_by_at_most
    if most is None:
        return ""
    level = percent(groups.confidence_level)
    if groups.baseline is not None:
        return (
            f"With {level} confidence, it is worse by no more than {show_gap(groups, most)} in any "
            "judged subgroup."
        )
    share = f"With {level} confidence, no judged subgroup is worse than the other cases by more "
    return share + f"than {show_gap(groups, most)}."


def word_unjudged(groups: Subgroups) -> str:
    """Return which subgroups have no limits, and why."""
    few = [each.name for each in groups.subgroups if each.standing is SubgroupStanding.FEW]
    undefined = [
        each.name for each in groups.subgroups if each.standing is SubgroupStanding.UNDEFINED
    ]
    words = []
    if few:
        words.append(f"Too few cases to judge: {join_names(few)}.")
    if undefined:
        words.append(f"{groups.metric} is undefined in {join_names(undefined)}.")
    return " ".join(words)


def word_gap(groups: Subgroups, gap: LargestGap) -> str:
    """Return how far the best and the worst subgroup of a column are apart."""
    low, high = show_gap(groups, gap.low), show_gap(groups, gap.high)
    return (
        f"{gap.column}: from {gap.worst} (worst) to {gap.best} (best) it is "
        f"{show_gap(groups, gap.value)}, between {low} and {high} in truth."
    )


def word_calibration(groups: Subgroups) -> str:
    """Return in which subgroups probabilities are off, where they were judged."""
    judged = [each for each in groups.subgroups if each.calibration is not None]
    off = [
        each.name
        for each in judged
        if each.calibration is not None and each.calibration.verdict is CalibrationVerdict.OFF
    ]
    if off:
        return f"The probabilities are off in {join_names(off)}."
    return "In no subgroup are the probabilities shown to be off." if judged else ""


def word_summary(groups: Subgroups) -> str:
    """Return what is shown of the subgroups, in a few sentences."""
    return f"{word_headline(groups)} {word_details(groups)}"


def word_details(groups: Subgroups) -> str:
    """Return what is said below the heading."""
    words = [word_bound(groups), word_unjudged(groups)]
    words += [word_gap(groups, gap) for gap in groups.gaps]
    words.append(word_calibration(groups))
    return " ".join(word for word in words if word)


def word_line(groups: Subgroups) -> str:
    """Return one line."""
    count, bad = len(groups.subgroups), len(groups.worse)
    what = f"no subgroup of {count} is shown to be worse"
    if bad:
        what = f"{bad} of {count} subgroups {'is' if bad == 1 else 'are'} shown to be worse"
        if groups.baseline is not None:
            what = f"worse in {bad} of {count} subgroups"
    if not groups.judged:
        what = f"too few cases in each of {count} subgroups"
    against = "" if groups.baseline is None else f" difference to {groups.baseline}"
    level = percent(groups.confidence_level).replace("\u00a0", " ")
    return (
        f"{groups.metric}{against} by {join_names(groups.columns)}: {what} "
        f"({level} at once, n={groups.n_cases})"
    )


def word_rows(groups: Subgroups) -> Iterator[str]:
    """Yield a line per subgroup."""
    wide = max((len(each.name) for each in groups.subgroups), default=0)
    for each in groups.subgroups:
        words = f"  {each.name:<{wide}}  n={each.n_cases:<6} {show_value(groups, each)} "
        words += show_limits(groups, each)
        if each.standing in (SubgroupStanding.WORSE, SubgroupStanding.BETTER):
            words += f" {each.standing}"
        yield words


def make_table(groups: Subgroups) -> PaperTable:
    """Return the table of a paper."""
    from earnest.core.text.paper import PaperTable

    level = f"{groups.confidence_level * 100:g} % limits at once"
    name = groups.metric if groups.baseline is None else f"{groups.metric} difference"
    heads = ("subgroup", "n", name, level, "against the others", "limits", "shown")
    rows = tuple(
        (
            each.name,
            f"{each.n_cases:,}",
            show_value(groups, each),
            show_limits(groups, each) if each.judged else NONE,
            show_gap(groups, each.gap),
            show_gap_limits(groups, each),
            str(each.standing),
        )
        for each in groups.subgroups
    )
    chosen = f", {groups.n_configs} configurations" if groups.n_configs > 1 else ""
    return PaperTable(heads, rows, f"n = {groups.n_cases:,}{chosen}")
