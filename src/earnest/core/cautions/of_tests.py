"""Cautions about tests and assessments: what they assume, and how often one looked."""

from __future__ import annotations

from earnest.core.results.cautions import Words, caution, note
from earnest.core.text.doors import arg


@caution("EN038")
def dependent_test_sets(test_sets: int) -> Words:
    """Scores of overlapping splits are treated as independent."""
    return Words(
        f"The scores of {test_sets} test sets are treated as independent, although their models "
        "share most of their training cases and the test sets overlap.",
        "The test finds differences far too easily, the more so the more test sets there are.",
        f"Use {arg('test', 'corrected_t')}, which allows for the overlap.",
    )


@caution("EN038")
def folds_dependent(folds: int) -> Words:
    """Scores of folds are treated as independent."""
    return Words(
        f"The {folds} fold scores are treated as independent, although their models share most of "
        "their training cases.",
        "The test finds differences too easily and its interval is too narrow.",
        f"Use {arg('test', 'corrected_t')} for learners, or {arg('test', 'bayle')} for the models "
        "at hand.",
    )


@note("EN042")
def models_read_as_one(folds: int) -> Words:
    """Predictions of several fitted models are read as one model's."""
    return Words(
        f"The predictions of {folds} folds are read as those of one fixed model.",
        "The folds' models differ and share training cases, which this test does not account for. "
        "Near chance, simulated tests of AUCs rejected a true null hypothesis in 11 %, not 5 %.",
        f"Use {arg('test', 'corrected_t')} for scores near chance, or {arg('test', 'bayle')} for "
        "these models.",
    )


@note("EN090")
def looks_not_counted() -> Words:
    """No file counts the looks at the items of a gate."""
    return Words(
        "No file counts how often these items were looked at.",
        "If you test on the same items often enough, a change will pass by luck.",
        f"Pass {arg('ledger', 'looks.db')}, and the limits allow for every look.",
    )


@note("EN090")
def looked_before(look: int, earlier: tuple[str, ...]) -> Words:
    """The items of a gate were looked at before."""
    return Words(
        f"This is look {look} at these items (before: {', '.join(earlier)}).",
        "The limits allow for all looks, so they are wider than those of the first. They do not "
        "allow for changes that were made by looking at single items.",
        "Test on new items from time to time, with a new ledger.",
    )


@note("EN090")
def uses_not_recorded() -> Words:
    """No file records the uses of a test set."""
    return Words(
        "No file records that the test set was used.",
        "Nothing records how often you looked at it.",
        f"Pass {arg('store', 'test-set.db')}; the file then counts the uses.",
    )


@caution("EN090")
def used_before(use: int, learners: tuple[str, ...]) -> Words:
    """A sequestered test set was used before."""
    times = {1: "once", 2: "twice"}.get(use - 1, f"{use - 1} times")
    return Words(
        f"This is use {use} of the test set; it was used {times} before ({', '.join(learners)}).",
        "Each look at a test set influences what you do next, and its scores become too good.",
        "Report the first use, or test on cases that nobody has seen.",
    )


@note("EN094")
def models_as_many_as_cases(models: int) -> Words:
    """A model was trained for each of many cases."""
    return Words(
        f"{models} models were trained, one per case.",
        "With so many cases, ten folds give the same answer.",
        f"Use {arg('method', 'cv')}.",
    )


@caution("EN114")
def learner_unstable(learners: int, ratio: float) -> Words:
    """One training case changes the losses too much."""
    subject = "The learner is" if learners == 1 else "The difference of the learners is"
    return Words(
        f"{subject} not stable: n times the loss stability is {ratio:.2g} times the variance of "
        "the losses.",
        "The central limit theorem of cross-validation asks that it be small: intervals of `bayle` "
        "can be too short, and its tests reject too often.",
        "Use `corrected_t`, or average many models of the learner.",
    )


@note("EN114")
def another_training_set(
    standard_error: float, training_sd: float, test_sd: float, both_sd: float, trainings: int
) -> Words:
    """A test-set score would have been another with another training set."""
    return Words(
        f"With the training set random too, the standard error is at most about "
        f"{standard_error:.2g} (test set {test_sd:.2g}, training set {training_sd:.2g}, both "
        f"together {both_sd:.2g}; {trainings} trainings).",
        "The interval is about this model, so it has the part of the test set alone.",
        "Report it where the learner is meant.",
    )


@note("EN114")
def stability_unchecked() -> Words:
    """A test asks for stable learners, and few cases were in folds."""
    return Words(
        "The test asks for stable learners, which predictions cannot show.",
        "In simulations, it rejected a true null hypothesis in up to 21 % with 100 cases and up to "
        "10 % with 1500, instead of 5 %.",
        f"Check with `check_stability(a, X, y, b=b)`, or use {arg('test', 'corrected_t')}.",
    )
