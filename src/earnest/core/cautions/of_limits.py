"""Cautions about intervals: what they rest on, and where they are rough."""

from __future__ import annotations

from earnest.core.results.cautions import Scope, Verb, Words, caution, note
from earnest.core.results.specs import LimitLaw
from earnest.core.text.doors import arg
from earnest.core.text.numbers import write_count

MORE_CASES = "Use more cases."
ONLY_MORE = "Only more cases can tell you more."
RULE_OF_THREE = (
    "they show how large a share of different {units} may have gone unseen{where}, and what these "
    "could do to the metric (the rule of three)."
)
BAYLE = "the theorem of Bayle et al. 2020"
LEDELL = "(LeDell et al. 2015)"
FROM_NORMAL = (
    "With so few, the mean is far from normal: the interval is rough, and too short on the side "
    "of the rarer cases."
)
MORE_OF_CLASS = "Use more cases of that class."


def _exact(pairs: int, noun: str = "independent pairs") -> str:
    count = "one pair" if pairs == 1 else f"{pairs} {noun}"
    return f"Clopper and Pearson for {count} of cases"


_LAWS = {
    LimitLaw.DELONG: "that of DeLong",
    LimitLaw.OBUCHOWSKI: "that of DeLong, with the variance over groups of Obuchowski",
    LimitLaw.HANLEY_MCNEIL: "that of Hanley and McNeil",
    LimitLaw.PAIRS: "the exact limit of Clopper and Pearson for pairs of cases",
    LimitLaw.NORMAL_SCORES: "that of an AUC of scores that are normal in each class",
    LimitLaw.WILSON: "that of Wilson",
    LimitLaw.NORMAL: "a normal one",
    LimitLaw.EQUAL_CASES: "that of cases that are all alike",
}


def _describe_law(law: LimitLaw, pairs: int | None) -> str:
    """Return in words the limit of a formula."""
    if pairs is None:
        return _LAWS[law]
    noun = "independent pairs" if pairs > 1 else "pair"
    return f"the exact limit of Clopper and Pearson for {pairs} {noun} of cases"


# Draws: too few, or without a value.


@caution(
    "EN010",
    advice={
        Verb.TUNE: f"Collect more cases of the rare classes, or choose another {arg('metric')}."
    },
)
def resamples_undefined(undefined: int, resamples: int) -> Words:
    """Resamples have no defined value."""
    return Words(
        f"{undefined} of {resamples} resamples have no defined value.",
        "They are left out, which favours resamples with every class.",
        "Use more cases of the rare classes, or a metric that does not need them.",
    )


@caution("EN010")
def statistic_undefined(undefined: int, resamples: int) -> Words:
    """A statistic has no value on some resamples."""
    return Words(
        f"{undefined} of {resamples} resamples have no defined value.",
        "They are left out, so the interval describes samples that have one.",
        f"Pass {arg('strata')} if every class must be drawn, or use more cases.",
    )


@caution("EN010")
def replicates_undefined(undefined: int, replicates: int) -> Words:
    """Replicates have no defined value."""
    return Words(
        f"{undefined} of {replicates} replicates have no defined value.",
        "They are left out, which favours samples with every class.",
        "Draw each class separately with bootstrap_train(..., stratify=True).",
    )


@caution("EN011")
def value_moved_back(value: float, metric: str) -> Words:
    """A correction left the range of the metric."""
    return Words(
        f"The correction gave {value:.4g}, outside the range of {metric}.",
        "It was moved back to the nearest possible value. The method overcorrects here.",
        f"Prefer {arg('method', 'bbc')}.",
    )


@caution(
    "EN016",
    changes_with_level=True,
    advice={Verb.TUNE: f"Choose a lower {arg('confidence_level')}."},
)
def few_beyond_limit(resamples: int, fewest: int, needed: int) -> Words:
    """Few resamples lie beyond a limit."""
    return Words(
        f"{resamples} resamples leave fewer than {fewest} beyond a limit.",
        "The limits are rough.",
        f"Use {arg('n_resamples', needed)} or more.",
    )


@caution("EN016", changes_with_level=True)
def few_under_tilt(effective: float) -> Words:
    """A tilted limit depends on few resamples."""
    return Words(
        f"After weighting, a limit depends on only about {max(effective, 1.0):.0f} resamples.",
        "Another seed may give a very different limit.",
        f"Use more resamples, or a method without tilts such as {'delong'!r}.",
    )


