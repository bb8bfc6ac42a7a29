"""Cautions about the predictions: their folds, groups, classes and scores."""

from __future__ import annotations

from earnest.core.base import check
from earnest.core.cautions.reasons import Peek
from earnest.core.results.cautions import Scope, Verb, Words, caution, note, write_for
from earnest.core.text.doors import arg
from earnest.core.text.numbers import write_count

FEWER_FOLDS = f"Collect more cases of that class, or use fewer {arg('folds')}."
KNOWN_BY_HEART = (
    "Models know such cases by heart: the score is too good and the interval too narrow."
)
KEEP_COPIES = "Remove the copies, or pass a column that keeps them together as "


@caution("EN002", about=Scope.FOLDS, advice={Verb.TUNE: FEWER_FOLDS})
def few_of_class_in_fold(
    fewest: int, label: str, fold: str, repeat: int | None, stratified: bool
) -> Words:
    """A fold has few or no cases of a class; stratified folds would have more."""
    count = "no case" if fewest == 0 else write_count(fewest, "case")
    where = f"class {label}, fold {fold}" + ("" if repeat is None else f", repeat {repeat}")
    better = "fewer or stratified folds" if stratified else "fewer folds"
    return Words(
        f"A fold has {count} of a class ({where}).",
        "Scores of single folds are rough or undefined; pooled scores are not affected.",
        f"If each fold is scored, use {better}.",
    )


@caution("EN003")
def groups_split(split: int, groups: int) -> Words:
    """Groups are split across folds."""
    return Words(
        f"{split} of {groups} groups are split across folds.",
        "Models were tested on groups they had been trained on, so scores are too good.",
        "Make the folds by group, for example with scikit-learn's GroupKFold.",
    )


@caution(
    "EN007",
    about=Scope.WINNER,
    advice={
        Verb.TUNE: "Use fewer and larger folds. The predictions are kept, so you can use another "
        "method on them, such as bbc_fold."
    },
)
def unlike_scales(metric: str) -> Words:
    """The winner's scores differ in level from fold to fold."""
    return Words(
        "The winner's scores differ in level from fold to fold.",
        f"A pooled {metric} compares cases of different folds and is too low because of that.",
        f"Calibrate the scores in each fold, or use {arg('method', 'bbc_fold')}.",
    )


@caution("EN007", about=Scope.WINNER)
def gain_of_pooling(metric: str, gain: float) -> Words:
    """The winner's models differ in what they found, which raises its pooled score."""
    return Words(
        f"The winner's pooled {metric} is {gain:.2g} better than the mean of its folds.",
        "Some folds' models found what others missed. Together they order cases better than "
        "one model does; the interval allows for that, the value does not.",
        f"For the mean of the models, use {arg('method', 'bbc_fold')}.",
    )


@caution("EN009", advice={Verb.TUNE: f"Leave {arg('group')} out: blocks of time are then drawn."})
def time_order() -> Words:
    """The cases are in time order, and what was asked does not allow for it."""
    return Words(
        "The cases are in time order.",
        "Neighbouring cases may depend on each other, which makes the interval too narrow.",
        f"Use {arg('method', 'bbc')} or {arg('test', 'diebold_mariano')} without groups, which "
        "allow for it.",
    )


@caution("EN009")
def few_times(times: int, worth: int) -> Words:
    """Cases in time order depend so strongly on each other that they are worth few."""
    return Words(
        f"Losses depend on those before them: {times:,} times are worth {worth:,} independent "
        "ones.",
        "Limits of so few held in less than 95 % of series.",
        "Collect a longer series, or compare models: their differences depend less on time.",
    )


@caution("EN009")
def subgroups_in_time() -> Words:
    """Limits of subgroups do not allow for the dependence of cases in time order."""
    return Words(
        "The limits of subgroups treat cases as independent, and they are in time order.",
        "They may be too narrow where losses depend on those before them.",
        f"Pass blocks of time as {arg('groups')}, or judge a subgroup alone.",
    )


@caution("EN013", about=Scope.UNTESTED)
def cases_untested(untested: int, cases: int) -> Words:
    """No fold tested some cases."""
    return Words(
        f"{untested} of {cases} cases were not tested in any fold.",
        "They are left out; if the folds were stopped by looking at scores, the interval is too "
        "narrow.",
    )


@caution("EN013")
def folds_stopped(done: int, planned: int, width: float) -> Words:
    """The folds ended when the interval was narrow enough."""
    return Words(
        f"The folds ended after {done} of {planned}, when the interval was no wider than "
        f"{width:g}.",
        "Stopping when the interval looks narrow makes it a little too narrow for its level.",
        "Run all folds if the level matters.",
    )


