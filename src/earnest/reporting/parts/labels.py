"""How configurations, parameters and numbers are called in a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from earnest.core.text.estimate import MINUS
from earnest.reporting.sources.material import Tried

NONE = "–"
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def counted(count: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> from earnest.reporting.parts.labels import counted
    >>> counted(1, "case"), counted(2780, "fit")
    ('1 case', '2,780 fits')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def spelled(count: int) -> str:
    """Return a small number as a word."""
    return WORDS[count] if 0 <= count < len(WORDS) else f"{count:,}"


def value_words(value: Any) -> str:
    """Return the value of a parameter, numbers with four digits."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return f"{value:.4g}".replace("-", MINUS)
    return str(value)


def param_names(params: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return short names of parameters: without the steps of a pipeline, where that is enough.

    Examples
    --------
    >>> from earnest.reporting.parts.labels import param_names
    >>> param_names([{"svc__C": 1.0, "a__n": 1, "b__n": 2}])
    {'svc__C': 'C', 'a__n': 'a__n', 'b__n': 'b__n'}
    """
    names = list(dict.fromkeys(name for one in params for name in one))
    ends = Counter(name.split("__")[-1] for name in names)
    return {
        name: name.split("__")[-1] if ends[name.split("__")[-1]] == 1 else name for name in names
    }


def config_labels(tried: Sequence[Tried]) -> dict[str, str]:
    """Return a short label for each configuration: its parameters, or its name without any."""
    names = param_names(one.params for one in tried)
    fixed, classes = _fixed(tried), _classes(tried)
    labels = {
        one.config: " · ".join(
            _part(names[name], value, classes)
            for name, value in one.params.items()
            if name not in fixed
        )
        or one.config
        for one in tried
    }
    twice = {label for label, times in Counter(labels.values()).items() if times > 1}
    return {
        config: f"{config}: {label}" if label in twice and label != config else label
        for config, label in labels.items()
    }


def _fixed(tried: Sequence[Tried]) -> set[str]:
    """Return the parameters that all configurations share in one value: they tell none apart."""
    if len(tried) < 2:
        return set()
    names = {name for one in tried for name in one.params}
    return {
        name
        for name in names
        if all(name in one.params for one in tried)
        and len({value_words(one.params[name]) for one in tried}) == 1
    }


def _classes(tried: Sequence[Tried]) -> dict[str, str]:
    return class_names(value for one in tried for value in one.params.values())


def class_names(values: Iterable[Any]) -> dict[str, str]:
    """Return estimators among the values by their class, where no two of a class differ.

    Examples
    --------
    >>> from earnest.reporting.parts.labels import class_names
    >>> class_names(["SVC(C=1.0)", "Ridge()", "Ridge(alpha=2)", 3])
    {'SVC(C=1.0)': 'SVC'}
    """
    values = {value for value in values if _is_object(value)}
    named = {value: value.split("(")[0] for value in values}
    times = Counter(named.values())
    return {value: name for value, name in named.items() if times[name] == 1}


def _is_object(value: Any) -> bool:
    return isinstance(value, str) and value.endswith(")") and "(" in value[1:]


def _part(name: str, value: Any, classes: Mapping[str, str]) -> str:
    if _is_object(value):
        return classes.get(value, value.removesuffix("()"))
    return f"{name} {value_words(value)}"