@caution("EN016", changes_with_level=True)
def no_small_p(least: float, resampled: bool) -> Words:
    """The smallest p-value of a test is above its level."""
    more = "resamples" if resampled else "cases"
    return Words(
        f"The smallest p-value that this test can give here is {least:.3g}.",
        "It could not have shown a difference at this level, however large.",
        f"Use more {more}, or {arg('test', 'bayle')}.",
    )


@caution("EN018")
def few_folds(folds: int) -> Words:
    """There are few folds to resample."""
    return Words(
        f"There are {folds} folds to resample.",
        "There are few different draws, so the limits are coarse.",
        f"Use {arg('method', 'bbc')}, which resamples cases.",
    )


@caution("EN018")
def few_folds_alone(folds: int, fewest: int) -> Words:
    """Fold scores of too few folds for an interval."""
    return Words(
        f"There are {folds} folds, and nothing but their scores.",
        f"With fewer than {fewest}, no interval from fold scores held at its level, so there is "
        "none.",
        "Keep the predictions with earnest.SearchCV, or use ten folds.",
    )


@caution("EN018")
def repeats_unknown(splits: int) -> Words:
    """Many splits, of which nobody said how they belong together."""
    return Words(
        f"There are {splits} splits. Whether they repeat a cross-validation is not known.",
        "Repeats share their cases; taken as folds they would make an interval too narrow, so "
        "there is none.",
        "Pass the fitted search itself, or FoldScores.from_rows(rows, repeats=...).",
    )


@caution("EN018")
def splits_overlap(splits: int) -> Words:
    """Random splits, whose test sets share cases."""
    return Words(
        f"The {splits} test sets are random splits, which share cases.",
        "Draws of splits vary less than samples do, so there is no interval.",
        "Use folds, or keep the predictions with earnest.SearchCV.",
    )


@caution("EN035", about=Scope.SPREAD)
def fold_scores_equal(folds: int) -> Words:
    """All draws of folds have the same score."""
    return Words(
        f"The {folds} folds do not differ, in every draw.",
        "Fold scores then tell nothing of other cases, so there is no interval.",
        "Keep the predictions with earnest.SearchCV: errors that were not seen are allowed for.",
    )


@caution("EN018")
def few_fold_scores(scores: int) -> Words:
    """A standard deviation comes from few fold scores."""
    return Words(
        f"The spread comes from {scores} fold scores.",
        "So few say little about it, so the interval is wide and rough.",
        "Use more folds, or repeat them.",
    )


@caution("EN018")
def few_repeats(repeats: int, enough: int) -> Words:
    """Nested cross-validation measured its error in few repeats."""
    return Words(
        f"There {'is' if repeats == 1 else 'are'} {write_count(repeats, 'repeat')}.",
        "The error that nested cross-validation measures is rough with so few.",
        f"Use {arg('n_repeats', enough)} or more.",
    )


@caution("EN018")
def few_halvings(halvings: int) -> Words:
    """The cases were halved few times."""
    return Words(
        f"The cases were halved {write_count(halvings, 'time')}.",
        "The width of the interval is rough with so few.",
    )


@caution("EN018")
def repeats_mostly_noise(repeats: int, trained: bool, enough: int | None) -> Words:
    """The noise of the repeats hides the effect of training sets; `trained` tells if some shows."""
    more = "Use more repeats." if enough is None else f"Use {arg('n_repeats', enough)} or more."
    return Words(
        f"What {repeats} repeats show about the effect of training sets is mostly noise.",
        "The standard error is rough and usually too large."
        if trained
        else "The standard error is that of the tests alone and may be too small.",
        more,
    )


@caution("EN020")
def few_groups_drawn(groups: int) -> Words:
    """There are few groups to resample."""
    return Words(
        f"There are {groups} groups.",
        "An interval that resamples whole groups is rough with so few.",
    )


@caution("EN020")
def few_groups_in_variance(groups: int) -> Words:
    """A variance comes from few groups."""
    return Words(
        f"There are {groups} groups.",
        "A variance over so few groups is rough and usually too small, so the interval is too "
        "narrow.",
    )


@caution("EN020")
def few_clusters_of_statistic(count: int, unit: str) -> Words:
    """A statistic has few groups to resample."""
    return Words(
        f"There are {count} {unit}s to resample.",
        "Draws of so few are coarse and too narrow; the limits are a rough guide.",
        f"Use more {unit}s.",
    )


