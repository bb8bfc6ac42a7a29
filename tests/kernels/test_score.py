"""The dispatch: every way to a score gives the same score."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import earnest as en
from earnest.core import each, first_best
from earnest.core.base.threads import workers
from earnest.errors import InputError
from earnest.inference.resampling import winners as judging
from earnest.kernels import contest, dense, fold_scores, scans, score_selected, score_table
from earnest.kernels.score import fold_repeats
from earnest.metrics import METRICS
from earnest.metrics.families import Need, RankMetric
from earnest.resampling import Weights
from earnest.rules import Pooled
from earnest.testing import example_predictions

SEED = 20260101


def binary(n: int = 120, configs: int = 6, repeats: int = 1, seed: int = SEED) -> en.Predictions:
    """Return probabilities with ties, in five folds per repeat."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    scores = np.clip(
        0.3 * y[:, None, None] + rng.random((n, configs, repeats)).round(2) * 0.7, 0, 1
    )
    fold = np.stack([rng.permutation(n) % 5 for _ in range(repeats)], axis=1)
    return en.Predictions.from_arrays(y, scores, fold, response="probability")


def counts(resamples: int, n: int, seed: int = SEED) -> Weights:
    """Return bootstrap counts."""
    rng = np.random.default_rng(seed)
    return Weights(rng.multinomial(n, np.full(n, 1 / n), resamples).astype(np.uint8))


@pytest.mark.parametrize("name", ["roc_auc", "accuracy", "brier", "f1", "mcc"])
def test_selected_scores_are_entries_of_the_table(name: str) -> None:
    pi, weights = binary(repeats=2), counts(40, 120)
    table = score_table(pi, en.metric(name), weights)
    columns = np.arange(40) % pi.n_configs
    chosen = score_selected(pi, en.metric(name), weights, columns)
    assert_array_equal(chosen, table[np.arange(40), columns])


def test_predictions_that_are_all_missing_have_no_scores() -> None:
    pi = en.Predictions.from_arrays([0, 1, 1], np.full((3, 2), np.nan), response="probability")
    for ask in (partial(en.kernels.score_table, weights=[[1, 1, 1]]), en.report):
        with pytest.raises(en.errors.EvidenceError, match="every prediction is missing"):
            ask(pi, metric="log_loss")


def test_no_winner_has_no_score() -> None:
    pi, weights = binary(), counts(3, 120)
    chosen = score_selected(pi, en.metric("accuracy"), weights, np.array([-1, 0, -1]))
    assert_array_equal(np.isnan(chosen), [True, False, True])


@pytest.mark.parametrize("name", ["roc_auc", "accuracy", "log_loss"])
def test_a_fold_score_is_the_score_of_the_fold_alone(name: str) -> None:
    pi = binary(repeats=2)
    scores = fold_scores(pi, en.metric(name))
    repeats = fold_repeats(pi)
    assert scores.shape == (10, 1, pi.n_configs)
    for row, (repeat, fold) in enumerate((r, k) for r in range(2) for k in range(5)):
        assert repeats[row] == repeat
        rows = np.flatnonzero(pi.folds[:, repeat] == fold)
        alone = en.Predictions.from_arrays(
            pi.target.y[rows], pi.responses[rows, :, repeat], response="probability"
        )
        expected = score_table(alone, en.metric(name), Weights.ones(len(rows)))
        np.testing.assert_allclose(scores[row], expected, rtol=1e-13)


def test_fold_scores_under_weights_are_those_of_the_weighted_fold() -> None:
    pi, weights = binary(), counts(7, 120)
    scores = fold_scores(pi, en.metric("accuracy"), weights)
    for fold in range(5):
        inside = Weights(weights.values * (pi.folds[:, 0] == fold).astype(np.uint8))
        expected = score_table(pi, en.metric("accuracy"), inside)
        np.testing.assert_allclose(scores[fold], expected, rtol=1e-13)


def test_repeats_are_scored_apart_and_averaged() -> None:
    pi, weights = binary(repeats=3), counts(5, 120)
    whole = score_table(pi, en.metric("roc_auc"), weights)
    parts = [
        score_table(
            en.Predictions.from_arrays(pi.target.y, pi.responses[:, :, r]),
            en.metric("roc_auc"),
            weights,
        )
        for r in range(3)
    ]
    np.testing.assert_allclose(whole, np.mean(parts, axis=0), rtol=1e-13)


