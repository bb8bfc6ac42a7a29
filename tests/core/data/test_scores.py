"""Scores of items: what they are summed up to, what is left out, how they vary, and files."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import earnest as en
from earnest.core import Task
from earnest.core.data.measure import Rule
from earnest.core.data.scores import draw_batches, sum_up_samples
from earnest.metrics.scores import make_score_metric, settle_metric
from tests.snapshots import Golden

RNG = np.random.default_rng(5)


def scored(given: en.Scores, metric: str | None = None) -> np.ndarray:
    """Return what every configuration scores on the items as they are."""
    pi, measure = settle_metric(given, metric)
    return en.kernels.score_table(pi, measure, np.ones((1, pi.n_cases)))[0]


def test_the_mean_is_that_of_items_whatever_the_form() -> None:
    matrix = RNG.random((30, 3))
    frame = pa.table({"item": np.arange(30), **{f"p{c}": matrix[:, c] for c in range(3)}})
    rows = [(i, f"p{c}", matrix[i, c]) for i in range(30) for c in range(3)]
    long = pa.table({n: [r[k] for r in rows] for k, n in enumerate(("item", "prompt", "score"))})
    mapping = {f"p{c}": matrix[:, c] for c in range(3)}
    for table in (frame, long, mapping, matrix):
        given = en.Scores(table)
        assert scored(given) == pytest.approx(matrix.mean(axis=0))
        assert given.n_cases == 30
    assert en.Scores(long).configs.ids == en.Scores(frame).configs.ids == ("p0", "p1", "p2")
    assert en.Scores(frame).target.task is Task.SCORES


def test_samples_are_summed_up_within_an_item_before_items_are() -> None:
    values = RNG.random((6, 2, 3))
    values[0, 0, 1:] = np.nan  # one sample of this item, three of the others
    expected = np.nanmean(values, axis=2).mean(axis=0)
    assert scored(en.Scores(values)) == pytest.approx(expected)
    rows = [
        (i, f"c{c}", r, values[i, c, r])
        for i, c, r in np.ndindex(values.shape)
        if not np.isnan(values[i, c, r])
    ]
    names = ("item", "model", "repeat", "score")
    long = pa.table({name: [row[k] for row in rows] for k, name in enumerate(names)})
    assert scored(en.Scores(long)) == pytest.approx(expected)


@pytest.mark.parametrize(("kind", "k"), [("pass@", 1), ("pass@", 2), ("pass^", 2), ("pass^", 3)])
def test_pass_k_is_the_share_of_draws_of_k_samples(kind: str, k: int) -> None:
    samples = (RNG.random((8, 2, 5)) < 0.4).astype(float)
    samples[3, 1, 4] = np.nan  # four samples of this one
    rule = any if kind == "pass@" else all
    expected = np.empty((8, 2))
    for i, c in np.ndindex(8, 2):
        known = samples[i, c][~np.isnan(samples[i, c])]
        draws = list(itertools.combinations(known, k))
        expected[i, c] = np.mean([rule(draw) for draw in draws])
    made = en.Scores(samples, aggregate=f"{kind}{k}")
    assert made.predictions.responses[:, :, 0] == pytest.approx(expected)
    assert scored(en.Scores(samples), f"{kind}{k}") == pytest.approx(expected.mean(axis=0))
    assert made.measure.title == f"{kind}{k}"


def test_pass_k_by_hand() -> None:
    one_of_four = np.array([[[1.0, 0.0, 0.0, 0.0]]])
    found = [sum_up_samples(one_of_four, Rule.of(f"pass@{k}"))[0, 0] for k in (1, 2, 4)]
    assert found == pytest.approx([1 / 4, 1 / 2, 1.0])  # 1 - C(3, k) / C(4, k)


def test_a_ratio_is_that_of_both_sums() -> None:
    cost, success = RNG.exponential(1.0, (40, 3)), RNG.random((40, 3)) < 0.5
    given = en.Scores(cost, per=success, greater_is_better=False, name="cost per success")
    assert scored(given) == pytest.approx(cost.sum(axis=0) / success.sum(axis=0))
    rows = [(i, c, cost[i, c], bool(success[i, c])) for i in range(40) for c in range(3)]
    names = ("item", "config", "score", "won")
    long = pa.table({name: [row[k] for row in rows] for k, name in enumerate(names)})
    made = en.Scores(long, per="won", greater_is_better=False)
    assert scored(made) == pytest.approx(scored(given))
    assert made.measure.limits == (0.0, math.inf)


def test_limits_of_a_ratio_hold_for_every_choice_of_items(golden: Golden) -> None:
    """A resample can consist of one item, so its ratio must lie within the limits, too."""
    gain, cost = np.array([[2.0, 1.0], [9.0, 4.0]]), np.array([[1.0, 1.0], [2.0, 2.0]])
    assert en.Scores(gain, per=cost, limits=(0, 4.5)).measure.limits == (0.0, 4.5)
    with pytest.raises(en.errors.InputError) as refusal:
        en.Scores(gain, per=cost, limits=(0, 4))
    golden.check(str(refusal.value))
    with pytest.raises(en.errors.InputError) as refusal:
        en.Scores(gain, per=[[1.0, 0.0], [2.0, 2.0]], limits=(0, 5))
    golden.check(str(refusal.value))  # may be divided by nothing
    assert en.Scores(gain, per=[[1.0, 0.0], [2.0, 2.0]]).measure.limits == (0.0, math.inf)


def test_tasks_count_by_their_weights_whatever_their_sizes() -> None:
    matrix, tasks = RNG.random((60, 2)), np.repeat(["law", "math", "art"], [40, 15, 5])
    means = np.array([matrix[tasks == name].mean(axis=0) for name in ("art", "law", "math")])
    assert scored(en.Scores(matrix, tasks=tasks)) == pytest.approx(means.mean(axis=0))
    heavy = en.Scores(matrix, tasks=tasks, weights={"law": 2, "math": 1, "art": 0})
    assert scored(heavy) == pytest.approx((2 * means[1] + means[2]) / 3)
    assert scored(heavy, "mean") == pytest.approx(matrix.mean(axis=0))


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_a_quantile_under_weights_is_that_of_repeated_items(level: float) -> None:
    matrix, weights = RNG.random((11, 2)).round(1), RNG.integers(0, 4, (6, 11))
    given = en.Scores(matrix, aggregate=f"quantile({level})")
    found = en.kernels.score_table(given.predictions, make_score_metric(given.measure), weights)
    for row, weight in zip(found, weights, strict=True):
        repeated = np.repeat(matrix, weight, axis=0)
        known = np.quantile(repeated, level, axis=0, method="averaged_inverted_cdf")
        assert row == pytest.approx(known)
    assert scored(given, "median") == pytest.approx(np.median(matrix, axis=0))


def test_the_win_rate_is_the_share_of_its_own_judgements() -> None:
    rows = {
        "a": ["x", "x", "y", "z", "x"],
        "b": ["y", "z", "z", "y", "y"],
        "winner": ["x", "a", "tie", "b", "y"],
    }
    given = en.Scores.from_judgements(rows)
    wins = dict(zip(given.configs.ids, scored(given), strict=True))
    assert wins == pytest.approx({"x": 2 / 3, "y": (0 + 0.5 + 1 + 1) / 4, "z": (0 + 0.5 + 0) / 3})


def test_bradley_terry_finds_the_strengths_that_judgements_were_drawn_from() -> None:
    rng, strength = np.random.default_rng(0), np.array([1.0, 2.0, 4.0])
    a, b, winner = [], [], []
    for _ in range(4000):  # x meets y far more often than z does
        i, j = ((0, 1), (0, 1), (0, 1), (1, 2), (0, 2))[rng.integers(5)]
        a, b = [*a, "xyz"[i]], [*b, "xyz"[j]]
        winner.append("a" if rng.random() < strength[i] / (strength[i] + strength[j]) else "b")
    rows = {"a": a, "b": b, "winner": winner}
    given = en.Scores.from_judgements(rows, aggregate="bradley_terry")
    beats = strength[:, None] / (strength[:, None] + strength)
    truth = (beats.sum(axis=1) - 0.5) / 2
    order = [given.configs.index(name) for name in "xyz"]
    # standard errors of shares of about 1,600 judgements are 0.012; four of them
    assert scored(given)[order] == pytest.approx(truth, abs=0.05)
    won = scored(given.summed_up("win_rate"))[order]
    assert abs(won[1] - truth[1]) > 0.05  # which met the weakest most often


def test_bradley_terry_under_weights_is_that_of_repeated_judgements() -> None:
    rng = np.random.default_rng(2)
    pairs = [rng.choice(4, 2, replace=False) for _ in range(30)]
    rows = {
        "a": [f"m{i}" for i, _ in pairs],
        "b": [f"m{j}" for _, j in pairs],
        "winner": ["ab"[rng.integers(2)] for _ in pairs],
    }
    weights = rng.integers(0, 3, 30)
    given = en.Scores.from_judgements(rows, aggregate="bradley_terry")
    found = en.kernels.score_table(
        given.predictions, make_score_metric(given.measure), weights[None]
    )[0]
    again = {name: list(np.repeat(np.array(column), weights)) for name, column in rows.items()}
    repeated = en.Scores.from_judgements(again, aggregate="bradley_terry")
    known = dict(zip(repeated.configs.ids, scored(repeated), strict=True))
    assert dict(zip(given.configs.ids, found, strict=True)) == pytest.approx(known, abs=1e-8)


def test_items_without_every_score_are_left_out_with_a_caution() -> None:
    matrix = RNG.random((20, 3))
    matrix[4, 1], matrix[7, 2] = np.nan, np.nan
    given = en.Scores(matrix)
    assert scored(given) == pytest.approx(np.delete(matrix, [4, 7], axis=0).mean(axis=0))
    made = en.estimate(given, rng=0)
    assert made.n_cases == 18
    assert "scores_missing" in {caution.kind for caution in made.cautions}
    kept = en.Scores(matrix, incomplete="configs").predictions
    assert (kept.configs.ids, kept.n_cases) == (("c0",), 20)
    worst = en.Scores(matrix, incomplete="worst")
    assert scored(worst) == pytest.approx(np.nan_to_num(matrix).mean(axis=0))


def test_where_most_items_lack_a_score_the_user_chooses() -> None:
    matrix = RNG.random((20, 3))
    matrix[5:, 1] = np.nan
    with pytest.raises(en.errors.EvidenceError, match="5 of 20 items; c1 lacks 15"):
        _ = en.Scores(matrix).predictions
    assert en.Scores(matrix, incomplete="configs").predictions.configs.ids == ("c0", "c2")
    assert en.Scores(matrix, incomplete="items").predictions.n_cases == 5
    costs = en.Scores(matrix, incomplete="worst", greater_is_better=False)
    with pytest.raises(en.errors.InputError, match="no worst score"):
        _ = costs.predictions


def test_groups_and_tasks_of_a_table_reach_the_methods() -> None:
    table = pa.table(
        {
            "item": range(8),
            "passage": list("aabbccdd"),
            "subject": list("xyxyxyxy"),
            "p": [0, 1] * 4,
        }
    )
    given = en.Scores(table, groups="passage", tasks="subject")
    target = given.target
    assert target.groups is not None
    assert target.strata is not None
    assert target.groups.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert target.strata.tolist() == [0, 1] * 4
    assert given.configs.ids == ("p",)


@pytest.mark.parametrize(
    ("table", "about", "match"),
    [
        ({}, {}, "`table` cannot be read"),
        ({"a": ["x", "y"]}, {}, "are not numbers"),
        ({"a": np.zeros((2, 2, 2))}, {}, "are not numbers"),
        ({"a": [1.0], "b": [1.0, 2.0]}, {}, "differ in length"),
        (
            {"a": [-1.0]},
            {"limits": (0, math.inf), "greater_is_better": False},
            "losses lie outside",
        ),
        ({"a": [2.0]}, {"limits": (0.0, 1.0)}, "scores lie outside `limits`"),
        ({"a": [np.inf]}, {}, "infinite"),
        ({"a": [0.5, -1e200]}, {}, "too large"),
        ({"a": [np.nan]}, {}, "every score is missing"),
        ([[0.5, 1.0]], {"aggregate": "pass@1"}, "neither 0 nor 1"),
        ([[0.0, 1.0]], {"aggregate": "pass@2"}, "needs 2 samples"),
        ([[0.0, 1.0]], {"aggregate": "ratio"}, "needs a denominator"),
        ([[0.0, 1.0]], {"aggregate": "macro"}, "needs tasks"),
        ([[0.0, 1.0]], {"aggregate": "bradley_terry"}, "judgements of pairs"),
        ([[0.0, 1.0]], {"aggregate": "maen"}, "Did you mean 'mean'"),
        ([[0.0, 1.0]], {"weights": {"x": 1}}, "those of tasks"),
        ([[0.0, 1.0]], {"tasks": ["x"], "weights": {"y": 1}}, "none for x"),
        ([[0.0, 1.0]], {"groups": [1, 2]}, "`groups` and the scores differ"),
        ([[0.0, 1.0]], {"incomplete": "mean"}, "`incomplete` is unknown"),
        ([[0.0, 1.0]], {"limits": 1}, "`limits` cannot be read"),
        ([[0.0, 1.0]], {"id": "item"}, "names a column"),
        ({"item": [1, 2], "a": [0, 1], "why": ["x", "y"]}, {}, "'why' holds no scores"),
        ({"item": [1, 1], "a": [0, 1], "group": [1, 2]}, {}, "differs between the rows of an item"),
        ({"item": [1], "model": ["a"], "score": [1]}, {"score": "skore"}, "Did you mean 'score'"),
    ],
)
def test_what_cannot_be_read_is_refused(table: object, about: dict, match: str) -> None:
    with pytest.raises(en.errors.InputError, match=match):
        en.Scores(table, **about)


def test_a_score_that_is_given_twice_is_refused_unless_it_is_a_sample() -> None:
    rows = {"item": [1, 1, 2], "model": ["a", "a", "a"], "score": [1, 0, 1]}
    found = en.Scores(rows, config="model")
    assert found.n_repeats == 2
    assert {one.kind for one in found.predictions.remarks} == {"rows_read_as_samples"}
    with pytest.raises(en.errors.InputError, match="given twice"):
        en.Scores({**rows, "repeat": [0, 0, 0]}, config="model")


def test_columns_far_from_the_others_are_told() -> None:
    table = {"item": [1, 2], "a": [0, 1], "b": [1, 1], "tokens": [812, 790]}
    assert [one.kind for one in en.Scores(table).predictions.remarks] == [
        "columns_may_not_be_scores"
    ]
    assert en.Scores(table, configs=["a", "b"]).predictions.remarks == ()


def test_variances_between_and_within_items_are_those_of_the_draw() -> None:
    rng = np.random.default_rng(3)
    items = rng.normal(0.0, 0.5, (3000, 1, 1))
    found = en.Scores(items + rng.normal(0.0, 1.0, (3000, 2, 4))).variation()
    # four standard errors: sqrt(2 / 3000) * 0.25 * 2 beside, and sqrt(2 / 18000)
    assert found.between == pytest.approx(0.25, abs=0.05)
    assert found.within == pytest.approx(1.0, abs=0.045)
    spread = (items + rng.normal(0.0, 1.0, (3000, 1, 4))).mean(axis=(1, 2)).std() / math.sqrt(3000)
    assert found.standard_error() == pytest.approx(spread, rel=0.1)
    assert found.samples_worth(0.5) == math.ceil(found.within / (0.5 * found.between))
    cheap = [(found.between + found.within / r) * (10 + r) for r in range(1, 40)]
    assert found.best_samples(item_cost=10) == 1 + int(np.argmin(cheap))
    assert found.best_samples() == 1


def test_the_design_effect_is_what_clusters_add_to_the_variance_of_a_mean() -> None:
    rng = np.random.default_rng(4)
    codes = np.arange(4000) // 4
    values = rng.standard_normal(1000)[codes] + rng.standard_normal(4000)
    found = en.Scores(values, groups=codes).variation()
    assert found.design_effect == pytest.approx(1 + 3 * 0.5, rel=0.15)  # 1 + (m - 1) icc
    with pytest.raises(en.errors.EvidenceError, match="how samples vary"):
        found.samples_worth()


def test_batches_have_the_mean_of_the_items_and_its_standard_error() -> None:
    rng = np.random.default_rng(6)
    table = rng.random((10_007, 3)) < [0.2, 0.5, 0.9]
    drawn = draw_batches(table, 500)
    assert drawn.mean(axis=0) == pytest.approx(table.mean(axis=0))
    assert drawn.min() >= 0.0
    assert drawn.max() <= 1.0
    of_items = table.std(axis=0, ddof=1) / math.sqrt(len(table))
    of_batches = drawn.std(axis=0, ddof=1) / math.sqrt(len(drawn))
    assert of_batches == pytest.approx(of_items, rel=4 / math.sqrt(2 * 499))  # four of its errors


def test_an_estimate_by_batches_is_about_the_items() -> None:
    rng = np.random.default_rng(7)
    table = rng.random((6000, 5)) < 0.6
    made = en.estimate(en.Scores(table, batches=1000), rng=0)
    plain = en.estimate(en.Scores(table, batches=0), rng=0)
    assert made.n_cases == plain.n_cases == 6000
    assert made.naive == pytest.approx(plain.naive)
    assert made.value == pytest.approx(plain.value, abs=0.004)
    assert made.interval is not None
    assert plain.interval is not None
    ratio = (made.interval.high - made.interval.low) / (plain.interval.high - plain.interval.low)
    assert 0.85 < ratio < 1.18
    assert "items_in_batches" in {caution.kind for caution in made.cautions}
    assert en.compare(en.Scores(table, batches=1000), 0, 1).n_cases == 6000


EVERY = [
    en.Scores(RNG.random((9, 2)), id=[f"q{i}" for i in range(9)], groups=np.arange(9) // 2),
    en.Scores(RNG.random((9, 2, 3)).astype(np.float32), tasks=["a", "b", "b"] * 3),
    en.Scores(RNG.exponential(1, (9, 2)), per=np.ones((9, 2)), greater_is_better=False),
    en.Scores(np.where(RNG.random((9, 3)) < 0.1, np.nan, 0.25), incomplete="worst"),
    en.Scores({"a": RNG.random(9), "b": RNG.random(9)}, fold=np.arange(9) % 3),
    en.Scores.from_judgements({"a": ["x", "y"], "b": ["y", "z"], "winner": ["a", "tie"]}),
]


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "parquet", "arrow", "npz"])
@pytest.mark.parametrize("given", EVERY, ids=["wide", "long", "ratio", "holes", "folds", "pairs"])
def test_saved_scores_load_exactly(given: en.Scores, suffix: str, tmp_path: Path) -> None:
    again = en.Scores.load(given.save(tmp_path / f"scores.{suffix}"))
    assert again.fingerprint == given.fingerprint
    assert again.measure == given.measure
    assert np.array_equal(again.values, given.values, equal_nan=True)
    assert en.estimate(again, rng=0) == en.estimate(given, rng=0)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz"])
def test_the_predictions_that_scores_become_keep_what_they_are_summed_up_to(
    suffix: str, tmp_path: Path
) -> None:
    given = en.Scores(RNG.random((9, 2)), aggregate="quantile(0.3)", limits=(0, math.inf))
    again = en.Predictions.load(given.predictions.save(tmp_path / f"pi.{suffix}"))
    assert again.target.measure == given.measure
    assert en.estimate(again, rng=0) == en.estimate(given, rng=0)


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    path = EVERY[0].save(tmp_path / "scores.csv")
    text = path.read_text().replace("q3", "q33")
    path.write_text(text)
    with pytest.raises(en.errors.FormatError, match="changed or damaged"):
        en.Scores.load(path)


@pytest.mark.parametrize("name", ["scores.parquet", "scores.npy", "scores.npz"])
def test_a_mapped_matrix_reads_as_one_in_memory(name: str, tmp_path: Path) -> None:
    matrix, path = RNG.random((20, 3)), tmp_path / name
    if name.endswith("parquet"):
        pq.write_table(
            pa.table({"item": range(20), **dict(zip("abc", matrix.T, strict=False))}), path
        )
    elif name.endswith("npy"):
        np.save(path, matrix)
    else:
        np.savez(path, scores=matrix, groups=np.arange(20) // 2)
    mapped, read = (en.Scores.load(path, mmap=mmap) for mmap in (True, False))
    assert np.array_equal(mapped.values[:, :, 0], matrix)
    assert mapped.fingerprint == read.fingerprint
    assert en.estimate(mapped, rng=0) == en.estimate(read, rng=0)


def test_one_name_in_a_file_of_arrays_is_that_of_one_configuration(tmp_path: Path) -> None:
    np.savez(tmp_path / "s.npz", scores=RNG.random((20, 1)), configs=np.array("best"))
    assert en.Scores.load(tmp_path / "s.npz").configs.ids == ("best",)


def test_json_lines_are_a_table(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "scores.jsonl"
    lines = [
        '{"item": 1, "model": "a", "score": true}',
        '{"item": 1, "model": "b", "score": false}',
        '{"item": 2, "model": "a", "score": true}',
        '{"item": 2, "model": "b", "score": true}',
    ]
    path.write_text("\n".join(lines))
    assert scored(en.Scores.load(path)).tolist() == [1.0, 0.5]
    path.write_text("\n".join(lines)[:-9])
    with pytest.raises(en.errors.FormatError) as refusal:
        en.Scores.load(path)
    golden.check(str(refusal.value))
    path.write_text("[1, 2]\n")
    with pytest.raises(en.errors.FormatError, match="not a JSON object"):
        en.Scores.load(path)


def test_the_repr_tells_the_sizes_and_html_escapes_names(golden: Golden) -> None:
    given = en.Scores([[0, 1], [1, 1]], configs=["<b>", "c"])
    golden.check(repr(given))
    assert "&lt;b&gt;" in given._repr_html_()


def test_select_and_take_keep_what_is_known() -> None:
    given = en.Scores(RNG.random((6, 3, 2)), groups=list("aabbcc"), configs=["x", "y", "z"])
    part = given.select(["z", "x"]).take(np.array([0, 5]))
    assert part.configs.ids == ("z", "x")
    assert np.array_equal(part.values, given.values[[0, 5]][:, [2, 0]])
    assert part.target.groups is not None
    with pytest.raises(en.errors.InputError, match="no configuration was selected"):
        given.select([])


def test_scores_whose_items_are_in_another_order_are_refused() -> None:
    short = pd.Series([1.0, 0.0, 1.0, 0.0], index=["q1", "q2", "q3", "q4"])
    with pytest.raises(en.errors.InputError, match="another order"):
        en.Scores({"short": short, "long": short.iloc[::-1]})
    with pytest.raises(en.errors.InputError, match="another order"):
        en.Scores(pd.DataFrame({"short": short, "long": short}), groups=short.iloc[::-1])
    assert en.Scores({"short": short, "long": short}).n_cases == 4
