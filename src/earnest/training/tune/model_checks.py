"""Checks of a model file, before and after objects are made from it.

Before: only known ways to make known types, no functions, and arrays as large as they claim. After:
arrays that compiled code follows without checks, such as the nodes of trees, never lead outside
themselves, and every walk through them ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeAlias
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.results.error_shares import ErrorShares
from earnest.training.learners.averaged import AveragedModel
from earnest.training.learners.catalogue import MODELS, SELECTIONS
from earnest.training.protocols import Estimator

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator
    from sklearn.ensemble._hist_gradient_boosting.gradient_boosting import (
        BaseHistGradientBoosting,
    )
    from sklearn.svm._base import BaseLibSVM
    from sklearn.tree import BaseDecisionTree


# What a model file may be made of.
#
# A file of skops is an index that names types and how each is made, beside arrays. What a file
# names is never trusted for being named: this list is all that is made of it. It knows no functions
# and no methods, so that nothing a file says is ever called but the types below.


REFUSED = "holds parts that earnest does not load"


class ModelPartError(FormatError):
    """A model file holds something that earnest does not load.

    Nothing tells how it came there, so the message says only what it is.
    """

    def __init__(
        self,
        what: str = f"the model file {REFUSED}",
        *,
        needs: str = "parts that fit together, as `earnest tune` writes them",
        got: str = "",
        cure: str = "Make the model again with `earnest tune`, or copy its file again.",
    ) -> None:
        super().__init__(what, needs=needs, got=got, cure=cure)


def refuse_types(names: Iterable[str]) -> ModelPartError:
    """Return the error of a file that names types which no model of earnest is made of."""
    return ModelPartError(
        needs="types that models of earnest are made of",
        got=check.some(sorted(set(names))),
        cure="If a plug-in made the model, install it. Otherwise make the model again with "
        "`earnest tune`.",
    )


_AROUND = (
    "earnest.training.learners.averaged.AveragedClassifier",
    "earnest.training.learners.averaged.AveragedRegressor",
    "earnest.training.learners.bounded.BoundedRegressor",
    "earnest.training.learners.calibrated.CalibratedClassifier",
    "earnest.training.learners.encoding.ColumnEncoder",
    "earnest.training.learners.preprocessing.Preprocessor",
)


def list_trusted_types() -> set[str]:
    """Return the types that a model file may be made of, beyond those that skops trusts.

    They are what the registered models and selections declare, and what stands around them.
    """
    kinds = [*MODELS.values(), *SELECTIONS.values()]
    return {*_AROUND, *(name for kind in kinds for name in kind.types)}


_NUMBERS = (
    "bool", "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "str_",
)  # fmt: skip
_PLAIN = ("bool", "float", "int", "str")

# The ways of skops to make something, and the types that each may make. A way that is not here
# (of methods, functions, partial calls, operators, constructors) is refused whatever it names.
WAYS: dict[str, frozenset[str]] = {
    "DictNode": frozenset({"builtins.dict"}),
    "ListNode": frozenset({"builtins.list"}),
    "TupleNode": frozenset({"builtins.tuple"}),
    "JsonNode": frozenset({"builtins.str"}),
    "TypeNode": frozenset(
        [f"builtins.{name}" for name in _PLAIN] + [f"numpy.{name}" for name in _NUMBERS]
    ),
    "NdArrayNode": frozenset(f"numpy.{name}" for name in ("ndarray", *_NUMBERS)),
    "RandomGeneratorNode": frozenset({"numpy.random._generator.Generator"}),
    "TreeNode": frozenset({"sklearn.tree._tree.Tree"}),
    "ObjectNode": frozenset(),  # those of `list_trusted_types`, and estimators of scikit-learn
    "LossNode": frozenset(),  # only the losses of scikit-learn
}
LOSSES = ("sklearn._loss._loss.Cy", "_loss.Cy")
GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


def may_make(way: object, name: str) -> bool:
    """Tell whether a way of skops may make a type of a name.

    Examples
    --------
    >>> from earnest.training.tune.model_checks import may_make
    >>> may_make("ObjectNode", "sklearn.pipeline.Pipeline"), may_make("MethodNode", "builtins.str")
    (True, False)
    """
    if not isinstance(way, str) or way not in WAYS:
        return False
    if way == "LossNode":
        return name.startswith(LOSSES)
    if way == "ObjectNode":  # skops audits the estimators of scikit-learn itself
        return name.startswith("sklearn.") or name in list_trusted_types()
    return name in WAYS[way]


# The bytes of a model file that depend on the model alone.
#
# skops names the parts of a model by their addresses in memory, and its archive keeps the time of
# day; so two files of one model differ. Here parts are numbered as they come and times are fixed.


Node: TypeAlias = dict[str, Any]  # a part of the index, as JSON gives it
INDEX = "schema.json"  # the file of the archive that says what the others are
DAY = (1980, 1, 1, 0, 0, 0)  # the first that an archive knows


def normalize_archive(data: bytes, comment: str = "") -> bytes:
    """Return the file of skops with its parts numbered in their order, without times.

    `comment` is what can be read of the archive before anything is made of it.
    """
    with ZipFile(BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    numbers: dict[int, int] = {}
    index = _number_node(json.loads(files.pop(INDEX)), numbers)
    named = {_rename(name, numbers): content for name, content in files.items()}
    sink = BytesIO()
    with ZipFile(sink, "w") as archive:
        archive.comment = comment.encode()
        for name in sorted(named):
            archive.writestr(ZipInfo(name, DAY), named[name])
        archive.writestr(ZipInfo(INDEX, DAY), json.dumps(index))
    return sink.getvalue()


def _number_node(node: object, numbers: dict[int, int]) -> object:
    """Return a node of the index with the number of its place for every address."""
    if isinstance(node, list):
        return [_number_node(item, numbers) for item in node]
    if not isinstance(node, dict):
        return node
    entry = dict(node)
    if isinstance(node.get("__id__"), int):
        entry["__id__"] = numbers.setdefault(node["__id__"], len(numbers) + 1)
    for key, value in node.items():
        if key == "file" and isinstance(value, str):
            entry[key] = _rename(value, numbers)
        elif key != "__id__":
            entry[key] = _number_node(value, numbers)
    return entry


def _rename(name: str, numbers: dict[int, int]) -> str:
    path = PurePosixPath(name)
    if not path.stem.isdigit():
        return name
    return f"{numbers.setdefault(int(path.stem), len(numbers) + 1)}{path.suffix}"


_LEAF = -1


def check_index(archive: ZipFile) -> None:
    """Refuse a file whose index asks for more than models are made of; nothing is made.

    Parameters
    ----------
    archive : ZipFile
        The file, open.
    """
    index = json.loads(archive.read(INDEX))
    seen: dict[object, Node] = {}
    strange = []
    for node in _list_nodes(index):
        name = f"{node.get('__module__')}.{node.get('__class__')}"
        if not may_make(node["__loader__"], name):
            is_way = isinstance(node["__loader__"], str) and node["__loader__"] in WAYS
            strange.append(name if is_way else f"{name} by {check.show(node['__loader__'], 30)}")
            continue
        number = node.get("__id__")
        # Of two parts with one number, skops makes the first and takes it for the other.
        first = node if number is None else seen.setdefault(number, node)
        if first != node and _drop_numbers(first) != _drop_numbers(node):
            raise ModelPartError(got=f"two parts of number {check.show(number, 20)}")
        if node["__loader__"] == "RandomGeneratorNode":
            _check_generator(node)
        elif node["__loader__"] == "TreeNode":
            _check_tree_parts(node, archive)
    if strange:
        raise refuse_types(strange)


def _list_nodes(index: object) -> Iterator[Node]:
    """Yield all parts of an index, however deep they lie."""
    waiting = [index]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if "__loader__" in item:
                yield item
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def _drop_numbers(node: object) -> object:
    """Return a part without the numbers of its parts, which differ each time it is written."""
    if isinstance(node, dict):
        return {key: _drop_numbers(value) for key, value in node.items() if key != "__id__"}
    return [_drop_numbers(item) for item in node] if isinstance(node, list) else node


def _check_generator(node: Node) -> None:
    """Refuse a generator by another name than NumPy's: skops calls what the name stands for."""
    try:
        text = json.loads(node["content"]["bit_generator"]["content"]["bit_generator"]["content"])
    except (LookupError, TypeError, ValueError) as error:
        raise ModelPartError(got="a random generator without a name") from error
    if text not in GENERATORS:
        raise ModelPartError(got=f"a random generator named {check.show(text, 30)}")


