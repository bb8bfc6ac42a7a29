"""ConfigSpace and SMAC: spaces with conditions and forbidden parts, and run histories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ConfigSpace import (
    AndConjunction,
    Categorical,
    ConfigurationSpace,
    Constant,
    EqualsCondition,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    ForbiddenLessThanRelation,
    GreaterThanCondition,
    InCondition,
    Integer,
    LessThanCondition,
    NotEqualsCondition,
    OrConjunction,
    OrdinalHyperparameter,
)

import earnest as en
from earnest.adapters import read_configspace
from earnest.core import ParameterKind


@pytest.fixture(scope="module")
def given() -> Any:
    """Every kind of parameter and of condition, nested, and one forbidden pair."""
    made = ConfigurationSpace(seed=1)
    model = Categorical("model", ["svm", "forest", "mlp"])
    c = Float("C", (1e-2, 1e2), log=True)
    kernel = Categorical("kernel", ["rbf", "poly", "linear"])
    gamma = Float("gamma", (1e-3, 1.0), log=True)
    layers = Integer("layers", (1, 4))
    units = Integer("units", (8, 128), log=True)
    batch = OrdinalHyperparameter("batch", [16, 32, 64, 128])
    warm = Float("warm", (0.0, 1.0))
    decay = Float("decay", (0.0, 0.5))
    made.add(model, c, kernel, gamma, layers, units, batch, warm, decay, Constant("seed", 7))
    made.add(
        EqualsCondition(c, model, "svm"),
        EqualsCondition(kernel, model, "svm"),
        AndConjunction(
            InCondition(gamma, kernel, ["rbf", "poly"]), EqualsCondition(gamma, model, "svm")
        ),
        EqualsCondition(layers, model, "mlp"),
        GreaterThanCondition(units, layers, 2),
        OrConjunction(EqualsCondition(warm, model, "forest"), LessThanCondition(warm, layers, 2)),
        NotEqualsCondition(decay, model, "forest"),
        ForbiddenAndConjunction(
            ForbiddenEqualsClause(model, "forest"), ForbiddenEqualsClause(batch, 16)
        ),
    )
    return made


def test_activity_is_that_of_configspace_in_every_drawn_configuration(given: Any) -> None:
    # 300 configurations of ConfigSpace's own sampler, seed 1: encoding refuses any other activity
    space = read_configspace(given)
    drawn = [dict(config) for config in given.sample_configuration(300)]
    codes = space.encode(drawn)
    for row, config in zip(codes, drawn, strict=True):
        assert {n for n, v in zip(space.names, row, strict=True) if not np.isnan(v)} == set(config)
    assert space.valid(codes).all()


def test_what_we_draw_is_valid_for_configspace(given: Any) -> None:
    from ConfigSpace import Configuration

    space = read_configspace(given)
    codes = space.sample(300, np.random.default_rng(2))
    for config in space.decode(codes):
        Configuration(given, values=config).check_valid_configuration()
    model, batch = space.index("model"), space.index("batch")
    forest = list(space["model"].choices).index("forest")
    assert not ((codes[:, model] == forest) & (codes[:, batch] == 0)).any()


def test_kinds_and_scales_are_those_given(given: Any) -> None:
    space = read_configspace(given)
    assert (space["C"].low, space["C"].high, space["C"].log) == (1e-2, 1e2, True)
    assert space["batch"].kind == ParameterKind.ORDINAL
    assert space["batch"].choices == (16, 32, 64, 128)
    assert space["seed"].kind == ParameterKind.FIXED


def test_a_forbidden_relation_is_refused() -> None:
    made = ConfigurationSpace()
    a, b = Integer("a", (1, 9)), Integer("b", (1, 9))
    made.add(a, b)
    made.add(ForbiddenLessThanRelation(a, b))
    with pytest.raises(en.errors.InputError, match="forbidden relation"):
        read_configspace(made)


def history(given: Any, folder: Path, form: str, seeds: int = 1) -> Path:
    """Write a run history in one of SMAC's three forms."""
    drawn = [dict(config) for config in given.sample_configuration(20)]
    plain = [{k: getattr(v, "item", lambda v=v: v)() for k, v in c.items()} for c in drawn]
    rows = []
    for i in range(20):
        for seed in range(seeds):
            cost, status = 0.1 * i + 0.01 * seed, 2 if i == 4 else 1
            if form == "dict":
                rows.append(
                    {
                        "config_id": i + 1,
                        "instance": None,
                        "seed": seed,
                        "budget": None,
                        "cost": cost,
                        "time": 1.0,
                        "cpu_time": 1.0,
                        "status": status,
                    }
                )
            elif form == "flat":
                rows.append([i + 1, None, seed, None, cost, 1.0, status, 0.0, 1.0, {}])
            else:
                word = "StatusType.SUCCESS" if status == 1 else "StatusType.CRASHED"
                rows.append([[i + 1, None, seed, 0.0], [cost, 1.0, {"__enum__": word}, 0, 1, {}]])
    path = folder / "runhistory.json"
    content = {"data": rows, "configs": {str(i + 1): c for i, c in enumerate(plain)}}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["dict", "flat", "pairs"])
def test_a_run_history_is_read_in_each_of_its_forms(given: Any, tmp_path: Path, form: str) -> None:
    path = history(given, tmp_path, form)
    given.to_json(tmp_path / "configspace.json")
    for source in (path, tmp_path):
        trials = en.trials_from(source)
        assert (len(trials), trials.n_failed, trials.direction) == (19, 1, "minimize")
        assert trials.space == read_configspace(given)
        assert trials.objective_name == "cost"


def test_runs_of_a_configuration_are_averaged_with_their_standard_error(
    given: Any, tmp_path: Path
) -> None:
    trials = en.trials_from(history(given, tmp_path, "dict", seeds=3))
    assert len(trials) == 19
    assert trials.standard_error is not None
    np.testing.assert_allclose(trials.standard_error, 0.01 / np.sqrt(3), rtol=1e-9)
    assert "EN062" in {c.code for c in trials.cautions}  # no space beside it: inferred


def test_budgets_that_differ_are_a_parameter(tmp_path: Path) -> None:
    rows = [[i, None, 0, [1.0, 3.0][i % 2], float(i), 1.0, 1, 0.0, 1.0, {}] for i in range(12)]
    content = {"data": rows, "configs": {str(i): {"a": i / 12} for i in range(12)}}
    (tmp_path / "runhistory.json").write_text(json.dumps(content))
    assert en.trials_from(tmp_path).space.names == ("a", "budget")


def test_other_json_and_a_broken_history_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a": 1}')
    with pytest.raises(en.errors.FormatError, match="JSON without trials"):
        en.trials_from(path)
    path.write_text('{"data": [[1, 2, 3]], "configs": {}}')
    with pytest.raises(en.errors.FormatError, match="cannot be read"):
        en.trials_from(path)


def test_configurations_with_a_configspace_are_trials(given: Any) -> None:
    drawn = [dict(config) for config in given.sample_configuration(15)]
    trials = en.trials_from(drawn, np.arange(15.0), direction="minimize", space=given)
    assert trials.space == read_configspace(given)
