"""Spaces: codes, activity, drawing, grids, and what is guessed from configurations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earnest import Parameter, Space
from earnest.core import Clause, Condition, ParameterKind, simplify_value
from earnest.errors import InputError


def nested() -> Space:
    """A choice of model, its children, and a grandchild; and a condition with a limit."""
    return Space(
        (
            Parameter(name="model", kind="categorical", choices=("svm", "forest", "mlp")),
            Parameter(name="C", kind="float", low=0.01, high=100, log=True,
                      condition=Condition.when("model", "svm")),
            Parameter(name="kernel", kind="categorical", choices=("rbf", "linear"),
                      condition=Condition.when("model", "svm")),
            Parameter(name="gamma", kind="float", low=1e-4, high=1, log=True,
                      condition=Condition.when("kernel", "rbf")),
            Parameter(name="layers", kind="int", low=1, high=3,
                      condition=Condition.when("model", "mlp")),
            Parameter(name="units", kind="int", low=8, high=64, log=True,
                      condition=Condition(any_of=((Clause(parent="layers", low=2),),))),
            Parameter(name="size", kind="ordinal", choices=(16, 32, 64)),
            Parameter(name="seed", kind="fixed", choices=(7,)),
        )
    )  # fmt: skip


def drawn_by_hand(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a configuration of `nested` as a define-by-run function would."""
    config: dict[str, Any] = {"model": str(rng.choice(["svm", "forest", "mlp"])), "seed": 7}
    config["size"] = int(rng.choice([16, 32, 64]))
    if config["model"] == "svm":
        config["C"] = float(10 ** rng.uniform(-2, 2))
        config["kernel"] = str(rng.choice(["rbf", "linear"]))
        if config["kernel"] == "rbf":
            config["gamma"] = float(10 ** rng.uniform(-4, 0))
    if config["model"] == "mlp":
        config["layers"] = int(rng.integers(1, 4))
        if config["layers"] >= 2:
            config["units"] = int(rng.integers(8, 65))
    return config


