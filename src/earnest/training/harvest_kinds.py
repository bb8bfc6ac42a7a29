"""Which searches can be harvested, and why others cannot."""

from __future__ import annotations

from typing import Any

from earnest.core.errors import InputError


def refuse_unfit(search: Any) -> None:
    """Refuse what is no search of scikit-learn's, or one whose predictions cannot be compared."""
    from sklearn.model_selection._search import BaseSearchCV

    if not isinstance(search, BaseSearchCV):
        raise InputError(
            "this search cannot be harvested",
            needs="GridSearchCV, RandomizedSearchCV or a halving search of scikit-learn, or "
            "OptunaSearchCV",
            got=f"the class {search.__name__}" if isinstance(search, type) else _name(search),
            cure="Make one: give it the estimator and the candidates."
            if isinstance(search, type)
            else _cure(_name(search)),
        )
    if getattr(search, "resource", None) == "n_samples":
        raise InputError(
            "a halving search over the number of cases judges candidates on different cases",
            needs="resource set to a parameter of the estimator, such as 'n_estimators'",
            got="resource='n_samples'",
            cure="Use SearchCV(..., drop='bced'): it gives up bad candidates early, and is "
            "corrected for.",
        )


def _name(search: Any) -> str:
    return type(search).__name__


def _cure(name: str) -> str:
    if name == "SearchCV":
        return "earnest.SearchCV keeps its predictions: fit it and read `predictions_`."
    if "Optuna" in name:
        return "Use SearchCV with optuna_candidates(...), which lets Optuna propose."
    return "Use SearchCV with this estimator and these candidates."