@caution("EN036")
def few_cases_of_statistic(cases: int) -> Words:
    """A statistic has few cases to resample."""
    return Words(
        f"There are {cases} cases to resample.",
        "Draws of so few are coarse and too narrow; the limits are a rough guide.",
        MORE_CASES,
    )


@caution("EN036")
def few_for_normal_limits(cases: int, unlike: float | None) -> Words:
    """Normal limits rest on few cases, or on few that are unlike the rest."""
    count = f"{cases} cases"
    if unlike is not None:
        count = f"{unlike:.2g} of {cases} cases that differ from the rest"
    return Words(f"The normal limits are based on {count}.", FROM_NORMAL, MORE_CASES)


@caution("EN036")
def few_units_compared(
    units: int, unit: str, unlike: float | None, resampled: bool, mean: bool
) -> Words:
    """A comparison by an approximation for many units has few, or few that differ."""
    count = _count_units(units, unit)
    if unlike is not None:
        count = f"{unlike:.2g} of {count} that differ from the rest"
    lone = unlike == 1 if unlike is not None else units == 1
    law = "Resampling is" if resampled else "The normal approximation is"
    other = f", or {arg('test', 'sign_flip')}, which does not need it" if mean else ""
    return Words(
        f"There {'is' if lone else 'are'} {count}.",
        f"{law} a rough guide with so few; p may be too small and the interval too narrow.",
        f"Use more cases{other}.",
    )


@caution("EN036")
def few_cases_differ(different: int, units: int) -> Words:
    """Few cases differ between two results."""
    return Words(
        f"{different} of {units:,} cases differ.",
        "The limits are those of rare cases, which are wider than normal ones.",
    )


@caution("EN036")
def small_pilot(units: int, unit: str, fewest: int) -> Words:
    """A plan is made from a small pilot."""
    return Words(
        f"The pilot has {units} {unit}s.",
        "It knows its own variance badly, and the number of items needed is rough.",
        f"Use a pilot of at least {fewest} {unit}s.",
    )


@caution("EN036")
def few_to_simulate(units: int, unit: str, fewest: int) -> Words:
    """Studies are simulated from the predictions of few cases."""
    return Words(
        f"The simulated studies are made of {units} {unit}s.",
        "So few do not show how much cases can differ, and the inclusion is a rough guide.",
        f"Use {fewest} {unit}s at least.",
    )


@caution("EN036")
def fewer_than_ten(cases: int) -> Words:
    """A learner is assessed on hardly any cases."""
    return Words(
        f"There are {cases} cases.",
        "So few can neither train nor test a model: the value is little more than chance, and "
        "every interval is rough.",
        MORE_CASES,
    )


@caution("EN044")
def few_for_an_auc(cases: int, label: str) -> Words:
    """A class has too few cases for the usual limits of an AUC."""
    return Words(
        f"The limits of the AUC are based on {write_count(cases, 'case')} of class {label}.",
        "With so few, the limits assume the wrong distribution, and the interval is usually too "
        "narrow.",
        MORE_OF_CLASS,
    )


@caution("EN044")
def few_for_the_winner(cases: int, label: str, fewest: int, area: bool) -> Words:
    """A class has few cases for the limits of a winner's AUC, or its F1."""
    held = "87 % in the worst simulations" if area else "70 % in the worst of real searches"
    return Words(
        f"Class {label} has {write_count(cases, 'case')}.",
        f"With fewer than {fewest} the limits of {'an AUC' if area else 'F1'} can be too narrow: "
        f"95 % limits held in {held}.",
        MORE_OF_CLASS,
    )


@caution("EN044")
def few_events(cases: int, label: str, fewest: int) -> Words:
    """A class has few cases for the limits of a calibration."""
    return Words(
        f"Class {label} has {write_count(cases, 'case')}.",
        f"With fewer than {fewest} a calibration is hardly known: its interval is wide, rough and "
        "skewed, and distances such as the ICI are mostly chance.",
        MORE_OF_CLASS,
    )


@caution("EN044")
def lone_cases(single: int, folds: int, one_partition: bool) -> Words:
    """Folds have one case of a class, which show nothing of its spread."""
    error = "the error is rather too large"
    if one_partition:
        error = "the error is that of a single partition, not of the mean over repeats"
    return Words(
        f"In {single} of {folds} folds a class has one case.",
        "A fold does not show how much depends on such a case. Placements are means over folds, as "
        f"if all models ranked alike; {error}.",
        "Use fewer folds, with two cases of each class in each.",
    )


