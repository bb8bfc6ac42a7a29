"""What every result must hold, whatever it was computed from."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

import earnest as en

ROUNDING = 1e-9  # of a value, by which two ways to compute it may differ
LEVELS = (0.5, 0.8, 0.95, 0.999)
# Open ends, and the largest error of a family at a level that its draws do not reach.
MAY_BE_OPEN = re.compile(r"low|high|limits|\.family\.known\[1\]")
# Documented as NaN: the codes and effects of hyperparameters that a configuration does not have.
DOCUMENTED = re.compile(r"\.ice\.")
# Where resamples stand, of which some may be undefined; how many is told by `n_valid` and EN010.
RESAMPLED = ("source", "draws", "details", "influences", "scene")


class BrokenPromise(AssertionError):
    """A result contradicts itself, leaves the range of its metric, or is not saved as it is."""


class SilentNaN(AssertionError):
    """A number of a result is NaN where its documentation does not say so."""


def check_result(result: Any, r: random.Random) -> None:
    """Check a result of any kind: its numbers, its other levels, its plain data, its words."""
    if isinstance(result, en.results.Estimates):
        for estimate in result:
            check_result(estimate, r)
    check_numbers(result)
    check_saved(result)
    if isinstance(result, en.results.Estimate):
        _check_estimate(result)
        _check_levels(result, r)
    elif isinstance(result, en.results.Comparison):
        _check_comparison(result)
    elif isinstance(result, en.results.Comparisons):
        _check_comparisons(result)
    elif isinstance(result, en.results.Verdict):
        _check_verdict(result)
    elif isinstance(result, en.results.StatisticResult):
        _check_interval(result.interval, (-math.inf, math.inf))
    elif isinstance(result, en.results.Gain):
        _check_gain(result)
    if r.random() < 0.1:
        _show(result)


def check_numbers(result: Any) -> None:
    """Refuse NaN that is not documented, and infinity where no end is open."""
    for trail, number in _list_numbers(result):
        if math.isnan(number) and not DOCUMENTED.search(trail):
            raise SilentNaN(f"{trail} of {result!r}")
        if math.isinf(number) and not MAY_BE_OPEN.search(trail):
            raise BrokenPromise(f"{trail} is {number} in {result!r}")


def _list_numbers(value: Any, trail: str = "") -> Iterator[tuple[str, float]]:
    """Yield every number of a result with its place, but those of single resamples."""
    if isinstance(value, float | np.floating):
        yield trail, float(value)
    elif is_dataclass(value):
        for field in fields(value):
            if field.name not in RESAMPLED and not _stands_for_levels(value, field.name):
                yield from _list_numbers(getattr(value, field.name), f"{trail}.{field.name}")
    elif isinstance(value, Mapping):
        for key, member in value.items():
            yield from _list_numbers(member, f"{trail}[{key!r}]")
    elif isinstance(value, tuple | list):
        for place, member in enumerate(value):
            yield from _list_numbers(member, f"{trail}[{place}]")
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
        for member in value.ravel().tolist():
            yield f"{trail}[]", member


def _stands_for_levels(value: Any, name: str) -> bool:
    """Tell whether a field is the bound of a limit that has levels instead of one."""
    return name == "bound" and bool(getattr(value, "levels", ()))


def check_saved(result: Any) -> None:
    """Write a result as JSON and read it again; nothing may be lost."""
    text = json.dumps(result.to_dict(draws=True), allow_nan=False)
    again = type(result).from_dict(json.loads(text))
    if json.dumps(again.to_dict(draws=True), allow_nan=False) != text:
        raise BrokenPromise(f"saved and loaded it says something else: {result!r}")
    if repr(again) != repr(result):
        raise BrokenPromise(f"{result!r} is shown as {again!r} once it is loaded")


def _check_estimate(estimate: en.results.Estimate) -> None:
    limits = estimate.scale.limits
    for name in ("value", "naive"):
        number = getattr(estimate, name)
        if number is not None and not math.isnan(number):
            _check_within(name, number, limits, estimate)
    if estimate.interval is not None:
        _check_interval(estimate.interval, limits)
        if not math.isnan(estimate.value):
            _check_order(estimate.interval.low, estimate.value, estimate.interval.high, estimate)
    error = estimate.standard_error
    if error is not None and error < 0:
        raise BrokenPromise(f"a standard error of {error} in {estimate!r}")
    if estimate.n_valid is not None and not 0 <= estimate.n_valid <= (estimate.n_resamples or 0):
        raise BrokenPromise(f"{estimate.n_valid} of {estimate.n_resamples} in {estimate!r}")


def _check_levels(estimate: en.results.Estimate, r: random.Random) -> None:
    """A higher level never gives a narrower interval, and its own level gives its own."""
    if estimate.interval is None or math.isnan(estimate.interval.low + estimate.interval.high):
        return
    if estimate.at().interval != estimate.interval:
        raise BrokenPromise(f"at() gives {estimate.at()!r} for {estimate!r}")
    if r.random() > 0.25:
        return
    low, high = math.inf, -math.inf
    for level in LEVELS:
        interval = estimate.at(confidence_level=level).interval
        assert interval is not None
        if interval.low > low + _slack(low) or interval.high < high - _slack(high):
            raise BrokenPromise(f"level {level} is narrower than a lower one: {estimate!r}")
        low, high = interval.low, interval.high


def _check_comparison(comparison: en.results.Comparison) -> None:
    limits = comparison.scale.limits
    for name in ("value_a", "value_b"):
        number = getattr(comparison, name)
        if not math.isnan(number):
            _check_within(name, number, limits, comparison)
    if comparison.interval is not None:
        _check_interval(comparison.interval, comparison.limits)
    for values in (comparison.p_values, comparison.p_at_once):
        for number in (values or {}).values():
            if not math.isnan(number):
                _check_within("a p-value", number, (0.0, 1.0), comparison)
    if comparison.probabilities is not None:
        shares = comparison.probabilities
        total = shares.a_better + shares.equivalent + shares.b_better
        if not math.isnan(total) and abs(total - 1) > 1e-6:
            raise BrokenPromise(f"probabilities sum to {total} in {comparison!r}")


def _check_comparisons(table: en.results.Comparisons) -> None:
    for comparison in table.comparisons:
        _check_comparison(comparison)
    for number in (*table.adjusted, *table.p_best.values()):
        if not math.isnan(number):
            _check_within("a p-value", number, (0.0, 1.0), table)


def _check_gain(gain: en.results.Gain) -> None:
    for numbers in (gain.naive, gain.corrected, gain.low, gain.high):
        for number in numbers:
            if number is not None:
                _check_within("a score", number, gain.scale.limits, gain)
    for low, high in zip(gain.low, gain.high, strict=True):
        if low is not None and high is not None and low > high + _slack(high):
            raise BrokenPromise(f"[{low}, {high}] in {gain!r}")
    if gain.interval is not None:
        _check_interval(gain.interval, (-math.inf, math.inf))


def _check_verdict(verdict: en.results.Verdict) -> None:
    if verdict.outcome not in ("pass", "fail", "undecided"):
        raise BrokenPromise(f"{verdict.outcome!r} in {verdict!r}")
    if verdict.low > verdict.high + _slack(verdict.high):
        raise BrokenPromise(f"[{verdict.low}, {verdict.high}] in {verdict!r}")


def _check_interval(interval: en.results.Interval, limits: tuple[float, float]) -> None:
    low, high = interval.low, interval.high
    if low > high + _slack(high):
        raise BrokenPromise(f"[{low}, {high}] is upside down")
    for end in (low, high):
        if not math.isnan(end):
            _check_within("an end", end, limits, interval)


def _check_within(what: str, number: float, limits: tuple[float, float], result: object) -> None:
    if number < limits[0] - _slack(limits[0]) or number > limits[1] + _slack(limits[1]):
        raise BrokenPromise(f"{what} of {number!r} is outside {limits} in {result!r}")


def _check_order(low: float, value: float, high: float, result: object) -> None:
    if value < low - _slack(low) or value > high + _slack(high):
        raise BrokenPromise(f"{value} is outside [{low}, {high}] in {result!r}")


def _slack(number: float) -> float:
    return ROUNDING * max(1e-300, abs(number)) if math.isfinite(number) else 0.0


def _show(result: Any) -> None:
    """Show a result as people see it."""
    result.to_markdown()
    result.to_latex()
    result._repr_html_()
    result.rows()
