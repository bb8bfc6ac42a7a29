"""A model on cases from elsewhere: held to its parts, to loops, and to what updates must do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from sklearn.model_selection import StratifiedKFold

import earnest as en
from earnest.core.results.validation import UpdateKind
from earnest.errors import EarnestError, EvidenceError, InputError
from earnest.kernels import score_table
from earnest.results import Validation
from earnest.training.validation.validate import find_benchmark, fit_line


def draw(n: int, seed: int, slope: float = 1.0, level: float = 0.0) -> en.Predictions:
    """Return probabilities with a known calibration."""
    rng = np.random.default_rng(seed)
    odds = 1.3 * rng.standard_normal(n) - 0.5
    y = (rng.random(n) < expit(level + slope * odds)).astype(int)
    return en.Predictions.from_arrays(y, expit(odds), configs=["old"])


def make_table(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.standard_normal((n, 3)), columns=["a", "b", "c"])
    odds = 1.5 * table.a + table.b - 0.5
    table["died"] = np.where(rng.random(n) < expit(odds), "yes", "no")
    return table


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    en.tune(make_table(120, 0), target="died", n_configs=1, folds=3, rng=7, n_jobs=1, out=out)
    return out


@pytest.fixture(scope="module")
def validated(run: Path) -> Validation:
    return en.validate(run, make_table(90, 1), n_resamples=60, folds=4, rng=3)


def test_its_numbers_are_those_of_the_predictions(run: Path, validated: Validation) -> None:
    table = make_table(90, 1)
    p = en.load_model(run).predict(table).scores[:, 1]
    y = (table.died == "yes").astype(int)
    pi = en.Predictions.from_arrays(y, p)
    ones = np.ones((1, 90))
    for estimate in validated.performance:
        value = score_table(pi, estimate.metric, ones)[0, 0]
        assert estimate.value == pytest.approx(value, abs=1e-9)
        assert estimate.interval is not None
    assert (validated.n_cases, validated.n_events) == (90, int(y.sum()))
    assert validated.positive == "yes"


def test_predictions_alone_give_all_but_a_refit(run: Path, validated: Validation) -> None:
    table = make_table(90, 1)
    p = en.load_model(run).predict(table).scores[:, 1]
    pi = en.Predictions.from_arrays(table.died, p, positive="yes", configs=[validated.model])
    alone = en.validate(pi, n_resamples=60, folds=4, rng=3)
    assert alone.performance == validated.performance
    assert alone.case_mix is None
    assert [update.kind for update in alone.updates] == [
        update.kind for update in validated.updates if update.kind is not UpdateKind.REFITTED
    ]


def test_the_case_mix_stands_beside_the_development(run: Path, validated: Validation) -> None:
    mix = validated.case_mix
    assert mix is not None
    assert mix.n_development == 120
    share = (make_table(120, 0).died == "yes").mean()
    assert mix.share_development == pytest.approx(share, abs=1e-12)
    assert mix.membership.interval is not None


def test_updates_are_judged_on_cases_that_did_not_make_them() -> None:
    """The slow way: every fold by hand."""
    pi = draw(150, 4, slope=0.5)
    found = en.validate(pi, n_resamples=40, folds=5, rng=9)
    y, odds = pi.target.y, logit(pi.responses[:, 0, 0].astype(float))
    seed = int(np.random.default_rng(9).integers(1 << 31))
    out = np.empty(150)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(odds, y):
        level, slope = fit_line(odds[train], y[train], UpdateKind.RECALIBRATED)
        out[test] = expit(level + slope * odds[test])
    loss = -np.mean(np.log(np.where(y == 1, out, 1 - out)))
    update = next(each for each in found.updates if each.kind is UpdateKind.RECALIBRATED)
    assert update.log_loss.value == pytest.approx(loss, abs=1e-9)
    whole = fit_line(odds, y, UpdateKind.RECALIBRATED)
    assert (update.intercept, update.slope) == pytest.approx(whole, abs=1e-9)


def test_a_wrong_slope_is_worth_correcting_and_a_right_model_is_left_alone() -> None:
    wrong = en.validate(draw(600, 5, slope=0.4, level=0.8), n_resamples=60, rng=0)
    assert wrong.is_worth_updating
    assert wrong.best is UpdateKind.RECALIBRATED
    right = en.validate(draw(600, 6), n_resamples=60, rng=0)
    assert not right.is_worth_updating


def test_the_benchmark_is_the_mean_over_all_pairs() -> None:
    p = np.round(np.random.default_rng(8).random(25), 1)
    good = total = 0.0
    for i, event in enumerate(p):
        for j, other in enumerate(p):
            if i != j:
                weight = event * (1 - other)
                total += weight
                good += weight * (1.0 if event > other else 0.5 if event == other else 0.0)
    assert find_benchmark(p) == pytest.approx(good / total, abs=1e-12)


def test_the_benchmark_is_what_right_probabilities_reach() -> None:
    """20,000 cases, seed 9; the standard error of an AUC is .004."""
    pi = draw(20_000, 9)
    area = score_table(pi, "roc_auc", np.ones((1, 20_000)))[0, 0]
    assert find_benchmark(pi.responses[:, 0, 0].astype(float)) == pytest.approx(area, abs=0.016)


def test_it_survives_plain_data(validated: Validation) -> None:
    again = Validation.from_dict(validated.to_dict())
    assert again == validated
    assert len(again.rows()) == len(validated.performance)
    assert "roc auc" in validated.to_markdown()


def test_rows_without_an_outcome_are_left_out_and_labels_are_checked(run: Path) -> None:
    table = make_table(60, 2)
    table.loc[:9, "died"] = None
    found = en.validate(run, table, n_resamples=30, folds=3, refit=False, rng=0)
    assert found.n_cases == 50
    for died in ("maybe", None):
        with pytest.raises(InputError):
            en.validate(run, table.assign(died=died))
    with pytest.raises(InputError):
        en.validate(run, table.drop(columns="died"))
    with pytest.raises(EarnestError):
        en.validate(run, table.drop(columns="a"))
    with pytest.raises(InputError):
        en.validate(run)


def test_groups_are_resampled_and_kept_together(run: Path, validated: Validation) -> None:
    table = make_table(90, 1).assign(hospital=np.arange(90) // 45)
    table = pd.concat([table, make_table(90, 1).assign(hospital=np.arange(90) // 6 + 2)])
    found = en.validate(run, table, group="hospital", n_resamples=40, folds=3, rng=0)
    assert found.calibration.n_units == 17
    alone = en.validate(run, table, n_resamples=40, folds=3, rng=0)
    assert found.case_mix is not None
    assert alone.case_mix is not None
    grouped, single = found.case_mix.membership, alone.case_mix.membership
    assert grouped.value == single.value
    assert grouped.standard_error != single.standard_error  # groups of 45 are not 45 cases


@pytest.mark.parametrize("of", ["several", "folds", "decision", "classes", "one"])
def test_only_one_fixed_model_of_two_classes_is_validated(of: str) -> None:
    pi = draw(60, 3)
    y, p = pi.target.y, pi.responses[:, 0, 0]
    other = {
        "several": lambda: en.Predictions.from_arrays(y, np.column_stack([p, p])),
        "folds": lambda: en.Predictions.from_arrays(y, p, np.arange(60) % 3),
        "decision": lambda: en.Predictions.from_arrays(y, 9 * p, response="decision"),
        "classes": lambda: en.Predictions.from_arrays(y * 1.0 + p, p, task="regression"),
        "one": lambda: pi.take(np.append(np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:1])),
    }[of]()
    with pytest.raises(EvidenceError):
        en.validate(other)
    with pytest.raises(InputError):
        en.validate(pi, make_table(10, 0))
