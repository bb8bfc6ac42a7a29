"""What methods share that choose on one part of the cases and evaluate on another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from earnest.core.base import check
from earnest.core.data.selection import MeanOfFolds, Pooled
from earnest.core.results.cautions import Caution, Scope
from earnest.core.results.interval import LimitSource
from earnest.core.results.specs import Estimand, Evidence, MethodSpec, Selection
from earnest.inference.remarks import (
    few_for_an_auc,
    part_only,
    unlike_scales,
    warn_of_turning,
    warn_of_undefined_folds,
)
from earnest.inference.resampling.splits import Choice, SplitDetails, SplitKnobs, choose_on_split
from earnest.methods.base import Call, EstimateParts, selector_of

# What the specs of the family share.
declare = partial(
    MethodSpec,
    needs=Evidence.OUT_OF_SAMPLE,
    estimand=Estimand.CHOSEN_ON_LEARNING,
    corrected=True,
    static_only=True,
)


@dataclass(frozen=True, kw_only=True)
class SplitMethod(SplitKnobs, ABC):
    """A method that chooses a configuration on one part and puts limits around its score there.

    Parameters
    ----------
    preselect : float, optional
        The share of the configurations, the best of the learning part (with ties), that are
        compared again on the evaluation part. By default only the best one goes there.
    """

    spec: ClassVar[MethodSpec]
    preselect: float | None = None

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        if self.preselect is not None:
            check.check_share("preselect", self.preselect)

    @abstractmethod
    def find_limits(
        self, call: Call, choice: Choice
    ) -> tuple[LimitSource, tuple[Caution, ...], Mapping[str, object]]:
        """Return the limits, what to say about them, and the knobs that depend on the data."""

    def __call__(self, call: Call) -> EstimateParts:
        """Return the score of the chosen configuration, with the limits of the method."""
        pi, metric = call.pi, call.metric
        selector = selector_of(self.selector, MeanOfFolds())
        choice = choose_on_split(
            pi,
            metric,
            self._leave_untested_out(call),
            selector,
            call.seeds,
            preselect=self.preselect,
            n_jobs=call.n_jobs,
        )
        source, remarks, used = self.find_limits(call, choice)
        # Exact limits hold for any number of cases.
        exact = any(caution.about is Scope.AREA for caution in remarks)
        learn = None if self.learn is None else "".join(str(int(mine)) for mine in self.learn)
        return EstimateParts(
            value=choice.value,
            winner=choice.chosen,
            naive=choice.naive,
            source=source,
            cautions=[
                *part_only(choice.part.n_cases, pi.n_cases),
                *warn_of_undefined_folds(*choice.folds),
                *warn_of_turning(pi.configs.ids[choice.chosen], bool(choice.turned[0])),
                *unlike_scales(choice.part, metric, Pooled(), choice.chosen),
                *(() if exact else few_for_an_auc(choice.part, metric)),
                *remarks,
            ],
            details=SplitDetails.of(choice),
            estimand=self._name_estimand(pi.n_configs),
            used={"selector": selector, "learn": learn, **used},
            selection=Selection.BOUND_ONLY if len(choice.candidates) > 1 else None,
        )

    def _name_estimand(self, n_configs: int) -> Estimand | None:
        """Return what is estimated, None where it is what the spec says."""
        if n_configs == 1:
            return Estimand.FIXED_MODEL
        return None if self.preselect is None else Estimand.CHOSEN_ON_EVALUATION

    def _leave_untested_out(self, call: Call) -> SplitKnobs:
        """Return the knobs with `learn` for the cases that were tested, where it is for all."""
        if self.learn is None or not len(self.learn) == call.given.n_cases > call.pi.n_cases:
            return self
        tested = [call.given.tested(r) for r in range(call.given.n_repeats)]
        return replace(self, learn=np.array(self.learn)[np.any(tested, axis=0)])