def _check_tree_parts(node: Node, archive: ZipFile) -> None:
    """Refuse a tree whose parts differ in length: they are copied without looking."""
    try:
        n_features, classes, n_outputs = node["__reduce__"]["args"]["content"]
        state = node["content"]["content"]
        counts = [json.loads(text["content"]) for text in (n_features, n_outputs)]
        node_count = json.loads(state["node_count"]["content"])
        n_classes = _read_array(classes, archive)
        nodes, values = (_read_array(state[name], archive) for name in ("nodes", "values"))
    except (LookupError, TypeError, ValueError) as error:
        raise ModelPartError(got="a tree without its parts") from error
    whole = all(type(count) is int for count in (*counts, node_count))
    if not whole or n_classes.dtype.kind not in "iu" or n_classes.ndim != 1:
        raise ModelPartError(got="a tree whose parts have the wrong types")
    good = (
        counts[0] >= 1
        and counts[1] == len(n_classes)
        and min(n_classes, default=0) >= 1
        and nodes.shape == (node_count,)
        and node_count >= 1
        and values.shape == (node_count, counts[1], int(n_classes.max(initial=0)))
    )
    if not good:
        raise ModelPartError(got="a tree whose parts differ in length")


def _read_array(node: Node, archive: ZipFile) -> NDArray[np.generic]:
    return np.asarray(np.load(BytesIO(archive.read(node["file"])), allow_pickle=False))


