"""The words and the numbers of the picture of the answer."""

from __future__ import annotations

import math

import numpy as np

from earnest.core.results import Estimate
from earnest.core.sentences import Printed, limits_words, percent
from earnest.core.specs import Side
from earnest.plotting.report_axes import in_a_figure


def known_draws(estimate: Estimate) -> np.ndarray | None:
    """Return the resampled scores that are known, None where there are none."""
    draws = estimate.draws
    if draws is None:
        return None
    valid = draws[np.isfinite(draws)]
    return valid if len(valid) else None


def naive_of(estimate: Estimate) -> float | None:
    """Return the naive score where it says something: several configurations, and a number."""
    naive = estimate.naive
    known = naive is not None and math.isfinite(naive) and estimate.n_configs > 1
    return naive if known else None


def in_signs(words: Printed) -> Printed:
    """Return printed numbers in signs."""
    parts = (words.value, words.naive, words.optimism, words.low, words.high)
    value, *rest = (None if part is None else in_a_figure(part) for part in parts)
    assert value is not None
    return Printed(value, *rest)


def flatters(estimate: Estimate, words: Printed) -> bool:
    """Tell whether the naive score is better than the honest one, as printed."""
    return words.naive != words.value and (estimate.optimism or 0.0) > 0


def zero_words(estimate: Estimate) -> str:
    """Name a model without information."""
    low, high = estimate.scale.limits
    return "chance" if estimate.no_information == (low + high) / 2 else "constant prediction"


def answer_label(estimate: Estimate, words: Printed, *, corrected: bool) -> str:
    """Return the finding as a sentence."""
    kind = (
        "Estimate corrected for the search"
        if corrected
        else "Score that is not corrected for the search"
    )
    said = f"{kind}: {estimate.metric} {words.value}"
    said += f", {_interval_words(estimate, words)}"
    draws = known_draws(estimate)
    said += "" if draws is None else f", from {len(draws):,} resamples"
    if naive_of(estimate) is not None:
        said += f"; naive score {words.naive}"
        said += f", {words.optimism} too optimistic" if flatters(estimate, words) else ""
    return said + "."


def _interval_words(estimate: Estimate, words: Printed) -> str:
    interval = estimate.interval
    if interval is None:
        return "no interval"
    level = percent(interval.confidence_level)
    said = limits_words(interval, words)
    two_sided = interval.side == Side.TWO_SIDED
    return f"{level} interval {said}" if two_sided else f"{said} with {level} confidence"


def answer_rows(estimate: Estimate, words: Printed) -> list[tuple[str, str]]:
    """Return the numbers behind the picture."""
    rows = [("Quantity", estimate.metric), ("Estimate", words.value)]
    interval = estimate.interval
    if interval is not None:
        level = percent(interval.confidence_level)
        rows += [(f"Low end, {level}", words.low or "–")] if interval.side != Side.UPPER else []
        rows += [(f"High end, {level}", words.high or "–")] if interval.side != Side.LOWER else []
    if naive_of(estimate) is not None:
        rows.append(("Naive score", words.naive or "–"))
    draws = known_draws(estimate)
    if draws is not None:
        rows.append(("Resamples", f"{len(draws):,}"))
        for share in (5, 25, 50, 75, 95):
            rows.append(
                (f"{share}\u00a0% of the scores are below", f"{np.percentile(draws, share):.4g}")
            )
    return rows
