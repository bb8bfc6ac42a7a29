"""What a reader of a search's estimate must know of the search itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from earnest.core.base import check
from earnest.core.results.cautions import Caution, Severity
from earnest.training.fit.ledger import UNSCORED, Failure
from earnest.training.fit.splits import Splits

LONGEST = 160  # signs of an error that are shown


def _first_error(failure: Failure) -> str:
    """Return the last line of the traceback of a scorer, which says what went wrong."""
    lines = failure.error.strip().splitlines()
    said = lines[-1].rstrip(".") if lines else ""
    return f" ({said[:LONGEST]})" if said else ""


def failed_fits(failures: Sequence[Failure], n_configs: int) -> Iterator[Caution]:
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
            f"{check.some(names)}{_first_error(those[0]) if scores else ''}.",
            "Their predictions are kept, and the estimate is about them, too; but a mean score "
            "that the search chose by may be missing."
            if scores
            else "A configuration without all its predictions is left out; the estimate is about "
            "the others.",
            "Read `failures_` of the search.",
        )


def chosen_by_pooling(metric: str) -> Iterator[Caution]:
    """Yield a caution that single folds had no score to choose by."""
    yield Caution(
        "EN046",
        f"{metric} is undefined in single folds, or could not be computed there, so that no "
        "configuration has a mean score.",
        "The winner was chosen by the score of all predictions together.",
        "Use larger or stratified folds if the mean over folds is wanted.",
    )


def weighted_scores() -> Iterator[Caution]:
    """Yield a caution that the search weighed cases and the estimate does not."""
    yield Caution(
        "EN047",
        "Candidates were scored with sample weights.",
        "The estimate counts every case alike, so it is about another population.",
        "Compare best_score_ with the naive value to see how much that matters.",
    )


def another_score(scoring: str, metric: str) -> Iterator[Caution]:
    """Yield a caution that the winner was chosen by something else than it is judged by."""
    yield Caution(
        "EN048",
        f"The winner was chosen by {scoring}, and the estimate is of {metric}.",
        f"It corrects for a choice by {metric}, which may be more or less optimistic.",
        "Let `scoring` and `metric` be the same.",
    )


def overlapping_splits(splits: Splits) -> Iterator[Caution]:
    """Yield a note where test sets overlap without covering all cases."""
    partial = splits.partial_repeats
    if splits.n_repeats > 1 and partial:
        yield Caution(
            "EN049",
            f"Test sets overlap, and became {splits.n_repeats} repeats of which {partial} leave "
            "cases untested.",
            "The metric is computed in each repeat and averaged; small repeats are rough.",
            "Use a repeated K-fold.",
            Severity.NOTE,
        )


def leaking_splits(splits: Splits) -> Iterator[Caution]:
    """Yield a caution where cases are tested by models that were trained on them."""
    leaking = splits.leaking
    if leaking:
        yield Caution(
            "EN050",
            f"{len(leaking)} of {len(splits)} splits test cases that they train on.",
            "Their predictions are not out-of-sample, and every score is too good.",
            "Make train and test rows disjoint.",
        )
