"""Observers of a search: the callbacks of scikit-learn 1.9, and MLflow's autologging.

Autologging patches the `fit` of scikit-learn's estimators. Inside a search it would log the first
model of the first fold, and call it the result of the run.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from earnest.core.base.errors import EarnestError
from earnest.core.text.estimate import metrics_of
from earnest.training.protocols import Estimator, Params

if TYPE_CHECKING:
    from sklearn.callback import CallbackContext

    from earnest.training.search.search_cv import SearchCV


if TYPE_CHECKING or find_spec("sklearn.callback") is None:

    class CallbackSupport:
        """No callbacks: this version of scikit-learn has none."""
else:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport

__all__ = ["CallbackSupport", "CallbackTask", "Callbacks", "tell_callbacks"]


class CallbackTask:
    """One fit that callbacks follow: the evaluation of a configuration, or the refit.

    Parameters
    ----------
    search : SearchCV
        The search, which every hook is given.
    context : CallbackContext
        Where the fit stands among the tasks of the search.
    """

    def __init__(self, search: SearchCV, context: CallbackContext) -> None:
        self.search, self.context = search, context
        self._data: dict[str, object] = {}

    @contextmanager
    def fitting(self, model: Estimator, X: object, y: object, params: Params) -> Iterator[None]:
        """Tell that a fit begins, whose model hands the callbacks on to its own parts."""
        self._data = {"X": X, "y": y, "metadata": _select_metadata(params)}
        with self.context.propagate_callback_context(model):
            self.context.call_on_fit_task_begin(estimator=self.search, **self._data)
            yield

    def end(self) -> None:
        """Tell that the fit has ended, and what belongs to it."""
        self.context.call_on_fit_task_end(estimator=self.search, **self._data)


@dataclass(frozen=True, eq=False)
class Callbacks:
    """The callbacks of a search while it runs.

    Parameters
    ----------
    search : SearchCV
        The search.
    context : CallbackContext
        The task that its fits are part of.
    n_splits : int
        How many splits a configuration is evaluated on.
    """

    search: SearchCV
    context: CallbackContext
    n_splits: int = 0

    def evaluation(self, config: int, split: int) -> CallbackTask:
        """Return the task of evaluating one configuration on one split."""
        name, number = "candidate-split-evaluation", config * self.n_splits + split
        return CallbackTask(self.search, self.context.subcontext(task_name=name, task_id=number))

    def refit(self) -> CallbackTask:
        """Return the task of refitting the winner."""
        return CallbackTask(self.search, self.context.subcontext("refit-with-best-params"))

    @contextmanager
    def searching(self, count: int | None, n_splits: int) -> Iterator[Callbacks]:
        """Give the callbacks of the evaluations, of `count` configurations at most."""
        limit = None if count is None else count * n_splits
        context = self.context.subcontext("search", max_subtasks=limit, sequential_subtasks=False)
        context.call_on_fit_task_begin(estimator=self.search)
        yield Callbacks(self.search, context, n_splits)
        context.call_on_fit_task_end(estimator=self.search)

    def __getstate__(self) -> dict[str, object]:
        """Drop the store and the progress bar, which stay in the process of the search."""
        sent = copy(self.search)
        sent.store, sent.verbose, sent.live = None, 0, None
        return {"search": sent, "context": self.context, "n_splits": self.n_splits}


@contextmanager
def tell_callbacks(
    search: SearchCV, X: object, y: object, params: Params
) -> Iterator[Callbacks | None]:
    """Yield the callbacks of a search, or None; tear them down at the end."""
    if not getattr(search, "_skl_callbacks", None):
        yield None
        return
    from sklearn.callback import with_callbacks

    data = {"estimator": search, "X": X, "y": y, "metadata": _select_metadata(params)}
    try:
        root = search._init_callback_context(max_subtasks=1 + (search.refit is not False))
        root.call_on_fit_task_begin(**data)
        yield Callbacks(search, root)
        root.call_on_fit_task_end(**data)
    finally:
        with_callbacks(_return_nothing)(search)  # after any method, scikit-learn tears them down


def _return_nothing(search: SearchCV) -> None:
    """Do nothing, as a method of a search."""


def _select_metadata(params: Params) -> dict[str, object] | None:
    """Return what scikit-learn tells callbacks of the arguments of a fit: sample weights."""
    weights = params.get("sample_weight")
    return None if weights is None else {"sample_weight": weights}


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
            estimate = search.estimate_
        except (EarnestError, AttributeError):  # the reason stands where the user asks for it
            estimate = None
        if estimate is not None:
            mlflow.log_metrics(metrics_of(estimate))
            mlflow.set_tag("earnest.method", estimate.method)
        if hasattr(search, "best_estimator_") and get_autologging_config(
            "sklearn", "log_models", True
        ):
            _log_model(search)
    finally:
        if mine and mlflow.active_run() is not None:
            mlflow.end_run()


def _log_model(search: SearchCV) -> None:
    """Log the refitted winner in the format that autologging was given, not `log_model`'s own.

    The two differ: `log_model` refuses trees and other types that its safe format does not trust.
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