# Limits by another law than the one that was asked for.


@caution("EN026", changes_with_level=True)
def no_tilt(law: LimitLaw, pairs: int | None, candidates: int) -> Words:
    """No tilt goes far enough; the limit is that of a formula instead."""
    sidak = f" at Sidak's level for {candidates} candidates" * (candidates > 1)
    return Words(
        "No tilt of the cases makes the estimate as unlikely as the level requires.",
        f"The limit is {_describe_law(law, pairs)}{sidak} instead.",
        "The cases are few or perfectly separated: add cases.",
    )


@note("EN026")
def near_best(end: float) -> Words:
    """Few errors would put the pessimistic limit too close to the score; `end` is where."""
    return Words(
        "The score is close to the best possible, with few errors.",
        f"Resamples of so few put the end of a 95 % interval at {end:.3g}, too close to the score. "
        "You get the limit from the distribution of the score, which is further away.",
    )


@note("EN031")
def linear_part(metric: str) -> Words:
    """A function of sums has the limits of its linear part."""
    return Words(
        f"{metric[:1].upper()}{metric[1:]} is not a mean over cases.",
        "Its limits are those of its linear part (the delta method), for the cases of all folds "
        f"together, which goes beyond {BAYLE}.",
    )


@note("EN031")
def placements(metric: str, by_fold: bool) -> Words:
    """An AUC has limits from placements."""
    law = f"Its limits come from placements of the cases, like DeLong's, which goes beyond {BAYLE}."
    if by_fold:
        law = (
            "It is the mean over folds, not the pooled one, and its limits come from placements "
            f"within folds {LEDELL}, which goes beyond {BAYLE}."
        )
    return Words(f"{metric[:1].upper()}{metric[1:]} is not a mean over cases.", law)


@note("EN031")
def error_beyond_means(by_fold: bool) -> Words:
    """The error of repeats of a metric that is not a mean over cases."""
    return Words(
        "The metric is not a mean over cases.",
        f"It is the mean over folds, and its error comes from placements in folds {LEDELL}."
        if by_fold
        else "The error is that of its linear part.",
    )


@note("EN031")
def repeats_beyond_theorem(repeats: int) -> Words:
    """Repeats under a theorem for one partition."""
    return Words(
        f"There are {repeats} repeats.",
        f"{BAYLE[:1].upper()}{BAYLE[1:]} is about one partition; the limits do not shrink with the "
        "number of repeats.",
    )


@note("EN031")
def groups_beyond_theorem() -> Words:
    """Groups under a theorem for independent cases."""
    return Words(
        "The cases come in groups.",
        f"{BAYLE[:1].upper()}{BAYLE[1:]} is about independent cases; the variance is that of whole "
        "groups (cluster-robust).",
    )


# Nothing varies.


@caution("EN035", about=Scope.AREA)
def area_without_spread(defined: bool, grouped: bool, law: LimitLaw, pairs: int | None) -> Words:
    """The scores of an AUC show no spread."""
    unit = "group" if grouped else "case"
    variance = "is 0" if defined else f"is undefined for one {unit} of a class"
    return Words(
        f"The variance of the AUC {variance}: its scores show no spread.",
        f"The limit is {_describe_law(law, pairs)}.",
        "It is wide; only more cases can tell you more.",
    )


@caution("EN035", about=Scope.SPREAD)
def perfect_score(area: bool, pairs: int | None, rivals: int) -> Words:
    """The score is perfect; its limits come from its distribution."""
    if area:
        law = "The limit is that of an AUC with scores that are normal in each class."
    elif pairs is None:
        law = "The limit says how large a share of errors may have gone unseen (the rule of three)."
    else:
        law = f"The limit is the exact one of {_exact(pairs, 'pairs')}."
    level = f" The level allows for the choice from {rivals} configurations." * (rivals > 1)
    return Words(
        "The score is perfect on these cases.",
        f"Seeing no error does not mean that there are none. {law}{level}",
        ONLY_MORE,
    )


@caution("EN035", about=Scope.SPREAD)
def draws_equal(pairs: int | None, rivals: int = 1) -> Words:
    """The draws are equal; without `pairs` only the range of the metric limits it."""
    law = (
        "Unseen cases could move the metric anywhere in its range, so the limits are that range."
        if pairs is None
        else "The limits do not come from the resamples: they are the exact limits of "
        f"{_exact(pairs, 'pairs')}."
    )
    return Words("Every resample gives the same value.", f"{law}{_allow_for(rivals)}", ONLY_MORE)


