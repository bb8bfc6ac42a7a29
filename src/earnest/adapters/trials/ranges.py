"""Ranges of numbers as a search was given them, wider than what its trials show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from earnest.core.space.inference import guesses, infer_space
from earnest.core.space.parameters import Kind, Parameter
from earnest.core.space.space import Space

EVEN = ("uniform", "loguniform", "reciprocal", "randint")  # even on a scale that is known


def ranges_of(given: Any) -> dict[str, dict[str, Any]]:
    """Return kind, range and scale of the distributions that are known, by parameter.

    Of several spaces those that every one of them with this parameter agrees in.
    """
    spaces = [given] if isinstance(given, Mapping) else given
    if not isinstance(spaces, (list, tuple)) or not all(isinstance(s, Mapping) for s in spaces):
        return {}
    found: dict[str, list[dict[str, Any] | None]] = {}
    for space in spaces:
        for name, one in space.items():
            found.setdefault(str(name), []).append(_range(one))
    return {
        name: ranges[0]
        for name, ranges in found.items()
        if ranges[0] is not None and all(other == ranges[0] for other in ranges)
    }


def space_within(
    ranges: Mapping[str, Mapping[str, Any]], configs: Sequence[Mapping[str, Any]]
) -> Space:
    """Return the space that is inferred from configurations, with the ranges that are known."""
    inferred = infer_space(configs)
    parameters = [
        Parameter(name=p.name, condition=p.condition, **ranges[p.name]) if p.name in ranges else p
        for p in inferred
    ]
    return Space(tuple(parameters), remarks=tuple(guesses(parameters, ranges)))


def _range(distribution: Any) -> dict[str, Any] | None:
    """Return the range of an even distribution of SciPy or Optuna, None for all else."""
    kind = type(distribution)
    if kind.__module__.startswith("optuna.") and hasattr(distribution, "low"):
        return {
            "kind": "int" if kind.__name__.startswith("Int") else "float",
            "low": float(distribution.low),
            "high": float(distribution.high),
            "log": bool(distribution.log),
            "step": None if distribution.step is None else float(distribution.step),
        }
    name = getattr(getattr(distribution, "dist", None), "name", None)
    if name not in EVEN:
        return None
    low, high = (float(end) for end in distribution.support())
    whole = str(Kind.INT if name == "randint" else Kind.FLOAT)
    return {"kind": whole, "low": low, "high": high, "log": name in ("loguniform", "reciprocal")}
