"""The models and selections of portfolios: their parameters, and the cost of a fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.base.registry import Registry
from earnest.training.protocols import Estimator

BINARY, MULTICLASS, REGRESSION, SURVIVAL = "binary", "multiclass", "regression", "survival"
TASKS = (BINARY, MULTICLASS, REGRESSION, SURVIVAL)
PLAIN_TASKS = (BINARY, MULTICLASS, REGRESSION)

PACKAGE = __name__.rpartition(".")[0]  # that of the learners
Value = str | float | int | bool
Params = Mapping[str, Any]  # values of a file, held to their knobs when it is read


@dataclass(frozen=True)
class Knob:
    """What values a knob may have.

    Parameters
    ----------
    low, high : float
        The range of a number.
    whole : bool
        Whether only whole numbers will do.
    words : tuple of str
        The words it may be instead of a number.
    open_low, open_high : bool
        Whether the ends are left out of the range.
    """

    low: float = 0.0
    high: float = math.inf
    whole: bool = False
    words: tuple[str, ...] = ()
    open_low: bool = False
    open_high: bool = False

    def __str__(self) -> str:
        """Tell what is allowed."""
        if self.words:
            return ", ".join(map(repr, self.words))
        what = "an integer" if self.whole else "a number"
        start = f"above {self.low:g}" if self.open_low else f"from {self.low:g}"
        if math.isinf(self.high):
            return f"{what} {start}" + ("" if self.open_low else " on")
        return f"{what} {start} to {'below ' if self.open_high else ''}{self.high:g}"

    def read(self, value: object, where: str) -> Value:
        """Return a value that is allowed, or refuse it."""
        if self.words:
            if isinstance(value, str) and value in self.words:
                return value
            cure = check.nearest(str(value), self.words)
            raise FormatError(f"{where} is unknown", needs=str(self), got=repr(value), cure=cure)
        kinds = int if self.whole else (int, float)
        if isinstance(value, kinds) and not isinstance(value, bool) and self._inside(float(value)):
            return value if self.whole else float(value)
        raise FormatError(f"{where} is out of range", needs=str(self), got=repr(value))

    def _inside(self, value: float) -> bool:
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return math.isfinite(value) and above and below


POSITIVE = Knob(open_low=True)
SHARE = Knob(high=1.0)
PART = Knob(high=1.0, open_low=True)
COUNT = Knob(low=1, whole=True)


@dataclass(frozen=True)
class PortfolioKind:
    """A model or a selection that a portfolio may name.

    Parameters
    ----------
    make : callable
        `make(task, params, seed)` to an unfitted estimator, or to the word 'passthrough'.
    tasks : tuple of str
        What it can learn.
    knobs : mapping of str to Knob
        What can be set.
    seconds : callable
        `seconds(cases, columns, params)`, about what a fit takes.
    scales : bool
        Whether it needs numbers of one scale.
    encode : str
        The encoding of categories that suits it.
    takes_missing : bool
        Whether it handles NaN itself.
    takes_categories : bool
        Whether it splits codes of categories as such, where `categorical_features` lists their
        columns.
    decides_only : bool
        Whether as a classifier it has no probabilities of its own.
    types : tuple of str
        The types that a fitted one is made of, by their full names, beyond those that skops
        trusts by itself: no model file may make others.
    package : str
        The package that fits it, empty for those that come with earnest. Where it is not
        installed, a portfolio goes without the model.
    """

    make: Callable[[str, Params, int], Estimator | str]
    tasks: tuple[str, ...] = PLAIN_TASKS
    knobs: Mapping[str, Knob] = field(default_factory=dict)
    seconds: Callable[[int, int, Params], float] = lambda cases, columns, params: 0.0
    scales: bool = True
    encode: str = "one_hot"
    takes_missing: bool = False
    takes_categories: bool = False
    decides_only: bool = False
    types: tuple[str, ...] = ()
    package: str = ""

    @property
    def installed(self) -> bool:
        """Whether it can be fitted here."""
        return not self.package or find_spec(self.package) is not None


MODELS: Registry[PortfolioKind] = Registry("model")
SELECTIONS: Registry[PortfolioKind] = Registry("selection")


def register_model(name: str, kind: PortfolioKind) -> PortfolioKind:
    """Let a portfolio name a model."""
    return MODELS.add(name, kind)


def register_selection(name: str, kind: PortfolioKind) -> PortfolioKind:
    """Let a portfolio name a selection of columns."""
    return SELECTIONS.add(name, kind)


def _name_types(module: str, *names: str) -> tuple[str, ...]:
    """Return the full names of types of another module of this package."""
    return tuple(f"{PACKAGE}.{module}.{name}" for name in names)


# ---------------------------------------------------------------------------------------- models


def _make_from(
    module: str, classifier: str, regressor: str = "", *, seeded: bool = False
) -> Callable[[str, Params, int], Estimator]:
    """Return a function that makes a learner of this package, loaded when it is first made."""

    def make(task: str, params: Params, seed: int) -> Estimator:
        name = regressor if task == REGRESSION else classifier
        learner = getattr(import_module(f"{PACKAGE}.{module}"), name)
        model: Estimator = learner(**params, **({"random_state": seed} if seeded else {}))
        return model

    return make


def _make_elastic_net_path(task: str, params: Params, seed: int) -> Estimator:
    from earnest.training.learners.elastic_net import PathClassifier

    model = PathClassifier(**params)
    check.whole_number("step", model.step, low=1, high=model.steps)
    return model


def _make_linear_svm(task: str, params: Params, seed: int) -> Estimator:
    from earnest.training.learners.svm import LinearClassifier, LinearRegressor

    knobs = dict(params)
    if knobs.pop("solver", "liblinear") == "libsvm":
        return _choose_kernel("linear")(task, knobs, seed)
    return (LinearRegressor if task == REGRESSION else LinearClassifier)(**knobs)


def _choose_kernel(kernel: str) -> Callable[[str, Params, int], Estimator]:
    def make(task: str, params: Params, seed: int) -> Estimator:
        from earnest.training.learners.svm import KernelClassifier, KernelRegressor

        knobs = dict(params)
        relative = knobs.pop("gamma_unit", "columns") == "columns"
        kind = KernelRegressor if task == REGRESSION else KernelClassifier
        return kind(kernel, relative=relative, **knobs)

    return make


def _make_boosting(task: str, params: Params, seed: int) -> Estimator:
    from sklearn.ensemble import HistGradientBoostingClassifier as Classifier
    from sklearn.ensemble import HistGradientBoostingRegressor as Regressor

    names = {
        "rounds": "max_iter",
        "min_leaf": "min_samples_leaf",
        "l2": "l2_regularization",
        "columns": "max_features",
    }
    knobs = {names.get(name, name): value for name, value in params.items()}
    patience = knobs.pop("patience", None)
    if patience is not None:
        knobs["n_iter_no_change"] = patience
    kind = Regressor if task == REGRESSION else Classifier
    return kind(**knobs, early_stopping=patience is not None, random_state=seed)


USUAL_STEPS = 15.0  # rounds times learning rate, after which boosting usually stops


def _time_newton(cases: int, columns: int, params: Params) -> float:
    return 0.005 + 2e-7 * cases * columns * math.pow(float(params.get("C", 1.0)), 0.3)


def _time_linear(cases: int, columns: int, params: Params) -> float:
    if params.get("solver") == "libsvm":
        return _time_kernel(cases, columns, params)
    return 0.005 + 2e-7 * cases * columns


def _time_kernel(cases: int, columns: int, params: Params) -> float:
    return 0.005 + 3e-10 * cases**2 * (columns + 40) * (1 + math.log10(1 + float(params["C"])))


def _time_forest(cases: int, columns: int, params: Params) -> float:
    tries = float(params.get("mtry", 1.0)) * math.sqrt(columns)
    each = 8e-4 + 5e-8 * cases * math.log2(cases + 2) * tries
    return each * float(params.get("trees", 500))


def _time_extra_trees(cases: int, columns: int, params: Params) -> float:
    return 0.5 * _time_forest(cases, columns, params)


def _time_boosting(cases: int, columns: int, params: Params) -> float:
    leaves = float(params.get("max_leaf_nodes", 31))
    rounds = float(params.get("rounds", 100))
    if "patience" in params:
        rounds = min(rounds, USUAL_STEPS / float(params.get("learning_rate", 0.1)))
    return rounds * (2e-4 + leaves * (1e-5 + 1.5e-6 * columns))


def _time_lightgbm(cases: int, columns: int, params: Params) -> float:
    return 0.4 * _time_boosting(cases, columns, params)


def _time_catboost(cases: int, columns: int, params: Params) -> float:
    rounds = float(params.get("rounds", 1000))
    if "patience" in params:
        rounds = min(rounds, 2.0 * USUAL_STEPS / float(params.get("learning_rate", 0.1)))
    return rounds * (1e-3 + 4e-9 * cases * columns * float(params.get("depth", 6)))


def _time_xgboost(cases: int, columns: int, params: Params) -> float:
    rounds = float(params.get("rounds", 200))
    if "patience" in params:
        rounds = min(rounds, 2.0 * USUAL_STEPS / float(params.get("learning_rate", 0.1)))
    return rounds * (1e-3 + 3e-9 * cases * columns * float(params.get("depth", 6)))


def _time_cox(cases: int, columns: int, params: Params) -> float:
    return 0.005 + (2e-6 if params.get("l1_ratio") else 5e-7) * cases * columns


def _time_boosted_cox(cases: int, columns: int, params: Params) -> float:
    return float(params.get("rounds", 100)) * (5e-4 + 4e-7 * cases * columns)


_BOOSTING = {
    "learning_rate": POSITIVE,
    "rounds": COUNT,
    "max_leaf_nodes": Knob(low=2, whole=True),
    "min_leaf": COUNT,
    "l2": Knob(),
    "columns": PART,
    "patience": COUNT,
}
_FOREST = {"trees": COUNT, "min_leaf": COUNT, "mtry": POSITIVE}
_TREE = ("sklearn.tree._tree.Tree",)
_KERNEL_TYPES = _name_types("svm", "KernelClassifier", "KernelRegressor")
_MACHINE = {"C": POSITIVE, "gamma": POSITIVE, "gamma_unit": Knob(words=("columns", "one"))}

for _name, _kind in {
    "elastic_net": PortfolioKind(
        _make_from("elastic_net", "ElasticNetClassifier", "ElasticNetRegressor"),
        knobs={"C": POSITIVE, "l1_ratio": SHARE},
        seconds=_time_newton,
        types=_name_types("elastic_net", "ElasticNetClassifier", "ElasticNetRegressor"),
    ),
    "elastic_net_path": PortfolioKind(
        _make_elastic_net_path,
        tasks=(BINARY, MULTICLASS),
        knobs={"alpha": Knob(high=1.0, open_low=True), "step": COUNT, "steps": COUNT},
        seconds=_time_newton,
        types=_name_types("elastic_net", "PathClassifier"),
    ),
    "linear_svm": PortfolioKind(
        _make_linear_svm,
        knobs={"C": POSITIVE, "solver": Knob(words=("liblinear", "libsvm"))},
        seconds=_time_linear,
        decides_only=True,
        types=(*_name_types("svm", "LinearClassifier", "LinearRegressor"), *_KERNEL_TYPES),
    ),
    "polynomial_svm": PortfolioKind(
        _choose_kernel("poly"),
        knobs={**_MACHINE, "degree": Knob(low=1, high=10, whole=True), "coef0": Knob()},
        seconds=_time_kernel,
        decides_only=True,
        types=_KERNEL_TYPES,
    ),
    "rbf_svm": PortfolioKind(
        _choose_kernel("rbf"),
        knobs=_MACHINE,
        seconds=_time_kernel,
        decides_only=True,
        types=_KERNEL_TYPES,
    ),
    "random_forest": PortfolioKind(
        _make_from("base", "ForestClassifier", "ForestRegressor", seeded=True),
        knobs={**_FOREST, "rows": PART},
        seconds=_time_forest,
        scales=False,
        encode="ordinal",
        types=(*_name_types("base", "ForestClassifier", "ForestRegressor"), *_TREE),
    ),
    "extra_trees": PortfolioKind(
        _make_from("base", "ExtraTreesClassifier", "ExtraTreesRegressor", seeded=True),
        knobs=_FOREST,
        seconds=_time_extra_trees,
        scales=False,
        encode="ordinal",
        types=(*_name_types("base", "ExtraTreesClassifier", "ExtraTreesRegressor"), *_TREE),
    ),
    "hist_gradient_boosting": PortfolioKind(
        _make_boosting,
        knobs=_BOOSTING,
        seconds=_time_boosting,
        scales=False,
        encode="ordinal",
        takes_missing=True,
        takes_categories=True,
        types=(
            "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
            *_name_types(
                "category_boosting", "CategoryBoostingClassifier", "CategoryBoostingRegressor"
            ),
        ),
    ),
    "lightgbm": PortfolioKind(
        _make_from("boosting", "LightGBMClassifier", "LightGBMRegressor", seeded=True),
        knobs={**_BOOSTING, "rows": PART},
        seconds=_time_lightgbm,
        scales=False,
        encode="ordinal",
        takes_missing=True,
        types=_name_types("boosting", "LightGBMClassifier", "LightGBMRegressor"),
        package="lightgbm",
    ),
    "catboost": PortfolioKind(
        _make_from("oblivious", "CatBoostClassifier", "CatBoostRegressor", seeded=True),
        knobs={
            "learning_rate": POSITIVE,
            "rounds": COUNT,
            "depth": Knob(low=1, high=16, whole=True),
            "l2": Knob(),
            "patience": COUNT,
        },
        seconds=_time_catboost,
        scales=False,
        encode="ordinal",
        takes_missing=True,
        types=_name_types("oblivious", "CatBoostClassifier", "CatBoostRegressor"),
        package="catboost",
    ),
    "xgboost": PortfolioKind(
        _make_from("boosting", "XGBoostClassifier", "XGBoostRegressor", seeded=True),
        knobs={
            "learning_rate": POSITIVE,
            "rounds": COUNT,
            "depth": Knob(low=1, high=16, whole=True),
            "min_weight": Knob(),
            "l2": Knob(),
            "columns": PART,
            "rows": PART,
            "patience": COUNT,
        },
        seconds=_time_xgboost,
        scales=False,
        encode="ordinal",
        takes_missing=True,
        types=_name_types("boosting", "XGBoostClassifier", "XGBoostRegressor"),
        package="xgboost",
    ),
    "cox": PortfolioKind(
        _make_from("survival.cox", "CoxRegressor"),
        tasks=(SURVIVAL,),
        knobs={"penalizer": POSITIVE, "l1_ratio": SHARE},
        seconds=_time_cox,
        types=_name_types("survival.cox", "CoxRegressor"),
    ),
    "boosted_cox": PortfolioKind(
        _make_from("survival.boosted", "BoostedCoxRegressor", seeded=True),
        tasks=(SURVIVAL,),
        knobs={
            "rounds": COUNT,
            "learning_rate": POSITIVE,
            "max_leaf_nodes": Knob(low=2, whole=True),
            "min_leaf": COUNT,
            "rows": PART,
            "columns": PART,
            "l2": Knob(),
        },
        seconds=_time_boosted_cox,
        scales=False,
        encode="ordinal",
        types=(*_name_types("survival.boosted", "BoostedCoxRegressor"), *_TREE),
    ),
}.items():
    register_model(_name, _kind)

# ------------------------------------------------------------------------------------ selections

_OUTCOMES = {REGRESSION: "numbers", SURVIVAL: "survival"}


def _make_none(task: str, params: Params, seed: int) -> str:
    return "passthrough"


def _select_by(module: str, name: str) -> Callable[[str, Params, int], Estimator]:
    """Return a function that makes a selection of this package."""

    def make(task: str, params: Params, seed: int) -> Estimator:
        selection = getattr(import_module(f"{PACKAGE}.{module}"), name)
        selector: Estimator = selection(**params, outcome=_OUTCOMES.get(task, "classes"))
        return selector

    return make


def _time_ses(cases: int, columns: int, params: Params) -> float:
    return 0.01 + 1e-6 * cases * columns  # most fits find the selection made


for _name, _kind in {
    "none": PortfolioKind(_make_none, tasks=TASKS),
    "univariate": PortfolioKind(
        _select_by("selection", "UnivariateSelection"),
        tasks=TASKS,
        knobs={"share": Knob(high=1.0, open_low=True)},
        seconds=lambda cases, columns, params: 0.001 + 1e-8 * cases * columns,
        types=_name_types("selection", "UnivariateSelection"),
    ),
    "l1": PortfolioKind(
        _select_by("selection", "Lasso"),
        knobs={"strength": Knob(high=1.0, open_low=True, open_high=True)},
        seconds=_time_newton,
        types=_name_types("selection", "Lasso"),
    ),
    "ses": PortfolioKind(
        _select_by("ses", "SES"),
        knobs={
            "alpha": Knob(high=1.0, open_low=True, open_high=True),
            "max_k": Knob(low=0, high=10, whole=True),
        },
        seconds=_time_ses,
        types=_name_types("ses", "SES"),
    ),
}.items():
    register_selection(_name, _kind)
