"""What a fitted search hands on to the estimator that it refitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from earnest.core.errors import InputError


def _has(name: str) -> Callable[[Any], bool]:
    """Return a check that raises AttributeError where the refitted estimator lacks a method."""

    def check(search: Any) -> bool:
        need_refit(search, name)
        fitted = getattr(search, "best_estimator_", None)
        try:
            getattr(search.base_estimator() if fitted is None else fitted, name)
        except InputError as error:  # no estimator to ask: `hasattr` must not fail for that
            raise AttributeError(str(error)) from error
        return True

    return check


def need_refit(search: Any, name: str) -> None:
    """Refuse what only a refitted estimator can answer."""
    if not search.refit:
        raise AttributeError(
            f"This {type(search).__name__} was made with refit={search.refit!r}, and `{name}` "
            "needs the estimator refitted with the best parameters. Use refit=True, or fit one "
            "with best_params_ yourself."
        )


class Shown:
    """What a search shows of itself in a notebook: the estimator, refitted if there is one."""

    def _sk_visual_block_(self) -> Any:
        """Return the block of scikit-learn's own search around the same estimator."""
        from sklearn.model_selection import GridSearchCV

        shown = GridSearchCV(self.base_estimator(), {})  # type: ignore[attr-defined]  # of the search
        if hasattr(self, "best_estimator_"):
            shown.best_estimator_ = self.best_estimator_
        return shown._sk_visual_block_()


class Delegating:
    """The methods of a search that its `best_estimator_` answers.

    Each is there only where that estimator has it.
    """

    def _best(self) -> Any:
        check_is_fitted(self)
        return self.best_estimator_  # type: ignore[attr-defined]  # of the search

    @available_if(_has("predict"))
    def predict(self, X: Any) -> Any:
        """Return what the best estimator predicts."""
        return self._best().predict(X)

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Return the class probabilities of the best estimator."""
        return self._best().predict_proba(X)

    @available_if(_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithms of the class probabilities of the best estimator."""
        return self._best().predict_log_proba(X)

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Return the decision values of the best estimator."""
        return self._best().decision_function(X)

    @available_if(_has("score_samples"))
    def score_samples(self, X: Any) -> Any:
        """Return the scores that the best estimator gives to single cases."""
        return self._best().score_samples(X)

    @available_if(_has("transform"))
    def transform(self, X: Any) -> Any:
        """Return X as the best estimator transforms it."""
        return self._best().transform(X)

    @available_if(_has("inverse_transform"))
    def inverse_transform(self, X: Any) -> Any:
        """Return what the best estimator would have transformed into X."""
        return self._best().inverse_transform(X)

    @property
    def classes_(self) -> Any:
        """The classes, where the best estimator is a classifier."""
        _has("classes_")(self)
        return self.best_estimator_.classes_  # type: ignore[attr-defined]  # of the search

    @property
    def n_features_in_(self) -> int:
        """The number of features seen in `fit`."""
        try:
            check_is_fitted(self)
        except NotFittedError as error:
            raise AttributeError(
                f"{type(self).__name__} object has no n_features_in_ attribute."
            ) from error
        return int(self.best_estimator_.n_features_in_)  # type: ignore[attr-defined]  # of the search
