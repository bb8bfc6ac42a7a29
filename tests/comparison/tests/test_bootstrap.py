"""The paired bootstrap against a plain loop on the same resamples."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Predictions, Scores, compare
from earnest.comparison import BootstrapTest
from earnest.core import Seeds
from earnest.errors import EvidenceError, InputError
from earnest.kernels import score_table
from earnest.resampling import CaseBootstrap, batches
from tests.comparison.evidence import classified, columns
from tests.snapshots import Golden

METRICS = ["roc_auc", "average_precision", "f1", "accuracy", "log_loss"]


def loop(pi: Predictions, metric: str, count: int, seed: int) -> np.ndarray:
    """The differences of the two columns on the resamples that the seed gives, one by one."""
    parts = batches(CaseBootstrap(), pi.target, count, Seeds.of(seed))
    weights = np.concatenate([part.values for part in parts])
    rows = [np.repeat(np.arange(pi.n_cases), w) for w in weights]
    values = [score_table(pi.take(r), metric, np.ones((1, len(r))))[0] for r in rows]
    return np.array([v[0] - v[1] for v in values])


@pytest.mark.parametrize("metric", METRICS)
def test_draws_p_and_interval_are_those_of_a_loop(metric: str) -> None:
    pi = classified(folds=1)  # 30 of each class: no resample of seed 3 lacks one
    made = compare(pi, "good", "fair", test="bootstrap", metric=metric, n_resamples=199, rng=3)
    draws = loop(pi.select(["good", "fair"]), metric, 199, 3)
    above, below = (draws >= -1e-12).sum(), (draws <= 1e-12).sum()
    assert made.p_value == min(1.0, 2 * (1 + min(above, below)) / 200)
    assert made.interval is not None
    ends = np.sort(draws)[[4, 194]]  # k = floor(.025 * 199) = 4 at each end
    assert [made.interval.low, made.interval.high] == pytest.approx(ends)
    assert made.standard_error == pytest.approx(draws.std(ddof=1))
    assert (made.n_resamples, made.n_valid) == (199, 199)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_a_p_at_the_level_or_below_means_that_the_interval_excludes_0(alternative: str) -> None:
    for seed in range(40):
        pi = classified(n=40, seed=seed, folds=1)
        made = compare(
            pi,
            "good",
            "fair",
            test="bootstrap",
            metric="accuracy",
            alternative=alternative,
            n_resamples=299,
            rng=0,
        )
        assert made.interval is not None
        if made.shown:
            assert 0.0 not in made.interval


def test_groups_strata_and_knobs_choose_the_resampler() -> None:
    grouped = classified(groups=np.arange(60) // 2)
    layered = classified(strata=np.arange(60) % 3)
    ask = {"metric": "accuracy", "rng": 0}
    used = [
        compare(pi, "good", "fair", test=test, **ask).provenance.knobs["resampler"]
        for pi, test in [
            (classified(), "bootstrap"),
            (grouped, "bootstrap"),
            (layered, "bootstrap"),
            (classified(), BootstrapTest(undefined="stratify")),
            (classified(), BootstrapTest(resampler="bayesian")),
        ]
    ]
    assert used == ["case", "group", "stratified", "stratified", "bayesian"]


def test_threads_change_nothing_and_seeds_do() -> None:
    ask = {"test": "bootstrap", "metric": "roc_auc"}
    one = compare(classified(), "good", "fair", rng=1, **ask)
    assert one == compare(classified(), "good", "fair", rng=1, n_jobs=2, **ask)
    assert one.interval != compare(classified(), "good", "fair", rng=2, **ask).interval
    assert one.provenance.seed == 1


def test_few_resamples_are_cautioned_of() -> None:
    made = compare(
        classified(), "good", "poor", test="bootstrap", metric="accuracy", n_resamples=19, rng=0
    )
    assert {"few_beyond_limit", "no_small_p"} <= {caution.kind for caution in made.cautions}
    assert not made.shown
    wide = made.at(confidence_level=0.5)
    assert "no_small_p" not in {caution.kind for caution in wide.cautions}


@pytest.mark.parametrize("undefined", ["redraw", "drop"])
def test_one_resample_shows_no_spread_and_is_refused(undefined: str) -> None:
    with pytest.raises(InputError, match="n_resamples"):
        BootstrapTest(n_resamples=1, undefined=undefined)


def test_one_defined_resample_of_two_is_refused_and_two_are_not() -> None:
    # one case of the rare class: of the two resamples of these seeds, so many have it
    y = np.array([1] + [0] * 5)
    pi = columns(y, np.column_stack([np.linspace(1.0, 0.0, 6), np.sin(np.arange(6.0))]))
    test = BootstrapTest(n_resamples=2, undefined="drop")
    has = {}
    for seed in range(40):
        parts = batches(CaseBootstrap(), pi.target, 2, Seeds.of(seed))
        defined = np.concatenate(
            [part.values[:, 0] * part.values[:, 1:].any(axis=1) for part in parts]
        )
        has[int((defined > 0).sum())] = seed
    with pytest.raises(EvidenceError, match="1 of 2"):
        compare(pi, "a", "b", test=test, metric="roc_auc", rng=has[1])
    assert compare(pi, "a", "b", test=test, metric="roc_auc", rng=has[2]).n_valid == 2


def test_bad_knobs_are_refused() -> None:
    with pytest.raises(InputError, match="n_resamples"):
        BootstrapTest(n_resamples=0)
    with pytest.raises(InputError, match="undefined"):
        BootstrapTest(undefined="ignore")


def test_units_are_groups_then_the_rarest_class_then_cases() -> None:
    y = np.array([1] * 6 + [0] * 24)
    scores = np.column_stack([y, 1.0 - y])  # right against wrong: no spread, p from the units

    def least(metric: str, **about: object) -> float:
        pi = columns(y, scores, **about)
        made = compare(pi, "a", "b", test="bootstrap", metric=metric, n_resamples=99, rng=0)
        assert made.p_values is not None
        return made.p_values["greater"]

    assert least("accuracy") == 0.5**30
    assert least("roc_auc") == 0.5**6
    assert least("accuracy", groups=np.arange(30) // 10) == 0.5**3


@pytest.mark.parametrize(
    ("n", "said"), [(2, "There are 2 cases."), (5, "There are 5 cases."), (30, None)]
)
def test_few_cases_are_cautioned_of(n: int, said: str | None) -> None:
    rng = np.random.default_rng(n)
    given = Scores({"a": rng.random(n), "b": rng.random(n)}, greater_is_better=False)
    made = compare(given, "a", "b", test="bootstrap", n_resamples=99, rng=0)
    found = [caution.what for caution in made.cautions if caution.kind == "few_units_compared"]
    assert found == ([] if said is None else [said])


def test_one_positive_is_cautioned_of(golden: Golden) -> None:
    y = np.array([1] + [0] * 39)
    pi = columns(y, np.random.default_rng(0).random((40, 2)))
    made = compare(pi, "a", "b", test="bootstrap", metric="roc_auc", n_resamples=99, rng=0)
    (few,) = (caution for caution in made.cautions if caution.kind == "few_units_compared")
    golden.check(few.what)
    assert "sign_flip" not in few.cure  # which refuses an AUC


def test_few_unlike_cases_are_cautioned_of() -> None:
    y = np.tile([0, 1], 100)
    other = y.copy()
    other[:4] = 1 - y[:4]
    pi = columns(y, np.column_stack([y, other]), response="label")
    made = compare(pi, "a", "b", test="bootstrap", metric="accuracy", n_resamples=99, rng=0)
    assert "few_units_compared" in {caution.kind for caution in made.cautions}
