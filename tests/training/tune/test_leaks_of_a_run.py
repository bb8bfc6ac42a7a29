"""A run tells of columns that know the outcome: in its result, its files, and its predictions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import earnest as en
from earnest.core import LeakScreen, LeakSign
from earnest.errors import InputError
from tests.snapshots import Golden
from tests.training.tables.leak_tables import TARGET, make_two_classes, plant_missing
from tests.training.tune_tables import portfolio


@pytest.fixture
def ask(tmp_path: Path) -> dict[str, object]:
    toml = portfolio(tmp_path)
    return {"target": TARGET, "n_configs": 2, "folds": 3, "rng": 7, "n_jobs": 1, "portfolio": toml}


def make_leak() -> pd.DataFrame:
    rng = np.random.default_rng(6)
    table = make_two_classes(rng, n=400)
    plant_missing(table, table[TARGET].to_numpy(dtype=float), rng)
    return table


def test_a_leak_is_told_with_the_score_without_it_and_its_files_tell_it_too(ask, tmp_path, golden):
    frame = make_leak()
    tuned = en.tune(frame, out=tmp_path / "run", **ask)
    assert tuned.leaks is not None
    (suspect,) = tuned.leaks.suspects
    assert (suspect.column, suspect.sign) == ("autopsy_weight", LeakSign.MISSING)
    assert tuned.leaks.without == ("autopsy_weight",)
    (caution,) = [each for each in tuned.estimate.cautions if each.kind == "columns_know_outcome"]
    assert caution.facts["without"] == tuned.leaks.score_without
    saved = json.loads((tmp_path / "run" / "estimate.json").read_text())
    assert LeakScreen.from_dict(saved["tuning"]["leaks"]) == tuned.leaks
    model = en.load_model(tmp_path / "run")
    assert model.leaks == tuned.leaks
    answer = en.report(tmp_path / "run", explain=False).content.answer
    assert answer is not None
    (step,) = next(advice for advice in answer.advice if advice.key == "next").words
    golden.check_sentence(step, "`autopsy_weight` is known")  # nothing else is advised
    assert answer.paste == ""
    assert "columns_know_outcome" in {each.kind for each in model.predict(frame.head()).cautions}
    assert "autopsy" in en.report(tmp_path / "run").to_markdown()


def test_the_score_without_a_column_is_that_of_a_table_in_which_it_is_constant(ask):
    frame = make_leak()
    tuned = en.tune(frame, **ask)
    blank = en.tune(
        frame.assign(autopsy_weight=np.r_[1.0, np.zeros(len(frame) - 1)]),
        **ask | {"ignore": ["autopsy_weight"]},
    )
    assert tuned.leaks is not None
    pi = blank.predictions
    place = pi.configs.ids.index(tuned.winner.name)
    weights = np.ones((1, pi.n_cases))
    score = en.kernels.score_table(pi.select(place), "roc_auc", weights)[0, 0]
    assert tuned.leaks.score_without == pytest.approx(score, abs=0.02)


def test_without_trains_again_changes_nothing_else_and_clean_tables_have_no_suspects(ask):
    frame = make_two_classes(np.random.default_rng(6), n=300)
    plain, again = en.tune(frame, **ask), en.tune(frame, without="x0", **ask)
    assert plain.leaks is not None
    assert again.leaks is not None
    assert plain.leaks.suspects == again.leaks.suspects == ()
    assert plain.leaks.score_without is None
    assert again.leaks.without == ("x0",)
    assert again.leaks.score_without < again.leaks.winner
    assert plain.estimate.value == again.estimate.value
    kinds = [caution.kind for caution in again.estimate.cautions]
    assert "winner_without" in kinds
    assert "columns_know_outcome" not in kinds


def test_columns_that_no_model_sees_cannot_be_left_out_once_more(ask, golden: Golden):
    frame = make_two_classes(np.random.default_rng(6), n=300)
    with golden.raises(InputError):
        en.tune(frame, without="x9", **ask)
    with pytest.raises(InputError, match="names all columns"):
        en.tune(frame[[TARGET, "x0"]], without="x0", **ask)


@pytest.mark.parametrize("metric", ["accuracy", "log_loss", "f1"])
def test_any_metric_can_screen(ask, metric):
    tuned = en.tune(make_leak(), metric=metric, **ask)
    assert tuned.leaks is not None
    assert [suspect.column for suspect in tuned.leaks.suspects] == ["autopsy_weight"]
    assert tuned.leaks.metric == metric
