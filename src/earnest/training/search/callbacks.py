"""Callbacks of a search, which scikit-learn has from version 1.9 on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

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
    """One fit that callbacks are told of: the evaluation of a configuration, or the refit.

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
        """Leave the store and the bar behind, which stay in the process of the search."""
        sent = copy(self.search)
        sent.store, sent.verbose, sent.live = None, 0, None
        return {"search": sent, "context": self.context, "n_splits": self.n_splits}


@contextmanager
def tell_callbacks(
    search: SearchCV, X: object, y: object, params: Params
) -> Iterator[Callbacks | None]:
    """Give the callbacks of a search, None where it has none; tear them down at the end."""
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
