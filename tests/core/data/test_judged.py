"""Marks of a judge that labels of people mend: right on average, and never worse than labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import earnest as en
from earnest.errors import EvidenceError, InputError
from tests.snapshots import Golden

Array = NDArray[np.float64]


def draw(n: int = 200, configs: int = 3, share: float = 0.3, seed: int = 0) -> tuple[Array, Array]:
    """Scores of a kind judge, and labels of all answers to a random part of the items."""
    rng = np.random.default_rng(seed)
    right = (rng.random((n, configs)) < 0.6 * rng.random((n, 1)) + 0.4).astype(float)
    judge = np.where(rng.random(right.shape) < 0.8, right, rng.random(right.shape) < 0.9)
    chosen = rng.permutation(n) < share * n
    return judge.astype(float), np.where(chosen[:, None], right, np.nan)


def mark_plainly(f: Array, h: Array, p: Array, units: NDArray[np.intp]) -> Array:
    """The marks of one configuration (n,), by a loop over items and the formulas of a line."""
    marks = np.empty(len(f))
    labelled = np.isfinite(h)
    for i in range(len(f)):
        others = labelled & (units != units[i])
        x, y, w = f[others], h[others], (1 - p[others]) / p[others] ** 2
        slope, constant = 0.0, 0.0
        if w.sum() > 0:
            mean_x, mean_y = np.average(x, weights=w), np.average(y, weights=w)
            sxx, syy = w @ (x - mean_x) ** 2, w @ (y - mean_y) ** 2
            if sxx > 1e-9 and syy > 1e-9:
                slope = (w @ ((x - mean_x) * (y - mean_y))) / sxx
                explained = slope**2 * sxx
                left = (syy - explained) / max(others.sum() - 2, 1)
                slope *= max(1 - left / explained, 0) if explained > 0 else 0
            slope = min(max(slope, 0), 1)
            constant = mean_y - slope * mean_x
        mark = constant + slope * f[i]
        marks[i] = mark + (h[i] - mark) / p[i] if labelled[i] else mark
    return marks


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("unlike", [False, True])
def test_marks_are_those_of_a_line_fitted_without_the_items_group(
    grouped: bool, unlike: bool
) -> None:
    judge, human = draw(120)
    groups = np.arange(120) // 3 if grouped else np.arange(120)
    rng = np.random.default_rng(1)
    chance = rng.uniform(0.2, 0.9, 120) if unlike else np.full(120, np.isfinite(human[:, 0]).mean())
    scores = en.Scores(
        judge,
        human=human,
        probability=chance if unlike else None,
        groups=groups if grouped else None,
    )
    for c in range(3):
        expected = mark_plainly(judge[:, c], human[:, c], chance, groups)
        np.testing.assert_allclose(scores.values[:, c, 0], expected, atol=1e-9)


def test_marks_of_a_judge_that_says_nothing_have_the_mean_of_the_labels() -> None:
    _, human = draw()
    scores = en.Scores(np.full(human.shape, 0.7), human=human)
    np.testing.assert_allclose(
        scores.values[:, :, 0].mean(axis=0), np.nanmean(human, axis=0), atol=1e-12
    )


def test_marks_of_a_judge_who_agrees_with_people_are_its_scores() -> None:
    rng = np.random.default_rng(2)
    right = (rng.random((1000, 10)) < 0.7).astype(float)
    human = np.where((rng.permutation(1000) < 200)[:, None], right, np.nan)
    scores = en.Scores(right, human=human)
    np.testing.assert_allclose(scores.values[:, :, 0], right, atol=1e-9)
    marked, full = (en.estimate(each, rng=0).interval for each in (scores, en.Scores(right)))
    assert marked.high - marked.low < 1.1 * (full.high - full.low)


def test_labels_of_all_answers_are_the_scores() -> None:
    judge, _ = draw()
    human = 1.0 - judge
    scores = en.Scores(judge, human=human)
    np.testing.assert_allclose(scores.values[:, :, 0], human, atol=1e-12)
    assert scores.parts.labels is None
    assert en.estimate(scores, metric="median", rng=0).value in (0.0, 0.5, 1.0)


def test_labels_that_all_agree_count_for_no_more_items_than_people_labelled() -> None:
    human = np.full((100, 2), np.nan)
    human[:10] = 1.0
    marked = en.estimate(en.Scores(np.ones((100, 2)), human=human), rng=0).interval
    alone = en.estimate(en.Scores(human[:10]), rng=0).interval
    assert marked.low == pytest.approx(alone.low, abs=0.01)
    drawn = en.estimate(en.Scores(np.ones((100, 2)), human=human), method="bbc", rng=0).interval
    assert drawn.low < 0.75


@pytest.mark.parametrize("judge_is", ["hostile", "noise", "kind"])
@pytest.mark.parametrize("unlike", [False, True])
def test_marks_have_the_mean_of_peoples_labels_whatever_the_judge_says(
    judge_is: str, unlike: bool
) -> None:
    rng = np.random.default_rng([3, unlike, len(judge_is)])
    n, runs = 60, 800
    truth = (rng.random(n) < 0.6).astype(float)
    hard = truth < 0.5
    chance = np.where(hard, 0.6, 0.25) if unlike else np.full(n, 0.4)
    said = {"hostile": 1.0 - truth, "noise": rng.random(n), "kind": np.maximum(truth, 0.9)}
    judge = np.clip(said[judge_is] + 0.1 * rng.standard_normal(n), 0.0, 1.0)
    means = []
    for _ in range(runs):
        chosen = rng.random(n) < chance
        if chosen.sum() < 10:
            continue
        human = np.where(chosen, truth, np.nan)
        scores = en.Scores(judge, human=human, probability=chance)
        means.append(scores.values[:, 0, 0].mean())
    error = np.std(means) / np.sqrt(len(means))
    assert abs(np.mean(means) - truth.mean()) < 4 * error  # 4 standard errors of the mean of runs


def test_intervals_of_marks_are_as_wide_as_those_of_labels_where_the_judge_knows_nothing() -> None:
    ratios = []
    for seed in range(15):
        rng = np.random.default_rng([4, seed])
        _, human = draw(300, 8, seed=seed)
        rows = np.isfinite(human[:, 0])
        marked = en.estimate(en.Scores(rng.random(human.shape), human=human), rng=0).interval
        alone = en.estimate(en.Scores(human[rows]), rng=0).interval
        ratios.append((marked.high - marked.low) / (alone.high - alone.low))
    spread = np.std(ratios) / np.sqrt(len(ratios))
    assert np.mean(ratios) < 1.02 + 4 * spread


def test_a_good_judge_narrows_the_interval_of_the_winner() -> None:
    judge, human = draw(500, 6, share=0.3, seed=5)
    rows = np.isfinite(human[:, 0])
    marked = en.estimate(en.Scores(judge, human=human), rng=0).interval
    alone = en.estimate(en.Scores(human[rows]), rng=0).interval
    assert marked.high - marked.low < 0.95 * (alone.high - alone.low)


# Labels that are not random.


def caution_codes(scores: en.Scores) -> list[str]:
    return [remark.code for remark in scores.parts.remarks]


def test_labels_of_what_the_judge_doubts_are_said_to_be_unlike_the_others() -> None:
    rng = np.random.default_rng(6)
    judge = rng.random((300, 2))
    chance = np.where(judge[:, 0] < 0.4, 0.6, 0.1)
    human = np.where((rng.random(300) < chance)[:, None], judge > 0.5, np.nan)
    assert caution_codes(en.Scores(judge, human=human)) == ["EN140"]
    assert caution_codes(en.Scores(judge, human=human, probability=chance)) == []


def test_random_labels_are_seldom_said_to_be_unlike_the_others() -> None:
    runs = 600
    alarms = sum(
        bool(caution_codes(en.Scores(judge, human=human)))
        for judge, human in (draw(150, 2, seed=seed) for seed in range(runs))
    )
    assert alarms <= 6 + 4 * np.sqrt(6)  # 1 % of them by chance, and 4 standard deviations


# How labels are given.


def test_a_long_table_says_what_arrays_say(tmp_path: Path) -> None:
    judge, human = draw(60)
    rows = [
        {"item": f"q{i}", "config": f"p{c}", "judge": judge[i, c], "human": human[i, c]}
        for i in range(60)
        for c in range(3)
    ]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    columns["human"] = [None if value != value else value for value in columns["human"]]
    table = pa.table(columns)
    expected = en.Scores(judge, human=human).values
    np.testing.assert_array_equal(en.Scores(table).values, expected)
    named = table.rename_columns(["item", "config", "score", "expert"])
    np.testing.assert_array_equal(en.Scores(named, human="expert").values, expected)
    path = tmp_path / "judged.csv"
    path.write_text(
        "item,config,judge,human,probability\n"
        + "".join(
            f"{row['item']},{row['config']},{row['judge']},"
            f"{'' if row['human'] != row['human'] else row['human']},0.3\n"
            for row in rows
        )
    )
    np.testing.assert_allclose(en.Scores.load(path).values, expected, atol=1e-12)


def test_labels_of_a_table_find_their_items_and_configurations() -> None:
    judge, human = draw(80)
    names, configs = [f"q{i}" for i in range(80)], ["a", "b", "c"]
    scores = en.Scores(judge, id=names, configs=configs)
    cells = [(i, c) for i in range(80) for c in range(3) if np.isfinite(human[i, c])]
    labels = pa.table(
        {
            "item": [names[i] for i, _ in reversed(cells)],
            "config": [configs[c] for _, c in reversed(cells)],
            "human": [human[i, c] for i, c in reversed(cells)],
        }
    )
    marked = scores.with_labels(labels)
    np.testing.assert_array_equal(marked.values, en.Scores(judge, human=human).values)
    assert marked.configs.ids == ("a", "b", "c")


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz"])
def test_marks_come_back_from_a_file(ending: str, tmp_path: Path) -> None:
    judge, human = draw()
    scores = en.Scores(judge, human=human)
    back = en.Scores.load(scores.save(tmp_path / f"marks.{ending}"))
    assert back.fingerprint == scores.fingerprint
    assert back.measure.labelled == scores.measure.labelled == pytest.approx(0.3)
    first, second = (en.estimate(each, rng=0).interval for each in (scores, back))
    assert (first.low, first.high) == (second.low, second.high)


def test_verbs_take_marks_as_any_scores() -> None:
    judge, human = draw(300)
    scores = en.Scores({f"p{c}": judge[:, c] for c in range(3)}).with_labels(human)
    for method in ("bbc", "near_winner", "naive"):
        estimate = en.estimate(scores, method=method, rng=0)
        assert 0.0 <= estimate.value <= 1.0
    verdict = en.gate(scores.select("p0"), against=scores.select("p1"), margin=0.2, rng=0)
    assert -1.0 < verdict.low < verdict.value < 1.0
    assert en.plan(scores, detect=0.05, rng=0).n_items > 300
    assert len(en.compare_many(scores, rng=0)) == 2


def test_labels_that_cannot_mend_are_refused(golden: Golden) -> None:
    judge, human = draw(40)
    few = np.where(np.arange(40)[:, None] < 4, human, np.nan)
    with golden.raises(EvidenceError):
        en.Scores(judge, human=few)
    with golden.raises(InputError):
        en.Scores(judge, human=human[:10])
    with golden.raises(InputError):
        en.Scores(judge, probability=0.3)
    with golden.raises(InputError):
        en.Scores(judge, human=human, probability=1.5)
    with golden.raises(InputError):
        en.Scores(judge, human=human, aggregate="median")
    with golden.raises(InputError):
        en.Scores(judge, human="expert")
    with golden.raises(InputError):
        en.Scores(judge, human=human).with_labels(human)
    with golden.raises(InputError):
        en.Scores(np.where(np.isfinite(human), np.nan, judge), human=human)
