"""Names with knobs: a metric `f_beta(beta=0.5)`, a method `delong(variant='logit')`, a test."""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from numbers import Real
from typing import Any, TypeVar

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.registry import Registry
from earnest.metrics.families import Metric, register

Factory = Callable[..., Metric]
F = TypeVar("F", bound=Factory)
T = TypeVar("T")

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


def split_knobs(
    name: str, what: str = "metric", example: str = "'f_beta(beta=0.5)'"
) -> tuple[str, dict[str, object]]:
    """Split `word(knob=value, ...)` into the word and its knobs; nothing in it is executed.

    An error names `what` has the knobs, and shows an `example`.

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
        raise _make_unreadable_error(name, what, example)
    try:
        call = ast.parse(f"_({rest}", mode="eval").body
    except (SyntaxError, ValueError):
        raise _make_unreadable_error(name, what, example) from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise _make_unreadable_error(name, what, example)
    knobs: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise _make_unreadable_error(name, what, example)
        try:
            knobs[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError, RecursionError):
            raise _make_unreadable_error(name, what, example) from None
    return word, knobs


def _make_unreadable_error(name: str, what: str, example: str) -> InputError:
    return InputError(
        f"the options of a {what} cannot be read",
        needs=f"name(option=value, ...) with plain values, such as {example}",
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


# ---- methods and tests: a registered kind with the knobs that were typed or passed


def configure(
    kinds: Registry[type[Any]],
    given: str | T,
    knobs: Mapping[str, object],
    *,
    example: str,
    members: Iterable[str] = ("spec",),
) -> T:
    """Return a method or a test of a name with its knobs; an instance as it is.

    Knobs stand in one place: in the name, as `"delong(variant='logit')"`, among the arguments, or
    in a configured instance. Those that are None were not given.

    Parameters
    ----------
    kinds : Registry
        The methods, or the tests.
    given : str or instance
        A name, perhaps with knobs, or a configured instance.
    knobs : mapping of str to object
        What was passed beside it.
    example : str
        A name with knobs, for the error about one that cannot be read.
    members : iterable of str
        What a configured instance has.

    Examples
    --------
    >>> from earnest.methods import METHODS
    >>> from earnest.metrics.knobs import configure
    >>> configure(METHODS, "bbc(variant='as_published')", {"n_resamples": 200}, example="").variant
    'as_published'
    """
    what, wanted = kinds.kind, {name: value for name, value in knobs.items() if value is not None}
    if isinstance(given, str):
        word, typed = split_knobs(given, what, example)
        kind = kinds[word]
        _refuse_unknown(what, kind, [*typed, *wanted])
        _refuse_twice(what, [name for name in typed if name in wanted])
        made: T = kind(**typed, **wanted)
        return made
    if isinstance(given, type) or not all(hasattr(given, name) for name in members):
        raise InputError(
            f"`{what}` cannot be read",
            needs=f"a name or a configured {what}",
            got=check.show(given),
            cure=f"Write {given.__name__}()." if isinstance(given, type) else "",
        )
    if wanted:
        raise InputError(
            f"{_list_names(wanted)} cannot be combined with a configured {what}",
            needs="options in one place",
            cure=f"Set them on the instance: {type(given).__name__}({_list_names(wanted)}=...).",
        )
    return given


def _refuse_unknown(what: str, kind: type[Any], names: Iterable[str]) -> None:
    known = {f.name for f in fields(kind)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(
            f"{what} {kind.spec.name!r} has no option {_list_names(unknown)}",
            needs=", ".join(sorted(known)) or "no options",
            cure="Leave it out.",
        )


def _refuse_twice(what: str, twice: list[str]) -> None:
    if twice:
        raise InputError(
            f"{_list_names(twice)} given twice, in the name of the {what} and as an argument",
            needs="options in one place",
            cure="Leave one of them out.",
        )


def _list_names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
