"""The verb: whatever holds trials in, an explanation that can be read, saved and asked more."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from threadpoolctl import threadpool_info, threadpool_limits

import earnest as en
from earnest.explanation import ForestSurrogate, effect_of
from earnest.results import Explanation
from tests.explanation.scenes import mixed_objective, mixed_trials
from tests.snapshots import Golden

KNOBS: dict[str, Any] = {"n_points": 60, "grid_size": 6, "rng": 3}


@pytest.fixture(scope="module")
def found() -> Explanation:
    return en.explain(mixed_trials(50), **KNOBS)


def simple(n: int = 30, seed: int = 0) -> tuple[list[dict[str, Any]], list[float]]:
    rng = np.random.default_rng(seed)
    configs = [{"a": float(rng.random()), "b": int(rng.integers(1, 9))} for _ in range(n)]
    return configs, [c["a"] + 0.1 * c["b"] + 0.01 * rng.standard_normal() for c in configs]


def test_all_parameters_are_explained_the_most_important_first(found: Explanation) -> None:
    assert set(found.effects) == {"model", "C", "depth", "scaling", "share"}
    assert list(found.effects) == list(found.importance.ranking) == list(found.regions)
    assert found.objective.greater_is_better
    assert found.best_value == pytest.approx(mixed_trials(50).objective.max())


def test_effects_are_in_the_objectives_own_direction_and_units() -> None:
    configs, values = simple()
    score = en.explain(configs, objective_values=values, direction="maximize", **KNOBS)
    loss = en.explain(configs, objective_values=[-v for v in values], direction="minimize", **KNOBS)
    for name, curve in score.effects.items():
        np.testing.assert_allclose(curve.mean, -loss.effects[name].mean, atol=1e-6)
        np.testing.assert_allclose(curve.sd, loss.effects[name].sd, rtol=1e-4)
        assert curve.best == loss.effects[name].best
    assert score.effects["a"].mean[-1] > score.effects["a"].mean[0]


def test_the_result_depends_on_the_seed_and_not_on_threads(found: Explanation) -> None:
    again = en.explain(mixed_trials(50), n_jobs=2, **KNOBS)
    assert again.to_dict() == found.to_dict()
    other = en.explain(mixed_trials(50), **{**KNOBS, "rng": 4})
    assert other.effects["share"] != found.effects["share"]


def test_fewer_parameters_change_nothing_about_the_others(found: Explanation) -> None:
    some = en.explain(mixed_trials(50), ["C", "share"], **KNOBS)
    assert set(some.effects) == {"C", "share"}
    assert some.effects["C"] == found.effects["C"]
    assert some.regions["share"] == found.regions["share"]
    assert some.importance.main["C"] == found.importance.main["C"]
    assert list(en.explain(mixed_trials(50), "C", **KNOBS).effects) == ["C"]


def test_it_survives_json_and_then_answers_no_further_question(found: Explanation) -> None:
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    again = Explanation.from_dict(data)
    assert again.to_dict() == found.to_dict()
    assert repr(again) == repr(found)
    for ask in (lambda: again.suggest(1), lambda: again.effect2d("C", "share")):
        with pytest.raises(en.errors.EvidenceError, match="without its surrogate"):
            ask()
    data["effects"]["C"].pop("mean")
    with pytest.raises(en.errors.FormatError, match="missing"):
        Explanation.from_dict(data)


def test_its_repr_is_one_line_and_its_html_is_escaped(golden: Golden) -> None:
    configs, values = simple()
    hostile = [{"<script>alert(1)</script>": c["a"], "b": c["b"]} for c in configs]
    found = en.explain(hostile, objective_values=values, direction="maximize", **KNOBS)
    assert "\n" not in repr(found)
    golden.check(repr(found))
    html = found._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_further_questions(found: Explanation) -> None:
    surface = found.effect2d("C", "share", grid_size=3)
    assert surface.mean.shape == (3, 3)
    tree = found.region_tree("share", depth=1, impurity="area", on="variance")
    assert len(tree) == 2
    assert tree.impurity == "area"
    leaf = tree.leaves[0]
    inner = found.effect("share", within=leaf)
    np.testing.assert_allclose(inner.mean, leaf.curve.mean)
    np.testing.assert_allclose(inner.sd, leaf.curve.sd)
    assert inner.sd_of_mean is not None
    with pytest.raises(en.errors.EvidenceError, match="within=region"):
        leaf.curve.bands(of="mean")
    assert len(found.suggest(2, param="share", region=leaf)) == 2
    with pytest.raises(en.errors.EvidenceError, match="param"):
        found.suggest(2, region=leaf)
    with pytest.raises(en.errors.InputError, match="`n`"):
        found.suggest(0)


def test_further_questions_keep_linear_algebra_on_one_thread(
    found: Explanation, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []

    def count(*given: Any, **options: Any) -> Any:
        threads.extend(pool["num_threads"] for pool in threadpool_info())
        return effect_of(*given, **options)

    monkeypatch.setattr("earnest.explanation.result.effect_of", count)
    with threadpool_limits(2):
        found.effect("share", within=found.region_tree("share", depth=1).leaves[0])
    assert set(threads) == {1}


def test_quality_against_a_known_truth(found: Explanation) -> None:
    known = found.quality("share", truth=mixed_objective)
    assert known.overall.nll is not None
    assert known.overall.mean_confidence == found.quality("share").overall.mean_confidence
    wrong = found.quality("share", truth=lambda c: mixed_objective(c) + 1.0)
    assert wrong.overall.nll > known.overall.nll
    with pytest.raises(en.errors.InputError, match="truth"):
        found.quality("share", truth=lambda c: "good")
    inactive = "depth" if "depth" not in found.best_config else "C"
    for truth in (None, mixed_objective):
        with pytest.raises(en.errors.EvidenceError, match="best configuration has no"):
            found.quality(inactive, truth=truth)


@pytest.mark.parametrize("surrogate", ["gaussian_process", ForestSurrogate(n_trees=10)])
def test_both_surrogates_explain(surrogate: Any) -> None:
    result = en.explain(mixed_trials(20), surrogate=surrogate, **KNOBS)
    for curve in result.effects.values():
        assert np.isfinite(curve.mean).all()
        assert (curve.sd >= 0).all()
    assert len(result.suggest(2)) == 2


def test_a_conditional_optuna_study_is_explained_end_to_end(tmp_path: Path) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(
        study_name="tuning",
        direction="maximize",
        sampler=optuna.samplers.RandomSampler(seed=1),
    )

    def objective(trial: optuna.Trial) -> float:
        model = trial.suggest_categorical("classifier", ["svm", "forest"])
        share = trial.suggest_float("share", 0, 1)
        if model == "svm":
            c = trial.suggest_float("svm_C", 1e-3, 1e3, log=True)
            value = 0.8 - 0.02 * np.log10(c) ** 2
        else:
            value = 0.7 + 0.01 * trial.suggest_int("forest_depth", 1, 10)
        if trial.number % 10 == 0:
            raise optuna.TrialPruned
        return float(value + 0.05 * share)

    study.optimize(objective, n_trials=50)
    optuna.copy_study(
        from_study_name="tuning",
        from_storage=study._storage,
        to_storage=JournalStorage(JournalFileBackend(str(tmp_path / "journal.log"))),
    )
    result = en.explain(tmp_path / "journal.log", study="tuning", **KNOBS)
    assert set(result.effects) == {"classifier", "share", "svm_C", "forest_depth"}
    assert result.counts.pruned_unused == 5
    assert result.effects["svm_C"].where == "classifier is svm"
    peak = result.effects["svm_C"]
    assert 0.01 < peak.grid[int(np.argmax(peak.mean))] < 100
    asked = {limit.param for region in result.regions["share"].regions for limit in region.limits}
    assert "share" not in asked
    assert "trials_left_out" in {caution.kind for caution in result.cautions}
    same = en.explain(study, **KNOBS)
    assert same.effects["svm_C"] == peak


# ---- bad input


def test_fewer_than_ten_trials_are_refused() -> None:
    configs, values = simple(9)
    with pytest.raises(en.errors.InputError, match="at least 10"):
        en.explain(configs, objective_values=values, direction="maximize")


def test_a_constant_objective_is_refused() -> None:
    configs, _ = simple()
    with pytest.raises(en.errors.InputError, match="same in all trials"):
        en.explain(configs, objective_values=[0.5] * 30, direction="maximize")


def test_nan_objectives_are_left_out_and_said_so() -> None:
    configs, values = simple()
    values[3] = values[8] = float("nan")
    result = en.explain(configs, objective_values=values, direction="maximize", **KNOBS)
    assert (result.counts.complete, result.counts.failed) == (28, 2)
    assert "trials_left_out" in {caution.kind for caution in result.cautions}


def test_unknown_parameters_offer_the_nearest_name() -> None:
    with pytest.raises(en.errors.InputError, match="Did you mean 'share'"):
        en.explain(mixed_trials(20), ["shares"])
    with pytest.raises(en.errors.InputError, match="empty"):
        en.explain(mixed_trials(20), [])


def test_a_parameter_that_never_varied_is_left_out_and_refused_by_name() -> None:
    configs, values = simple()
    fixed = [{**c, "seed": 1} for c in configs]
    result = en.explain(fixed, objective_values=values, direction="maximize", **KNOBS)
    assert set(result.effects) == {"a", "b"}
    assert "never_varied" in {caution.kind for caution in result.cautions}
    with pytest.raises(en.errors.InputError, match="never varied"):
        en.explain(fixed, ["seed"], objective_values=values, direction="maximize")


def test_nothing_that_varies_is_refused() -> None:
    with pytest.raises(en.errors.InputError, match="no hyperparameter varies"):
        en.explain([{"a": 1}] * 12, objective_values=range(12), direction="maximize")


def test_one_parameter_is_explained_without_regions(golden: Golden) -> None:
    configs, _ = simple()
    alone = [{"a": c["a"]} for c in configs]
    values = [c["a"] ** 2 for c in configs]
    result = en.explain(alone, objective_values=values, direction="minimize", **KNOBS)
    assert len(result.regions["a"]) == 1
    assert not result.importance.pairs
    assert "one_varies" in {caution.kind for caution in result.cautions}
    golden.check(repr(result))


def test_duplicate_trials_are_kept_and_said_so() -> None:
    configs, values = simple(20)
    noisy = [v + 0.05 for v in values]
    result = en.explain(
        configs + configs, objective_values=values + noisy, direction="maximize", **KNOBS
    )
    assert result.n_trials == 40
    assert "trials_repeated" in {caution.kind for caution in result.cautions}


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("n_points", 5),
        ("grid_size", 1),
        ("regions", 0),
        ("confidence_level", 95),
        ("n_jobs", 0),
        ("rng", -1),
        ("surrogate", "svm"),
    ],
)
def test_knobs_out_of_range_are_refused(knob: str, value: object) -> None:
    with pytest.raises(en.errors.InputError, match=knob):
        en.explain(mixed_trials(20), **{knob: value})


def test_names_may_hold_any_sign() -> None:
    configs, values = simple()
    odd = [{"α → β ($x$)": c["a"], "b c\n": c["b"]} for c in configs]
    result = en.explain(odd, objective_values=values, direction="maximize", **KNOBS)
    assert "α → β ($x$)" in result.effects


def test_fifteen_levels_are_divided_by_an_ordering_and_said_so() -> None:
    rng = np.random.default_rng(7)
    levels = [f"level {i}" for i in range(15)]
    configs = [{"k": levels[i % 15], "a": float(rng.random())} for i in range(60)]
    values = [c["a"] * (c["k"] in levels[:5]) + 0.1 * rng.random() for c in configs]
    result = en.explain(configs, objective_values=values, direction="maximize", **KNOBS)
    assert len(result.effects["k"].grid) == 15
    by_level = any(
        limit.param == "k" for region in result.regions["a"].regions for limit in region.limits
    )
    codes = {caution.kind for caution in result.cautions}
    assert ("levels_split_in_order" in codes) == by_level


@pytest.mark.parametrize(("given", "edge"), [(False, "of what was tried"), (True, "of the space")])
def test_an_edge_is_that_of_the_space_only_where_one_was_given(given: bool, edge: str) -> None:
    configs = [{"a": float(a)} for a in np.linspace(0.0, 1.0, 20)]
    space = en.Space.infer(configs)
    asked = {"space": replace(space, inferred=None)} if given else {}
    found = en.explain(
        configs, objective_values=np.linspace(0.0, 1.0, 20), direction="maximize", rng=0, **asked
    )
    told = [caution.what for caution in found.cautions if caution.kind == "best_on_edge"]
    assert len(told) == 1
    assert f"lies on the edge {edge}: a = 1" in told[0]
