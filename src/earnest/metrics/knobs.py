"""Metrics with knobs: a factory in Python, `f_beta(beta=0.5)` as a name."""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import TypeVar

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.metrics.families import Metric, register

Factory = Callable[..., Metric]
F = TypeVar("F", bound=Factory)

FACTORIES: dict[str, Factory] = {}


def register_factory(factory: F) -> F:
    """Register the metric that a factory makes by default, and the factory for its knobs."""
    FACTORIES[register(factory()).name] = factory
    return factory


def name_with_knobs(word: str, knobs: Mapping[str, object], defaults: Mapping[str, object]) -> str:
    """Return the name of a metric with the knobs that are not at their default.

    Examples
    --------
    >>> from earnest.metrics.knobs import name_with_knobs
    >>> name_with_knobs("f_beta", {"beta": 0.5}, {"beta": 2.0})
    'f_beta(beta=0.5)'
    >>> name_with_knobs("f_beta", {"beta": 2.0}, {"beta": 2.0})
    'f_beta'
    """
    turned = [f"{k}={written(v)}" for k, v in knobs.items() if v != defaults.get(k)]
    return f"{word}({', '.join(turned)})" if turned else word


def written(value: object) -> str:
    """Return a knob's value as one would type it: 5 rather than 5.0."""
    if isinstance(value, tuple):
        return "(" + ", ".join(written(v) for v in value) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, float) and value.is_integer():
        return repr(int(value))
    return repr(value)


def split_knobs(name: str) -> tuple[str, dict[str, object]]:
    """Split `word(knob=value, ...)` into the word and its knobs; nothing in it is executed.

    Examples
    --------
    >>> from earnest.metrics.knobs import split_knobs
    >>> split_knobs("risk(costs=(5, 1))")
    ('risk', {'costs': (5, 1)})
    >>> split_knobs("roc_auc")
    ('roc_auc', {})
    >>> split_knobs(".632+(rule='as_published')")
    ('.632+', {'rule': 'as_published'})
    """
    word, opening, rest = name.strip().partition("(")
    if not opening:
        return word, {}
    if not re.fullmatch(r"\.?\w+\+?", word):
        raise _make_unreadable_error(name)
    try:
        call = ast.parse(f"_({rest}", mode="eval").body
    except (SyntaxError, ValueError):
        raise _make_unreadable_error(name) from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise _make_unreadable_error(name)
    knobs: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise _make_unreadable_error(name)
        try:
            knobs[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError, RecursionError):
            raise _make_unreadable_error(name) from None
    return word, knobs


def _make_unreadable_error(name: str) -> InputError:
    return InputError(
        "the options of a metric cannot be read",
        needs="name(option=value, ...) with plain values, such as 'f_beta(beta=0.5)'",
        got=check.show(name),
    )


def check_positive_number(name: str, value: object) -> float:
    """Return a finite number above 0."""
    number = _read_number(value)
    if not 0.0 < number < math.inf:
        raise InputError(
            f"`{name}` is out of range", needs="a finite number above 0", got=check.show(value)
        )
    return number


def pair(name: str, values: object) -> tuple[float, float]:
    """Return two finite numbers from 0 on that are not both 0."""
    given = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else []
    numbers = tuple(_read_number(value) for value in given)
    if len(numbers) != 2 or not all(0.0 <= x < math.inf for x in numbers) or not any(numbers):
        raise InputError(
            f"`{name}` is not a pair of numbers",
            needs="two finite numbers of at least 0, not both 0",
            got=check.show(values),
        )
    return numbers


def _read_number(value: object) -> float:
    """Return a number as float, NaN for what is none."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    return float(value)


def check_knobs(word: str, function: Callable[..., object], knobs: Mapping[str, object]) -> None:
    """Refuse knobs that the function behind a metric does not have."""
    parameters = inspect.signature(function).parameters if knobs else {}
    open_ended = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    known = list(parameters)
    for knob in knobs:
        if knob not in known and not open_ended:
            raise InputError(
                f"metric {word!r} has no option {knob!r}",
                needs=", ".join(known),
                got=check.show(knob),
                cure=check.nearest(knob, known),
            )