@caution("EN035", about=Scope.SPREAD)
def draws_mostly_equal(share: float) -> Words:
    """Nearly all draws are equal."""
    return Words(
        f"{share:.0%} of the resamples give the same value.",
        "The limits depend on the few others and are rough; at a lower level they are a single "
        "point.",
        ONLY_MORE,
    )


@caution("EN035", about=Scope.SPREAD)
def spread_elsewhere(unit: str, rivals: int = 1) -> Words:
    """Cases vary, although the variance is 0."""
    return Words(
        "The variance is 0, although cases vary.",
        f"The variance over all pairs of {unit}s is used instead.{_allow_for(rivals)}",
        ONLY_MORE,
    )


@caution("EN035", about=Scope.SPREAD)
def order_in_every_fold(pairs: int, rivals: int = 1) -> Words:
    """The order of the classes is the same in every fold."""
    return Words(
        "The order of the classes is the same in every fold.",
        "The limits are not normal: they are the exact limits of Clopper and Pearson for "
        f"{pairs} independent pairs of cases.{_allow_for(rivals)}",
        ONLY_MORE,
    )


@caution("EN035", about=Scope.SPREAD)
def cases_equal(rivals: int = 1) -> Words:
    """All cases contribute the same."""
    law = RULE_OF_THREE.format(units="cases", where="")
    return Words(
        "All cases contribute the same.",
        f"The limits are not normal: {law}{_allow_for(rivals)}",
        ONLY_MORE,
    )


@caution("EN035", about=Scope.SPREAD)
def pairs_ordered_alike(pairs: int) -> Words:
    """Models that saw neither case order all pairs alike."""
    return Words(
        "Models that saw neither case order all pairs alike.",
        "The limits are not normal: they are the exact limits of Clopper and Pearson for "
        f"{pairs} independent pairs of cases.",
        ONLY_MORE,
    )


@caution("EN035", about=Scope.SPREAD)
def folds_equal(folds: int) -> Words:
    """The folds do not differ at all."""
    law = RULE_OF_THREE.format(units="folds", where="")
    return Words(
        f"The {folds} folds all have the same score.",
        f"The limits are not Student's: {law}",
        ONLY_MORE,
    )


@caution("EN035", about=Scope.SPREAD)
def halves_equal(tested: int) -> Words:
    """The halves do not differ at all."""
    law = RULE_OF_THREE.format(units="cases", where=f" in a test set of {tested}")
    return Words(
        "The halves all have the same score.", f"The limits are not normal: {law}", ONLY_MORE
    )


@caution("EN035", about=Scope.SPREAD)
def statistic_constant(unit: str) -> Words:
    """A statistic never changes."""
    return Words(
        f"The statistic is the same for every {unit}.",
        "Nothing shows how much it could vary, so the interval has no width.",
        ONLY_MORE,
    )


@caution("EN035", about=Scope.SPREAD)
def differences_equal(units: int, unit: str, zero: bool, bounded: bool) -> Words:
    """The difference is the same in every unit."""
    how = "the interval allows for unseen cases" if bounded else "there is no interval"
    return Words(
        f"{'All ' if units > 1 else 'The '}{_count_units(units, unit)} show{'s' * (units == 1)} "
        f"{'no difference at all' if zero else 'the same difference'}.",
        f"There is no spread to compare it with; p comes from a bound, and {how}.",
        "Look at the predictions; more cases would show how rare another outcome is.",
    )


@caution("EN035", about=Scope.SPREAD)
def no_posterior(folds: int, bounded: bool) -> Words:
    """All folds agree, and a posterior needs a spread."""
    how = "an interval that allows for unseen cases" if bounded else "no interval"
    return Words(
        f"All {folds} folds show the same difference.",
        f"A posterior needs a spread, so there are no probabilities; there is {how}.",
        "Look at the predictions; more cases would show how rare another outcome is.",
    )


@caution("EN035", about=Scope.SPREAD)
def flat_within_folds() -> Words:
    """Differences vary between folds only."""
    return Words(
        "Differences vary between folds, but not within them.",
        "The variance over all pairs is used instead.",
        "Use BayleTest(variance='all_pairs'), or fewer folds.",
    )


