"""Shares of variance agree with the analysis of known functions."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest.explanation.importance import (
    Importance,
    Share,
    draws,
    make_even_codes,
    measure_importance,
    root_of,
)
from earnest.explanation.result import find_most_important, word_importance
from earnest.explanation.sampling_bias import Discrepancy, Gap, SamplingBias
from earnest.explanation.surrogate.surrogate import variances
from tests.explanation.scenes import (
    Known,
    known_scene,
    mixed,
    mixed_objective,
    mixed_trials,
    process_scene,
    unit,
)
from tests.snapshots import Golden

SPACE = en.Space((unit("a"), unit("b"), unit("c")))


class Exact(Known):
    """A surrogate that is certain of a + 4 (b - 1/2)(c - 1/2)."""

    def mean(self, codes: np.ndarray) -> np.ndarray:
        return codes[:, 0] + 4 * (codes[:, 1] - 0.5) * (codes[:, 2] - 0.5)

    def covariance(self, codes: np.ndarray, others: np.ndarray) -> np.ndarray:
        return np.zeros((len(codes), len(others)))


def test_main_total_and_pairs_are_those_of_the_functional_anova() -> None:
    scene = replace(known_scene(SPACE, n_points=1000), fitted=Exact(SPACE))
    found = measure_importance(scene, [0, 1, 2], 0.95)
    # Var(a) = 1/12, Var of the product = 16/144 = 1/9: shares 3/7 and 4/7. Averages over 80
    # random points leave an error of about 0.1; cells of a tenth take 1 % of a variance.
    assert found.main["a"].value == pytest.approx(3 / 7, abs=0.12)
    assert found.total["a"].value == pytest.approx(3 / 7, abs=0.12)
    assert found.main["b"].value < 0.05
    assert found.total["b"].value == pytest.approx(4 / 7, abs=0.12)
    assert found.pairs[("b", "c")].value == pytest.approx(4 / 7, abs=0.12)
    assert found.pairs[("a", "b")].value < 0.02
    assert set(found.ranking[:2]) == {"b", "c"}  # by the total effect, 4/7 each against 3/7
    assert next(iter(found.pairs)) == ("b", "c")


def test_a_surrogate_that_is_certain_has_no_interval() -> None:
    scene = replace(known_scene(SPACE), fitted=Exact(SPACE))
    for share in measure_importance(scene, [0, 1, 2], 0.95, pairs=False).main.values():
        assert share.low == share.value == share.high


def test_intervals_hold_the_share_and_widen_with_the_level() -> None:
    scene = process_scene(mixed_trials(40, noise=0.02))
    columns = list(range(5))
    narrow, wide = (measure_importance(scene, columns, level, pairs=False) for level in (0.5, 0.99))
    for name in narrow.main:
        for share in (narrow.main[name], wide.main[name], wide.total[name]):
            assert 0 <= share.low <= share.value <= share.high <= 1
        assert wide.total[name].value >= wide.main[name].value
        assert wide.main[name].low <= narrow.main[name].low
        assert wide.main[name].high >= narrow.main[name].high


def test_a_parameter_of_a_branch_counts_by_its_part_of_the_space() -> None:
    scene = process_scene(mixed_trials(120), n_points=600)
    found = measure_importance(scene, list(range(5)), 0.95)
    # C moves a third of the space only: Var(0.02 (log C - 1)^2 | svm) = 0.02^2 Var = 0.02^2 * 7.5
    # over [-2, 2], a third of it, against the variance of all
    rng = np.random.default_rng(5)
    space = mixed()
    values = [mixed_objective(c) for c in space.decode(space.sample(20_000, rng))]
    x = rng.uniform(-2, 2, 100_000)
    share = np.var(0.02 * (x - 1) ** 2) / 3 / np.var(values)
    assert found.main["C"].value == pytest.approx(share, rel=0.3)
    assert found.main["scaling"].value < 0.02
    # every branch is additive, so branches and what is between them make up the whole
    assert sum(share.value for share in found.main.values()) == pytest.approx(1.0, abs=0.1)
    assert ("model", "C") not in found.pairs
    assert ("C", "depth") not in found.pairs
    assert ("C", "share") in found.pairs


def test_what_decides_which_parameters_are_active_comes_before_them() -> None:
    """A branch moves the objective through its parameters: ranked alone, one of them would lead."""
    scene = process_scene(branch_trials(90), n_points=600)
    found = measure_importance(scene, list(range(3)), 0.95, pairs=False)
    assert found.main["C"].value > found.main["model"].value
    assert found.ranking[0] == "model"
    totals = [found.total[name].value for name in found.ranking]
    assert totals == sorted(totals, reverse=True)
    assert find_most_important(found).startswith("model")


def branch_trials(count: int) -> en.Trials:
    """Three models; the parameter of one moves the objective by more than the models differ."""
    rng = np.random.default_rng(11)
    configs, values = [], []
    for i in range(count):
        model = ("svm", "tree", "net")[i % 3]
        own = {"C": 10 ** rng.uniform(-2, 2)} if model == "svm" else {}
        configs.append({"model": model, "share": rng.random(), **own})
        base = {"svm": 0.0, "tree": 0.06, "net": 0.12}[model]
        values.append(base + (0.1 * np.log10(own["C"]) if own else 0.0))
    return en.Trials.from_configs(configs, values, direction="maximize")


def test_the_same_seed_gives_the_same_shares() -> None:
    scene = process_scene(mixed_trials(40))
    again = process_scene(mixed_trials(40))
    assert measure_importance(scene, [0, 4], 0.9) == measure_importance(again, [0, 4], 0.9)
    alone = measure_importance(scene, [4], 0.9)
    assert alone.main["share"] == measure_importance(again, [0, 4], 0.9).main["share"]


def test_the_result_survives_json_and_becomes_a_table() -> None:
    found = measure_importance(process_scene(mixed_trials(40)), [0, 1, 4], 0.95)
    again = Importance.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False)))
    assert again == found
    assert found.to_frame().column("param").to_pylist() == list(found.ranking)
    assert repr(found).startswith("importance: ")


# ---- draws


def test_draws_have_the_mean_and_the_covariance_of_the_surrogate() -> None:
    scene = process_scene(mixed_trials(40))
    codes = scene.space.mask(scene.points[:6])
    made = draws(scene.fitted, codes, 20_000, np.random.default_rng(0))
    mean, sd = scene.fitted.posterior(codes)
    covariance = scene.fitted.covariance(codes, codes)
    # 4 standard errors of a mean and of a covariance of 20,000 draws
    np.testing.assert_allclose(made.mean(axis=0), mean, atol=4 * sd.max() / np.sqrt(20_000))
    np.testing.assert_allclose(
        np.cov(made.T), covariance, atol=4 * np.sqrt(2) * sd.max() ** 2 / np.sqrt(20_000)
    )
    np.testing.assert_allclose(variances(scene.fitted, codes), covariance.diagonal())


def test_a_singular_covariance_has_a_root_all_the_same() -> None:
    row = np.array([1.0, 2.0, 3.0])
    singular = np.outer(row, row)
    root = root_of(singular)
    np.testing.assert_allclose(root @ root.T, singular, atol=1e-4)
    assert not root_of(np.zeros((2, 2))).any()
    slightly_negative = singular - 1e-6 * np.eye(3)
    assert np.isfinite(root_of(slightly_negative)).all()


@pytest.mark.parametrize(
    ("parameter", "count"),
    [
        (unit("a"), 10),
        (en.Parameter(name="k", kind="int", low=1, high=4), 4),
        (en.Parameter(name="k", kind="int", low=1, high=1000, log=True), 10),
        (en.Parameter(name="c", kind="categorical", choices=("x", "y", "z")), 3),
    ],
)
def test_cells_stand_for_equal_shares_of_the_range(parameter: en.Parameter, count: int) -> None:
    codes = make_even_codes(parameter, 10)
    assert len(codes) == count
    if parameter.kind == "float":
        # the variance of a uniform is 1/12; ten middles of cells have 0.99 of it
        assert codes.var() == pytest.approx(1 / 12, rel=0.011)


# ---- the sentence


def shares(**given: tuple[float, float, float]) -> Importance:
    main = {name: Share(*each) for name, each in given.items()}
    return Importance(main, main, {}, 0.95)


@pytest.mark.parametrize(
    ("importance", "words"),
    [
        (shares(a=(0.6, 0.5, 0.7), b=(0.2, 0.1, 0.3)), "a matters most"),
        (
            shares(a=(0.5, 0.4, 0.6), b=(0.4, 0.3, 0.5), c=(0.1, 0.0, 0.2)),
            "a and b matter most",
        ),
        (shares(a=(0.5, 0.1, 0.6), b=(0.4, 0.1, 0.5)), "no hyperparameter clearly matters most"),
        (
            shares(a=(0.01, 0.0, 0.02), b=(0.0, 0.0, 0.01)),
            "no hyperparameter affects the objective",
        ),
        (shares(a=(1.0, 1.0, 1.0)), "a is the only one that varied"),
    ],
)
def test_the_sentence_claims_no_more_than_the_intervals(importance: Importance, words: str) -> None:
    assert find_most_important(importance) == words


def test_a_parameter_of_a_part_of_the_space_is_named_with_that_part(golden: Golden) -> None:
    importance = shares(a=(0.6, 0.5, 0.7), b=(0.2, 0.1, 0.3))
    found = find_most_important(importance, {"a": "model is svm"})
    golden.check(found)


def test_the_sentence_goes_by_the_share_together_with_others() -> None:
    main = {"a": Share(0.1, 0.0, 0.2), "b": Share(0.3, 0.25, 0.4)}
    total = {"a": Share(0.7, 0.6, 0.8), "b": Share(0.35, 0.3, 0.45)}
    assert find_most_important(Importance(main, total, {}, 0.95)) == "a matters most"


def test_the_sentence_names_where_the_leading_parameter_was_hardly_tried(golden: Golden) -> None:
    gaps = {"a": (Gap(0.8, 1.0, "above 0.2", 1, 20.0), Gap(0.0, 0.1, "below 0.01", 0, 10.0))}
    bias = SamplingBias(Discrepancy(0.3, 0.1), {}, gaps)
    found = word_importance(shares(a=(0.6, 0.5, 0.7), b=(0.2, 0.1, 0.3)), bias)
    golden.check(found)
