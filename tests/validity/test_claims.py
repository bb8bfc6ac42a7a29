"""Claims about learners, chance and training sets hold at their level, with real learners.

The results are those of `benchmarks/claims`. A rate that may be .06 exceeds the counts that are
allowed here with a chance of 1 in 1000.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from scipy.stats import binom

from benchmarks.claims.grid import CELLS, HERE, Cell, cells, read
from benchmarks.claims.run import Chance, Training, Worse, simulate
from benchmarks.rows import read_rows

MOST, DOUBT = 0.06, 0.001
FRESH = 100_000  # the seeds of runs that are none of the study's
ROOT = Path(__file__).parents[2]
KNOWN = {cell.number: cell for cell in read()}


def worse() -> list[tuple[Cell, Worse]]:
    return [(KNOWN[row.cell], row) for row in read_rows(Worse, HERE / "worse.csv")]


def share(rows: list[Worse], name: str) -> float:
    return sum(getattr(row, name) for row in rows) / sum(row.runs for row in rows)


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def test_the_cells_are_those_that_were_declared() -> None:
    assert cells() == read() == read_rows(Cell, CELLS)


def test_no_cell_has_more_false_claims_about_learners_than_six_in_a_hundred() -> None:
    rows = [(cell, row) for cell, row in worse() if row.rule == "corrected_z"]
    assert {cell.kind for cell, _ in rows} == {"noise", "equal", "gap"}
    assert {cell.n for cell, _ in rows} == {60, 100, 200, 400}
    for cell, row in rows:
        assert row.runs >= 150
        assert row.learners / row.runs <= MOST, (cell, row)
        assert row.pair / row.runs <= MOST, (cell, row)


def test_tests_of_models_make_more_false_claims_about_learners() -> None:
    for _, row in worse():
        if row.rule == "delong" and KNOWN[row.cell].kind == "noise":
            assert row.learners / row.runs > 2 * MOST


def test_intervals_of_searches_of_noise_lie_above_chance_in_at_most_five_percent() -> None:
    rows = read_rows(Chance, HERE / "chance.csv")
    assert {row.metric for row in rows} >= {"accuracy", "roc_auc", "f1", "log_loss", "r2"}
    for row in rows:
        if KNOWN[row.cell].kind == "noise":  # 200 runs and more
            assert max(row.better, row.better_by_bound) / row.runs <= 0.05


def test_repeats_and_groups_leave_searches_of_noise_at_chance() -> None:
    # Few runs of a cell: exact tests of all cells, metrics and limits, adjusted by Holm's method,
    # and no metric beyond 5 % over all cells with repeats or groups.
    rows = [
        row for row in read_rows(Chance, HERE / "chance.csv") if KNOWN[row.cell].kind != "noise"
    ]
    assert {row.cell for row in rows} == {c.number for c in read() if c.kind == "chance"}
    counts = [(count, row.runs) for row in rows for count in (row.better, row.better_by_bound)]
    assert min(binom(runs, 0.05).sf(count - 1) for count, runs in counts) * len(counts) > 0.05
    runs: dict[str, int] = defaultdict(int)
    beyond: dict[str, int] = defaultdict(int)
    for row in rows:
        runs[row.metric] += row.runs
        beyond[row.metric] += max(row.better, row.better_by_bound)
    assert all(beyond[metric] / runs[metric] <= 0.05 for metric in runs), beyond


def test_pages_print_the_numbers_of_the_study() -> None:
    page = (ROOT / "docs/comparison/corrected_z.md").read_text(encoding="utf-8")
    by_rule: dict[tuple[str, str, str], list[Worse]] = defaultdict(list)
    for cell, row in worse():
        rule = "models" if row.rule in ("bayle", "delong") else row.rule
        by_rule[cell.kind, row.metric, rule].append(row)
    rules = ("models", "corrected_t", "corrected_z")
    names = {"accuracy": "accuracy", "roc_auc": "AUC", "log_loss": "log loss"}
    for kind, words in (("noise", "noise"), ("equal", "equal learners")):
        for metric, title in names.items():
            if (kind, metric, "models") in by_rule:
                cut = [percent(share(by_rule[kind, metric, rule], "learners")) for rule in rules]
                assert f"| {words}, {title} | {' | '.join(cut)} |" in page
    for metric, title in names.items():
        cut = [percent(share(by_rule["gap", metric, rule], "shown")) for rule in rules]
        assert f"| found of the worse, {title} | {' | '.join(cut)} |" in page
    page = (ROOT / "docs/explanation/what-is-estimated.md").read_text(encoding="utf-8")
    rows = {}
    for row in read_rows(Training, HERE / "training.csv"):
        cell = KNOWN[row.cell]
        models, learner = (
            f"{count / row.runs:.2f}" for count in (row.held_models, row.held_learner)
        )
        line = f"| {cell.source}, n = {cell.n} | {row.metric} | {models} | {learner} |"
        rows[line] = row.held_models / row.runs
    section = page.split("| population | metric |")[1].split("\n\n")[0]
    shown = [line for line in section.splitlines()[2:] if line.startswith("| ")]
    assert shown
    assert set(shown) <= set(rows)
    hidden = [share for line, share in rows.items() if line not in shown]
    words = f"In [{len(hidden)} more rows](../../benchmarks/claims/training.csv) the first is"
    assert f"{words} {min(hidden):.2f} or more" in " ".join(page.split())


def test_intervals_and_bounds_hold_the_models_of_the_folds_in_every_cell() -> None:
    # Exact tests at 5 %, one for each cell, metric and kind of limit: none is rejected.
    for row in read_rows(Training, HERE / "training.csv"):
        for held in (row.held_models, row.bound_models):
            assert binom(row.runs, 0.95).cdf(held) > 0.05, row


def test_a_few_runs_of_equal_learners_make_no_more_false_claims_than_allowed() -> None:
    # The fast guard: 20 runs, of which a rate of .06 leaves 5 or fewer with a chance of 99.9 %.
    cell = next(c for c in read() if (c.kind, c.source, c.n) == ("equal", "logistic", 60))
    counts = simulate(cell, FRESH, 20)
    for metric in ("accuracy", "roc_auc", "log_loss"):
        assert counts["worse", metric, "corrected_z"][1] <= binom(20, MOST).ppf(1 - DOUBT)
    assert counts["worse", "roc_auc", "delong"][1] >= 3  # which the guard would notice


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "source", "n"),
    [("noise", "classes", 60), ("noise", "classes", 400), ("equal", "logistic", 100),
     ("equal", "neighbours", 60), ("equal", "tree", 200)],
)  # fmt: skip
def test_fresh_runs_make_no_more_false_claims_than_allowed(kind: str, source: str, n: int) -> None:
    cell = next(c for c in read() if (c.kind, c.source, c.n) == (kind, source, n))
    runs = 150
    counts = simulate(cell, FRESH, runs)
    for (about, metric, rule), row in counts.items():
        if about == "worse" and rule == "corrected_z":
            assert row[1] <= binom(runs, MOST).ppf(1 - DOUBT), (metric, row)
        if about == "chance":
            assert row[1] <= binom(runs, 0.05).ppf(1 - DOUBT), (metric, row)


@pytest.mark.slow
def test_the_interval_holds_the_mean_over_training_sets_less_often() -> None:
    # The exclusive or at n = 400: 222 of 300 in the study, a standard error of .03.
    cell = next(c for c in read() if (c.source, c.n) == ("exclusive or", 400))
    row = simulate(cell, FRESH, 80)["training", "accuracy", ""]
    assert row[1] / row[0] >= 0.9
    assert row[2] / row[0] <= 0.95
