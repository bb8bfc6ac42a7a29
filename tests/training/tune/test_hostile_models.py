"""Model files that were made to harm: no code of theirs runs, and nothing crashes or hangs."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from skops.io import dumps

from earnest import load_model
from earnest.core.tables.formats import expanding
from earnest.errors import FormatError
from earnest.training import FORMAT, AveragedClassifier, KernelClassifier, ModelPartError
from earnest.training.learners.base import ForestClassifier, OuterLearner
from earnest.training.learners.svm import KernelRegressor
from earnest.training.tune.model_checks import INDEX, check_made
from tests.snapshots import Golden
from tests.training.tune.test_model import OUTCOMES, TABLE, X, model_of

FILLED, ROWS = np.nan_to_num(X), TABLE.slice(4)  # the first rows have a missing value
ESTIMATORS = {
    "forest": lambda: ForestClassifier(3, random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=3),
    "machine": lambda: KernelClassifier(),
    "ensemble": lambda: AveragedClassifier(
        [ESTIMATORS[kind]() for kind in ("boosting", "forest")], [0.5, 0.5]
    ),
}


def file_of(kind: str) -> bytes:
    return model_of(fitted(kind), "binary").to_bytes()


def fitted(kind: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ESTIMATORS[kind]().fit(FILLED, OUTCOMES["binary"])


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(parts: dict[str, bytes], data: bytes, path: Path, how: int = 0) -> Path:
    """Write a file of other parts with the comment of the old one."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        comment = archive.comment
    with zipfile.ZipFile(path, "w", how) as archive:
        archive.comment = comment
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def nodes(index: Any) -> Iterator[dict[str, Any]]:
    if isinstance(index, dict):
        yield index
        for value in index.values():
            yield from nodes(value)
    elif isinstance(index, list):
        for value in index:
            yield from nodes(value)


def with_index(data: bytes, path: Path, change: Callable[[Any], None]) -> Path:
    parts = members(data)
    index = json.loads(parts[INDEX])
    change(index)
    return written({**parts, INDEX: json.dumps(index).encode()}, data, path)


def with_arrays(data: bytes, path: Path, wanted: str, change: Callable[[Any], Any]) -> Path:
    """Change the arrays of an attribute, or those that have a field of that name."""
    parts = members(data)
    index = json.loads(parts[INDEX])
    named = {
        node[wanted]["file"]
        for node in nodes(index)
        if isinstance(node.get(wanted), dict) and "file" in node[wanted]
    }
    count = 0
    for name in [name for name in parts if name.endswith(".npy")]:
        array = np.load(io.BytesIO(parts[name]))
        if name in named or wanted in (array.dtype.names or ()):
            out = io.BytesIO()
            np.save(out, change(array.copy()))
            parts[name], count = out.getvalue(), count + 1
    assert count
    return written(parts, data, path)


# ---------------------------------------------------------------------------------------- code


def method(number: int, of: Any, name: str) -> dict[str, Any]:
    """Return a part that stands for a method, under the name of a type that is trusted."""
    return {
        "__class__": "Tree",
        "__module__": "sklearn.tree._tree",
        "__loader__": "MethodNode",
        "__id__": number,
        "content": {"obj": of, "func": name},
    }


def attack(path: Path, marker: Path) -> Path:
    """Write a model whose first step makes a command, and whose second one gives it to a shell."""
    made = model_of(ESTIMATORS["forest"]().fit(FILLED, OUTCOMES["binary"]), "binary")
    steps = [
        ("say", FunctionTransformer(np.add)),
        ("do", FunctionTransformer(np.subtract)),
        ("model", made.estimator),
    ]
    about = json.loads(json.loads(members(made.to_bytes())[INDEX])["content"]["about"]["content"])
    content = {"format": FORMAT, "about": about, "estimator": Pipeline(steps), "zero": np.zeros(3)}
    data = dumps(content)
    comment = zipfile.ZipFile(io.BytesIO(made.to_bytes())).comment

    def change(index: Any) -> None:
        text = {
            "__class__": "str",
            "__module__": "builtins",
            "__loader__": "JsonNode",
            "content": json.dumps(f"touch {marker}"),
            "is_json": True,
            "__id__": 10**15,
        }
        array = dict(next(n for n in nodes(index) if n.get("__loader__") == "NdArrayNode"))
        array["__id__"] = 10**15 + 1
        chain: Any = array
        for step, name in enumerate(("ctypes", "_ctypes", "_os", "system")):
            chain = method(10**15 + 2 + step, chain, name)
        for name, part in (("add", method(10**15 + 9, text, "format")), ("subtract", chain)):
            (place,) = (n for n in nodes(index) if n.get("__class__") == name)
            place.clear()
            place.update(part)

    with_index(data, path, change)
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = comment
    return path