def read_errors(data: object) -> ErrorShares | None:
    """Return the out-of-sample errors that a file holds; refuse what is no distribution of them.

    Examples
    --------
    >>> from earnest.training.tune.model_checks import read_errors
    >>> read_errors({"errors": [0.5, 1.0], "shares": [0.5, 1.0], "n_units": 2}).find_bound(0.3)
    0.5
    """
    if data is None:
        return None
    if not isinstance(data, Mapping):
        raise ModelPartError(got="out-of-sample errors that are no table")
    try:
        return ErrorShares.from_dict(data)
    except (InputError, LookupError, TypeError, ValueError) as error:
        raise ModelPartError(got="out-of-sample errors that are no distribution") from error


def check_made(estimator: object) -> None:
    """Refuse an estimator whose compiled parts would read outside their arrays, or never end.

    Parameters
    ----------
    estimator : object
        What was made of a file.
    """
    from sklearn.base import BaseEstimator
    from sklearn.ensemble._forest import BaseForest
    from sklearn.ensemble._hist_gradient_boosting.gradient_boosting import (
        BaseHistGradientBoosting,
    )
    from sklearn.svm._base import BaseLibSVM
    from sklearn.tree import BaseDecisionTree

    for member in _list_parts(estimator):
        if isinstance(member, AveragedModel):
            if any(isinstance(inner, AveragedModel) for inner in _list_parts(vars(member))):
                raise ModelPartError(got="an ensemble inside an ensemble")  # might never end
        elif isinstance(member, BaseEstimator) and _is_pattern(member):
            continue
        elif isinstance(member, BaseDecisionTree):
            _check_decision_tree(member)
        elif isinstance(member, BaseForest):
            columns = _count_columns(member)
            if any(_count_columns(tree) != columns for tree in getattr(member, "estimators_", [])):
                raise ModelPartError(got="a forest whose trees have different columns")
        elif isinstance(member, BaseHistGradientBoosting):
            _check_boosting(member)
        elif isinstance(member, BaseLibSVM):
            _check_machine(member)


def _is_pattern(estimator: BaseEstimator) -> bool:
    """Tell whether an estimator was never fitted, such as the pattern of a forest's trees.

    scikit-learn refuses to predict with one that has no attribute with an underscore at the end,
    so that nothing follows its arrays. What has any, or one with an underscore in front, counts as
    fitted, and is checked.
    """
    return not any(name.startswith("_") or name.endswith("_") for name in vars(estimator))


def _list_parts(whole: object) -> Iterator[object]:
    """Yield an object and all that it holds, each once."""
    waiting, seen = [whole], set()
    while waiting:
        item = waiting.pop()
        if id(item) in seen or isinstance(item, str | bytes | int | float | type | None):
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, Mapping):
            waiting.extend(item.values())
        elif isinstance(item, list | tuple | set):
            waiting.extend(item)
        elif isinstance(item, np.ndarray):
            waiting.extend(item.ravel().tolist() if item.dtype == object else ())
        else:
            waiting.extend(getattr(item, "__dict__", {}).values())


def _count_columns(estimator: Estimator) -> int:
    n_features = getattr(estimator, "n_features_in_", None)
    if not isinstance(n_features, int | np.integer) or n_features < 1:
        raise ModelPartError(got=f"{type(estimator).__name__} without a number of columns")
    return int(n_features)


