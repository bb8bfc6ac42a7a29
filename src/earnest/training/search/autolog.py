"""MLflow's autologging: the winner of a search and its corrected score, not one of its fits.

Autologging patches the `fit` of scikit-learn's estimators. Inside a search it would log the first
model of the first fold, and call it the result of the run.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from earnest.core.base.errors import EarnestError
from earnest.core.text.estimate import metrics_of

if TYPE_CHECKING:
    from earnest.training.search.search_cv import SearchCV

LONGEST = 6000  # signs of a parameter that MLflow takes


@contextmanager
def log_the_winner(search: SearchCV) -> Iterator[None]:
    """Keep autologging out of the fits of a search, and log its winner when they are done.

    Nothing happens unless `mlflow.sklearn.autolog()` or `mlflow.autolog()` was called. A tracking
    server that fails does not make the search fail.
    """
    if not _is_autologging():
        yield
        return
    from mlflow.utils.autologging_utils import disable_autologging

    with disable_autologging():
        yield
    try:
        _log(search)
    except Exception as error:  # noqa: BLE001  # whatever a server does, the search is done
        warnings.warn(
            f"MLflow could not log this search: {type(error).__name__}: {error}", stacklevel=2
        )


def _is_autologging() -> bool:
    if "mlflow.sklearn" not in sys.modules:
        return False
    from mlflow.utils.autologging_utils import autologging_is_disabled

    return not autologging_is_disabled("sklearn")


def _log(search: SearchCV) -> None:
    import mlflow
    from mlflow.utils.autologging_utils import get_autologging_config

    mine = mlflow.active_run() is None
    try:
        if hasattr(search, "best_params_"):
            shown = {f"best_{name}": str(v)[:LONGEST] for name, v in search.best_params_.items()}
            mlflow.log_params(shown)
        mlflow.set_tags(
            {
                "estimator_name": type(search).__name__,
                "estimator_class": f"{type(search).__module__}.{type(search).__name__}",
                "earnest.configurations": str(len(search.cv_results_["params"])),
            }
        )
        try:
            made = search.estimate_
        except (EarnestError, AttributeError):  # the reason stands where the user asks for it
            made = None
        if made is not None:
            mlflow.log_metrics(metrics_of(made))
            mlflow.set_tag("earnest.method", made.method)
        if hasattr(search, "best_estimator_") and get_autologging_config(
            "sklearn", "log_models", True
        ):
            _log_model(search)
    finally:
        if mine and mlflow.active_run() is not None:
            mlflow.end_run()


def _log_model(search: SearchCV) -> None:
    """Log the refitted winner in the format that autologging was given, not `log_model`'s own.

    The two differ: `log_model` refuses trees and whatever else its safe format does not trust.
    """
    import mlflow
    from mlflow.utils.autologging_utils import get_autologging_config

    chosen = get_autologging_config("sklearn", "serialization_format", None)
    given = {} if chosen is None else {"serialization_format": chosen}
    try:
        mlflow.sklearn.log_model(search.best_estimator_, name="best_estimator", **given)
    except Exception as error:  # noqa: BLE001  # the score is logged, and the search is done
        warnings.warn(
            "MLflow could not log the refitted model of this search; its winner and its corrected "
            f"score are in the run. {type(error).__name__}: {error}",
            stacklevel=2,
        )