@caution("EN017", advice={Verb.TUNE: FEWER_FOLDS})
def folds_undefined(undefined: int, folds: int) -> Words:
    """Folds have no defined score."""
    return Words(
        f"The metric is undefined in {undefined} of {folds} folds.",
        "They are left out.",
        "Use fewer or stratified folds.",
    )


@caution(
    "EN019",
    advice={
        Verb.SEARCH: f"Keep scores: {arg('response', 'predict_proba')} or "
        f"{arg('response', 'decision_function')}."
    },
)
def hard_labels(metric: str) -> Words:
    """A ranking metric is computed from labels."""
    return Words(
        f"{metric} is computed from hard labels.",
        "It sees only one threshold and is lower than the metric of the scores.",
        "Store probabilities or decision values.",
    )


@note("EN023")
def cases_only_select(used: int, cases: int) -> Words:
    """Some cases score, the others only select."""
    return Words(
        f"{used} of {cases} cases score, the others only select.",
        "The interval is wider than necessary.",
        f"Use {arg('method', 'bbc')}, which uses all cases for both.",
    )


@note("EN023")
def first_fold_only() -> Words:
    """The difference is that of a single fold."""
    return Words(
        "The difference is that of the first fold of the first repeat.",
        "The other nine folds only measure its spread, so another seed may give another answer.",
        f"Use {arg('test', 'five_by_two_f')}, which uses all ten, or {arg('test', 'corrected_t')}.",
    )


@note("EN023")
def one_repeat_at_a_time(repeats: int) -> Words:
    """Repeats do not narrow an interval that resamples folds."""
    return Words(
        f"Each resample draws the folds of one of the {repeats} repeats.",
        "Folds of different repeats share their cases, so the interval is that of one repeat and "
        "rather wide.",
    )


@note("EN025")
def strata_unused() -> Words:
    """Whole groups are drawn, whatever their strata."""
    return Words(
        "Strata are not used when groups are resampled.",
        "Whole groups are drawn, whatever their strata.",
    )


@caution("EN028")
def groups_not_drawn(groups: int) -> Words:
    """Cases are drawn one by one, although they have groups."""
    return Words(
        f"The cases of {groups} groups were not resampled together.",
        "Cases of a group are alike, so the interval is too narrow.",
        "Leave the resampler out.",
    )


@caution("EN028")
def groups_in_formula(method: str, groups: int) -> Words:
    """A formula for independent cases meets groups."""
    return Words(
        f"The formula of {method!r} treats the cases of {groups} groups as independent.",
        "Cases of a group are alike, so the interval is too narrow.",
        f"Use {arg('method', 'delong')}, whose variance accounts for groups, or 'tilted' or 'bbc', "
        "which draw whole groups.",
    )


@caution("EN030")
def scores_reversed(config: str) -> Words:
    """The direction of an AUC was guessed from the data."""
    return Words(
        f"The scores of {config} were reversed, because its negatives have the greater median.",
        "An AUC that picks its own direction is too optimistic.",
        f"Use {arg('direction', 'fixed')}, and reverse scores yourself if you know that they are "
        "reversed.",
    )


@caution("EN030", changes_with_level=True)
def worse_than_constant(metric: str, midway: bool) -> Words:
    """The whole interval is worse than a constant prediction."""
    rival = "chance" if midway else "a constant prediction"
    turned = "; labels may be flipped" if midway else ""
    return Words(
        f"The whole interval of {metric} is worse than {rival}.",
        f"Predictions that say nothing do not come out like that{turned}, or rows may be mixed up.",
        "Check which class high scores stand for, and that each prediction belongs to its case.",
    )


@note("EN049", about=Scope.OVERLAP)
def overlapping_test_sets(repeats: int, partial: int) -> Words:
    """Test sets overlap without covering all cases."""
    return Words(
        f"Test sets overlap and became {repeats} repeats, {partial} of which leave cases untested.",
        "The metric is computed in each repeat and averaged; small repeats are rough.",
        "Use a repeated K-fold.",
    )


@caution("EN050")
def splits_leak(leaking: int, splits: int) -> Words:
    """Splits test on cases that they train on."""
    return Words(
        f"{leaking} of {splits} splits test on cases that they train on.",
        "Their predictions are not out-of-sample, and every score is too good.",
        "Make train and test rows disjoint.",
    )


@caution("EN050")
def shared_test_rows(shared: int, tested: int) -> Words:
    """Test cases are cases of the design set."""
    return Words(
        f"{shared} of {tested} test cases have the same row as a case of the design set.",
        "The learner was trained on cases that test it, so the score is too good.",
        "Leave these cases out of one of the sets.",
    )


