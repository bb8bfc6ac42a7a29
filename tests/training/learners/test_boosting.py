"""Boosted trees: LightGBM's, kept as arrays, and early stopping inside the training part."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

import earnest as en
from earnest.errors import FormatError, InputError
from earnest.learners import Inputs
from earnest.training.learners import boosting, catalogue, portfolio
from earnest.training.learners.boosting import LightGBMClassifier, LightGBMRegressor
from tests.training.tune_tables import of

PLAIN = Inputs(tuple("abcd"), (0,) * 4, (False,) * 4, n_cases=100)
ONLY = 'format = 1\n[[model]]\nmodel = "lightgbm"\nrounds = 20\nmin_leaf = [5, 10]\n'

# ------------------------------------------------------------------------------ trees as arrays


def split(feature: int, at: float, low: dict[str, Any], high: dict[str, Any], **more: Any) -> Any:
    told = {"decision_type": "<=", "missing_type": "None", "default_left": True, **more}
    return {
        "split_feature": feature,
        "threshold": at,
        "left_child": low,
        "right_child": high,
        **told,
    }


def leaf(value: float) -> dict[str, Any]:
    return {"leaf_value": value}


TREES: list[dict[str, Any]] = [
    {"tree_structure": split(0, 0.5, split(1, -1.0, leaf(1.0), leaf(2.0)), leaf(4.0))},
    {"tree_structure": leaf(0.25)},
    {
        "tree_structure": split(
            1, 0.0, leaf(8.0), leaf(16.0), missing_type="NaN", default_left=False
        )
    },
    {"tree_structure": split(1, 0.0, leaf(8.0), leaf(16.0), missing_type="NaN")},
]


def walk(node: dict[str, Any], x: NDArray[np.float64]) -> float:
    """Return the leaf of a case: the definition."""
    if "leaf_value" in node:
        return float(node["leaf_value"])
    value = x[node["split_feature"]]
    if np.isnan(value):
        goes = node["default_left"] if node["missing_type"] == "NaN" else node["threshold"] >= 0
    else:
        goes = value <= node["threshold"]
    return walk(node["left_child" if goes else "right_child"], x)


def draw_cases(n: int = 60) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 2))
    X[rng.random(X.shape) < 0.2] = np.nan
    X[0] = [0.5, -1.0]  # on the thresholds
    return X


@pytest.mark.parametrize("outputs", [1, 2])
def test_trees_kept_as_arrays_give_the_leaves_of_the_plain_walk(outputs: int) -> None:
    X = draw_cases()
    found = boosting.add_trees(*boosting.flatten_trees(TREES), X, outputs)
    expected = np.zeros((len(X), outputs))
    for turn, tree in enumerate(TREES):
        expected[:, turn % outputs] += [walk(tree["tree_structure"], x) for x in X]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("row", "column", "value"), [(0, 2, 0), (0, 3, 99), (0, 2, -1), (0, 0, 7), (1, 3, 1)]
)
def test_trees_that_would_never_end_or_read_elsewhere_are_refused(
    row: int, column: int, value: float
) -> None:
    nodes, roots = boosting.flatten_trees(TREES)
    nodes[row, column] = value
    with pytest.raises(FormatError):
        boosting.add_trees(nodes, roots, draw_cases(), 1)
    with pytest.raises(FormatError):
        boosting.add_trees(boosting.flatten_trees(TREES)[0], roots + 100, draw_cases(), 1)


# ------------------------------------------------------------------------- without the package


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No LightGBM, installed or not."""
    real = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> Any:
        return None if name == "lightgbm" else real(name, package)

    monkeypatch.setattr(catalogue, "find_spec", find)
    monkeypatch.setattr(portfolio, "find_spec", find)


@pytest.mark.usefixtures("absent")
def test_a_portfolio_goes_without_a_model_that_is_not_installed(tmp_path: Path) -> None:
    families = {
        one.family for one in en.learners.load_portfolio("default").configurations("binary", PLAIN)
    }
    assert "hist_gradient_boosting" in families
    assert "lightgbm" not in families
    (tmp_path / "only.toml").write_text(ONLY, encoding="utf-8")
    with pytest.raises(InputError, match=r"\.\[lightgbm\]"):
        en.learners.load_portfolio(tmp_path / "only.toml").configurations("binary", PLAIN)


