"""What a reader of a search's estimate must know of the search itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from earnest.core.base import check
from earnest.core.results.cautions import Caution, Severity
from earnest.training.fit.ledger import UNSCORED, Failure
from earnest.training.fit.splits import Splits

LONGEST = 160  # signs of an error that are shown

# What to do after `tune`, in its own arguments, where the advice of a caution is for those who
# made the folds, the configurations or the estimate themselves.
IN_TUNE = {
    "EN002": "Collect more cases of that class, or use fewer `folds`.",
    "EN005": "Use `simplest` of the result: the simplest configuration that is not shown to be "
    "worse.",
    "EN007": "Use fewer and larger folds. The predictions are kept, so you can use another "
    "method on them, such as bbc_fold.",
    "EN009": "Pass a column of time blocks as `group`.",
    "EN010": "Collect more cases of the rare classes, or choose another `metric`.",
    "EN014": "Confirm the result on cases that the search never saw.",
    "EN015": "Try more configurations with a longer `budget` or a larger `n_configs`.",
    "EN016": "Choose a lower `confidence_level`.",
    "EN017": "Collect more cases of that class, or use fewer `folds`.",
    "EN045": "Look at the configurations in the report; failed ones are left out.",
    "EN046": "Use fewer and larger folds if you want the mean over folds.",
    "EN053": "Use fewer and larger folds, or leave `drop` out.",
    "EN111": "Remove the copies, or pass a column that keeps them together as `group`.",
    "EN058": "Choose by a metric for scores, such as roc_auc, and set the threshold yourself.",
}


def reword_for_tune(caution: Caution) -> Caution:
    """Return a caution whose advice can be followed by someone who called `tune`.

    Examples
    --------
    >>> from earnest.core.results.cautions import Caution
    >>> from earnest.training.search.remarks import reword_for_tune
    >>> reword_for_tune(Caution("EN016", "Few.", "Rough.", "Use n_resamples=9000 or more.")).cure
    'Choose a lower `confidence_level`.'
    """
    cure = IN_TUNE.get(caution.code)
    return caution if cure is None or not caution.cure else replace(caution, cure=cure)


def _find_first_error(failure: Failure) -> str:
    """Return the last line of the traceback of a scorer, which says what went wrong."""
    lines = failure.error.strip().splitlines()
    said = lines[-1].rstrip(".") if lines else ""
    return f" ({said[:LONGEST]})" if said else ""


def warn_of_failed_fits(failures: Sequence[Failure], n_configs: int) -> Iterator[Caution]:
    """Yield a caution where fits failed, and one where only scores did."""
    for scores in (False, True):
        those = [one for one in failures if (one.note == UNSCORED) == scores]
        names = list(dict.fromkeys(failure.config for failure in those))
        if not names:
            continue
        what = "could not be scored" if scores else "failed or gave no usable predictions"
        yield Caution(
            "EN045",
            f"{len(those)} fits {what}, of {len(names)} of {n_configs} configurations: "
            f"{check.some(names)}{_find_first_error(those[0]) if scores else ''}.",
            "Their predictions are kept and the estimate includes them, but a mean score used "
            "by the search may be missing."
            if scores
            else "A configuration without all its predictions is left out; the estimate is about "
            "the others.",
            "Read `failures_` of the search.",
        )


def warn_of_no_scores(first: str) -> Iterator[Caution]:
    """Yield a caution that no configuration has a mean score to be chosen by."""
    yield Caution(
        "EN046",
        "No configuration has a mean score: all are NaN.",
        f"The search took the first configuration, {first}, as scikit-learn does. It was not "
        "chosen for being good.",
        "Use folds large enough to be scored one by one, or another score; `failures_` shows "
        "what failed.",
    )


def warn_of_weights() -> Iterator[Caution]:
    """Yield a caution that the search weighed cases and the estimate does not."""
    yield Caution(
        "EN047",
        "Configurations were scored with sample weights.",
        "The estimate weights every case equally, so it is about a different population.",
        "Compare best_score_ with the naive value to see how much that matters.",
    )


def warn_of_another_score(scoring: str, metric: str) -> Iterator[Caution]:
    """Yield a caution that the winner was chosen by something else than it is judged by."""
    yield Caution(
        "EN048",
        f"The winner was chosen by {scoring}, but the estimate is of {metric}.",
        f"It corrects for a choice by {metric}, which may be more or less optimistic.",
        "Use the same `scoring` and `metric`.",
    )


def warn_of_overlap(splits: Splits) -> Iterator[Caution]:
    """Yield a note where test sets overlap without covering all cases."""
    partial = splits.partial_repeats
    if splits.n_repeats > 1 and partial:
        yield Caution(
            "EN049",
            f"Test sets overlap and became {splits.n_repeats} repeats, {partial} of which leave "
            "cases untested.",
            "The metric is computed in each repeat and averaged; small repeats are rough.",
            "Use a repeated K-fold.",
            Severity.NOTE,
        )


def warn_of_leaks(splits: Splits) -> Iterator[Caution]:
    """Yield a caution where cases are tested by models that were trained on them."""
    leaking = splits.leaking
    if leaking:
        yield Caution(
            "EN050",
            f"{len(leaking)} of {len(splits)} splits test on cases that they train on.",
            "Their predictions are not out-of-sample, and every score is too good.",
            "Make train and test rows disjoint.",
        )


def warn_of_no_probabilities(winner: str, *, calibrated: bool) -> Iterator[Caution]:
    """Yield a caution where no rising curve leads from decision values to probabilities.

    Parameters
    ----------
    calibrated : bool
        Whether the model was made to give probabilities in any case.
    """
    yield Caution(
        "EN110",
        "On cases it was not trained on, the positive class does not have the higher decision "
        f"values of {winner}."
        if not calibrated
        else f"On held-out cases the decision values of {winner} do not separate the classes.",
        "They give no probabilities: `earnest predict` writes the decision values as scores."
        if not calibrated
        else (
            "Its probabilities are close to the class proportions, in the order of the "
            "decision values."
        ),
        "Do not rely on this model; collect more cases or better features.",
    )
