"""Subgroups through every door in Python: the verbs, a search, a run and the report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import earnest as en
from earnest.errors import EvidenceError, InputError

N = 240
SITE = np.where(np.arange(N) % 3 == 0, "bad", "good")
TABLE = {"site": SITE, "sex": np.where(np.arange(N) // 2 % 2, "f", "m")}


def make_predictions(seed: int = 6) -> en.Predictions:
    """Return three configurations that are near to guessing at one site, and good at the other."""
    rng = np.random.default_rng(seed)
    y = np.arange(N) // 3 % 2
    skill = np.where(SITE == "bad", 0.2, 2.5)
    shared = skill * (y - 0.5) + 0.8 * rng.standard_normal(N)
    scores = shared[:, None] + 0.3 * rng.standard_normal((N, 3))
    return en.Predictions.from_arrays(
        y, 1 / (1 + np.exp(-scores)), np.arange(N) // 6 % 5, configs=["a", "b", "c"], by=TABLE
    )


def test_a_gate_fails_where_a_subgroup_does_though_all_cases_pass() -> None:
    pi = make_predictions()
    plain = en.gate(pi, metric="roc_auc", above=0.6)
    divided = en.gate(pi, metric="roc_auc", above=0.6, by="site")
    assert plain.outcome == divided.of_all == "pass"
    outcomes = {each.level: str(each.outcome) for each in divided.subgroups}
    assert outcomes["good"] == "pass"
    assert outcomes["bad"] != "pass"
    assert divided.outcome == outcomes["bad"]
    assert divided.level == pytest.approx(0.975)
    low = en.gate(pi, metric="roc_auc", above=0.85, by="site")
    assert (low.outcome, low.exit_code) == ("fail", 3)


def test_a_gate_passes_where_all_subgroups_do_and_few_cases_leave_it_undecided() -> None:
    pi = make_predictions()
    assert en.gate(pi, metric="accuracy", above=0.3, by="sex").outcome == "pass"
    few = np.where(np.arange(N) < 6, "few", "rest")
    verdict = en.gate(pi, metric="accuracy", above=0.3, by={"part": few})
    assert verdict.outcome == "undecided"
    assert verdict.subgroups[0].low is None


def test_a_gate_against_another_asks_in_every_subgroup() -> None:
    """The new one is as good as the old but at one site, where it guesses; seed 6."""
    pi = make_predictions()
    y, old = pi.target.y, pi.responses[:, 0, 0]
    good = np.where(SITE == "bad", old, np.clip(0.5 + 0.45 * (2 * y - 1), 0.01, 0.99))
    new = np.where(SITE == "bad", 1 - old, good)
    tables = [
        en.Predictions.from_arrays(y, p[:, None], np.arange(N) // 6 % 5, configs=["m"], by=TABLE)
        for p in (new, good)
    ]
    verdict = en.gate(tables[0], metric="accuracy", against=tables[1], margin=0.2, by="site")
    outcomes = {each.level: str(each.outcome) for each in verdict.subgroups}
    assert outcomes["good"] == "pass"
    assert outcomes["bad"] in ("fail", "undecided")
    assert verdict.outcome in ("fail", "undecided")


def test_a_comparison_has_the_difference_in_every_subgroup() -> None:
    comparison = en.compare(make_predictions(), "a", "b", metric="accuracy", by="sex")
    groups = comparison.subgroups
    assert groups is not None
    assert groups.baseline == "b"
    for each in groups:
        part = make_predictions().take(np.flatnonzero(TABLE["sex"] == each.level))
        shared = 1 - 0.05 / 2
        alone = en.compare(part, "a", "b", metric="accuracy", confidence_level=shared)
        assert alone.interval is not None
        assert (each.value, each.low, each.high) == pytest.approx(
            (alone.difference, alone.interval.low, alone.interval.high)
        )


def test_tables_of_thresholds_of_subgroups_add_up_to_that_of_all_cases() -> None:
    pi = make_predictions()
    table = en.thresholds(pi, metric="roc_auc", by="site", n_resamples=60, rng=1)
    whole = table.at(0.5)
    assert whole.sensitivity.naive is not None
    positives = [each.table.n_positive for each in table.subgroups]
    naive = [each.table.at(0.5).sensitivity.naive for each in table.subgroups]
    together = np.average(np.array(naive, dtype=float), weights=positives)
    assert together == pytest.approx(whole.sensitivity.naive)
    for each in table.subgroups:
        rate = each.table.at(0.5).sensitivity
        assert rate.low is not None
        assert rate.high is not None
        assert rate.value is not None
        assert rate.low <= rate.value <= rate.high
        assert each.table.confidence_level == pytest.approx(0.975)


def test_a_search_an_ensemble_and_scores_answer_or_are_refused() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((N, 3)), np.arange(N) // 3 % 2
    search = en.SearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=4, random_state=1).fit(X, y)
    divided = en.estimate(search, by={"site": SITE})
    assert divided.subgroups is not None
    assert divided.subgroups.winner == divided.winner
    assert divided.value == en.estimate(search).value
    averaged = en.estimate(
        make_predictions(), metric="roc_auc", selector="top_average(k=2)", by="site", rng=0
    )
    assert averaged.subgroups is not None
    assert (averaged.subgroups.winner, averaged.subgroups.n_members) == (None, 2)
    scores = en.Scores(rng.random((40, 1)), limits=(0, 1))
    half = np.arange(40) % 2
    divided = en.estimate(scores, by=half)
    assert divided.subgroups is not None
    for each in divided.subgroups:
        assert each.value == pytest.approx(scores.values[half == int(each.level), 0].mean())
    with pytest.raises(EvidenceError):
        en.gate(scores, above=0.2, by=half)


def test_a_run_carries_the_column_into_its_predictions_and_its_report(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.standard_normal(120), "site": SITE[:120]})
    frame["y"] = (frame["x"] + rng.standard_normal(120) > 0).astype(int)
    frame.loc[:11, "site"] = None
    tuned = en.tune(
        frame, target="y", by="site", n_configs=1, folds=3, rng=1, n_jobs=1, out=tmp_path / "run"
    )
    assert tuned.estimate.subgroups is not None
    assert [each.level for each in tuned.estimate.subgroups] == ["bad", "good", "missing"]
    kept = en.Predictions.load(tmp_path / "run" / "predictions.parquet")
    assert kept.target.subgroups[0].levels == ("bad", "good", "missing")
    content = en.report(tmp_path / "run").content
    assert content.subgroups is not None
    assert [row.name for row in content.subgroups.rows][-1] == "site = missing"
    again = en.estimate(tmp_path / "run", by="site").subgroups
    assert again == tuned.estimate.subgroups
    with pytest.raises(InputError):
        en.tune(frame, target="y", by="cite", n_configs=1, folds=3, n_jobs=1)
