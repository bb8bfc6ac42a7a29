"""Spaces of ConfigSpace, as values of our own."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from earnest.adapters.readers import is_kind
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.extras import tell_install
from earnest.core.space.parameters import (
    Clause,
    Condition,
    Parameter,
    ParameterKind,
    simplify_value,
)
from earnest.core.space.space import Space

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

# A hyperparameter, condition or clause of ConfigSpace: told apart by what it has.
Part: TypeAlias = Any
Alternatives = tuple[tuple[Clause, ...], ...]


def is_configspace(source: object) -> TypeGuard[ConfigurationSpace]:
    """Tell whether this is a ConfigurationSpace, without importing ConfigSpace."""
    return is_kind(source, "ConfigurationSpace")


def load_configspace(path: Path) -> Space:
    """Read a space from the JSON that ConfigSpace writes."""
    try:
        from ConfigSpace import ConfigurationSpace
    except ModuleNotFoundError as error:
        raise InputError(
            "ConfigSpace is not installed",
            needs=f"the library that wrote {path.name!r}",
            cure=tell_install("ConfigSpace"),
        ) from error
    try:
        return read_configspace(ConfigurationSpace.from_json(path))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FormatError(
            f"{path.name!r} cannot be read", needs="a space of ConfigSpace", got=str(error)
        ) from error


def read_configspace(source: ConfigurationSpace) -> Space:
    """Return a ConfigurationSpace as a space: conditions and forbidden combinations included.

    Numbers with a normal or beta distribution are taken as even on their range, and weights of
    categories as equal: averages are over the space, not over where a search would begin.
    """
    conditions: dict[str, Condition] = {}
    for condition in source.conditions:
        name = condition.child.name
        alternatives = _read_alternatives(condition)
        if name in conditions:  # several conditions of one child must all hold
            alternatives = _combine_all([conditions[name].any_of, alternatives])
        conditions[name] = Condition(any_of=alternatives)
    parameters = [
        replace(_read_parameter(p), condition=conditions.get(p.name)) for p in source.values()
    ]
    forbidden = tuple(
        clauses for clause in source.forbidden_clauses for clauses in _read_forbidden(clause)
    )
    return Space(tuple(parameters), forbidden=forbidden)


def _read_parameter(parameter: Part) -> Parameter:
    kind = type(parameter).__name__
    if hasattr(parameter, "choices"):
        return _make_levels(
            parameter.name, ParameterKind.CATEGORICAL, tuple(map(simplify_value, parameter.choices))
        )
    if hasattr(parameter, "sequence"):
        return _make_levels(
            parameter.name, ParameterKind.ORDINAL, tuple(map(simplify_value, parameter.sequence))
        )
    if not hasattr(parameter, "lower"):
        return _make_levels(parameter.name, ParameterKind.FIXED, (simplify_value(parameter.value),))
    if not (math.isfinite(parameter.lower) and math.isfinite(parameter.upper)):
        raise InputError(
            f"{parameter.name!r} has no limits",
            needs="a finite range",
            got=f"{kind} without bounds",
        )
    return Parameter(
        name=parameter.name,
        kind=ParameterKind.INT if "Integer" in kind else ParameterKind.FLOAT,
        low=float(parameter.lower),
        high=float(parameter.upper),
        log=bool(parameter.log),
    )


def _make_levels(name: str, kind: ParameterKind, values: tuple[object, ...]) -> Parameter:
    return Parameter(
        name=name, kind=kind if len(values) > 1 else ParameterKind.FIXED, choices=values
    )


def _read_alternatives(condition: Part) -> Alternatives:
    """Return a condition as alternatives, of which one has to hold."""
    kind = type(condition).__name__
    if kind == "AndConjunction":
        return _combine_all([_read_alternatives(component) for component in condition.components])
    if kind == "OrConjunction":
        return tuple(c for component in condition.components for c in _read_alternatives(component))
    return ((_read_clause(condition, condition.parent, kind),),)


def _combine_all(parts: list[Alternatives]) -> Alternatives:
    combined: Alternatives = ((),)
    for alternatives in parts:
        combined = tuple((*left, *right) for left in combined for right in alternatives)
    return combined


def _read_clause(comparison: Part, parent: Part, kind: str) -> Clause:
    """Return one comparison as a clause."""
    name = parent.name
    if "NotEquals" in kind:
        others = [v for v in _list_values(parent) if v != simplify_value(comparison.value)]
        return Clause(parent=name, values=tuple(others))
    if "In" in kind and hasattr(comparison, "values"):
        return Clause(parent=name, values=tuple(simplify_value(v) for v in comparison.values))
    if "GreaterThanEquals" in kind:
        return Clause(parent=name, low=float(comparison.value))
    if "LessThanEquals" in kind:
        return Clause(parent=name, high=float(comparison.value))
    if "GreaterThan" in kind:
        return Clause(parent=name, low=_find_beyond(comparison, parent, 1))
    if "LessThan" in kind:
        return Clause(parent=name, high=_find_beyond(comparison, parent, -1))
    return Clause(parent=name, values=(simplify_value(comparison.value),))


def _find_beyond(comparison: Part, parent: Part, side: int) -> float:
    """Return the first value beyond a limit that is not included."""
    limit = float(comparison.value)
    if "Integer" in type(parent).__name__:
        return limit + side
    if hasattr(parent, "sequence"):
        return limit + side * 1e-9 * max(1.0, abs(limit))
    return limit + side * 2e-9 * (float(parent.upper) - float(parent.lower))


def _list_values(parent: Part) -> tuple[object, ...]:
    for words in ("choices", "sequence"):
        if hasattr(parent, words):
            return tuple(map(simplify_value, getattr(parent, words)))
    if "Integer" in type(parent).__name__ and parent.upper - parent.lower <= 1000:
        return tuple(range(int(parent.lower), int(parent.upper) + 1))
    raise InputError(
        f"a condition on {parent.name!r} cannot be read",
        needs="'not equal' on a category or a short range of integers",
        got=type(parent).__name__,
    )


def _read_forbidden(clause: Part) -> Alternatives:
    kind = type(clause).__name__
    if kind == "ForbiddenAndConjunction":
        return _combine_all([_read_forbidden(component) for component in clause.components])
    if kind == "ForbiddenOrConjunction":
        return tuple(c for component in clause.components for c in _read_forbidden(component))
    if "Relation" in kind:
        raise InputError(
            "a forbidden relation between two hyperparameters cannot be read",
            needs="forbidden values, alone or together",
            got=str(clause),
            cure="Pass the space without it; averages then include impossible combinations.",
        )
    return ((_read_clause(clause, clause.hyperparameter, kind),),)
