"""What a user with a strict type checker writes: every object where a signature takes one.

mypy reads this file (`files` in pyproject.toml); nothing runs it. That nothing registered is
missing here is held by test_typed_use.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import earnest as en
from earnest.core import Selector
from earnest.rules import MeanOfFolds, OneStandardError, Pooled


def estimates(pi: en.Predictions, replicates: en.Replicates) -> list[en.results.Estimate]:
    """Ask every method."""
    of_predictions: list[en.results.Estimate] = [
        en.estimate(pi, method=en.methods.Apparent(), metric="accuracy"),
        en.estimate(pi, method=en.methods.BatesNCV(), metric="accuracy"),
        en.estimate(pi, method=en.methods.BayleAllPairs(), metric="accuracy"),
        en.estimate(pi, method=en.methods.BayleWithinFold(), metric="accuracy"),
        en.estimate(pi, method=en.methods.BBC(limits="drawn"), metric="accuracy"),
        en.estimate(pi, method=en.methods.BBCFold(exact=True), metric="accuracy"),
        en.estimate(pi, method=en.methods.ConservativeZ(), metric="accuracy"),
        en.estimate(pi, method=en.methods.CV(), metric="accuracy"),
        en.estimate(pi, method=en.methods.CorrectedT(), metric="accuracy"),
        en.estimate(pi, method=en.methods.DeLong(variant="logit"), metric="roc_auc"),
        en.estimate(pi, method=en.methods.DeLong(preselect=0.1), metric="roc_auc"),
        en.estimate(pi, method=en.methods.HanleyMcNeil(), metric="roc_auc"),
        en.estimate(pi, method=en.methods.HanleyMcNeil(preselect=0.1), metric="roc_auc"),
        en.estimate(pi, method=en.methods.HoldOut(), metric="accuracy"),
        en.estimate(pi, method=en.methods.LOOCV(), metric="accuracy"),
        en.estimate(pi, method=en.methods.MABT(), metric="accuracy"),
        en.estimate(pi, method=en.methods.Naive(), metric="accuracy"),
        en.estimate(pi, method=en.methods.NaiveBootstrap(over="cases"), metric="accuracy"),
        en.estimate(pi, method=en.methods.NearWinner(), metric="accuracy"),
        en.estimate(pi, method=en.methods.Nested(), metric="accuracy"),
        en.estimate(pi, method=en.methods.RepeatedCV(), metric="accuracy"),
        en.estimate(pi, method=en.methods.Tibshirani(), metric="accuracy"),
        en.estimate(pi, method=en.methods.Tilted(), metric="accuracy"),
        en.estimate(pi, method=en.methods.Tilted(preselect=0.1), metric="accuracy"),
    ]
    of_replicates = [
        en.estimate(replicates, method=en.methods.B632(), metric="accuracy"),
        en.estimate(replicates, method=en.methods.B632Plus(), metric="accuracy"),
        en.estimate(replicates, method=en.methods.ErrStar(), metric="accuracy"),
        en.estimate(replicates, method=en.methods.LOOB(), metric="accuracy"),
        en.estimate(replicates, method=en.methods.LPOB(), metric="roc_auc"),
        en.estimate(replicates, method=en.methods.Refined(), metric="roc_auc"),
        en.estimate(replicates, method=en.methods.SimpleBootstrap(), metric="accuracy"),
    ]
    return [*of_predictions, *of_replicates]


def sources(frame: object) -> list[en.Predictions]:
    """Read predictions; a checker sees an option that there is not."""
    return [
        en.Predictions.load("predictions.csv", target="outcome", fold="part", decimal=","),
        en.Predictions.load("scores.npy", y=[0, 1, 1], groups=["a", "b", "b"], mmap=True),
        en.Predictions.from_frame(frame, positive="ill", model=["depth", "rate"], when=True),
        en.Predictions.load("predictions.csv", tagret="outcome"),  # type: ignore[call-arg]
        en.Predictions.from_frame(frame, threshold="half"),  # type: ignore[arg-type]
    ]


def searches(frame: object) -> list[en.Trials]:
    """Read trials; a checker sees an option that there is not."""
    return [
        en.Trials.load("trials.csv", objective="loss", direction="minimize", thousands="."),
        en.Trials.from_frame(frame, params=["depth"], status="state"),
        en.Trials.from_frame(frame, delimiter=";"),  # type: ignore[call-arg]
    ]


def knobs(pi: en.Predictions) -> list[en.results.Estimate]:
    """Hand in selectors, resamplers, metrics and lists of methods."""
    selectors: list[Selector] = [Pooled(), MeanOfFolds(), OneStandardError()]
    return [
        *(en.estimate(pi, metric="accuracy", selector=selector) for selector in selectors),
        en.estimate(
            pi,
            metric=en.metric("roc_auc"),
            method=en.methods.BBC(resampler=en.resampling.CaseBootstrap()),
        ),
        en.estimate(
            pi, metric="mse", method=en.methods.BBC(resampler=en.resampling.StratifiedBootstrap())
        ),
        en.estimate(
            pi, metric="mse", method=en.methods.BBC(resampler=en.resampling.GroupBootstrap())
        ),
        en.estimate(
            pi, metric="mse", method=en.methods.BBC(resampler=en.resampling.MovingBlockBootstrap(4))
        ),
        en.estimate(
            pi, metric="mse", method=en.methods.BBC(resampler=en.resampling.StationaryBootstrap())
        ),
        en.estimate(
            pi, metric="mse", method=en.methods.BBC(resampler=en.resampling.SurveyBootstrap())
        ),
        en.estimate(
            pi,
            metric="mse",
            method=en.methods.BBC(resampler=en.resampling.CircularBlockBootstrap()),
        ),
        en.estimate(
            pi,
            metric="mse",
            method=en.methods.NaiveBootstrap(
                over="cases", resampler=en.resampling.BayesianBootstrap()
            ),
        ),
        *en.estimate_all(pi, methods=["bbc", en.methods.BBCFold()], metric="accuracy"),
    ]


def questions(pi: en.Predictions) -> None:
    """Name metrics; a checker sees what cannot be one, and what a statistic cannot take."""
    en.estimate(pi, metric=lambda y, prediction: float((y == prediction).mean()))
    en.estimate(pi, metric=3)  # type: ignore[arg-type]
    en.compare_many(pi, metric=["accuracy"])  # type: ignore[arg-type]
    en.inference.bootstrap(lambda weights: float(weights.max()), 100)
    en.inference.bootstrap("mean", 100)  # type: ignore[arg-type]


def comparisons(pi: en.Predictions) -> list[en.results.Comparison]:
    """Ask every test of predictions."""
    return [
        en.compare(pi, "a", "b", test=en.comparison.BayesianTTest(), metric="accuracy"),
        en.compare(pi, "a", "b", test=en.comparison.BayleTest(), metric="accuracy"),
        en.compare(pi, "a", "b", test=en.comparison.BootstrapTest(), metric=en.metric("f1")),
        en.compare(pi, "a", "b", test=en.comparison.CorrectedTTest(), metric="accuracy"),
        en.compare(pi, "a", "b", test=en.comparison.CorrectedBootstrapTest(), metric="accuracy"),
        en.compare(pi, "a", "b", test=en.comparison.CorrectedZTest(), metric="accuracy"),
        en.compare(pi, "a", "b", test=en.comparison.CVTTest(), metric="accuracy"),
        en.compare(pi, "a", "b", test=en.comparison.DeLongTest(), metric="roc_auc"),
        en.compare(pi, "a", "b", test=en.comparison.DieboldMarianoTest(steps=2), metric="mse"),
        en.compare(pi, "a", "b", test=en.comparison.FiveByTwoTest(), metric="accuracy"),
        en.compare(pi, "a", "b", test=en.comparison.FiveByTwoFTest(), metric="accuracy"),
        en.compare(pi, "a", "b", test=en.comparison.McNemarTest(), metric="accuracy"),
        en.compare(pi, "a", "b", test=en.comparison.ResampledTTest(), metric="accuracy"),
        en.compare(pi, "a", "b", test=en.comparison.SignFlipTest(), metric="accuracy"),
    ]


class OwnLearner:
    """A learner with types of its own, which inherits nothing."""

    def fit(self, X: NDArray[np.float64], y: NDArray[np.int64]) -> OwnLearner:
        """Learn."""
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Predict."""
        return np.zeros(len(X), dtype=np.int64)

    def get_params(self, deep: bool = True) -> dict[str, float]:
        """Return the knobs."""
        return {}

    def set_params(self, **params: float) -> OwnLearner:
        """Set knobs."""
        return self


