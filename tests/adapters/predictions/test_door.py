"""The door for predictions knows its sources, and says what to do with others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

import earnest as en
from earnest.errors import EarnestError, FormatError, InputError
from earnest.results import Caution
from tests.adapters.replays import FILES, TabularPredictor
from tests.snapshots import Golden


def test_predictions_pass_as_they_are(binary: en.Predictions) -> None:
    assert en.predictions_from(binary) is binary
    with pytest.raises(InputError, match="`static` does not apply"):
        en.predictions_from(binary, static=True)


def test_a_fitted_search_of_our_own_gives_its_predictions() -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 30)
    X = y[:, None] + rng.standard_normal((60, 2))
    search = en.SearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3, random_state=0).fit(X, y)
    assert en.predictions_from(search) is search.predictions_


@pytest.mark.parametrize("fitted", [False, True])
def test_a_search_of_scikit_learn_is_sent_to_harvest(fitted: bool) -> None:
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3)
    if fitted:
        search.fit(np.arange(12.0)[:, None], np.tile([0, 1], 6))
    with pytest.raises(InputError, match=r"earnest\.harvest\(search, X, y\)"):
        en.predictions_from(search)


@pytest.mark.parametrize(
    ("module", "name", "cure"),
    [
        ("optuna_integration.sklearn.sklearn", "OptunaSearchCV", "harvest"),
        ("flaml.automl.automl", "AutoML", "does not keep its predictions"),
        ("somewhere", "Thing", "from_arrays"),
    ],
)
def test_tools_that_keep_nothing_have_a_cure(module: str, name: str, cure: str) -> None:
    source: Any = type(name, (), {"__module__": module})()
    with pytest.raises(InputError, match=cure):
        en.predictions_from(source)


def test_estimates_and_reports_send_a_search_and_a_study_to_their_door(golden: Golden) -> None:
    study = type(
        "Study", (), {"__module__": "optuna.study.study", "get_trials": lambda *_, **__: []}
    )()
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]})
    fit = "Call its `fit` first"
    for given, cure in (
        (study, r"predictions_from\(study, y, store"),
        (search, fit),
        (en.SearchCV(LogisticRegression(), {}), fit),
    ):
        for verb in (en.estimate, en.report):
            with pytest.raises(EarnestError, match=cure):
                verb(given, metric="roc_auc")
    with pytest.raises(FormatError) as refusal:
        en.estimate("predictions.csv", metric="roc_auc")
    golden.check(str(refusal.value))


def test_paths_that_are_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is nothing at"):
        en.predictions_from(tmp_path / "none")
    with pytest.raises(InputError, match="an empty folder"):
        en.predictions_from(tmp_path)
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match=r"notes\.txt"):
        en.predictions_from(tmp_path)


@pytest.mark.parametrize("part", ["4_Linear", "4_Linear/framework.json", "params.json"])
def test_a_part_of_a_run_is_sent_to_the_whole(part: str, golden: Golden) -> None:
    with golden.raises(InputError):
        en.predictions_from(FILES / "mljar" / "binary" / part)


# ---- remarks go with the predictions


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".csv"])
def test_remarks_survive_a_file(suffix: str, tmp_path: Path) -> None:
    pi = en.predictions_from(FILES / "mljar" / "binary")
    again = en.Predictions.load(pi.save(tmp_path / f"pi{suffix}"))
    assert again.remarks == pi.remarks
    assert again.fingerprint == pi.fingerprint


def test_remarks_survive_selection_thresholds_and_joining() -> None:
    pi = en.predictions_from(FILES / "mljar" / "binary")
    other = en.predictions_from(TabularPredictor("binary"))
    assert pi.select([0, 1]).remarks == pi.remarks
    assert pi.usable().remarks == pi.remarks
    assert en.with_thresholds(pi, [0.3]).remarks == pi.remarks
    assert pi.concat(_renamed(pi)).remarks == pi.remarks
    assert {c.kind for c in other.remarks} != {c.kind for c in pi.remarks}


def _renamed(pi: en.Predictions) -> en.Predictions:
    from dataclasses import replace

    ids = tuple(f"{name} again" for name in pi.configs.ids)
    return replace(pi, configs=replace(pi.configs, ids=ids))


def test_remarks_go_into_estimates_and_comparisons() -> None:
    pi = en.predictions_from(FILES / "mljar" / "binary")
    made = en.compare(pi, "4_Linear", "5_Default_LightGBM", metric="accuracy")
    assert {"stopped_on_tests", "ensembles_left_out"} <= {caution.kind for caution in made.cautions}
    for one in en.estimate_all(pi, methods=["bbc", "tibshirani"], metric="accuracy", rng=0):
        assert {"stopped_on_tests", "ensembles_left_out"} <= {
            caution.kind for caution in one.cautions
        }


def test_predictions_made_by_hand_have_no_remarks(binary: en.Predictions) -> None:
    assert binary.remarks == ()
    assert all(isinstance(one, Caution) for one in binary.remarks)