# ------------------------------------------------------- early stopping inside the training part


def draw_noisy(n: int = 400) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return cases of which the outcome is mostly chance, so that many rounds only overfit."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, 4))
    return X, (X[:, 0] + 2.0 * rng.standard_normal(n) > 0).astype(np.int64)


def make_boosting(patience: int | None, seed: int = 3) -> Any:
    knobs = {"rounds": 200, **({} if patience is None else {"patience": patience})}
    return catalogue.MODELS["hist_gradient_boosting"].make("binary", knobs, seed)


def test_boosting_with_patience_stops_early_by_its_seed_alone() -> None:
    X, y = draw_noisy()
    whole = make_boosting(None).fit(X, y)
    stopped, again = (make_boosting(5).fit(X, y) for _ in range(2))
    assert whole.n_iter_ == 200
    assert stopped.n_iter_ < 100
    assert stopped.predict_proba(X).tobytes() == again.predict_proba(X).tobytes()
    new = np.random.default_rng(2).standard_normal((4000, 4))
    right = 1 / (1 + np.exp(-1.7 * new[:, 0] / 2.0))  # about the chance of class 1
    errors = [np.mean((m.predict_proba(new)[:, 1] - right) ** 2) for m in (stopped, whole)]
    assert errors[0] < errors[1]


def test_a_portfolio_file_may_ask_for_patience(tmp_path: Path) -> None:
    text = 'format = 1\n[[model]]\nmodel = "hist_gradient_boosting"\nrounds = 50\npatience = 5\n'
    (tmp_path / "some.toml").write_text(text, encoding="utf-8")
    (made,) = en.learners.load_portfolio(tmp_path / "some.toml").configurations("binary", PLAIN)
    model: Any = made.estimator[-1]  # type: ignore[index]
    assert (model.early_stopping, model.n_iter_no_change, model.max_iter) == (True, 5, 50)


# --------------------------------------------------------------------------- with the package