def learners(X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
    """Hand in a learner that is typed more narrowly than scikit-learn's are."""
    own = OwnLearner()
    en.assess(own, X, y, metric="accuracy")
    en.compare_learners(("own", own), own, X, y, metric="accuracy")
    en.SearchCV(own, {"C": [1]}).fit(X, y)


def training(a: Any, b: Any, X: Any, y: Any) -> None:
    """Hand objects to what trains."""
    en.compare_learners(a, b, X, y, test=en.comparison.LOOBTest(), metric="accuracy")
    en.compare_learners(a, b, X, y, test=en.comparison.LPOBTest(), metric="roc_auc")
    en.compare_learners(a, b, X, y, test=en.comparison.CorrectedTTest(), metric="accuracy")
    en.assess(a, X, y, method=en.methods.B632Plus(), metric="accuracy")
    en.assess(a, X, y, method=en.methods.BayleAllPairs(), metric=en.metric("mse"))
    en.tune("table.csv", drop=en.rules.BCED(threshold=0.95))
    en.SearchCV(a, {"C": [1]}, method=en.methods.BBC(), drop=en.rules.BCEDAdjusted())


def figures(
    estimate: en.results.Estimate,
    plan: en.results.Plan,
    inclusions: en.results.Inclusions,
    explanation: en.results.Explanation,
    ax: Axes,
    figure: Figure,
) -> list[Axes]:
    """Draw, and go on with the Axes."""
    return [
        estimate.plot(),
        estimate.plot(ax),
        plan.plot(ax),
        inclusions.plot(ax),
        explanation.plot(figure, most=3),
        explanation.importance.plot(),
        explanation.effect2d("C", "gamma").plot(figure),
        explanation.region_tree("C").plot(),
    ]
