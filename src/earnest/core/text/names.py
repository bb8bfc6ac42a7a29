"""What configurations are called: plain values, objects by a readable name, one namer for all.

Terminal, tables, figures and reports ask `name_configs`; `tune` makes its ids by the same rules.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from earnest.core.base import check
from earnest.core.space.parameters import simplify_value

LONGEST = 40  # characters up to which an object is shown as it prints
LONGEST_NUMBER = 6  # characters up to which a number is shown whole
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_PRINTED = (str, bytes, tuple, list, dict, set, frozenset, range, slice, np.ndarray)


def simplify_values(configs: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    """Return configurations with plain values: numbers, text, bool and None.

    An object is shown as it prints if that is short, else by its class; objects of one parameter
    that differ and would be called the same are numbered in the order in which they come.

    Examples
    --------
    >>> from earnest.core.text.names import simplify_values
    >>> simplify_values([{"units": (10, 5), "f": lambda x: x}, {"units": (4,), "f": lambda x: -x}])
    [{'units': '(10, 5)', 'f': '<lambda>-1'}, {'units': '(4,)', 'f': '<lambda>-2'}]
    """
    identities: dict[int, tuple[str, str]] = {}  # objects are alive here, so that an id is theirs
    names: dict[str, dict[str, str]] = {}
    for config in configs:
        for param, value in config.items():
            if _is_object(value):
                if id(value) not in identities:
                    identities[id(value)] = _identify(value)
                key, name = identities[id(value)]
                names.setdefault(str(param), {}).setdefault(key, name)
    shown = {param: _number_names(keys) for param, keys in names.items()}
    return [
        {
            str(param): shown[str(param)][identities[id(value)][0]]
            if _is_object(value)
            else simplify_value(value)
            for param, value in config.items()
        }
        for config in configs
    ]


def _is_object(value: object) -> bool:
    """Tell whether a value is named by what it is, not by what it prints."""
    if value is None or isinstance(value, (bool, int, float, np.generic, *_PRINTED)):
        return False
    return not isinstance(simplify_value(value), float)  # NaN of another library stays missing


def _identify(value: object) -> tuple[str, str]:
    """Return what tells an object from others, and what it is called."""
    printed = " ".join(check.spell(value).split())
    nameless = _ADDRESS.search(printed) is not None
    key = f"{printed} {id(value)}" if nameless else printed
    if isinstance(value, type) or (callable(value) and hasattr(value, "__name__")):
        return key, str(value.__name__)
    return key, type(value).__name__ if nameless or len(printed) > LONGEST else printed


def _number_names(names: dict[str, str]) -> dict[str, str]:
    """Return the names, those that several objects have with a number each."""
    counts, seen = Counter(names.values()), Counter[str]()
    out = {}
    for key, name in names.items():
        seen[name] += 1
        out[key] = f"{name}-{seen[name]}" if counts[name] > 1 else name
    return out


# ---- what a configuration is called: terminal, tables, figures and reports ask here


# Parameters that say which model a configuration is, by any word of their name.
MODEL_WORDS = frozenset({"model", "classifier", "regressor", "estimator", "learner", "clf"})
SELECTION = "select"  # the parameter that says what selects columns, and its value for nothing
NO_SELECTION = "none"
_INITIALS = frozenset(
    {"svm", "svc", "svr", "rbf", "ses", "knn", "pca", "lda", "qda", "mlp", "gp", "nb", "l1", "l2"}
    | {"gbm", "xgb", "lgbm"}
)
_SPELLED = {
    "hist": "histogram",
    "lightgbm": "LightGBM",
    "catboost": "CatBoost",
    "xgboost": "XGBoost",
}
_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_BETWEEN = re.compile(r", (?![^(]*\))")  # the commas between parts, not those in brackets


@dataclass(frozen=True)
class ConfigName:
    """What a configuration is called: its model, and the settings that tell it from others.

    Attributes
    ----------
    model : str
        The kind of model in words, empty where the parameters do not say.
    settings : str
        The settings, separated by commas; the name itself where no parameters are known.
    has_id : bool
        Whether they begin with the id, as several configurations have the same.
    """

    model: str
    settings: str
    has_id: bool = False

    @property
    def words(self) -> str:
        """The whole name: 'polynomial SVM, degree 2, C 1, after SES'."""
        return ", ".join(words for words in (self.model, self.settings) if words)


def name_configs(
    ids: Sequence[str], params: Sequence[Mapping[str, object]] | None = None
) -> dict[str, ConfigName]:
    """Return what each configuration is called, by its id.

    A name tells the model and the settings; a setting that all configurations of a model share
    tells none of them apart and is left out. An id that is such a name already stays as it is, so
    that a configuration of `tune` has one name in files, terminal and report. Configurations that
    would be called the same are told apart by their ids.

    Parameters
    ----------
    ids : sequence of str
        The ids, all different.
    params : sequence of mapping, optional
        The parameters of each, plain values as `simplify_values` returns them.

    Examples
    --------
    >>> from earnest.core.text.names import name_configs
    >>> found = name_configs(
    ...     ["c0", "c1", "c2"],
    ...     [
    ...         {"model": "rbf_svm", "select": "ses", "C": 1.0, "gamma": 0.1},
    ...         {"model": "rbf_svm", "select": "none", "C": 10.0, "gamma": 0.1},
    ...         {"model": "elastic_net", "select": "none"},
    ...     ],
    ... )
    >>> [name.words for name in found.values()]
    ['RBF SVM, C 1, after SES', 'RBF SVM, C 10', 'elastic net']
    """
    configs: list[dict[str, object]] = [dict(config) for config in params or [{}] * len(ids)]
    key = _find_model_key(configs)
    short = param_names(configs)
    classes = class_names(value for config in configs for value in config.values())
    models = ["" if key is None else name_model(config[key], classes) for config in configs]
    worded = [dict(_list_settings(config, key, short, classes)) for config in configs]
    shared = _find_shared(models, worded)
    named = {}
    for name, model, settings in zip(ids, models, worded, strict=True):
        parts = _BETWEEN.split(name)
        if settings and set(parts) <= {model, *settings.values()}:
            named[name] = ConfigName(*_split_name(model, parts))
            continue
        own_words = [words for param, words in settings.items() if param not in shared[model]]
        named[name] = ConfigName(model, ", ".join(own_words) if own_words or model else name)
    return _tell_apart(named)


def label_configs(
    ids: Sequence[str], params: Sequence[Mapping[str, object]] | None = None
) -> dict[str, str]:
    """Return what a terminal prints of each configuration: its id, and its name behind it.

    The id stays because it is what commands take. Where it is the name, or there is no other, it
    stands alone. The parameters may hold any objects.

    Examples
    --------
    >>> from earnest.core.text.names import label_configs
    >>> label_configs(["c0", "c1"], [{"model": "rbf_svm", "C": 1}, {"model": "rbf_svm", "C": 9}])
    {'c0': 'c0: RBF SVM, C 1', 'c1': 'c1: RBF SVM, C 9'}
    >>> label_configs(["svm", "tree"])
    {'svm': 'svm', 'tree': 'tree'}
    """
    names = name_configs(ids, None if params is None else simplify_values(params))

    def label(id_: str, name: ConfigName) -> str:
        has_id = name.has_id or id_ in (name.words, name.settings)
        return name.words if has_id else f"{id_}: {name.words}"

    return {id_: label(id_, name) for id_, name in names.items()}


def name_model(value: object, classes: Mapping[str, str] | None = None) -> str:
    """Return a kind of model in words; a class, or a name that is in words, stays as it is.

    Examples
    --------
    >>> from earnest.core.text.names import name_model
    >>> name_model("polynomial_svm"), name_model("hist_gradient_boosting"), name_model("SVC(C=2)")
    ('polynomial SVM', 'histogram gradient boosting', 'SVC(C=2)')
    """
    text = str(value)
    if _is_printed_object(text):
        return (classes or {}).get(text, text.removesuffix("()"))
    if not _SNAKE.fullmatch(text):
        return text
    words = (_SPELLED.get(word, word) for word in text.split("_"))
    return " ".join(word.upper() if word in _INITIALS else word for word in words)


def join_name(
    model: str, settings: Mapping[str, object], select: str, selecting: Mapping[str, object]
) -> str:
    """Return the name of a configuration whose settings to be told are known.

    Examples
    --------
    >>> from earnest.core.text.names import join_name
    >>> join_name("rbf_svm", {"C": 1.0}, "ses", {"alpha": 0.05, "max_k": 2})
    'RBF SVM, C 1, after SES (alpha 0.05, max_k 2)'
    """
    exact = {name: _print_exactly(value) for name, value in selecting.items()}
    parts = [name_model(model), *(f"{name} {_print_exactly(v)}" for name, v in settings.items())]
    if select != NO_SELECTION:
        parts.append(_name_selection(select, exact))
    return ", ".join(parts)


def value_words(value: object) -> str:
    """Return the value of a parameter: short numbers as they are, long ones with four digits.

    Examples
    --------
    >>> from earnest.core.text.names import value_words
    >>> value_words(10.0), value_words(0.123456789), value_words(100000.0), value_words("rbf")
    ('10', '0.1235', '100000', 'rbf')
    """
    if not isinstance(value, float):
        return str(value)
    exact = f"{value:.12g}"
    return exact if len(exact) <= LONGEST_NUMBER else f"{value:.4g}"


def _print_exactly(value: object) -> str:
    """Return a value so that no other one prints alike."""
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def param_names(params: Iterable[Mapping[str, object]]) -> dict[str, str]:
    """Return short names of parameters: without the steps of a pipeline, where that is enough.

    Examples
    --------
    >>> from earnest.core.text.names import param_names
    >>> param_names([{"svc__C": 1.0, "a__n": 1, "b__n": 2}])
    {'svc__C': 'C', 'a__n': 'a__n', 'b__n': 'b__n'}
    """
    names = list(dict.fromkeys(name for config in params for name in config))
    ends = Counter(name.split("__")[-1] for name in names)
    return {
        name: name.split("__")[-1] if ends[name.split("__")[-1]] == 1 else name for name in names
    }


def class_names(values: Iterable[object]) -> dict[str, str]:
    """Return estimators among the values by their class, where no two of a class differ.

    Examples
    --------
    >>> from earnest.core.text.names import class_names
    >>> class_names(["SVC(C=1.0)", "Ridge()", "Ridge(alpha=2)", 3])
    {'SVC(C=1.0)': 'SVC'}
    """
    named = {value: value.split("(")[0] for value in values if _is_printed_object(value)}
    times = Counter(named.values())
    return {value: name for value, name in named.items() if times[name] == 1}


def _is_printed_object(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and value.endswith(")") and "(" in value[1:]


def _find_model_key(params: Sequence[Mapping[str, object]]) -> str | None:
    """Return the parameter that says which model a configuration is, None where none does."""
    for name in params[0] if params else ():
        models = (config.get(name) for config in params)
        if is_model_param(name) and all(isinstance(value, str) for value in models):
            return name
    return None


def is_model_param(name: str) -> bool:
    """Tell whether a parameter says which model a configuration is, by a word of its name.

    The steps of a pipeline do not count: `model__kernel` is a setting of the model.

    Examples
    --------
    >>> from earnest.core.text.names import is_model_param
    >>> [is_model_param(name) for name in ("model", "classifier_name", "model__kernel")]
    [True, True, False]
    """
    last = str(name).lower().split("__")[-1]
    return not MODEL_WORDS.isdisjoint(re.split(r"[_\W]+", last))


def _find_shared(
    models: Sequence[str], settings_in_words: Sequence[Mapping[str, str]]
) -> dict[str, frozenset[str]]:
    """Return by model the settings that all its configurations share, if there are several."""
    groups: dict[str, list[Mapping[str, str]]] = {}
    for model, settings in zip(models, settings_in_words, strict=True):
        groups.setdefault(model, []).append(settings)
    if len(settings_in_words) < 2:
        return dict.fromkeys(groups, frozenset())
    return {
        model: frozenset(
            name for name, words in some[0].items() if all(each.get(name) == words for each in some)
        )
        for model, some in groups.items()
    }


def _list_settings(
    params: Mapping[str, object],
    key: str | None,
    short: Mapping[str, str],
    classes: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """Yield the settings in words, each with its parameter; what was selected before comes last."""
    select = params.get(SELECTION) if key is not None else None
    prefix = f"{select}_" if isinstance(select, str) else None
    selecting = {}
    for name, value in params.items():
        if name == key or (name == SELECTION and prefix is not None):
            continue
        if prefix is not None and name.startswith(prefix):
            selecting[name.removeprefix(prefix)] = value
        elif _is_printed_object(value):
            yield name, name_model(value, classes)
        else:
            yield name, f"{short[name]} {value_words(value)}"
    if prefix is not None and select != NO_SELECTION:
        yield SELECTION, _name_selection(str(select), selecting)


def _name_selection(select: str, selecting: Mapping[str, object]) -> str:
    knobs = ", ".join(f"{name} {value_words(value)}" for name, value in selecting.items())
    return f"after {name_model(select)}" + (f" ({knobs})" if knobs else "")


def _split_name(model: str, parts: Sequence[str]) -> tuple[str, str]:
    """Return the model and the settings of an id that is a name already."""
    settings = [word for word in parts if word != model]
    return (model if len(settings) < len(parts) else "", ", ".join(settings))


def _tell_apart(names: dict[str, ConfigName]) -> dict[str, ConfigName]:
    """Return the names, those that several configurations have with their ids."""
    times = Counter(name.words for name in names.values())

    def settle(id_: str, name: ConfigName) -> ConfigName:
        if times[name.words] == 1 or name.words == id_:
            return name
        settings = f"{id_}: {name.settings}" if name.settings else id_
        return ConfigName(name.model, settings, has_id=True)

    return {id_: settle(id_, name) for id_, name in names.items()}
