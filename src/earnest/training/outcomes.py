"""Which kind of outcome a selection of columns looks at."""

from __future__ import annotations

from typing import Any

from earnest.core import check

CLASSES, NUMBERS, SURVIVAL = "classes", "numbers", "survival"
KINDS = ("auto", CLASSES, NUMBERS, SURVIVAL)


def kind_of(asked: str, y: Any) -> str:
    """Return the kind of an outcome: what was asked, else what it looks like.

    Events and times are survival; what scikit-learn takes for continuous is numbers, and so is a
    column of counts only if it is asked for.
    """
    from sklearn.utils.multiclass import type_of_target

    check.one_of("outcome", asked, KINDS)
    if asked != "auto":
        return asked
    if isinstance(y, tuple) or getattr(getattr(y, "dtype", None), "names", None) is not None:
        return SURVIVAL
    return NUMBERS if type_of_target(y).startswith("continuous") else CLASSES