@pytest.mark.parametrize("name", [m.name for m in METRICS.values() if isinstance(m, RankMetric)])
def test_plain_and_compiled_scans_give_the_same_bytes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = en.metric(name)
    if metric.kernel is None:
        assert not scans.choose_compiled(metric, counts(64, 500).values, 1000)
        return
    pi, weights = problem_for(metric), counts(70, 90)
    monkeypatch.setattr(scans, "COLD", np.inf)
    monkeypatch.setattr(scans, "WARM", np.inf)
    plain = score_table(pi, metric, weights)
    chosen = np.arange(70) % pi.n_configs
    plain_chosen = score_selected(pi, metric, weights, chosen)
    monkeypatch.setattr(scans, "COLD", 0)
    monkeypatch.setattr(scans, "WARM", 0)
    assert scans.choose_compiled(metric, weights.values, 1)
    assert_array_equal(score_table(pi, metric, weights), plain)
    assert_array_equal(score_table(pi, metric, weights, n_jobs=2), plain)
    assert_array_equal(score_selected(pi, metric, weights, chosen), plain_chosen)


def test_small_scans_load_the_compiled_kernels_once_they_add_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metric, weights = en.metric("roc_auc"), counts(10, 90).values
    monkeypatch.delitem(sys.modules, "earnest.kernels.compiled", raising=False)
    monkeypatch.setattr(scans, "COLD", 3.0 * weights.size * 4)
    monkeypatch.setattr(scans, "PLAIN_WORK", scans.PlainWork())
    chosen = [scans.choose_compiled(metric, weights, columns=4) for _ in range(4)]
    assert chosen == [False, False, True, True]
    real = scans.choose_compiled(metric, weights.astype(float), columns=1000)
    assert not real  # no compiled kernel takes these weights


def problem_for(metric: RankMetric) -> en.Predictions:
    """Return ninety cases of the task that a metric is for, with ties."""
    rng = np.random.default_rng(SEED)
    task = min(metric.tasks)
    scores = rng.random((90, 4)).round(1)
    if metric.needs is Need.SURVIVAL:
        return example_predictions("survival", response="survival", n_cases=90, n_configs=4)
    if task == "survival":
        return en.Predictions.from_arrays((rng.random(90).round(1), rng.random(90) < 0.6), scores)
    if task == "multiclass":
        raw = rng.random((90, 4, 1, 3)).round(1) + 0.05
        y = np.array(["a", "b", "c"])[rng.integers(0, 3, 90)]
        return en.Predictions.from_arrays(y, raw / raw.sum(axis=3, keepdims=True))
    if task == "regression":
        return en.Predictions.from_arrays(rng.random(90), scores)
    return en.Predictions.from_arrays(rng.integers(0, 2, 90), scores)