def _check_decision_tree(estimator: BaseDecisionTree) -> None:
    from sklearn.tree._tree import Tree

    tree: Any = getattr(estimator, "tree_", None)
    if type(tree) is not Tree or tree.node_count != tree.capacity:
        raise ModelPartError(got="a tree without nodes")
    if tree.n_features != _count_columns(estimator):
        raise ModelPartError(got="a tree with different columns from its model")
    inner = tree.children_left != _LEAF
    _check_walk(
        inner,
        tree.children_left,
        tree.children_right,
        tree.feature,
        tree.threshold,
        tree.n_features,
    )
    if not np.isfinite(tree.value).all():
        raise ModelPartError(got="a tree with values that are not numbers")


def _check_walk(
    inner: NDArray[np.bool_],
    left: NDArray[np.integer],
    right: NDArray[np.integer],
    feature: NDArray[np.integer],
    threshold: NDArray[np.float64],
    columns: int,
) -> None:
    """Refuse nodes that lead outside, back or to no column.

    A tree is written from its root on: a child stands after its parent, so that every walk ends.
    """
    position = np.arange(len(inner))[inner]
    for child in (left[inner].astype(np.int64), right[inner].astype(np.int64)):
        if (child <= position).any() or (child >= len(inner)).any():
            raise ModelPartError(got="a tree whose nodes lead outside it or in a circle")
    features = feature[inner]
    if (features < 0).any() or (features >= columns).any():
        raise ModelPartError(got="a tree that uses a column that does not exist")
    if np.isnan(threshold[inner]).any():
        raise ModelPartError(got="a tree with thresholds that are not numbers")


def _check_boosting(model: BaseHistGradientBoosting) -> None:
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor

    columns = _count_columns(model)
    if getattr(model, "_n_features", columns) != columns:
        raise ModelPartError(got="boosted trees with different columns from their model")
    for predictor in (predictor for several in model._predictors for predictor in several):
        if type(predictor) is not TreePredictor:
            raise ModelPartError(got="boosted trees of the wrong type")
        nodes, sets = predictor.nodes, predictor.raw_left_cat_bitsets
        if not isinstance(nodes, np.ndarray) or nodes.dtype != PREDICTOR_RECORD_DTYPE:
            raise ModelPartError(got="boosted trees with nodes of the wrong type")
        if nodes.ndim != 1 or not len(nodes):
            raise ModelPartError(got="a boosted tree without nodes")
        inner = nodes["is_leaf"] == 0
        chosen = inner & (nodes["is_categorical"] != 0)
        numeric = np.where(chosen, 0.0, nodes["num_threshold"])
        _check_walk(inner, nodes["left"], nodes["right"], nodes["feature_idx"], numeric, columns)
        if not np.isfinite(nodes["value"][~inner]).all():
            raise ModelPartError(got="a boosted tree with values that are not numbers")
        if chosen.any():
            _check_categories(model, nodes[chosen], sets, columns)


def _check_categories(
    model: BaseHistGradientBoosting, nodes: NDArray[np.void], sets: object, columns: int
) -> None:
    is_categorical = np.asarray(model._bin_mapper.is_categorical_)
    good = (
        isinstance(sets, np.ndarray)
        and sets.ndim == 2
        and sets.shape[1] == 8
        and (nodes["bitset_idx"] < len(sets)).all()
        and is_categorical.shape == (columns,)
        and is_categorical[nodes["feature_idx"]].all()
    )
    if not good:
        raise ModelPartError(got="a boosted tree with categories that do not exist")


def _check_machine(machine: BaseLibSVM) -> None:
    """Refuse a support vector machine whose arrays differ in length: libsvm does not look."""
    from sklearn.svm import SVC, SVR

    names = ("support_", "support_vectors_", "_n_support", "_dual_coef_", "_intercept_")
    try:
        support, vectors, counts, weights, offsets = (
            np.asarray(getattr(machine, name)) for name in names
        )
    except AttributeError as error:
        raise ModelPartError(got="a support vector machine without its vectors") from error
    k = counts.size
    good = (
        type(machine) in (SVC, SVR)
        and isinstance(machine.kernel, str)
        and machine._sparse is False
        and vectors.ndim == 2
        and support.shape == (len(vectors),)
        and vectors.shape[1] == _count_columns(machine)
        and counts.ndim == 1
        and counts.dtype.kind in "iu"
        and k >= 2
        and weights.shape == (k - 1, len(vectors))
        and offsets.shape == (k * (k - 1) // 2,)
        and (type(machine) is SVR or (counts.min() >= 0 and int(counts.sum()) == len(vectors)))
        and np.isfinite(weights).all()
        and np.isfinite(vectors).all()
    )
    if not good:
        raise ModelPartError(got="a support vector machine whose parts do not match")