def _count_units(units: int, unit: str) -> str:
    """Return a count with its noun, which further words may follow."""
    noun, _, more = unit.partition(" ")
    return f"{units} {noun}{'s' * (units != 1)}{' ' * bool(more)}{more}"


def _allow_for(rivals: int) -> str:
    words = f" The pessimistic end is read at Sidak's level for {rivals} configurations."
    return words if rivals > 1 else ""


# Standard errors and intervals that are not the method's own.


@note("EN086")
def error_of_related(estimate: str, pairs: bool, ratio: float | None) -> Words:
    """A standard error is that of the leave-one-out bootstrap, scaled by `ratio`."""
    form = "leave-pair-out" if pairs else "leave-one-out"
    times = "" if ratio is None else f" times {ratio:.2f}"
    return Words(
        f"The standard error of {estimate!r} is that of the {form} bootstrap{times}.",
        "It averages the same losses, sample by sample instead of case by case."
        if ratio is None
        else "It has no influence function, so it is not known how much the training score moves "
        "the limits.",
    )


@note("EN086")
def no_influence_function(metric: str) -> Words:
    """A metric has no standard error from replicates."""
    return Words(
        f"{metric} has no value for a single case or pair of cases.",
        "There is no influence function, and so no standard error and no interval.",
        "Use a mean over cases, a function of sums, the AUC, or the concordance index.",
    )


@caution("EN086")
def limits_shifted() -> Words:
    """Limits of models on their own samples, less the optimism."""
    return Words(
        "The limits are those of scores of models on their own samples, less the optimism.",
        "With few events they are too narrow: with about 10 of 100 cases, 95 % limits of an AUC "
        "held in 74 % of simulated studies, with 30 in 83 %.",
        f"Report {arg('method', 'bbc')} or {arg('method', 'lpob')} instead.",
    )


@note("EN086")
def limits_in_two_stages(n_inner: int, n_models: int) -> Words:
    """Limits of the corrected scores of samples, each by samples of its own."""
    return Words(
        f"The limits are those of corrected scores of bootstrap samples, each by {n_inner} samples "
        f"of its own: {n_models:,} models.",
        "They are rather too narrow: in simulated studies with about 10 to 60 events, 95 % limits "
        "of an AUC held in 86 to 94 %.",
        f"For a search, {arg('method', 'bbc')} held in 95 % and needs one search in all.",
    )


@note("EN086")
def error_of_difference_too_large() -> Words:
    """The standard error of a difference by the influence function."""
    return Words(
        "The standard error of a difference by the influence function is rather too large.",
        "In simulation it was up to a third too large, so p is rather too large too.",
    )


@note("EN086")
def error_raised() -> Words:
    """The error that nested cross-validation measured is below its bound."""
    return Words(
        "The measured error is below that of a plain mean.",
        "That of a plain mean is used, as the authors do.",
    )


@caution("EN086")
def error_lowered() -> Words:
    """The error that nested cross-validation measured is above its bound."""
    return Words(
        "The measured error is larger than independent folds could have.",
        "That of a plain mean times sqrt(K) is used, as the authors do.",
        "Use more repeats.",
    )


SMOOTHER = "Look at the draws; use more cases or a smoother statistic."


@caution("EN086")
def draws_on_one_side(above: bool) -> Words:
    """All draws lie on one side of the value."""
    return Words(
        f"All draws lie {'above' if above else 'below'} the value.",
        "The interval is the percentile one, which is less accurate.",
        SMOOTHER,
    )


@caution("EN086")
def no_acceleration(unit: str, undefined: bool) -> Words:
    """A statistic does not change, or is undefined, when a unit is left out."""
    why = "is undefined" if undefined else "does not change"
    return Words(
        f"The statistic {why} when a {unit} is left out.",
        "The interval is the bias-corrected one, which is less accurate.",
        SMOOTHER,
    )


@caution("EN086")
def draws_without_error(without: int, valid: int) -> Words:
    """Resamples have no standard error to divide by."""
    return Words(
        f"{without} of {valid} resamples have no standard error above 0.",
        "The interval is the studentized, without these, one, which is less accurate.",
        SMOOTHER,
    )


@caution("EN098")
def statistic_not_smooth() -> Words:
    """A statistic jumps or bends as weight moves."""
    return Words(
        "The statistic jumps or bends when a little weight moves.",
        "Its derivative and this standard error mean little.",
        "Use earnest.inference.bootstrap.",
    )