def hand_drawn(n: int, seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    return [drawn_by_hand(rng) for _ in range(n)]


# ---- codes


def test_codes_are_on_the_parameters_own_scale() -> None:
    log = Parameter(name="a", kind="float", low=1e-4, high=1.0, log=True)
    np.testing.assert_allclose(log.encode([1e-4, 1e-2, 1.0]), [0, 0.5, 1], atol=1e-15)
    whole = Parameter(name="b", kind="int", low=1, high=5)
    np.testing.assert_array_equal(whole.encode([1, 2, 5]), [0, 0.25, 1])
    level = Parameter(name="c", kind="ordinal", choices=("low", "mid", "high"))
    np.testing.assert_array_equal(level.encode(["high", "low"]), [2, 0])


def test_configurations_come_back_from_their_codes() -> None:
    # 200 configurations, seed 4; floats on a log scale come back to 1e-12 of their value
    space, configs = nested(), hand_drawn(200, 4)
    for back, config in zip(space.decode(space.encode(configs)), configs, strict=True):
        assert set(back) == set(config)
        for name, value in config.items():
            assert back[name] == (pytest.approx(value, rel=1e-12) if name in "Cgamma" else value)


@given(st.floats(1e-3, 1e3), st.floats(1.5, 1e4), st.floats(0, 1), st.booleans())
def test_a_code_comes_back_from_its_value(low: float, times: float, code: float, log: bool) -> None:
    made = Parameter(name="a", kind="float", low=low, high=low * times, log=log)
    assert made.encode(made.decode(np.array([code])))[0] == pytest.approx(code, abs=1e-9)


def test_configurations_that_differ_in_inactive_values_only_are_the_same() -> None:
    space = nested()
    base = {"model": "forest", "size": 16, "seed": 7}
    codes = space.encode([base, base | {"C": 1.0}, base | {"kernel": "rbf", "gamma": 0.1}])
    np.testing.assert_array_equal(codes[0], codes[1])
    np.testing.assert_array_equal(codes[0], codes[2])


def test_a_grandchild_is_inactive_where_its_parent_is() -> None:
    codes = nested().encode([{"model": "mlp", "kernel": "rbf", "layers": 1, "size": 16, "seed": 7}])
    assert np.isnan(codes[0, nested().index("gamma")])
    assert np.isnan(codes[0, nested().index("units")])


def test_none_and_true_are_values_of_their_own() -> None:
    made = Parameter(name="a", kind="categorical", choices=(None, True, 1, "1"))
    np.testing.assert_array_equal(made.encode([None, True, 1, "1"]), [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"modell": "svm"}, "Did you mean 'model'"),
        ({"model": "smv"}, "Did you mean 'svm'"),
        ({"model": "svm", "C": 1e5, "kernel": "linear"}, "from 0.01 to 100"),
        ({"model": "svm", "C": "much", "kernel": "linear"}, "a number"),
        ({"model": "svm", "C": 1.0, "size": 16}, "has no 'kernel'"),
        ({"model": "forest", "size": 17, "seed": 7}, "'size' cannot be 17"),
    ],
)
def test_what_is_not_in_the_space_is_refused(config: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        nested().encode([config])


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: Space(()), "no hyperparameters"),
        (lambda: Space((nested()["size"], nested()["size"])), "not unique"),
        (lambda: Space((nested()["C"],)), "'model' is unknown"),
        (lambda: Parameter(name="a", kind="flaot"), "Did you mean 'float'"),
        (lambda: Parameter(name="a", kind="float", low=2, high=1), "low <= high"),
        (lambda: Parameter(name="a", kind="float", low=0, high=1, log=True), "low > 0"),
        (lambda: Parameter(name="a", kind="float", step=0), "step"),
        (lambda: Parameter(name="a", kind="categorical"), "at least one level"),
        (lambda: Parameter(name="a", kind="fixed", choices=(1, 2)), "one value"),
        (lambda: Parameter(name="", kind="float"), "no name"),
    ],
)
def test_a_space_that_is_none_is_refused(made: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        made()


def test_parents_in_a_circle_are_refused() -> None:
    pair = [
        Parameter(name=a, kind="categorical", choices=("x", "y"), condition=Condition.when(b, "x"))
        for a, b in (("a", "b"), ("b", "a"))
    ]
    with pytest.raises(InputError, match="conditions of each other"):
        Space(tuple(pair))


# ---- drawing


def test_only_valid_combinations_are_drawn_and_each_share_is_even() -> None:
    # 6000 draws, seed 0: shares within 4 standard errors of a proportion
    space = nested()
    codes = space.sample(6000, np.random.default_rng(0))
    assert space.valid(codes).all()
    for level in range(3):
        share = (codes[:, 0] == level).mean()
        assert abs(share - 1 / 3) < 4 * np.sqrt(2 / 9 / 6000)
    inside = codes[~np.isnan(codes[:, 1]), 1]
    assert abs(inside.mean() - 0.5) < 4 * np.sqrt(1 / 12 / len(inside))


def test_a_complete_draw_masked_is_the_draw() -> None:
    space = nested()
    whole = space.sample(50, np.random.default_rng(1), complete=True)
    assert not np.isnan(whole).any()
    np.testing.assert_array_equal(space.mask(whole), space.sample(50, np.random.default_rng(1)))


@pytest.mark.parametrize("log", [False, True])
def test_whole_numbers_and_steps_are_drawn_where_they_are(log: bool) -> None:
    rng = np.random.default_rng(2)
    whole = Parameter(name="a", kind="int", low=1, high=6, log=log)
    assert set(whole.decode(whole.sample(500, rng))) == set(range(1, 7))
    stepped = Parameter(name="b", kind="float", low=1.0, high=2.1, step=0.25, log=log)
    assert set(np.round(stepped.decode(stepped.sample(500, rng)), 9)) == {1, 1.25, 1.5, 1.75, 2}


def test_more_steps_than_floats_are_drawn_too() -> None:
    huge = Parameter(name="a", kind="int", low=0, high=2.0**70)
    assert len(set(huge.decode(huge.sample(20, np.random.default_rng(0))))) == 20


def test_forbidden_combinations_are_never_drawn_and_never_valid() -> None:
    forbidden = ((Clause(parent="model", values=("svm",)), Clause(parent="size", values=(16,))),)
    space = Space(nested().parameters, forbidden=forbidden)
    codes = space.sample(2000, np.random.default_rng(0))
    assert not ((codes[:, 0] == 0) & (codes[:, space.index("size")] == 0)).any()
    bad = {"model": "svm", "C": 1.0, "kernel": "linear", "size": 16, "seed": 7}
    assert space.valid(space.encode([bad, bad | {"size": 32}])).tolist() == [False, True]
    everything = ((Clause(parent="size", values=(16, 32, 64)),),)
    with pytest.raises(InputError, match="almost no"):
        Space(nested().parameters, forbidden=everything).sample(5, np.random.default_rng(0))


# ---- grids


def test_grids_are_equidistant_on_the_scale_and_levels_of_categories() -> None:
    space = nested()
    values, codes = space.grid("C", 5)
    np.testing.assert_allclose(values, [0.01, 0.1, 1, 10, 100], rtol=1e-12)
    np.testing.assert_allclose(codes, [0, 0.25, 0.5, 0.75, 1], atol=1e-12)
    assert space.grid("model", 20) == (["svm", "forest", "mlp"], pytest.approx([0, 1, 2]))
    assert space.grid("layers", 20)[0] == [1, 2, 3]
    assert space.grid("seed", 20)[0] == [7]


def test_children_are_found_with_grandchildren() -> None:
    assert nested().children("model") == ("C", "kernel", "gamma", "layers", "units")
    assert nested().children("kernel") == ("gamma",)
    assert nested().children("C") == ()


# ---- inference


def test_the_conditions_of_a_define_by_run_search_are_found() -> None:
    space = Space.infer(hand_drawn(120, 5))
    found = {p.name: str(p.condition) for p in space if p.condition is not None}
    assert found == {
        "C": "model is svm",
        "kernel": "model is svm",
        "gamma": "kernel is rbf",
        "layers": "model is mlp",
        "units": "layers >= 2",
    }
    assert space["C"].log
    assert space["gamma"].log
    assert (space["size"].kind, space["seed"].kind) == (ParameterKind.INT, ParameterKind.FIXED)
    codes = space.encode(hand_drawn(120, 5))
    assert space.valid(codes).all()
    assert space.valid(space.sample(200, np.random.default_rng(0))).all()


def test_two_parents_together_and_one_or_the_other_are_found() -> None:
    configs = []
    for a in "xy":
        for b in "pq":
            for i in range(3):
                config: dict[str, Any] = {"a": a, "b": b}
                if a == "x" and b == "q":
                    config["both"] = 0.1 * i
                if a == "x" or b == "q":
                    config["either"] = 0.2 * i
                configs.append(config)
    space = Space.infer(configs)
    assert str(space["both"].condition) == "a is x and b is q"
    codes = space.encode(configs)
    np.testing.assert_array_equal(
        space.active(codes)[:, space.index("either")], ["either" in c for c in configs]
    )


def test_absence_for_no_reason_is_said_and_drawn_at_its_share() -> None:
    # seed 6: 100 configurations, a value in about 40 of them by chance
    rng = np.random.default_rng(6)
    configs = [
        {"a": float(rng.random())} | ({"b": float(rng.random())} if rng.random() < 0.4 else {})
        for _ in range(100)
    ]
    share = float(np.mean(["b" in config for config in configs]))
    space = Space.infer(configs)
    assert space["b"].condition == Condition(share=share)
    assert space.inferred is not None
    assert [name for name, _ in space.inferred.gaps] == ["b"]
    drawn = space.sample(4000, rng)
    assert abs((~np.isnan(drawn[:, 1])).mean() - share) < 4 * np.sqrt(0.25 / 4000)


@pytest.mark.parametrize(
    ("values", "log"),
    [
        (np.logspace(-3, 1, 30), True),
        (np.linspace(0.001, 1, 30), False),  # three decades, but even on the plain scale
        (np.linspace(1, 50, 30), False),
        (np.logspace(0, 1.5, 30), False),
        (np.array([0.0, *np.logspace(-3, 1, 30)]), False),
        (np.array([1, 10, 100, 1000] * 5), True),
    ],
)
def test_a_log_scale_is_guessed_where_the_values_lie_more_evenly_on_it(
    values: np.ndarray, log: bool
) -> None:
    assert Space.infer([{"a": v} for v in values])["a"].log is log


def test_mixed_values_are_a_category_and_odd_ones_print_themselves() -> None:
    configs = [{"a": v, "b": (i, 1), "ü 1": True} for i, v in enumerate([None, 3, "auto", 0.5])]
    space = Space.infer(configs)
    assert space["a"].choices == (0.5, 3, "auto", None)
    assert space["b"].choices == ("(0, 1)", "(1, 1)", "(2, 1)", "(3, 1)")
    assert space["ü 1"].kind == ParameterKind.FIXED
    assert simplify_value(np.float32(0.5)) == 0.5
    assert simplify_value(dict) == "dict"


def test_nothing_to_infer_from_is_refused() -> None:
    with pytest.raises(InputError, match="no hyperparameters"):
        Space.infer([{}, {}])
    with pytest.raises(InputError, match="not finite"):
        Space.infer([{"a": 1.0}, {"a": float("inf")}])
