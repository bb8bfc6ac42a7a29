"""The race: the same splits for all, one row per run whatever comes of it, and fair sums."""

from __future__ import annotations

import math
import os
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble

import earnest as en
from benchmarks.race import run, summary, tools
from benchmarks.race.run import Machine, Row, append, read_rows, run_one, run_race, score
from benchmarks.race.summary import Mean, make_table
from benchmarks.race.tables import METRIC, Table, make_split, read_tables
from benchmarks.race.tables import make_table as make_race_table
from benchmarks.race.tools import Job, Tool, list_tools
from tests.training.tune_tables import portfolio

FAKES = "tests.training.tune.race_fakes"
HERE = Machine({})


def make_problem(task: str = "binary", n: int = 60) -> Table:
    rng = np.random.default_rng(5)
    features = pd.DataFrame(rng.standard_normal((n, 2)), columns=["x0", "x1"])
    value = features["x0"] + rng.standard_normal(n)
    cuts = {"binary": [0.0], "multiclass": [-0.5, 0.5]}
    outcome = value if task == "regression" else pd.Series(np.digitize(value, cuts[task]))
    return Table(f"made-{task}", features, outcome)


def make_tool(name: str, function: str, **options: object) -> Tool:
    return Tool(name, "fake", f"{FAKES}:{function}", options)


def make_row(data: str, tool: str, held_out: float, **more: object) -> Row:
    usual: dict[str, object] = {"metric": "roc_auc", "task": "binary", "split": 0}
    usual |= {"version": "1", "budget": 60.0, "n_train": 10, "n_test": 5, "seconds": 1.0}
    return Row(data=data, tool=tool, held_out=held_out, **(usual | more))  # type: ignore[arg-type]


# ---- tables and splits


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_the_task_is_that_of_the_outcome(task: str) -> None:
    assert make_problem(task).task == task


def test_a_split_is_the_same_every_time_and_differs_by_number_and_table() -> None:
    table = make_problem(n=200)
    first, again, second = make_split(table, 0), make_split(table, 0), make_split(table, 1)
    other = make_split(replace(table, name="other"), 0)
    np.testing.assert_array_equal(first.train, again.train)
    np.testing.assert_array_equal(first.test, again.test)
    assert set(first.train) != set(second.train)
    assert set(first.train) != set(other.train)


def test_no_row_is_both_trained_on_and_held_out_and_classes_keep_their_shares() -> None:
    table = make_problem("multiclass", n=3000)
    made = make_split(table, 0)
    assert not set(made.train) & set(made.test)
    assert len(made.train) == pytest.approx(1000, abs=2)
    y = table.outcome.to_numpy()
    shares = [np.bincount(y[rows]) / len(rows) for rows in (made.train, made.test)]
    np.testing.assert_allclose(*shares, atol=0.002)  # rounding of three classes


def test_a_folder_gives_its_tables_and_scikit_learn_brings_more(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "target": ["yes", "no", "no", "yes"]})
    frame.to_parquet(tmp_path / "mine.parquet")
    frame.drop(columns="target").to_parquet(tmp_path / "no_outcome.parquet")
    found = read_tables([tmp_path])
    assert found["mine"].outcome.tolist() == [1, 0, 0, 1]
    assert "target" not in found["mine"].features
    assert "no_outcome" not in found
    assert {"diabetes", "digits", "wine", "breast_cancer"} < set(found)


def test_classes_are_numbered_from_nought_in_their_order() -> None:
    frame = pd.DataFrame({"a": range(6), "target": [3, 1, 7, 1, 3, 7]})
    assert make_race_table("t", frame).outcome.tolist() == [1, 0, 2, 0, 1, 2]


