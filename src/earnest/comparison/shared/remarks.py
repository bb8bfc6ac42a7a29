"""Cautions that several tests share."""

from __future__ import annotations

from collections.abc import Iterator

from earnest.core.data.predictions import Predictions
from earnest.core.results.cautions import Caution, Severity


def several_models(pi: Predictions) -> Iterator[Caution]:
    """Yield a note where predictions of several fitted models are read as one model's."""
    if pi.n_folds > 1:
        yield Caution(
            "EN042",
            f"The predictions of {pi.n_folds} folds are read as those of one fixed model.",
            "The models of the folds differ a little, which this test does not account for; "
            "rank metrics also compare scores of different folds.",
            "Use test='bayle' to compare the models of the folds.",
            Severity.NOTE,
        )


def dependent_test_sets(count: int) -> Iterator[Caution]:
    """Yield a caution where scores of overlapping splits are treated as independent."""
    yield Caution(
        "EN038",
        f"The scores of {count} test sets are treated as independent, although their models "
        "share most of their training cases and the test sets overlap.",
        "The test finds differences far too easily, the more so the more test sets there are.",
        "Use test='corrected_t', which allows for the overlap.",
    )


def dependent_folds(folds: int) -> Iterator[Caution]:
    """Yield a caution where scores of folds are treated as independent."""
    yield Caution(
        "EN038",
        f"The {folds} fold scores are treated as independent, although their models share most "
        "of their training cases.",
        "The test finds differences too easily and its interval is too narrow.",
        "Use test='corrected_t' for learners, or test='bayle' for the models at hand.",
    )
