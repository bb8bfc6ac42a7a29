"""A Gaussian process over a mixed, conditional space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core import check
from earnest.core.cautions import Caution, Severity
from earnest.core.space import Space
from earnest.explanation.features import Features
from earnest.explanation.fitted_process import FittedProcess
from earnest.explanation.kernels import KERNELS
from earnest.explanation.likelihood import Evidence, Scales, best_scales

Floats = NDArray[np.float64]
SCALES_FROM = 500  # trials: more of them hardly change the scales, and cost their cube


@dataclass(frozen=True)
class GaussianProcess:
    """A Gaussian process with a length scale for every parameter and an estimated nugget.

    What is estimated: the latent objective, without the noise of single trials. Amplitude, length
    scales and noise are those of the largest marginal likelihood under a weak prior. Numbers are
    on their own scale, on [0, 1]; all levels of a category are equally far from each other; an
    inactive parameter carries no information. It assumes an objective that is equally smooth all
    over the space, and fails where it jumps or where there are few trials for many parameters;
    the quality of the surrogate then tells.

    Parameters
    ----------
    kernel : {'matern32', 'matern52', 'rbf'}
        The covariance function, from rough to smooth.
    noise : {'estimated', 'standard_error'}
        Whether all noise is estimated, or the squared standard errors of the trials are added to
        it. Those of scores of cross-validation on the same folds are mostly shared by all trials,
        and so no noise between them: they are left out by default.
    restarts : int
        How often the search for the scales begins anew.
    prior : bool
        Whether the scales are drawn a little towards usual ones. It matters for few trials, whose
        largest likelihood is often one of no noise and too narrow bands. False is the largest
        likelihood alone, as in Moosbauer et al. 2021.

    References
    ----------
    Rasmussen and Williams (2006), *Gaussian Processes for Machine Learning*, chapters 2 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest import Space
    >>> from earnest.explanation.gaussian_process import GaussianProcess
    >>> configs = [{"a": x} for x in np.linspace(0, 1, 12)]
    >>> space = Space.infer(configs)
    >>> y = np.array([config["a"] ** 2 for config in configs])
    >>> rng = np.random.default_rng(0)
    >>> fitted = GaussianProcess().fit(space, space.encode(configs), y, rng=rng)
    >>> fitted.posterior(space.encode([{"a": 0.5}]))[0].round(2).tolist()
    [0.25]
    """

    kernel: str = "matern32"
    noise: str = "estimated"
    restarts: int = 2
    prior: bool = True

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.one_of("kernel", self.kernel, KERNELS)
        check.one_of("noise", self.noise, ("estimated", "standard_error"))
        check.whole_number("restarts", self.restarts, low=0)

    @property
    def name(self) -> str:
        """The name under which it is asked for."""
        return "gaussian_process"

    def fit(
        self,
        space: Space,
        codes: Floats,
        objective: Floats,
        standard_error: Floats | None = None,
        *,
        rng: np.random.Generator,
    ) -> FittedProcess:
        """Fit the scales, then the process, to the objective (n,) at codes (n, d)."""
        features = Features.of(space)
        inputs = features(codes)
        spread = float(np.std(objective)) or 1.0
        groups, member = np.unique(features.group, return_inverse=True)
        known = np.zeros(len(objective))
        if self.noise == "standard_error" and standard_error is not None:
            known = np.square(standard_error / spread)
        evidence = Evidence(
            inputs,
            member,
            len(groups),
            (objective - objective.mean()) / spread,
            known,
            self.kernel,
        )
        scales, cautions = self._scales(evidence, rng)
        return FittedProcess.of(features, inputs, objective, scales, evidence, cautions)

    def _scales(
        self, evidence: Evidence, rng: np.random.Generator
    ) -> tuple[Scales, tuple[Caution, ...]]:
        n = len(evidence.objective)
        cautions: list[Caution] = []
        if n > SCALES_FROM:
            rows = np.sort(rng.choice(n, SCALES_FROM, replace=False))
            evidence = Evidence(
                evidence.features[rows],
                evidence.member,
                evidence.groups,
                evidence.objective[rows],
                evidence.known[rows],
                self.kernel,
            )
            cautions.append(_from_some(n))
        found = best_scales(evidence, self.restarts, rng, prior=self.prior)
        if found is None:
            cautions.append(_not_found())
            found = Scales(1.0, np.full(evidence.groups, 1.0), 0.1)
        return found, tuple(cautions)


def _from_some(n: int) -> Caution:
    return Caution(
        "EN064",
        f"The scales of the surrogate come from {SCALES_FROM} of {n} trials, drawn at random.",
        "The surrogate still knows all trials; its scales are a little less certain.",
        severity=Severity.NOTE,
    )


def _not_found() -> Caution:
    return Caution(
        "EN063",
        "No scales of the surrogate could be found: its likelihood has no maximum.",
        "Curves and bands rest on scales that were set, not learned.",
        "Look at the objective for values that are far from all others.",
    )