@caution("EN050", advice={Verb.TUNE: f"{KEEP_COPIES}{arg('group')}."})
def copies_tested(tested: int, cases: int) -> Words:
    """Models are tested on copies of their training cases."""
    return Words(
        f"{tested:,} of {cases:,} cases were tested by models trained on a copy of them, with the "
        "same features and outcome.",
        KNOWN_BY_HEART,
        f"Remove the copies, or pass {arg('groups')} to keep all copies of a case in one fold.",
    )


@caution("EN050")
def cases_repeated(copies: int, cases: int, configs: int) -> Words:
    """Cases of different folds have the same outcome and the same predictions."""
    every = "" if configs == 1 else f" of all {configs:,} configurations"
    return Words(
        f"{copies:,} of {cases:,} cases repeat a case of another fold: the same outcome and the "
        f"same predictions{every}.",
        "If they are copies, the interval is too narrow, and models were tested on copies of their "
        "training cases.",
        f"Remove the copies, or pass {arg('groups')} to keep all copies of a case in one fold.",
    )


@caution("EN050", advice={Verb.TUNE: f"{KEEP_COPIES}{arg('group')}."})
def copies_kept_together(copies: int, rows: int) -> Words:
    """Copies were made groups of a table."""
    return Words(
        f"{copies:,} of {rows:,} rows are copies of others, with the same features and outcome.",
        "Copies stay in one fold and are drawn together; otherwise models would be tested on rows "
        "they know by heart.",
        "Find out where the copies come from. If each row is a separate case, add a column that "
        "tells them apart.",
    )


@caution("EN050")
def copies_in_inner_splits(splits: tuple[str, ...]) -> Words:
    """Copies of a bootstrap sample lie on both sides of inner splits."""
    return Words(
        f"Copies of a case may lie on both sides of the inner splits of {', '.join(splits)}.",
        "What is tuned there is tuned to memorize cases, which makes the learner look worse than "
        "it is.",
        f"Tune in one place, with the {arg('cv')} of the outermost search.",
    )


@note("EN057", about=Scope.THRESHOLD)
def decision_values() -> Words:
    """Thresholds of decision values, whose scale is each configuration's own."""
    return Words(
        "The scores are decision values, which every configuration has on its own scale.",
        "A threshold of the winner is matched with those of the other configurations by the share "
        "of cases above it. There is no net benefit, which needs probabilities.",
        "Use probabilities, if the models give any.",
    )


@note("EN057")
def scores_predicted(columns: tuple[str, ...]) -> Words:
    """A model predicts scores."""
    lone = len(columns) == 1
    nouns = "is a score, not a probability" if lone else "are scores, not probabilities"
    meaning = "above 0 means that class" if lone else "the largest decides the class"
    return Words(
        f"{check.some(columns)} {nouns}: {meaning}.",
        "Not every model of the portfolio gives probabilities, so none were judged.",
        "Use the scores to order rows, or tune with models that all give probabilities.",
    )


@caution("EN057")
def no_probabilities(winner: str) -> Words:
    """No rising curve leads from decision values to probabilities."""
    return Words(
        f"On held-out cases the decision values of {winner} do not separate the classes.",
        "Its probabilities are close to the class proportions, in the order of the decision "
        "values.",
        "Do not rely on this model; collect more cases or better features.",
    )


@caution(
    "EN058",
    advice={
        Verb.SEARCH: f"Choose by a {arg('scoring')} of scores, such as 'roc_auc', and set the "
        "threshold yourself.",
        Verb.TUNE: "Choose by a metric for scores, such as roc_auc, and set the threshold "
        "yourself.",
    },
)
def scores_on_one_side(above: bool, threshold: float, label: str, percent: bool) -> Words:
    """The threshold gives every case the same label."""
    cure = f"the {arg('threshold')} with which you use the model."
    return Words(
        f"{'All scores are' if above else 'No score is'} above the threshold {threshold:g}.",
        f"Every case gets the label {label}, whatever its score.",
        f"If they are percentages, divide them by 100. Otherwise pass {cure}"
        if percent
        else f"Pass {cure}",
    )


@caution("EN059")
def outcome_too_long(cases: int, tested: int) -> Words:
    """The outcome goes on after the last row that was tested."""
    return Words(
        f"The outcome has {cases:,} cases, but the trials tested only the first {tested:,}.",
        "If the study used other rows, each prediction is compared with the outcome of another "
        "case, and the result means nothing.",
        "Pass the outcome of exactly the rows that the study used, in the same order.",
    )