@pytest.fixture
def booster(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The last model that LightGBM trained, as its own object."""
    import lightgbm

    kept: dict[str, Any] = {}
    train = lightgbm.train

    def watch(*args: Any, **options: Any) -> Any:
        kept["last"] = train(*args, **options)
        return kept["last"]

    monkeypatch.setattr(lightgbm, "train", watch)
    return kept


def draw_outcome(task: str, gaps: bool) -> tuple[NDArray[np.float64], NDArray[Any]]:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((300, 5))
    line = X[:, 0] + (X[:, 1] > 0) + 0.5 * rng.standard_normal(300)
    if gaps:
        X[rng.random(X.shape) < 0.15] = np.nan
    if task == "regression":
        return X, line
    return X, np.array(["a", "b", "c"])[np.digitize(line, [0.0, 1.0] if task != "binary" else [0])]


@pytest.mark.extra
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("patience", [None, 3])
def test_arrays_predict_as_lightgbm_does(
    task: str, gaps: bool, patience: int | None, booster: dict[str, Any]
) -> None:
    X, y = draw_outcome(task, gaps)
    kind = LightGBMRegressor if task == "regression" else LightGBMClassifier
    made = kind(80, min_leaf=5, patience=patience, random_state=7).fit(X, y)
    new = np.random.default_rng(5).standard_normal((200, 5))
    new[:40, 1] = np.nan  # also where training had none
    expected = booster["last"].predict(new, num_iteration=booster["last"].best_iteration or None)
    if isinstance(made, LightGBMRegressor):
        np.testing.assert_allclose(made.predict(new), expected, atol=1e-10)
    else:
        found = made.predict_proba(new)
        np.testing.assert_allclose(found[:, 1] if task == "binary" else found, expected, atol=1e-10)
        assert set(made.predict(new)) <= set(y)
    rounds = len(made.roots_) // (3 if task == "multiclass" else 1)
    assert rounds == 80 if patience is None else rounds < 80
    again = clone(made).fit(X, y)
    assert again.nodes_.tobytes() == made.nodes_.tobytes()


@pytest.mark.extra
@pytest.mark.usefixtures("with_lightgbm")
def test_a_tuned_model_of_lightgbm_is_kept_and_predicts_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from earnest import load_model

    (tmp_path / "only.toml").write_text(ONLY, encoding="utf-8")
    table = of("relapse")
    found = en.tune(
        table,
        target="relapse",
        portfolio=tmp_path / "only.toml",
        out=tmp_path / "run",
        folds=3,
        n_configs=2,
        n_jobs=1,
        rng=7,
    )
    assert found.winner.family == "lightgbm"

    def refuse() -> None:
        raise AssertionError("predicting asks for LightGBM")

    monkeypatch.setattr(boosting, "import_lightgbm", refuse)
    kept = load_model(tmp_path / "run")
    np.testing.assert_array_equal(kept.predict(table).scores, found.model.predict(table).scores)


@pytest.mark.extra
@pytest.mark.usefixtures("with_lightgbm")
def test_the_default_portfolio_has_lightgbm_where_it_is_installed() -> None:
    made = en.learners.load_portfolio("default").configurations("binary", PLAIN)
    assert "lightgbm" in [one.family for one in made[:6]]


# ------------------------------------------------------------------------------------- XGBoost

GROWN: list[dict[str, Any]] = [  # as XGBoost writes them: 0.1 is not a number of single precision
    {
        "left_children": [1, 3, -1, -1, -1],
        "right_children": [2, 4, -1, -1, -1],
        "split_indices": [0, 1, 0, 0, 0],
        "split_conditions": [0.1, -1.0, 4.0, 1.0, 2.0],
        "default_left": [1, 0, 0, 0, 0],
    },
    {
        "left_children": [-1],
        "right_children": [-1],
        "split_indices": [0],
        "split_conditions": [0.25],
        "default_left": [0],
    },
]


def test_a_number_at_the_threshold_of_xgboost_is_not_below_it() -> None:
    nodes, roots = boosting.read_trees(GROWN)
    at = float(np.float32(0.1))
    less = float(np.nextafter(np.float32(0.1), np.float32(0)))
    nan = np.nan
    X = np.array([[less, -2.0], [less, -1.0], [at, -2.0], [nan, nan], [nan, -2.0]])
    by_hand = np.array([1.0, 2.0, 4.0, 2.0, 1.0]) + 0.25
    np.testing.assert_array_equal(boosting.add_trees(nodes, roots, X, 1)[:, 0], by_hand)


@pytest.mark.extra
@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("patience", [None, 5])
def test_arrays_predict_as_xgboost_does(
    classes: int, patience: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 4)).round(2)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=300)
    y = y if not classes else np.digitize(y, [-0.5, 0.5][: classes - 1])
    train, fitted = xgboost.train, []

    def watch(*given: Any, **more: Any) -> Any:
        fitted.append(train(*given, **more))
        return fitted[-1]

    monkeypatch.setattr(xgboost, "train", watch)
    kind = boosting.XGBoostClassifier if classes else boosting.XGBoostRegressor
    model = kind(rounds=60, depth=4, rows=0.8, patience=patience, random_state=1).fit(X, y)
    new = np.concatenate([X, rng.normal(size=(200, 4)).round(2)])
    new[rng.random(new.shape) < 0.2] = np.nan
    booster = fitted[0] if patience is None else fitted[0][: fitted[0].best_iteration + 1]
    sums = booster.predict(xgboost.DMatrix(new), output_margin=True).reshape(len(new), -1)
    # of single precision there: 60 leaves of about 1
    np.testing.assert_allclose(model._add(new), sums, atol=60 * 1e-6)
    monkeypatch.setattr(boosting, "import_xgboost", None)  # predicting needs none
    assert len(model.predict(new)) == len(new)


@pytest.mark.extra
def test_xgboost_is_in_the_portfolio_where_it_is_installed() -> None:
    pytest.importorskip("xgboost")
    many = Inputs(tuple("abcd"), (0,) * 4, (False,) * 4, n_cases=5000)
    default = portfolio.load_portfolio("default")
    names = [config.name for config in default.configurations("binary", many, rng=0)]
    assert any(name.startswith("XGBoost") for name in names)
