"""What we say of a model on cases from elsewhere: where it stands, and whether to update it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from earnest.core.results.estimate import Estimate
from earnest.core.results.interval import Interval
from earnest.core.text.calibration import tell
from earnest.core.text.numbers import MINUS, percent
from earnest.core.text.thresholds import tell_gain

if TYPE_CHECKING:
    from earnest.core.results.validation import Validation


def word_headline(validation: Validation) -> str:
    """Return how well the model ranks, and whether an update is worth it."""
    area = validation["roc_auc"]
    words = f"On {validation.n_cases:,} new cases, {validation.n_events:,} of them events, the "
    words += f"model has an AUC of {area.value:.2f}"
    if area.interval is not None:
        words += f" ({area.interval.low:.2f} to {area.interval.high:.2f})"
    if not validation.is_worth_updating:
        return f"{words}; no update is shown to be better than the model as it is."
    return f"{words}. Least log loss: {validation.best}."


def tell_validation(validation: Validation) -> Iterator[str]:
    """Yield what is said of probabilities, decisions and cases, a paragraph each."""
    yield tell(validation.calibration)
    yield tell_gain(validation.decision)
    area = validation["roc_auc"].value
    words = "If all its probabilities were right, its AUC on these cases would be "
    words += f"{validation.benchmark:.2f}: "
    if area < validation.benchmark - 0.005:
        words += "it ranks these cases worse than it claims."
    else:
        words += "the case mix explains what it reaches."
    mix = validation.case_mix
    if mix is not None:
        words += (
            f" Events: {percent(round(mix.share, 3))} here, "
            f"{percent(round(mix.share_development, 3))} in the development. Log odds: mean "
            f"{_show(mix.mean)} and standard deviation {mix.sd:.2f} here, "
            f"{_show(mix.mean_development)} and {mix.sd_development:.2f} there. They "
            f"tell the two apart with an AUC of {mix.membership.value:.2f}"
        )
        ends = mix.membership.interval
        words += "." if ends is None else f" ({ends.low:.2f} to {ends.high:.2f}; 0.5: not at all)."
    yield words


def _show(value: float) -> str:
    return f"{value:.2f}".replace("-", MINUS)


def show_number(value: float) -> str:
    """Return a number with three decimals."""
    return f"{value:.3f}".replace("-", MINUS)


def show_interval(interval: Interval | None) -> str:
    """Return the ends of an interval, nothing without one."""
    return (
        "" if interval is None else f"{show_number(interval.low)} to {show_number(interval.high)}"
    )


def show_row(estimate: Estimate) -> tuple[str, str, str]:
    """Return a metric, its value and its interval as a row of a table."""
    ideal = estimate.scale.ideal
    right = "" if ideal is None else f" (right at {ideal:g})"
    name = estimate.metric.replace("_", " ")
    return f"{name}{right}", show_number(estimate.value), show_interval(estimate.interval)
