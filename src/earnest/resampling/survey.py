"""The rescaled bootstrap of a survey: primary sampling units, drawn within strata."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.data.case_weights import SurveyDesign
from earnest.core.data.target import Target
from earnest.core.data.weights import Unit, Weights
from earnest.core.text.doors import arg
from earnest.resampling.bootstrap import RESAMPLERS, CountBootstrap, Drawer, Resampler, count_draws


@dataclass(frozen=True)
class SurveyBootstrap(CountBootstrap):
    """Draw one primary sampling unit less than a stratum has, with replacement, in every stratum.

    The weights of a stratum of m units are multiplied by m / (m - 1) (Rao and Wu 1988, in the form
    of Rao, Wu and Yue 1992), which makes the variance over resamples that of the design, even for
    two units a stratum. Those left out are weighted by one over their chance to be.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.resampling.survey import SurveyBootstrap
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1], [0.1, 0.7, 0.4, 0.8], strata=[1, 1, 2, 2])
    >>> drawn = SurveyBootstrap().draw(pi.target, 3, np.random.default_rng(0), None)
    >>> drawn.values.sum(axis=1), drawn.factors
    (array([2, 2, 2], dtype=uint64), array([2., 2., 2., 2.]))
    """

    name: ClassVar[str] = "survey"
    unit: ClassVar[Unit] = Unit.GROUP

    def _make_drawer(self, target: Target, rng: np.random.Generator) -> Drawer:
        design = read_design(target)

        def draw(k: int) -> NDArray[np.integer]:
            drawn = [
                units[rng.integers(0, len(units), (k, len(units) - 1))] for units in design.strata
            ]
            counts = count_draws(np.concatenate(drawn, axis=1), int(design.sizes.sum()))
            return counts[:, design.unit]

        return draw

    def _find_factors(self, target: Target) -> tuple[NDArray[np.float64], ...]:
        design = read_design(target)
        more = design.sizes / (design.sizes - 1.0)
        left = more ** (design.sizes - 1.0)  # one over the chance to be in none of m - 1 draws
        return more[design.stratum], left[design.stratum]


def read_design(target: Target) -> SurveyDesign:
    """Return the design of a survey; refuse a stratum with one unit, which shows no variance."""
    design = target.design
    alone = int((design.sizes < 2).sum())
    if alone:
        raise EvidenceError(
            "a stratum has one primary sampling unit",
            needs="two or more in each",
            got=f"{alone} of {len(design.strata)} strata with one",
            cure=f"Join each to a stratum that is like it, or leave {arg('strata')} out.",
        )
    return design


def weigh_counts(resampler: Resampler, target: Target, counts: NDArray[np.uint8]) -> Weights:
    """Return counts of drawn cases as a resampler weighs them."""
    if isinstance(resampler, SurveyBootstrap):
        return Weights(counts, resampler.unit, *resampler._find_factors(target))
    return Weights(counts)


RESAMPLERS.add(SurveyBootstrap.name, SurveyBootstrap())
