"""What a model file may be made of.

A file of skops is an index that names types and how each is made, beside arrays. What a file
names is never trusted for being named: this list is all that is made of it. It knows no functions
and no methods, so that nothing a file says is ever called but the types below.
"""

from __future__ import annotations

# Types beyond those that skops itself trusts: the parts of the portfolio, and what scikit-learn
# keeps inside them.
TRUSTED: tuple[str, ...] = (
    "earnest.training.calibrated.Calibrated",
    "earnest.training.cox.CoxRegressor",
    "earnest.training.elastic_net.ElasticNetClassifier",
    "earnest.training.elastic_net.ElasticNetRegressor",
    "earnest.training.elastic_net.PathClassifier",
    "earnest.training.learners.ForestClassifier",
    "earnest.training.learners.ForestRegressor",
    "earnest.training.machines.KernelClassifier",
    "earnest.training.machines.KernelRegressor",
    "earnest.training.machines.LinearClassifier",
    "earnest.training.machines.LinearRegressor",
    "earnest.training.preprocessing.Preprocess",
    "earnest.training.selecting.Lasso",
    "earnest.training.selecting.Univariate",
    "earnest.training.ses.SES",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.tree._tree.Tree",
)

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
    "ObjectNode": frozenset(TRUSTED),  # and the estimators of scikit-learn, which skops audits
    "LossNode": frozenset(),  # only the losses of scikit-learn
}
LOSSES = ("sklearn._loss._loss.Cy", "_loss.Cy")
GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


def may_make(way: object, name: str) -> bool:
    """Tell whether a way of skops may make a type of a name.

    Examples
    --------
    >>> from earnest.training.trusted import may_make
    >>> may_make("ObjectNode", "sklearn.pipeline.Pipeline"), may_make("MethodNode", "builtins.str")
    (True, False)
    """
    if not isinstance(way, str) or way not in WAYS:
        return False
    if way == "LossNode":
        return name.startswith(LOSSES)
    return name in WAYS[way] or (way == "ObjectNode" and name.startswith("sklearn."))