@caution("EN098")
def statistic_jumps(units: int, values: int) -> Words:
    """Leaving out any unit gives one of very few values."""
    return Words(
        f"Leaving out each of {units} units gives only {values} different values.",
        "The statistic jumps, and the jackknife fails for such statistics.",
        "Use earnest.inference.bootstrap.",
    )


# Replicates.


@caution("EN084")
def few_replicates(replicates: int, enough: int) -> Words:
    """There are hardly any replicates."""
    return Words(
        f"There {'is' if replicates == 1 else 'are'} {write_count(replicates, 'replicate')}.",
        "So few show neither how training depends on single cases nor their own noise: the value "
        "and the standard error are rough.",
        f"Use {arg('n_replicates', enough)} or more.",
    )


@caution("EN084")
def replicates_drowned(replicates: int, enough: int) -> Words:
    """The noise of the draws hides how training depends on cases."""
    return Words(
        f"With {replicates} replicates the noise of the draws hides how training depends on single "
        "cases.",
        "The standard error is that of the cases as if the models were fixed, and may be too "
        "small.",
        f"Use {arg('n_replicates', enough)} or more.",
    )


@caution("EN084")
def replicates_noisy(replicates: int, error: float, enough: int) -> Words:
    """The noise of the draws makes the standard error uncertain."""
    return Words(
        f"With {replicates} replicates the noise of the draws makes the standard error uncertain "
        f"by {error:.0%}.",
        "The width of the interval is uncertain by as much.",
        f"Use {arg('n_replicates', enough)} or more.",
    )


@caution("EN084")
def never_left_out(units: int, pairs: bool, replicates: int) -> Words:
    """No replicate left out some cases, or pairs of cases."""
    lone = units == 1
    noun = f"pair{'s' * (not lone)} of cases" if pairs else f"case{'s' * (not lone)}"
    return Words(
        f"{units} {noun} {'was' if lone else 'were'} left out by none of {replicates} replicates.",
        "It is not in the mean." if lone else "They are not in the mean.",
        "Train more replicates.",
    )


# Limits of a winner that held too seldom in simulation, or that are not shown to hold.

NO_LAW = "We have no limit that holds for such losses, so you get the interval of BBC."
LIGHTER_TAILS = "Use a metric with lighter tails, such as 'mae', or more cases."


@caution("EN131")
def losses_equal(share: float) -> Words:
    """All losses of the winner equal the smallest one, or many do."""
    return Words(
        "All losses of the winner are equal."
        if share >= 1.0
        else f"{share:.0%} of the winner's losses equal the smallest one.",
        NO_LAW,
        LIGHTER_TAILS,
    )


@caution("EN131")
def losses_heavy(kurtosis: float, most: float) -> Words:
    """A few losses of the winner are far larger than the others."""
    return Words(
        "A few losses of the winner are far larger than the others: their kurtosis is "
        f"{kurtosis:.0f}, above {most:.0f}.",
        NO_LAW,
        LIGHTER_TAILS,
    )


@caution("EN131")
def spreads_unlike(ratio: float) -> Words:
    """The scores of the classes have unlike spread, or a few cases decide."""
    return Words(
        f"The AUC varies {ratio:.1f} times as much as it would for normal scores with equal spread "
        "in both classes.",
        "The classes differ in spread, or a few cases decide. The limits are widened and can still "
        "be too narrow.",
        "Look at the scores of the smaller class; more of its cases help.",
    )


@caution("EN131")
def repeats_near_best(cases: int, repeats: int) -> Words:
    """Repeats of few cases near the best score."""
    return Words(
        f"There are {cases} cases in {repeats} repeats, and the winner is nearly perfect.",
        "Repeats then seem more informative than they are: 95 % limits held in 88 to 93 % of such "
        "simulations.",
        "Read the limit at a higher level, or use one repeat.",
    )


@caution("EN131")
def winner_confident(cases: int, spread: float, most: float, metric: str) -> Words:
    """The winner's confidence makes bounds of its log loss too good."""
    return Words(
        f"The winner's probabilities are confident for {cases:,} cases: its log odds for what "
        f"happened have a standard deviation of {spread:.1f}, above {most:g}.",
        f"The {metric} on new data can be worse than the interval says: in simulations, such 95 % "
        "bounds held in 82 % (40 cases) and 92 % (100 cases).",
        "Use more cases, or calibrate inside each fold.",
    )