def test_a_file_that_reaches_for_a_shell_is_refused_before_skops_sees_it(tmp_path, monkeypatch):
    marker = tmp_path / "code-of-the-file-ran"
    path = attack(tmp_path / "model.skops", marker)
    for name in ("loads", "load", "get_untrusted_types"):
        monkeypatch.setattr(f"skops.io.{name}", lambda *_, **__: pytest.fail("skops was asked"))
    with pytest.raises(FormatError) as caught:
        load_model(path).predict(ROWS)
    assert caught.value.got == "sklearn.tree._tree.Tree by 'MethodNode'"
    assert not marker.exists()


@pytest.mark.parametrize(
    "loader",
    [
        "MethodNode", "FunctionNode", "PartialNode", "OperatorFuncNode", "CachedNode",
        "ConstructorFromReduceNode", "RandomStateNode", "DefaultDictNode", "Else", None, ["x"],
    ],
)  # fmt: skip
def test_ways_that_models_do_not_need_are_refused(loader, tmp_path, monkeypatch):
    data = file_of("forest")

    def change(index: Any) -> None:
        next(n for n in nodes(index) if n.get("__class__") == "Tree")["__loader__"] = loader

    path = with_index(data, tmp_path / "model.skops", change)
    monkeypatch.setattr("skops.io.loads", lambda *_, **__: pytest.fail("was made"))
    with pytest.raises(ModelPartError):
        load_model(path)


@pytest.mark.parametrize(
    ("loader", "module", "name"),
    [
        ("TypeNode", "os", "system"),
        ("TypeNode", "builtins", "eval"),
        ("NdArrayNode", "numpy", "fromfile"),
        ("DictNode", "collections", "OrderedDict"),
        ("ListNode", "os", "listdir"),
        ("LossNode", "sklearn._loss.loss", "HalfBinomialLoss"),
        ("ObjectNode", "sklearnx", "Pipeline"),
        ("ObjectNode", "builtins", "object"),
    ],
)
def test_known_ways_make_known_types_only(loader, module, name, tmp_path, monkeypatch):
    def change(index: Any) -> None:
        part = next(n for n in nodes(index) if n.get("__loader__") == loader)
        part.update(__module__=module, __class__=name)

    path = with_index(file_of("boosting"), tmp_path / "model.skops", change)
    monkeypatch.setattr("skops.io.loads", lambda *_, **__: pytest.fail("was made"))
    with pytest.raises(ModelPartError) as caught:
        load_model(path)
    assert caught.value.got == f"{module}.{name}"


def test_a_random_generator_by_another_name_is_refused(tmp_path):
    def change(index: Any) -> None:
        part = next(n for n in nodes(index) if n.get("__loader__") == "RandomGeneratorNode")
        inner = part["content"]["bit_generator"]["content"]["bit_generator"]
        inner.update(content='"test"', __id__=10**9)  # `numpy.random.test()` would run tests

    path = with_index(file_of("boosting"), tmp_path / "model.skops", change)
    with pytest.raises(ModelPartError):
        load_model(path)


def test_two_parts_with_one_number_are_refused(tmp_path):
    """skops makes the first and takes it for the other, so a check of the other would be vain."""

    def change(index: Any) -> None:
        first, second = [n for n in nodes(index) if n.get("__loader__") == "NdArrayNode"][:2]
        second["__id__"] = first["__id__"]

    path = with_index(file_of("forest"), tmp_path / "model.skops", change)
    with pytest.raises(FormatError) as caught:
        load_model(path)
    assert caught.value.got.startswith("two parts of number")


# --------------------------------------------------------------------------------------- arrays


def at_root(**values: Any) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        for name, value in values.items():
            array[name][0] = value
        return array

    return change


def at_leaves(name: str, value: float) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array[name][array["is_leaf"] == 1] = value
        return array

    return change