@caution("EN081")
def stopped_on_tests(tool: str, models: tuple[str, ...]) -> Words:
    """A tool stopped training early on the test fold."""
    return Words(
        f"{tool} stopped the training of {write_count(len(models), 'model')} early on the test "
        f"fold: {check.some(models)}.",
        "Their predictions are a little too good, and no method corrects for that.",
        "Keep several numbers of rounds of each, so that the choice is corrected "
        "(BoosterFolds and SearchCV with stages=True), or confirm the result on new cases.",
    )


@caution("EN081")
def tests_seen_in_training(tool: str, models: tuple[str, ...], ways: tuple[Peek, ...]) -> Words:
    """A tool looked at the test cases before it trained."""
    leave = write_for(python="Leave them out with pi.select(...)", command="Leave them out")
    return Words(
        f"{tool} looked at the test cases before it trained {write_count(len(models), 'model')} "
        f"({check.some(ways)}): {check.some(models)}.",
        "Their predictions are too good, and no method corrects for that.",
        f"{leave}, or confirm the result on cases that the tool never saw.",
    )


@note("EN104")
def folds_unknown(tool: str, averaged: bool) -> Words:
    """A tool averages repeats, or does not report folds."""
    return Words(
        f"{tool} averages the predictions of its repeats."
        if averaged
        else f"{tool} does not report which fold tested a case.",
        "All cases count as one fold: methods and tests that need folds refuse.",
        "" if averaged else f"If you know the folds, pass {arg('fold')}.",
    )


@caution("EN104")
def out_of_bag(models: tuple[str, ...]) -> Words:
    """Predictions are of other splits than those of the other models."""
    return Words(
        f"The predictions of {check.some(models)} are out-of-bag or leave-one-out, not of the "
        "folds of the others.",
        "If cases come in groups they are too good, because a group is not held out as a whole.",
        "Without groups there is nothing to do; with groups, switch `use_child_oof` off.",
    )


@caution("EN113")
def few_cases_decide(cases: int, total: int, share: float, of_errors: bool, metric: str) -> Words:
    """A few cases contribute most of a metric's squares, of errors or of the outcome."""
    lone, squares = cases == 1, "the winner's errors" if of_errors else "the outcome"
    return Words(
        f"{cases} of {total:,} cases add{'s' * lone} {share:.0%} of the squares of {squares}.",
        f"The {metric} is about {'that case' if lone else 'those cases'}: without it, or with "
        "another like it, the number would be very different.",
        "Check these outcomes for data-entry errors. If they are right, use a metric that is not "
        "made of squares, such as mae, or predict the logarithm.",
    )


BELONG_TOGETHER = (
    "If rows belong together, such as visits of one patient, they carry less information than "
    "independent cases, and the interval is too narrow."
)


@caution("EN156")
def rows_tested_together(together: int, cases: int, repeats: int) -> Words:
    """Cases are tested together in every repeat."""
    return Words(
        f"{together:,} of {cases:,} cases are tested together with another case in each of "
        f"{repeats} repeats, which random folds hardly ever do.",
        BELONG_TOGETHER,
        f"Pass their {arg('groups')}, unless the rows are independent of each other.",
    )


@caution("EN156")
def neighbours_tested_together(share: float) -> Words:
    """Folds keep neighbouring rows together."""
    return Words(
        f"{share:.0%} of neighbouring rows are in the same fold, far more than in random folds: "
        "the folds seem to keep blocks of rows together.",
        BELONG_TOGETHER,
        f"Pass their {arg('groups')}, unless the rows are independent of each other.",
    )


@caution("EN156")
def column_like_groups(column: str, levels: int, rows: float) -> Words:
    """A column looks like the name of a group; `rows` is the mean size of a value."""
    return Words(
        f"Column {column!r} looks like a group: it has {levels:,} values of {rows:.0f} rows on "
        "average, and all rows of a value have the same outcome.",
        "If such rows belong together, a model that has seen some knows the others, and "
        "the score is far too good.",
        f"Pass {arg('group', column)}, unless new cases will have the same values.",
    )


@caution("EN156")
def cases_stacked(rows: int, times: int) -> Words:
    """Rows may be repeats of the same cases."""
    return Words(
        f"The {rows:,} rows may be {rows // times:,} cases, {times} times each: their outcomes "
        "repeat.",
        "If repeats are read as separate cases, every interval is too narrow.",
        "If they are repeats, add a column that identifies the cases and one that numbers the "
        f"repeats, and pass {arg('id', 'COLUMN')} and {arg('repeat', 'COLUMN')}.",
    )
