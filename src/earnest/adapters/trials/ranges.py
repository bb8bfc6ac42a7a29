"""Ranges of numbers as a search was given them, wider than what its trials show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from earnest.core.space.parameters import Parameter, ParameterKind
from earnest.core.space.space import Space, find_inferred, infer_space

if TYPE_CHECKING:
    from optuna.distributions import FloatDistribution, IntDistribution
    from scipy.stats._distn_infrastructure import rv_frozen

EVEN = ("uniform", "loguniform", "reciprocal", "randint")  # even on a scale that is known


class Range(TypedDict):
    """What is known of a parameter before any of its values is seen."""

    kind: str
    low: float
    high: float
    log: bool
    step: NotRequired[float | None]


def ranges_of(distributions: object) -> dict[str, Range]:
    """Return kind, range and scale of the distributions that are known, by parameter.

    Of several spaces those that every one of them with this parameter agrees in.
    """
    spaces = [distributions] if isinstance(distributions, Mapping) else distributions
    if not isinstance(spaces, (list, tuple)) or not all(isinstance(s, Mapping) for s in spaces):
        return {}
    ranges: dict[str, list[Range | None]] = {}
    for space in spaces:
        for name, distribution in space.items():
            ranges.setdefault(str(name), []).append(_read_range(distribution))
    return {
        name: first
        for name, (first, *others) in ranges.items()
        if first is not None and all(other == first for other in others)
    }


def infer_space_within(
    ranges: Mapping[str, Range], configs: Sequence[Mapping[str, object]]
) -> Space:
    """Return the space that is inferred from configurations, with the ranges that are known."""
    inferred = infer_space(configs)
    parameters = [
        Parameter(name=p.name, condition=p.condition, **ranges[p.name]) if p.name in ranges else p
        for p in inferred
    ]
    return Space(tuple(parameters), inferred=find_inferred(parameters, ranges))


def _read_range(distribution: object) -> Range | None:
    """Return the range of an even distribution of SciPy or Optuna, None for all else."""
    kind = type(distribution)
    if kind.__module__.startswith("optuna.") and hasattr(distribution, "low"):
        numbers = cast("FloatDistribution | IntDistribution", distribution)
        return {
            "kind": "int" if kind.__name__.startswith("Int") else "float",
            "low": float(numbers.low),
            "high": float(numbers.high),
            "log": bool(numbers.log),
            "step": None if numbers.step is None else float(numbers.step),
        }
    name = getattr(getattr(distribution, "dist", None), "name", None)
    if name not in EVEN:
        return None
    low, high = (float(end) for end in cast("rv_frozen", distribution).support())
    whole = str(ParameterKind.INT if name == "randint" else ParameterKind.FLOAT)
    return {"kind": whole, "low": low, "high": high, "log": name in ("loguniform", "reciprocal")}