# ---- runs


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a race of tools that fail, that work and that look around, on one split."""
    out = tmp_path_factory.mktemp("race") / "results.csv"
    runners = [
        make_tool("bad", "fail"),
        make_tool("gaps", "predict_nothing"),
        make_tool("a", "follow_a_column"),
        make_tool("b", "follow_a_column", sign=-1.0),
        make_tool("spy", "list_what_is_seen"),
    ]
    made = list(run_race([make_problem()], runners, [0], 5.0, HERE, out))
    assert [row.tool for row in made] == [tool.name for tool in runners]
    return out


@pytest.fixture
def rows(results: Path) -> dict[str, Row]:
    return {row.tool: row for row in read_rows(results)}


def test_all_tools_get_the_same_rows_on_one_thread(rows: dict[str, Row]) -> None:
    one, other = rows["a"], rows["b"]
    assert (one.error, other.error) == ("", "")
    assert one.detail == other.detail
    assert one.detail.endswith("binary roc_auc 1")
    assert one.held_out == pytest.approx(1 - other.held_out, rel=1e-5)  # six digits are written
    assert (one.claim, one.low, one.high, one.naive) == (0.75, 0.5, 1.0, 0.8)
    assert (one.version, one.n_train, one.n_test) == ("1.2.3", 36, 24)


def test_a_tool_sees_no_outcome_of_the_rows_held_out(rows: dict[str, Row]) -> None:
    assert rows["spy"].error == ""
    assert rows["spy"].detail == "job.json test.parquet train.parquet x0 x1"


def test_what_has_its_row_is_not_run_again(results: Path, tmp_path: Path) -> None:
    out = Path(shutil.copy(results, tmp_path))
    before, tool = out.read_bytes(), make_tool("a", "follow_a_column")
    broken = Machine({"fake": "/no/such/interpreter"})  # would raise if anything ran
    assert list(run_race([make_problem()], [tool], [0], 5.0, broken, out)) == []
    assert out.read_bytes() == before
    with pytest.raises(FileNotFoundError):
        list(run_race([make_problem()], [tool], [1], 5.0, broken, out))


def test_a_tool_that_fails_is_a_row_with_its_reason(rows: dict[str, Row]) -> None:
    assert "ValueError: cannot read column x1" in rows["bad"].error
    assert math.isnan(rows["bad"].held_out)
    assert "predictions" in rows["gaps"].error
    assert rows["a"].error == ""  # which came after both


def test_a_tool_that_does_not_end_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "pid"
    tool = make_tool("endless", "go_on_and_on", note=str(note))
    for seconds in (2.0, 8.0, 32.0, 80.0):  # until it has begun, however busy the machine is
        monkeypatch.setattr(run, "MORE_SECONDS", seconds)
        row = run_one(make_problem(), 0, tool, 0.0, HERE)
        assert "ended after" in row.error
        if note.exists():
            break
    status = Path(f"/proc/{note.read_text(encoding='utf-8')}/status")
    assert not status.exists() or "zombie" in status.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "task",  # numbers go the way of two classes, and `test_scores_are_those_of_hand` scores them
    ["multiclass", pytest.param("regression", marks=pytest.mark.slow)],
)
def test_several_classes_and_numbers_are_scored_too(task: str) -> None:
    row = run_one(make_problem(task), 0, make_tool("a", "follow_a_column"), 5.0, HERE)
    assert row.error == ""
    assert row.metric == {"multiclass": "log_loss", "regression": "r2"}[task]
    assert math.isfinite(row.held_out)
    assert math.isfinite(row.second)


def test_scores_are_those_of_hand() -> None:
    truth = np.array([0, 1, 2, 1])
    chances = np.array([[0.5, 0.25, 0.25], [0.2, 0.6, 0.2], [0.1, 0.5, 0.4], [0.0, 1.0, 0.0]])
    by_hand = -np.mean(np.log([0.5, 0.6, 0.4, 1.0]))
    assert score("multiclass", truth, chances) == pytest.approx((by_hand, 0.75))
    assert score("binary", np.array([0, 0, 1, 1]), np.array([0.1, 0.6, 0.4, 0.9])) == (0.75, 0.5)
    numbers = np.array([0.0, 2.0])
    assert score("regression", numbers, np.array([1.0, 2.0])) == pytest.approx((0.5, 0.5**0.5))


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_models_and_searches_of_scikit_learn_predict_and_claim(
    task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("Classifier", "Regressor"):  # few trees, as each tool fits six times
        for name, few in (("RandomForest", "n_estimators"), ("HistGradientBoosting", "max_iter")):
            plain = getattr(ensemble, f"{name}{kind}")
            monkeypatch.setattr(ensemble, f"{name}{kind}", partial(plain, **{few: 5}))
    table = make_problem(task, n=90)
    features = table.features.assign(kind=["a", "b", np.nan] * 30)
    job = Job(features, table.outcome, task, METRIC[task], budget=0.0)  # one configuration
    for tool in (tool for tool in list_tools().values() if tool.family == "sklearn"):
        made = getattr(tools, tool.function.partition(":")[2])(job, **tool.options)
        held_out, _ = score(task, table.outcome.to_numpy(), np.asarray(made.predict(features)))
        guess = {"binary": 0.5, "multiclass": np.log(3), "regression": 0.0}[task]
        assert (held_out < guess) if task == "multiclass" else (held_out > guess)
        assert math.isfinite(made.claim)
        assert (made.claim > 0) or task == "regression"


@pytest.mark.parametrize("how", ["none", "greedy"])
def test_the_claim_of_earnest_is_its_corrected_estimate(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = partial(en.tune, portfolio=portfolio(tmp_path), n_configs=3, folds=3)
    monkeypatch.setattr(en, "tune", few)
    table = make_problem(n=90)
    job = Job(table.features, table.outcome, "binary", "roc_auc", budget=60.0)
    made = tools.run_earnest(job, ensemble=how)
    assert made.naive is not None
    assert made.low is not None
    assert made.high is not None
    assert made.low < made.claim < made.high
    held_out, _ = score("binary", table.outcome.to_numpy(), made.predict(table.features))
    assert held_out > 0.6


# ---- sums


def test_ties_share_a_rank_and_failures_come_last() -> None:
    rows = [make_row("a", "t1", 0.9), make_row("a", "t2", 0.9), make_row("a", "t3", 0.8)]
    rows += [make_row("a", "t4", math.nan, error="no"), make_row("a", "t5", math.nan, error="no")]
    (block,) = summary.find_blocks(rows).values()
    ranks = summary.rank_block(block, ["t1", "t2", "t3", "t4", "t5"])
    assert ranks == {"t1": 1.5, "t2": 1.5, "t3": 3.0, "t4": 4.5, "t5": 4.5}


def test_a_lower_log_loss_is_better_and_a_lower_claim_of_it_is_optimistic() -> None:
    more = {"metric": "log_loss", "task": "multiclass"}
    rows = [
        make_row("a", "t1", 0.5, claim=0.4, **more),
        make_row("a", "t2", 0.7, claim=0.9, **more),
    ]
    blocks = summary.find_blocks(rows)
    assert summary.find_ranks(blocks) == {"t1": 1.0, "t2": 2.0}
    gap = summary.average(blocks, "log_loss", summary.measure_gap("t2", ["t1", "t2"]))
    assert gap.value == pytest.approx(0.2)
    optimism = [
        summary.average(blocks, "log_loss", summary.measure_optimism(tool)).value
        for tool in ("t1", "t2")
    ]
    assert optimism == pytest.approx([0.1, -0.2])


def test_a_claim_above_the_score_held_out_is_optimistic() -> None:
    blocks = summary.find_blocks([make_row("a", "t1", 0.8, claim=0.9)])
    found = summary.average(blocks, "roc_auc", summary.measure_optimism("t1"))
    assert found.value == pytest.approx(0.1)


def test_ranks_are_over_the_blocks_that_all_ran_on() -> None:
    rows = [make_row(data, tool, s) for data in "abcde" for tool, s in (("t1", 0.9), ("t2", 0.8))]
    rows[-1] = make_row("f", "t1", 0.1)  # a block that one tool has not come to
    rows += [make_row("a", "late", 0.99)]
    assert summary.find_ranks(summary.find_blocks(rows)) == {"t1": 1.0}
    rows += [make_row("e", "t2", 0.95), make_row("f", "t2", 0.2)]
    found = summary.find_ranks(summary.find_blocks(rows))
    assert found == pytest.approx({"t1": 1 + 2 / 6, "t2": 2 - 2 / 6})


def test_a_race_that_is_stopped_within_a_block_keeps_its_ranks() -> None:
    rows = [make_row(data, tool, s) for data in "abc" for tool, s in (("t1", 0.9), ("t2", 0.8))]
    rows += [make_row("a", "late", 0.99)]
    blocks = summary.find_blocks(rows[:5] + rows[6:])
    assert summary.find_ranks(blocks) == {"t1": 1.0, "t2": 2.0}


def test_the_error_is_over_tables_whose_splits_are_averaged_first() -> None:
    made = Mean.of({"a": [1.0, 3.0], "b": [4.0], "c": [6.0]})
    assert (made.value, made.count) == (4.0, 3)
    assert made.error == pytest.approx(2 / 3**0.5)


def test_every_table_counts_the_same_in_the_ranks_however_many_splits_it_has() -> None:
    rows = [make_row("a", tool, s, split=k) for k in range(4) for tool, s in (("t", 2), ("u", 1))]
    rows += [make_row("b", "t", 1), make_row("b", "u", 2)]
    assert summary.find_ranks(summary.find_blocks(rows)) == {"t": 1.5, "u": 1.5}


@pytest.mark.parametrize(
    ("goal", "change"),
    [
        ("rank", {"tool": summary.MEDIUM, "held_out": 0.95}),
        ("ahead", {"tool": summary.BEST, "held_out": 0.95}),
        ("corrected AUC", {"tool": summary.OURS, "claim": 0.95}),
        ("interval", {"tool": summary.OURS, "low": 0.91}),
    ],
)
def test_a_goal_that_is_missed_is_called_missed(goal: str, change: dict[str, object]) -> None:
    scores = {summary.OURS: 0.9, summary.BEST: 0.9015, summary.MEDIUM: 0.8}
    more = {"low": 0.85, "high": 0.95}
    rows = [
        make_row(data, tool, held_out, claim=0.9 + off, **more)
        for data, off in (("a", -0.01), ("b", 0.01))
        for tool, held_out in scores.items()
    ]

    def list_missed(found: list[Row]) -> list[str]:
        """Return the goals that two tables of two classes can reach and do not."""
        lines = make_table("goals", found).splitlines()
        missed = [line for line in lines if line.endswith("| no |")]
        return [line for line in missed if "log loss" not in line and "R²" not in line]

    assert list_missed(rows) == []
    spoiled = [replace(row, **change) if row.tool == change["tool"] else row for row in rows]
    assert [goal in line for line in list_missed(spoiled)] == [True]


def test_an_interval_holds_what_lies_within_it() -> None:
    rows = [make_row(d, "t", 0.8, low=low, high=0.9) for d, low in (("a", 0.7), ("b", 0.85))]
    rows += [make_row("c", "t", 0.8), make_row("d", "t", math.nan, low=0.1, high=0.9, error="no")]
    assert summary.count_covered(rows) == (1, 2)


def test_a_row_is_read_as_it_was_written(tmp_path: Path) -> None:
    row = make_row("a", "t", 0.8125, error="two\nlines, and a comma", detail='a "quote"')
    append(row, tmp_path / "r.csv")
    (found,) = read_rows(tmp_path / "r.csv")
    assert found.error == "two lines, and a comma"
    assert (found.held_out, found.detail, found.split) == (0.8125, 'a "quote"', 0)
    assert math.isnan(found.claim)


def test_the_page_has_the_numbers_of_the_results() -> None:
    text = summary.PAGE.read_text(encoding="utf-8")
    rows = read_rows(run.RESULTS)
    for part in summary.PARTS.keys() - {"scores", "standings", "others"}:  # files with links
        block = f"<!-- generated: race {part} -->\n\n{make_table(part, rows)}\n<!-- end -->"
        assert block in text, "run python docs/_generate.py docs/explanation/race.md"
    others = [replace(row, held_out=row.held_out / 2) for row in rows]
    assert any(make_table(part, others) not in text for part in summary.PARTS)


def test_results_are_those_of_the_race_alone() -> None:
    rows = read_rows(run.RESULTS)
    assert rows
    assert {row.tool for row in rows} <= set(list_tools())
    assert len({row.key for row in rows}) == len(rows)
    assert not any(f"{os.sep}tmp" in f"{row.detail}{row.error}" for row in rows)