@pytest.mark.parametrize("name", ["brier", "log_loss"])
@pytest.mark.parametrize("resamples", [1, 50])
def test_a_contest_has_the_winners_of_the_full_table(
    name: str, resamples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi, weights, metric = binary(n=300, configs=40), counts(resamples, 300), en.metric(name)
    monkeypatch.setattr(contest, "ROWS", 64)  # several products, so that sums are carried on
    expected = first_best(-score_table(pi, metric, weights))
    found = contest.contest(pi, metric, weights)
    assert found is not None
    assert_array_equal(found, expected)


def test_a_contest_gives_ties_to_the_first() -> None:
    pi = binary(configs=3).select(["c1", "c2"])
    twice = pi.concat(
        en.Predictions.from_arrays(
            pi.target.y,
            pi.responses[:, :, 0],
            pi.folds[:, 0],
            configs=["again", "and again"],
            response="probability",
        )
    )
    weights, metric = counts(60, 120), en.metric("brier")
    found = contest.contest(twice, metric, weights)
    assert found is not None
    assert set(found.tolist()) <= {0, 1}
    assert_array_equal(found, first_best(-score_table(twice, metric, weights)))


def test_a_contest_of_equals_is_left_to_the_full_table() -> None:
    y = np.arange(50) % 2
    same = np.repeat(np.linspace(0.1, 0.9, 50)[:, None], 40, axis=1)
    pi = en.Predictions.from_arrays(y, same)
    assert contest.contest(pi, en.metric("brier"), counts(20, 50)) is None


def test_regression_losses_of_any_size_are_contested_exactly() -> None:
    rng = np.random.default_rng(SEED)
    y = rng.standard_normal(200) * 1e6
    scores = y[:, None] + rng.standard_cauchy((200, 30)) * 1e5
    pi, weights = en.Predictions.from_arrays(y, scores), counts(80, 200)
    for name in ("mse", "mae"):
        metric = en.metric(name)
        found = contest.contest(pi, metric, weights)
        assert found is not None
        assert_array_equal(found, first_best(-score_table(pi, metric, weights)))


def test_winners_do_not_depend_on_whether_there_was_a_contest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pi, weights, metric = binary(n=200, configs=25), counts(64, 200), en.metric("brier")
    assert not contest.can_contest(pi, metric, weights)
    without = judging.choose_winners(pi, metric, weights, Pooled())
    monkeypatch.setattr(contest, "WORTH", 0)
    assert contest.can_contest(pi, metric, weights)
    assert_array_equal(judging.choose_winners(pi, metric, weights, Pooled()), without)


def keep_rough(
    pi: en.Predictions, weights: Weights, name: str = "brier"
) -> list[contest.RoughScores | None]:
    """Return the rough scores that a contest finds its winners with."""
    tables: list[contest.RoughScores | None] = []
    assert contest.contest(pi, en.metric(name), weights, keep=tables.append) is not None
    return tables


@pytest.mark.parametrize("name", ["brier", "log_loss"])
def test_rough_scores_are_those_of_the_full_table_but_for_rounding(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi, weights = binary(n=300, configs=40), counts(200, 300)
    monkeypatch.setattr(contest, "ROWS", 64)
    (rough,) = keep_rough(pi, weights, name)
    assert rough is not None
    exact = score_table(pi, en.metric(name), weights)
    noise = rough.least_spread / contest.VISIBLE  # of a mean of 300 numbers off by half a step each
    assert (
        np.abs(rough.values - exact) <= noise * np.sqrt(300) + contest.SLACK * exact.max()
    ).all()
    assert (exact.std(axis=0) > rough.least_spread).all()
    # a hundredth of the spread, at right angles to it, bends a correlation by its square
    np.testing.assert_allclose(
        np.corrcoef(rough.values.T), np.corrcoef(exact.T), rtol=0, atol=2 / contest.VISIBLE**2
    )


def test_rough_scores_do_not_depend_on_the_resamples_beside_them() -> None:
    pi, weights = binary(n=300, configs=40), counts(60, 300)
    (whole,) = keep_rough(pi, weights)
    parts = [keep_rough(pi, weights.take(slice(b, b + 20)))[0] for b in range(0, 60, 20)]
    assert whole is not None
    assert_array_equal(np.concatenate([p.values for p in parts if p is not None]), whole.values)
    heavy = weights.values.copy()
    heavy[0, :2] = 250  # no bootstrap draws so much of a block
    assert keep_rough(pi, Weights(heavy)) == [None]


@pytest.mark.parametrize("name", ["accuracy", "f1", "mcc"])
def test_counts_are_exact_in_either_precision(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pi, weights = binary(), counts(30, 120)
    single = score_table(pi, en.metric(name), weights)
    monkeypatch.setattr(dense, "EXACT", 0.0)  # never float32
    assert_array_equal(score_table(pi, en.metric(name), weights), single)


def test_weights_for_other_cases_are_refused() -> None:
    with pytest.raises(en.errors.InputError, match="different cases"):
        score_table(binary(), en.metric("accuracy"), counts(2, 7))


def test_incomplete_configurations_have_no_score() -> None:
    scores = np.array([[0.1, np.nan], [0.8, np.nan], [0.3, 0.2], [0.9, 0.7]])
    pi = en.Predictions.from_arrays([0, 1, 0, 1], scores, [0, 0, 1, 1])
    table = score_table(pi, en.metric("accuracy"), Weights.ones(4))
    assert_array_equal(np.isnan(table), [[False, True]])


def test_threads_keep_the_order() -> None:
    assert each(lambda x: x * x, range(20), 4) == [x * x for x in range(20)]


@pytest.mark.parametrize(("given", "least"), [(None, 1), (1, 1), (3, 3), (-1, 1), (-100, 1)])
def test_workers_are_at_least_one(given: int | None, least: int) -> None:
    assert workers(given) >= least


@pytest.mark.parametrize("given", [0, 1.5, "two", True])
def test_other_workers_are_refused(given: object) -> None:
    with pytest.raises(en.errors.InputError, match="n_jobs"):
        workers(given)  # type: ignore[arg-type]


def test_a_kernel_runs_though_its_code_cannot_be_written() -> None:
    from earnest.kernels import fast

    left = [OSError("no space left on device")] * 3

    def kernel(value: float) -> np.ndarray:
        if left:
            raise left.pop()
        return np.array([value])

    assert_array_equal(fast._run_kernel(kernel, 2.0), [2.0])


def test_an_error_that_does_not_pass_is_raised() -> None:
    from earnest.kernels import fast

    def kernel() -> np.ndarray:
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        fast._run_kernel(kernel)


def test_metric_and_weights_may_be_given_as_names_and_arrays() -> None:
    pi, weights = binary(), counts(5, 120)
    expected = score_table(pi, en.metric("brier"), weights)
    assert_array_equal(
        en.kernels.score_table(pi, "neg_brier_score", weights.values.tolist()), expected
    )
    chosen = np.array([0, 1, 2, 3, 4])
    found = en.kernels.score_selected(pi, "brier", weights.values, chosen.tolist())
    assert_array_equal(found, score_selected(pi, en.metric("brier"), weights, chosen))


def test_an_incomplete_configuration_has_no_selected_score() -> None:
    rng = np.random.default_rng(SEED)
    scores, fold = rng.random((100, 3)), np.arange(100) % 5
    scores[fold == 0, 1] = np.nan
    pi = en.Predictions.from_arrays(np.arange(100) % 2, scores, fold)
    for name in ("roc_auc", "accuracy", "average_precision", "ks"):
        chosen = en.kernels.score_selected(pi, name, np.ones((2, 100), dtype=np.uint8), [1, 0])
        assert_array_equal(np.isnan(chosen), [True, False])


@pytest.mark.parametrize("columns", [[7, 7], [0.5, 1.2], [0], [-2, 0]])
def test_columns_that_name_no_configuration_are_refused(columns: list[float]) -> None:
    with pytest.raises(en.errors.InputError, match="columns"):
        en.kernels.score_selected(binary(), "accuracy", np.ones((2, 120), dtype=np.uint8), columns)


@pytest.mark.parametrize("name", ["roc_auc", "accuracy"])
def test_no_resamples_have_no_scores(name: str) -> None:
    nothing = np.empty((0, 120), dtype=np.uint8)
    assert en.kernels.score_table(binary(), name, nothing).shape == (0, 6)
    assert en.kernels.score_selected(binary(), name, nothing, np.empty(0, dtype=int)).shape == (0,)


@pytest.mark.parametrize("name", ["roc_auc_ovo", "roc_auc_ovr_weighted"])
def test_blocks_of_columns_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = en.metric(name)
    assert isinstance(metric, RankMetric)
    pi, weights = problem_for(metric), counts(20, 90)
    whole = score_table(pi, metric, weights)
    monkeypatch.setattr(scans, "VALUES", 1)
    monkeypatch.setattr(scans, "PLAIN_CELLS", 1)
    assert_array_equal(score_table(pi, metric, weights), whole)


@pytest.mark.parametrize("drawn", ["counts", "real"])
@pytest.mark.parametrize("name", [m.name for m in METRICS.values()])
def test_a_score_has_the_same_bits_alone_and_in_any_block(
    name: str, drawn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = en.metric(name)
    pi, weights = problem_for(metric), counts(9, 90)
    if drawn == "real":
        weights = Weights(np.random.default_rng(SEED).exponential(size=(9, 90)))
    monkeypatch.setattr(scans, "COLD", np.inf)  # compiled scans have a law of their own
    monkeypatch.setattr(scans, "WARM", np.inf)
    whole = score_table(pi, metric, weights)
    alone = [score_table(pi, metric, Weights(row[None])) for row in weights.values]
    assert_array_equal(np.concatenate(alone), whole)
    columns = [score_table(pi.select(c), metric, weights) for c in range(pi.n_configs)]
    assert_array_equal(np.concatenate(columns, axis=1), whole)
    chosen = np.arange(9) % pi.n_configs
    assert_array_equal(score_selected(pi, metric, weights, chosen), whole[np.arange(9), chosen])
    assert_array_equal(score_table(pi, metric, weights, n_jobs=3), whole)
    for module in (dense, scans):
        for constant in {"RESAMPLES", "CELLS", "SUMS", "VALUES", "PLAIN_CELLS"} & set(vars(module)):
            monkeypatch.setattr(module, constant, 4)
    assert_array_equal(score_table(pi, metric, weights), whole)


def test_threads_leave_the_filters_of_warnings_as_they_were() -> None:
    import warnings
    from concurrent.futures import ThreadPoolExecutor

    def agreement(y: np.ndarray, p: np.ndarray) -> float:
        return float(np.mean(y == (p > 0.5)))

    before = list(warnings.filters)
    with ThreadPoolExecutor(4) as pool:
        tables = list(
            pool.map(lambda _: score_table(binary(), agreement, counts(30, 120)), range(8))
        )
    assert list(warnings.filters) == before
    assert all((table == tables[0]).all() for table in tables)


def test_weights_of_unlike_lengths_are_refused_in_words() -> None:
    with pytest.raises(InputError):
        en.kernels.score_table(binary(), "accuracy", [[1, 1], [1], 2])  # type: ignore[list-item]
