"""Telling of fits that failed, as scikit-learn does."""

from __future__ import annotations

import re
import warnings
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EarnestError
from earnest.core.base.protocols import Outcome
from earnest.training.fit.ledger import Ledger

USERS_LINE = 5  # whoever called `fit`, two calls above `judge`, which calls here


class AllFailedError(EarnestError, ValueError):
    """No fit of a search succeeded."""


def tell_failures(ledger: Ledger, error_score: float) -> None:
    """Warn of fits and scores that failed; raise where no fit succeeded."""
    from sklearn.exceptions import FitFailedWarning

    failed, count = ledger.list_failed_fits(), ledger.n_fits
    if failed and len(failed) == count:
        raise AllFailedError(
            f"all the {count} fits failed",
            got=failed[0].strip(),
            cure="It is very likely that the model is misconfigured: look at the first error, "
            "which stands above, or set error_score='raise' to debug it",
        )
    if failed:
        warnings.warn(
            f"{len(failed)} fits failed out of a total of {count}.\nThe score on these splits is "
            f"set to {error_score}. Look at failures_, or set error_score='raise' to debug them."
            f"\n\n{_summarise(failed)}",
            FitFailedWarning,
            stacklevel=USERS_LINE,
        )
    for text in dict.fromkeys(ledger.list_failed_scores()):
        warnings.warn(
            f"Scoring failed. The score is set to {error_score}. Details:\n{text}",
            UserWarning,
            stacklevel=USERS_LINE,
        )


def warn_of_means(part: str, means: NDArray[np.float64]) -> None:
    """Warn of mean scores that are not finite."""
    if not np.isfinite(means).all():
        warnings.warn(
            f"One or more of the {part} scores are non-finite: {means}",
            UserWarning,
            stacklevel=USERS_LINE + 1,
        )


def _summarise(errors: list[str]) -> str:
    counted = Counter(errors).items()
    return "\n".join(f"{n} fits failed with the following error:\n{text}" for text, n in counted)


def find_exception(text: str) -> str:
    r"""Return the line of a traceback that names the exception; its message may go on below it.

    Examples
    --------
    >>> from earnest.training.fit.failures import find_exception
    >>> find_exception('Traceback:\n  File "x.py", line 1\n    fit()\nValueError: too few\nrows')
    'ValueError: too few'
    """
    lines = [line for line in text.splitlines() if line.strip()] or ["no message"]
    frames = [i for i, line in enumerate(lines) if line.startswith("  File ")]
    below = lines[frames[-1] + 1 :] if frames else lines
    named = next((line for line in below if not line[0].isspace()), lines[-1])
    return re.sub(
        r"^(\w+\.)+(?=\w+(:|$))", "", named.strip().rstrip(":")
    )  # the class, not its modules


def explain_failure(outcome: Outcome) -> str:
    """Return in one line why a fit failed."""
    return find_exception(outcome.error or outcome.note or "")