CHANGES = {
    "child outside": ("forest", "left_child", at_root(left_child=2**40)),
    "child before the first": ("forest", "left_child", at_root(right_child=-2)),
    "circle": ("forest", "left_child", at_root(left_child=0, right_child=0)),
    "column outside": ("forest", "left_child", at_root(feature=2**40)),
    "column 6 of 6": ("forest", "left_child", at_root(feature=6)),
    "column before the first": ("forest", "left_child", at_root(feature=-2)),
    "NaN threshold": ("forest", "left_child", at_root(threshold=np.nan)),
    "fewer nodes": ("forest", "left_child", lambda nodes: nodes[:1]),
    "no nodes": ("forest", "left_child", lambda nodes: nodes[:0]),
    "fewer values": ("forest", "values", lambda values: values[:1]),
    "values of three classes": ("forest", "values", lambda v: np.repeat(v, 2, axis=2)[:, :, :3]),
    "NaN values": ("forest", "values", lambda values: values * np.nan),
    "boosted child outside": ("boosting", "num_threshold", at_root(left=2**31)),
    "boosted circle": ("boosting", "num_threshold", at_root(left=0, right=0)),
    "boosted column outside": ("boosting", "num_threshold", at_root(feature_idx=2**40)),
    "boosted column before": ("boosting", "num_threshold", at_root(feature_idx=-1)),
    "boosted NaN threshold": ("boosting", "num_threshold", at_root(num_threshold=np.nan)),
    "boosted NaN value": ("boosting", "num_threshold", at_leaves("value", np.nan)),
    "boosted category": ("boosting", "num_threshold", at_root(is_categorical=1, bitset_idx=2**31)),
    "boosted nothing": ("boosting", "num_threshold", lambda nodes: nodes[:0]),
    "boosted other type": ("boosting", "num_threshold", lambda nodes: nodes["value"]),
    "machine, other counts": ("machine", "_n_support", lambda counts: counts * 1000),
    "machine, negative counts": ("machine", "_n_support", lambda counts: counts - 10**6),
    "machine, fewer vectors": ("machine", "support_vectors_", lambda vectors: vectors[:1]),
    "machine, fewer columns": ("machine", "support_vectors_", lambda vectors: vectors[:, :1]),
    "machine, no weights": ("machine", "_dual_coef_", lambda weights: weights[:, :0]),
    "machine, no offset": ("machine", "_intercept_", lambda offsets: offsets[:0]),
    "member, circle": ("ensemble", "left_child", at_root(left_child=0, right_child=0)),
    "boosted member, circle": ("ensemble", "num_threshold", at_root(left=0, right=0)),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_arrays_that_compiled_code_would_follow_anywhere_are_refused(name, tmp_path):
    kind, wanted, change = CHANGES[name]
    path = with_arrays(file_of(kind), tmp_path / "model.skops", wanted, change)
    with pytest.raises(FormatError) as caught:
        load_model(path)
    reaches_checks = name != "boosted other type"  # of which scikit-learn makes no tree
    assert isinstance(caught.value, ModelPartError) == reaches_checks
    assert "changed" not in str(caught.value)  # nothing tells who made the file so


def test_sets_of_categories_that_are_not_there_are_refused():
    model = HistGradientBoostingClassifier(
        max_iter=3, min_samples_leaf=3, max_leaf_nodes=4, categorical_features=[5]
    ).fit(FILLED, FILLED[:, 5] > 0)
    trees = [tree for several in model._predictors for tree in several]
    chosen = next(tree for tree in trees if tree.nodes["is_categorical"].any())
    check_made(model)  # the column of categories comes first inside
    for name, value in (("bitset_idx", 2**31), ("feature_idx", 1)):
        before = chosen.nodes.copy()
        chosen.nodes[name][chosen.nodes["is_categorical"] == 1] = value
        with pytest.raises(ModelPartError):
            check_made(model)
        chosen.nodes = before


@pytest.mark.parametrize(
    ("name", "value"), [("node_count", 2**40), ("node_count", -1), ("node_count", "x")]
)
def test_a_tree_that_counts_its_nodes_otherwise_is_refused(name, value, tmp_path):
    def change(index: Any) -> None:
        part = next(n for n in nodes(index) if n.get("__loader__") == "TreeNode")
        part["content"]["content"][name].update(content=json.dumps(value), __id__=10**9)

    path = with_index(file_of("forest"), tmp_path / "model.skops", change)
    with pytest.raises(ModelPartError):
        load_model(path)


@pytest.mark.parametrize(("place", "value"), [(0, 2**40), (0, 0), (2, 10**6)])
def test_a_tree_that_counts_columns_or_outputs_otherwise_is_refused(place, value, tmp_path):
    def change(index: Any) -> None:
        part = next(n for n in nodes(index) if n.get("__loader__") == "TreeNode")
        said = part["__reduce__"]["args"]["content"][place]
        said.update(content=json.dumps(value), __id__=10**9)

    path = with_index(file_of("forest"), tmp_path / "model.skops", change)
    with pytest.raises(ModelPartError):
        load_model(path)


def spoil(model: Any) -> Any:
    """Return a fitted model whose trees lead in a circle."""
    if isinstance(model, HistGradientBoostingClassifier):
        model._predictors[0][0].nodes["left"][0] = 0
        model._predictors[0][0].nodes["right"][0] = 0
    else:
        model.tree_.children_left[0] = 0
        model.tree_.children_right[0] = 0
    return model


def write_model(estimator: Any, path: Path) -> Path:
    path.write_bytes(model_of(estimator, "binary").to_bytes())
    return path


def test_an_ensemble_is_saved_without_the_unfitted_members_it_was_made_from():
    saved = json.loads(members(file_of("ensemble"))[INDEX])
    (average,) = (n for n in nodes(saved) if n.get("__class__") == "AveragedClassifier")
    assert "estimators_" in average["content"]["content"]
    assert "estimators" not in average["content"]["content"]


@pytest.mark.parametrize("kind", ["boosting", "tree"])
def test_a_fitted_tree_that_leads_in_a_circle_cannot_pass_as_unfitted(
    kind, tmp_path, monkeypatch, golden
):
    """Not as a member of an ensemble beside the fitted ones, nor as the pattern of a forest."""
    average, forest = fitted("ensemble"), fitted("forest")
    spoiled = spoil(fitted("boosting") if kind == "boosting" else forest.inner_.estimators_[0])
    average.estimators = [spoiled]
    monkeypatch.setattr(OuterLearner, "__getstate__", lambda model: dict(vars(model)))
    pattern = fitted("forest")
    pattern.inner_.estimator_ = spoiled
    for model in (average, pattern):
        with pytest.raises(ModelPartError) as caught:
            load_model(write_model(model, tmp_path / "model.skops"))
        golden.check(caught.value.got)


@pytest.mark.parametrize("name", ["_predictors", "n_features_in_", "_n_features", "fitted_"])
def test_a_model_with_some_of_what_a_fit_leaves_counts_as_fitted(name, tmp_path):
    average, whole = fitted("ensemble"), fitted("boosting")
    average.estimators_[0] = ESTIMATORS["boosting"]()
    setattr(average.estimators_[0], name, getattr(whole, name, 6))
    with pytest.raises(FormatError):
        load_model(write_model(average, tmp_path / "model.skops"))


@pytest.mark.parametrize("kind", ["forest", "boosting", "machine"])
def test_a_model_that_was_never_fitted_is_never_asked(kind, tmp_path):
    average = fitted("ensemble")
    average.estimators_[0] = ESTIMATORS[kind]()
    with pytest.raises(FormatError, match="cannot predict these rows"):
        load_model(write_model(average, tmp_path / "model.skops")).predict(ROWS)


def test_an_ensemble_inside_an_ensemble_is_refused(tmp_path):
    average = fitted("ensemble")
    average.estimators_[0] = fitted("ensemble")
    with pytest.raises(ModelPartError):
        load_model(write_model(average, tmp_path / "model.skops"))


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_same_files_unchanged_are_read(kind, tmp_path):
    data = file_of(kind)
    path = written(members(data), data, tmp_path / "model.skops")
    assert len(load_model(path).predict(ROWS)) == len(X) - 4


def test_machines_of_numbers_are_read(tmp_path):
    machine = KernelRegressor().fit(FILLED, OUTCOMES["regression"])
    (tmp_path / "model.skops").write_bytes(model_of(machine, "regression").to_bytes())
    assert len(load_model(tmp_path).predict(ROWS)) == len(X) - 4


def test_a_model_whose_parts_do_not_fit_says_so_when_it_predicts(tmp_path):
    data = file_of("forest")
    path = with_arrays(data, tmp_path / "model.skops", "classes_", lambda classes: classes[:1])
    with pytest.raises(FormatError, match="cannot predict these rows"):
        load_model(path).predict(ROWS)


# ---------------------------------------------------------------------------------------- sizes


def test_an_empty_part_says_that_it_is_empty(tmp_path):
    data = file_of("forest")
    parts = members(data)
    name = next(name for name in parts if name.endswith(".npy"))
    path = written({**parts, name: b""}, data, tmp_path / "model.skops")
    with pytest.raises(FormatError, match="is damaged") as caught:
        load_model(path)
    assert caught.value.got == f"{name!r} is empty"


def test_a_model_that_unpacks_to_more_than_it_may_is_refused(tmp_path, monkeypatch, golden: Golden):
    monkeypatch.setattr(expanding, "ALWAYS", 1 << 16)
    data = file_of("forest")
    parts = members(data)
    parts["more.npy"] = bytes(1 << 22)
    path = written(parts, data, tmp_path / "model.skops", zipfile.ZIP_DEFLATED)
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("was unpacked"))
    with golden.raises(FormatError, hide="[0-9.]+(?= [kM]B)"):
        load_model(path)


def test_an_index_without_end_is_refused(tmp_path):
    data = file_of("forest")
    parts = {**members(data), INDEX: b"[" * 200_000 + b"]" * 200_000}
    path = written(parts, data, tmp_path / "model.skops")
    with pytest.raises(FormatError, match="cannot be read"):
        load_model(path)
