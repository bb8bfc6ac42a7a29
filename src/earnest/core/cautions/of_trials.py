"""Cautions about an explanation: its trials, its space and its surrogate."""

from __future__ import annotations

from earnest.core.base import check
from earnest.core.results.cautions import Scope, Words, caution, note, write_for
from earnest.core.text.doors import arg
from earnest.core.text.numbers import write_count

MOSTLY_GUESSED = "Their curves are mostly the surrogate's guess."
MORE_CONFIGURATIONS = "Evaluate more configurations, or try another surrogate."


@caution("EN004", about=Scope.EDGE)
def best_on_edge(ends: tuple[tuple[str, str, bool], ...], inferred: bool) -> Words:
    """The best configuration lies at ends of ranges: each with its value, and whether lowest."""
    listed = (f"{name} = {value}, the {('highest', 'lowest')[low]}" for name, value, low in ends)
    edge = "of what was tried" if inferred else "of the space"
    return Words(
        f"The best configuration lies on the edge {edge}: {check.some(listed)}.",
        "A better one may lie beyond it, where nothing was tried.",
        "Widen the range there and search again.",
    )


@caution("EN060")
def trials_left_out(pruned: int, failed: int, trials: int) -> Words:
    """Trials cannot be compared with the others."""
    return Words(
        f"{pruned + failed} of {trials} trials are left out: {list_left_out(pruned, failed)}.",
        "The explanation does not know how they would have done and may be too good there.",
        "Report intermediate values, so that pruned trials inform; check whether those that failed "
        "share a region of the space.",
    )


def list_left_out(pruned: int, failed: int) -> str:
    """Return the trials that do not inform, in words."""
    parts = [f"{pruned:,} pruned without a value"] * bool(pruned)
    return " and ".join([*parts, *[f"{failed:,} failed"] * bool(failed)])


@note("EN060")
def trials_repeated(repeated: int, trials: int) -> Words:
    """Configurations were evaluated more than once."""
    return Words(
        f"{repeated} of {trials} trials repeat an earlier configuration.",
        "They show the noise, but nothing new about the space.",
    )


@note("EN062")
def space_inferred(
    ranges: tuple[str, ...],
    logs: tuple[str, ...],
    conditions: tuple[tuple[str, str], ...],
    gaps: tuple[tuple[str, str], ...],
) -> Words:
    """Part of the space was inferred: ranges, log scales, conditions, and who is often missing."""
    where = check.some((f"{name} (if {condition})" for name, condition in conditions), limit=8)
    often = check.some(f"{name} ({share})" for name, share in gaps)
    guesses = (
        (ranges, f"Numeric ranges are those of the trials: {check.some(ranges)}."),
        (logs, f"On a log scale, spanning two decades: {check.some(logs)}."),
        (conditions, f"Conditional, because some trials lack them: {where}."),
        (gaps, f"Sometimes missing: {often}."),
    )
    return Words(
        " ".join(
            ["Part of the space was inferred from the trials."]
            + [sentence for names, sentence in guesses if names]
        ),
        "Averages are over this space, and change with it.",
        f"Pass {arg('space')} if you know it.",
    )


@caution("EN063")
def surrogate_poor(r2: float, poor: bool) -> Words:
    """The surrogate explains little."""
    part = "too little of the objective to show what matters"
    return Words(
        f"The surrogate explains {part if poor else 'only part of the objective'}: R² {r2:.2f} on "
        "trials it had not seen.",
        "Curves show what it learned, which may not be what is there.",
        MORE_CONFIGURATIONS,
    )


@caution("EN063")
def surrogate_too_certain(coverage: float) -> Words:
    """The bands of the surrogate hold too few trials."""
    return Words(
        f"The surrogate is too certain: its 95 % bands hold {100 * coverage:.0f} % of the trials "
        "it had not seen.",
        "Bands are too narrow.",
        "Try another kernel, or the forest.",
    )


@caution("EN063")
def scales_not_fitted() -> Words:
    """The likelihood of the surrogate has no maximum."""
    return Words(
        "The scales of the surrogate could not be fitted: its likelihood has no maximum.",
        "Curves and bands use default scales that were not learned.",
        "Check the objective for values that are far from all others.",
    )


@note("EN063")
def scales_of_sample(used: int, trials: int) -> Words:
    """The scales of the surrogate come from some of the trials."""
    return Words(
        f"The scales of the surrogate come from {used} of {trials} trials, drawn at random.",
        "The surrogate still uses all trials; its scales are a little less certain.",
    )


@note("EN063")
def forest_chosen(trials: int | None, levels: int | None) -> Words:
    """The surrogate is a forest: for more trials than these, or for so many levels."""
    because = (
        f"more than {trials} trials"
        if levels is None
        else f"{levels} levels of categories, and few trials for each"
    )
    return Words(
        f"The surrogate is a forest, because there are {because}.",
        "Its curves are rough, and its bands are too narrow where there are no trials.",
        f"Ask for {arg('surrogate', 'gaussian_process')} if you have the time.",
    )


@note("EN063")
def levels_split_in_order(params: tuple[str, ...]) -> Words:
    """Categories had too many levels to try every split of them."""
    return Words(
        "A category with more than 12 levels was split along an ordering of them, in the regions "
        f"of {check.some(params)}.",
        "A better split of its levels may exist.",
    )


@caution("EN065")
def hardly_tried(gaps: tuple[tuple[str, str, int], ...]) -> Words:
    """Parts of ranges were hardly tried: hyperparameter, where, and with how many trials."""
    listed = (f"{name} {where} ({write_count(trials, 'trial')})" for name, where, trials in gaps)
    suggest = write_for(python="`suggest`", command="--suggest")
    return Words(
        f"Hardly tried: {check.some(listed)}.",
        "Curves there are mostly the surrogate's guess; the band shows how uncertain it is.",
        f"Evaluate configurations there; {suggest} proposes some.",
    )


@caution("EN065")
def rarely_active(params: tuple[tuple[str, int], ...], fewest: int) -> Words:
    """Few trials have a hyperparameter active: each with how many."""
    listed = check.some(f"{name} ({trials})" for name, trials in params)
    return Words(
        f"Active in fewer than {fewest} trials: {listed}.",
        MOSTLY_GUESSED,
        "Evaluate more configurations of that branch.",
    )


@caution("EN065")
def regions_hardly_tried(regions: tuple[tuple[str, str, int], ...], fewest: int) -> Words:
    """Few trials lie in regions whose band is narrow: hyperparameter, where, and how many."""
    listed = (f"{name} where {where} ({trials})" for name, where, trials in regions)
    return Words(
        f"Regions with a narrow band and fewer than {fewest} trials: "
        f"{check.some(listed, limit=3)}.",
        "Their band is narrow because the surrogate extrapolates from what it saw elsewhere.",
        "Evaluate a few configurations there before you rely on it.",
    )


@note("EN065")
def never_varied(params: tuple[str, ...]) -> Words:
    """Hyperparameters had one value in all trials that have them."""
    return Words(
        f"Never varied in these trials: {check.some(params, limit=10)}.",
        "Their effect cannot be seen.",
    )


@note("EN065")
def one_varies() -> Words:
    """There is nothing to divide the space by."""
    return Words(
        "Only one hyperparameter varies.",
        "There are no regions and no pairs. The curve is the surrogate itself.",
    )
