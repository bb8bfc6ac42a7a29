"""Which of the arguments of `fit` goes to the estimator, to the splitter and to the scorer."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING

from earnest.training.fit.rows import cut_params
from earnest.training.protocols import Estimator, Params, Scorer

if TYPE_CHECKING:
    from sklearn.utils.metadata_routing import MetadataRouter


USERS_LINE = 5  # whoever called `fit`, which calls `prepare`, which calls `route`


@dataclass(frozen=True)
class FitArguments:
    """The arguments of `fit`, by where they go."""

    fit: Mapping[str, object] = field(default_factory=dict)
    split: Mapping[str, object] = field(default_factory=dict)
    score: Mapping[str, object] = field(default_factory=dict)


def make_router(
    owner: str, estimator: Estimator, scorer: Scorer, splitter: object
) -> MetadataRouter:
    """Return the metadata router of a search, whose messages name its owner."""
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    return (
        MetadataRouter(owner=owner)
        .add(
            estimator=estimator,
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )
        .add(
            scorer=scorer,
            method_mapping=MethodMapping()
            .add(caller="score", callee="score")
            .add(caller="fit", callee="score"),
        )
        .add(
            splitter=splitter,
            method_mapping=MethodMapping().add(caller="fit", callee="split"),
        )
    )


def is_routing_enabled() -> bool:
    """Tell whether scikit-learn routes metadata by request."""
    from sklearn import get_config

    return bool(get_config().get("enable_metadata_routing", False))


def route(
    owner: str,
    estimator: Estimator,
    scorer: Scorer,
    splitter: object,
    params: Params,
    n: int,
) -> FitArguments:
    """Send the arguments of `fit` where they belong.

    Without metadata routing `groups` goes to the splitter and the rest to the estimator, and
    sample weights to the scorer too where this version of scikit-learn does so.
    """
    given = cut_params({name: value for name, value in params.items() if value is not None}, n)
    if is_routing_enabled():
        from sklearn.utils.metadata_routing import process_routing

        router = make_router(owner, estimator, scorer, splitter)
        routed = process_routing(router, "fit", **given)
        return FitArguments(routed.estimator.fit, routed.splitter.split, routed.scorer.score)
    groups = given.pop("groups", None)
    weights = given.get("sample_weight")
    scored = weights is not None and _is_weighing_scores() and _can_take_weights(scorer)
    return FitArguments(given, {"groups": groups}, {"sample_weight": weights} if scored else {})


def _is_weighing_scores() -> bool:
    """Tell whether scikit-learn's own searches pass sample weights on to scorers, as newer do."""
    from sklearn.model_selection import GridSearchCV

    return hasattr(GridSearchCV, "_check_scorers_accept_sample_weight")


def _can_take_weights(scorer: Scorer) -> bool:
    """Tell whether any scorer takes weights, and warn of each that does not."""
    several: Mapping[str, Scorer] | None = getattr(scorer, "_scorers", None)
    named = (
        {str(scorer): scorer} if several is None else {f"{k}={v}": v for k, v in several.items()}
    )
    takes = {name: _can_weigh(one) for name, one in named.items()}
    for name, accepted in takes.items():
        if not accepted:
            warnings.warn(
                f"The scoring {name} does not support sample_weight: configurations are fitted "
                "with weights and compared without them.",
                UserWarning,
                stacklevel=USERS_LINE,
            )
    return any(takes.values())


def _can_weigh(scorer: Scorer) -> bool:
    own = getattr(scorer, "_accept_sample_weight", None)
    return bool(own()) if own is not None else "sample_weight" in signature(scorer).parameters
