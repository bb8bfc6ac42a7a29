"""Trials: what is kept, what is left out and said, and what is refused."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from earnest import Parameter, Space, Trials
from earnest.errors import InputError
from tests.snapshots import Golden

CONFIGS = [{"depth": 1 + i % 5, "rate": 0.01 * (1 + i)} for i in range(15)]
SCORES = np.array([0.5 + 0.02 * ((i * 4) % 9) for i in range(15)])


def made(**options: Any) -> Trials:
    return Trials.from_configs(CONFIGS, SCORES, **{"direction": "maximize", **options})


def codes(trials: Trials) -> set[str]:
    return {caution.kind for caution in trials.cautions}


def test_the_best_is_the_first_in_the_direction() -> None:
    tied = np.array([1.0, 3.0, 0.0, 3.0, *[1.0] * 11])
    up = Trials.from_configs(CONFIGS, tied, direction="maximize")
    down = Trials.from_configs(CONFIGS, tied, direction="minimize")
    assert (up.best, down.best) == (1, 2)
    assert up.best_config == CONFIGS[1]


def test_failed_and_pruned_trials_are_counted_left_out_and_said() -> None:
    scores = SCORES.copy()
    scores[[2, 3]] = [np.nan, np.inf]
    pruned = np.arange(15) == 7
    trials = Trials.from_configs(CONFIGS, scores, direction="maximize", pruned=pruned)
    assert (len(trials), trials.n_failed, trials.n_pruned) == (12, 2, 1)
    assert trials.configs == tuple(c for i, c in enumerate(CONFIGS) if i not in (2, 3, 7))
    (told,) = [c for c in trials.cautions if c.kind == "trials_left_out"]
    assert told.severity == "caution"  # a fifth of the trials
    assert "3 of 15" in told.what


def test_a_given_space_is_not_a_guess_and_an_inferred_one_is_said() -> None:
    space = Space(
        (
            Parameter(name="depth", kind="int", low=1, high=9),
            Parameter(name="rate", kind="float", low=0.001, high=1, log=True),
        )
    )
    assert codes(made(space=space)) == set()
    assert codes(made()) == {"space_inferred"}
    assert made(space=space).space is space


def test_a_parameter_that_never_varied_is_said() -> None:
    configs = [config | {"seed": 3} for config in CONFIGS]
    trials = Trials.from_configs(configs, SCORES, direction="maximize")
    (told,) = [c for c in trials.cautions if c.kind == "never_varied"]
    assert "seed" in told.what
    wide = Space((*trials.space.parameters[:2], Parameter(name="seed", kind="int", low=0, high=9)))
    assert "never_varied" in codes(
        Trials.from_configs(configs, SCORES, direction="maximize", space=wide)
    )


def test_duplicates_are_kept_and_counted() -> None:
    trials = Trials.from_configs([*CONFIGS, CONFIGS[0]], [*SCORES, 0.9], direction="maximize")
    assert (len(trials), trials.n_duplicates) == (16, 1)
    lacking = [config | ({"deep": 1.0 * i} if i % 2 else {}) for i, config in enumerate(CONFIGS)]
    again = Trials.from_configs([*lacking, lacking[0]], [*SCORES, 0.9], direction="maximize")
    assert again.n_duplicates == 1


def test_one_parameter_is_enough() -> None:
    configs = [{"rate": config["rate"]} for config in CONFIGS]
    assert Trials.from_configs(configs, SCORES, direction="minimize").space.names == ("rate",)


def test_standard_errors_need_to_be_there_for_all_trials_that_are_kept() -> None:
    errors = np.full(15, 0.1)
    assert made(standard_error=errors).standard_error is not None
    errors[4] = np.nan
    assert made(standard_error=errors).standard_error is None
    errors[4] = -1
    with pytest.raises(InputError, match="negative"):
        made(standard_error=errors)


@pytest.mark.parametrize(
    ("configs", "scores", "words"),
    [
        (CONFIGS[:9], SCORES[:9], "too few trials.*at least 10.*got 9"),
        (CONFIGS, np.full(15, 0.7), "same in all trials"),
        (CONFIGS, np.full(15, np.nan), "too few trials.*15 failed"),
        ([{"a": 1}] * 15, SCORES, "no hyperparameter varies"),
        ([{}] * 15, SCORES, "no hyperparameters"),
        (CONFIGS, SCORES[:4], "15 numbers, one per trial"),
        (CONFIGS, ["x"] * 15, "does not hold numbers"),
        ([1, 2] * 5, range(10), "not a mapping"),
        ([], [], "too few trials"),
    ],
)
def test_what_cannot_be_explained_is_refused(configs: Any, scores: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Trials.from_configs(configs, scores, direction="maximize")


@pytest.mark.parametrize("factor", [1e200, 1e-200])
def test_an_objective_whose_squares_are_no_numbers_is_refused(
    factor: float, golden: Golden
) -> None:
    with pytest.raises(InputError) as refusal:
        Trials.from_configs(CONFIGS, SCORES * factor, direction="maximize")
    golden.check(str(refusal.value))


def test_times_in_a_table_are_no_parameters() -> None:
    when = [datetime(2026, 1, 1 + i) for i in range(15)]
    with pytest.raises(InputError, match="'when' holds times"):
        Trials.from_frame(table(when=when), objective="score", direction="maximize")
    made = Trials.from_frame(
        table(when=when), objective="score", direction="maximize", params=["rate"]
    )
    assert made.space.names == ("rate",)


def test_a_direction_is_never_guessed(golden: Golden) -> None:
    with pytest.raises(InputError, match="Did you mean 'maximize'"):
        made(direction="maximise")
    with pytest.raises(InputError) as refusal:
        Trials.from_frame(
            pa.table({"a": list(range(12)), "objective": [0.1 * i for i in range(12)]})
        )
    golden.check(str(refusal.value))


def test_trials_cannot_be_changed() -> None:
    trials = made()
    with pytest.raises(ValueError, match="read-only"):
        trials.objective[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        trials.codes[0, 0] = 1.0


# ---- tables


def table(**columns: Any) -> pa.Table:
    base = {"depth": [c["depth"] for c in CONFIGS], "rate": [c["rate"] for c in CONFIGS]}
    return pa.table(base | {"score": SCORES.tolist()} | columns)


def test_an_empty_cell_is_an_inactive_parameter() -> None:
    gamma = [None if i % 3 else 0.1 * i for i in range(15)]
    kernel = ["linear" if i % 3 else "rbf" for i in range(15)]
    trials = Trials.from_frame(
        table(kernel=kernel, gamma=gamma), objective="score", direction="maximize"
    )
    assert str(trials.space["gamma"].condition) == "kernel is rbf"
    assert np.isnan(trials.codes[1, trials.space.index("gamma")])


def test_status_and_standard_error_are_columns() -> None:
    status = ["COMPLETE"] * 12 + ["TrialState.PRUNED", "FAIL", "RUNNING"]
    trials = Trials.from_frame(
        table(state=status, se=[0.1] * 15),
        objective="score",
        direction="maximize",
        status="state",
        standard_error="se",
    )
    assert (len(trials), trials.n_pruned, trials.n_failed) == (12, 1, 2)
    assert trials.standard_error is not None
    assert trials.space.names == ("depth", "rate")


def test_numbers_beside_none_in_text_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "trials.csv"
    rows = [f"{'None' if i % 4 == 0 else i % 4},{0.1 * i},{SCORES[i]}" for i in range(15)]
    path.write_text("\n".join(["max_depth,rate,score", *rows]))
    trials = Trials.load(path, objective="score", direction="maximize")
    assert trials.space["max_depth"].choices == (1, 2, 3, None)
    assert trials.source == "trials.csv"


def test_semicolons_and_decimal_commas_are_read(tmp_path: Path) -> None:
    path = tmp_path / "trials.csv"
    rows = [f"{i};{str(float(SCORES[i])).replace('.', ',')}" for i in range(15)]
    path.write_text("\n".join(["a;score", *rows]))
    trials = Trials.load(path, objective="score", direction="maximize")
    np.testing.assert_array_equal(trials.objective, SCORES)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "`objective` is not given"),
        ({"objective": "scor"}, "Did you mean 'score'"),
        ({"objective": "score", "params": ["dept"]}, "Did you mean 'depth'"),
        ({"objective": "score", "status": "stat"}, "there is no column"),
        ({"objective": "kind"}, "does not hold numbers"),
        ({"objective": "score", "params": ["score"]}, "cannot be a hyperparameter"),
    ],
)
def test_columns_that_are_not_there_offer_the_nearest(options: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Trials.from_frame(table(kind=["x"] * 15), direction="maximize", **options)


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_an_index_without_a_name_is_no_parameter(tmp_path: Path, name: str) -> None:
    table = {name: range(15), "depth": [c["depth"] for c in CONFIGS], "auc": SCORES}
    trials = Trials.from_frame(pa.table(table), objective="auc", direction="maximize")
    assert trials.space.names == ("depth",)
    path = tmp_path / "trials.csv"
    rows = "\n".join(
        f"{i},{c['depth']},{s}" for i, (c, s) in enumerate(zip(CONFIGS, SCORES, strict=True))
    )
    path.write_text(f"{name},depth,auc\n{rows}\n")
    assert Trials.load(path, objective="auc", direction="maximize").space.names == ("depth",)


def test_a_study_on_disk_is_known_also_where_its_objective_is_named(tmp_path: Path) -> None:
    table = {
        "number": range(15),
        "value": SCORES,
        "state": ["COMPLETE"] * 14 + ["FAIL"],
        "params_depth": [c["depth"] for c in CONFIGS],
    }
    trials = Trials.from_frame(pa.table(table), objective="value", direction="maximize")
    assert trials.space.names == ("depth",)
    assert trials.n_failed == 1
    some = Trials.from_frame(pa.table(table), direction="maximize", params=["depth"])
    assert some.space.names == ("depth",)
