"""How the winner did: its score in each fold, its residuals, survival by its risk and at times."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from earnest.core.results.estimate import Estimate
from earnest.core.text.estimate import places_of, print_numbers
from earnest.core.text.numbers import percent, show_number
from earnest.inference.curves.at_times import CalibrationAtTime
from earnest.inference.curves.winner import Residuals, RiskGroups, SurvivalCurve, WinnerFolds
from earnest.plotting.svg.canvas import (
    DASH,
    DOTS,
    Axis,
    Canvas,
    Figure,
    RowKind,
    center_words,
    draw_x_axis,
    draw_y_grid,
    find_finite_ends,
    find_ticks,
    fit_words,
    label_room,
    label_tick,
    label_ticks,
    measure_text,
    round_out,
    space_labels,
)
from earnest.plotting.svg.curves import SquarePlot

TOP = 24.0
MOST_POINTS = 400
CLOSE = 15.0  # pixels under which two labels touch


def folds(
    fold_scores: WinnerFolds, *, name: str, estimate: Estimate | None = None, width: float = 420
) -> Figure:
    """Draw the score of the winner in each fold, with the honest and the naive value as lines.

    Parameters
    ----------
    fold_scores : WinnerFolds
        The scores; folds in which the metric is undefined are left out, and said.
    estimate : Estimate, optional
        The lines.
    """
    words = None if estimate is None else print_numbers(estimate)
    lines: list[tuple[float, str, str]] = []
    if estimate is not None and words is not None:
        lines.append((estimate.value, f"honest {words.value.signs}", "accent"))
        naive = estimate.naive if estimate.n_configs > 1 else None
        if naive is not None and words.naive is not None and math.isfinite(naive):
            lines.append((naive, f"naive {words.naive.signs}", "warn"))
    alone = estimate is not None and estimate.n_configs == 1
    finite = fold_scores.scores[np.isfinite(fold_scores.scores)]
    limits = (-math.inf, math.inf) if estimate is None else estimate.scale.limits
    y_ends = round_out(*find_finite_ends([*finite, *(v for v, _, _ in lines)]), limits)
    bottom = 160.0
    y = Axis(*y_ends, bottom, TOP)
    left = label_room(label_ticks(find_ticks(y)))
    right = width - max([measure_text(w, bold=True) for _, w, _ in lines], default=0.0) - 10
    canvas = Canvas(width, bottom + 42, name)
    draw_y_grid(canvas, y, left, right)
    step = (right - left) / max(len(fold_scores.scores), 1)
    for value, _, colour in lines:
        dash = DASH if colour == "warn" else ""
        canvas.line((left, y(value)), (right, y(value)), colour, 1.8, dash=dash)
    _write_line_names(canvas, y, right + 6, lines)
    for i, score in enumerate(fold_scores.scores):
        if math.isfinite(score):
            canvas.own_score((left + (i + 0.5) * step, y(float(score))), alone=alone)
    _write_fold_names(canvas, fold_scores, left, step, bottom)
    title = fit_words(_describe_size(fold_scores), width)
    middle = center_words(canvas, 0.5 * (left + right), title)
    canvas.text((middle, bottom + 37), title, "ink2", anchor="middle")
    return canvas.figure(
        _describe_folds(fold_scores, estimate), _list_fold_rows(fold_scores), RowKind.ITEMS
    )


def _write_line_names(
    canvas: Canvas, y: Axis, x: float, lines: list[tuple[float, str, str]]
) -> None:
    """Name level lines at their right end, apart where they are close."""
    places = [y(value) + 4.5 for value, _, _ in lines]
    if len(places) == 2 and abs(places[0] - places[1]) < CLOSE:
        middle, upper = sum(places) / 2, int(places[1] < places[0])
        places[upper], places[1 - upper] = middle - CLOSE / 2, middle + CLOSE / 2
    for height, (_, words, colour) in zip(places, lines, strict=True):
        canvas.text((x, height), words, colour, bold=True)


def _write_fold_names(
    canvas: Canvas, fold_scores: WinnerFolds, left: float, step: float, bottom: float
) -> None:
    """Write the number of each fold, or of every few where there are many."""
    count = len(fold_scores.scores)
    every = max(1, math.ceil(count * measure_text("00") * 1.3 / max(step * count, 1.0)))
    for i in range(0, count, every):
        canvas.text((left + (i + 0.5) * step, bottom + 18), str(i + 1), anchor="middle")


def _describe_size(fold_scores: WinnerFolds) -> str:
    title = f"Fold (about {round(float(fold_scores.cases.mean())):,} cases"
    if fold_scores.positives is not None:
        title += f", {round(float(fold_scores.positives.mean())):,} of them {fold_scores.marked}"
    return title + ")"


def _describe_folds(fold_scores: WinnerFolds, estimate: Estimate | None) -> str:
    finite = fold_scores.scores[np.isfinite(fold_scores.scores)]
    places = 3 if estimate is None else places_of([estimate])
    if not len(finite):
        return "The metric is undefined in every fold."
    limits = (-math.inf, math.inf) if estimate is None else estimate.scale.limits
    low, high = (show_number(float(end), places, limits) for end in (finite.min(), finite.max()))
    lost = len(fold_scores.scores) - len(finite)
    without = f"; undefined in {lost} more" if lost else ""
    return f"Scores of the winner in {len(finite)} folds, from {low} to {high}{without}."


def _list_fold_rows(fold_scores: WinnerFolds) -> list[tuple[str, ...]]:
    several = len(set(fold_scores.repeats.tolist())) > 1
    rows: list[tuple[str, ...]] = [("Fold", *(("Repeat",) if several else ()), "Score", "Cases")]
    for i, score in enumerate(fold_scores.scores):
        repeat = (str(int(fold_scores.repeats[i]) + 1),) if several else ()
        value = f"{score:.4g}" if math.isfinite(score) else "– (undefined)"
        rows.append((fold_scores.names[i], *repeat, value, f"{int(fold_scores.cases[i]):,}"))
    return rows


def residuals(
    errors: Residuals,
    *,
    name: str,
    width: float = 420,
    outcome: str = "",
    alone: bool = False,
) -> Figure:
    """Draw residuals on fitted values, with their running mean and the middle 90 %.

    Parameters
    ----------
    outcome : str
        The name of the outcome, for the axis.
    alone : bool
        Whether nothing was selected, so that nothing is left to correct.
    """
    lowest, highest = find_finite_ends([*errors.residuals.tolist(), 0.0])
    y = Axis(*_pad(lowest, highest), 190.0, TOP)
    left = label_room(label_ticks(find_ticks(y)))
    x = Axis(*_pad(*find_finite_ends(errors.fitted.tolist())), left, width - 22)
    canvas = Canvas(width, y.start + 44, name)
    draw_y_grid(canvas, y, left, x.end, title="Observed minus predicted")
    title = f"Predicted {outcome}".strip() if outcome else "Predicted value"
    draw_x_axis(canvas, x, y.start, title=fit_words(title, width - 40))
    canvas.line((left, y(0.0)), (x.end, y(0.0)), "ink3", 1.2)
    points = zip(*_thin(errors.fitted, errors.residuals), strict=True)
    canvas.specks([(x(float(a)), y(float(b))) for a, b in points], 1.9, "ink3", 0.6)
    at = [x(float(v)) for v in errors.at]
    low, high = ([y(float(v)) for v in edge] for edge in (errors.low, errors.high))
    colour, dash = ("accent", "") if alone else ("warn", DASH)
    canvas.band(at, low, high, colour, 0.14)
    canvas.curve(zip(at, (y(float(v)) for v in errors.mean), strict=True), colour, 1.8, dash=dash)
    return canvas.figure(_describe_residuals(errors), _list_residual_rows(errors))


def _pad(low: float, high: float) -> tuple[float, float]:
    """Return ends a little beyond the data, which marks would else touch."""
    if not high > low:
        return round_out(low, high)
    room = 0.04 * (high - low)
    return low - room, high + room


def _thin(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    every = math.ceil(len(x) / MOST_POINTS)
    return x[::every], y[::every]


def _describe_residuals(errors: Residuals) -> str:
    spread = float(np.std(errors.residuals))
    sentence = f"{len(errors.residuals):,} residuals with mean "
    sentence += (
        f"{_shorten(float(errors.residuals.mean()))} and standard deviation {_shorten(spread)}"
    )
    if len(errors.at):
        worst = float(errors.mean[int(np.argmax(np.abs(errors.mean)))])
        sentence += f"; the running mean is at most {_shorten(abs(worst))} away from 0"
    return sentence + "."


def _list_residual_rows(errors: Residuals) -> list[tuple[str, ...]]:
    heads: tuple[str, ...] = (
        "Predicted",
        "Mean residual",
        "5\u00a0% lie below",
        "95\u00a0% lie below",
    )
    parts = zip(errors.at, errors.mean, errors.low, errors.high, strict=True)
    rows = [tuple(_shorten(float(v)) for v in row) for row in parts][::4]
    if not rows:
        heads = ("Predicted", "Residual")
        points = zip(errors.fitted, errors.residuals, strict=True)
        rows = [tuple(_shorten(float(v)) for v in row) for row in points]
    return [heads, *rows]


def _shorten(value: float) -> str:
    return f"{value:.3g}".replace("-", "\u2212")


MOST_STEPS = 200
BAND_STEPS = 90  # of each band: what would be seen of more is less than a pixel
FAINT = 0.13  # opacity of a band, of which three may lie over each other

_LOOKS = {  # colour, width, dash: lowest risk first
    "lowest third": ("ink3", 1.6, ""),
    "middle third": ("ink2", 1.8, DASH),
    "highest third": ("ink", 2.2, ""),
    "lower half": ("ink3", 1.6, ""),
    "higher half": ("ink", 2.2, ""),
    "all": ("ink", 2.2, ""),
}


def kaplan_meier(
    groups: RiskGroups, *, name: str, width: float = 420, time: str = "Time"
) -> Figure:
    """Draw the survival of cases by predicted risk with pointwise bands, the numbers at risk below.

    Parameters
    ----------
    time : str
        The words for the axis.
    """
    latest = _find_latest(groups)
    room = max(measure_text(word) for word in groups.names) + 10
    left, bottom = max(room, 40.0), 190.0
    aside = max(measure_text(_format_brief(word)) for word in groups.names) + 8
    x = Axis(0.0, latest or 1.0, left, width - aside)
    y = Axis(0.0, 1.0, bottom, TOP)
    labels = space_labels(x, 5)
    ticks = [value for value, _ in labels]
    canvas = Canvas(width, bottom + 66 + 17 * len(groups.names), name)
    draw_y_grid(canvas, y, left, x.end, title="Share without event", ticks=(0, 0.25, 0.5, 0.75, 1))
    draw_x_axis(canvas, x, bottom, title=fit_words(time, width - 40), labels=labels)
    for word, curve in zip(groups.names, groups.curves, strict=True):
        canvas.band(*_step_band(curve, x, y), _LOOKS[word][0], FAINT)
    for word, curve in zip(groups.names, groups.curves, strict=True):
        colour, thick, dash = _LOOKS[word]
        canvas.curve(_list_stairs(curve, x, y), colour, thick, dash=dash)
    _write_group_names(canvas, groups, x, y)
    canvas.text((0, bottom + 58), "At risk", "ink2")
    for i, (word, curve) in enumerate(zip(groups.names, groups.curves, strict=True)):
        row = bottom + 75 + 17 * i
        canvas.text((0, row), word, _LOOKS[word][0])
        for tick in ticks:
            canvas.text((x(tick), row), f"{curve.at_risk(tick):,}", "ink2", anchor="middle")
    return canvas.figure(_describe_survival(groups, latest), _list_survival_rows(groups, ticks))


def _find_latest(groups: RiskGroups) -> float:
    """Return where the axis ends: when a tenth of the cases is left, for what follows is noise."""
    observed = np.sort(np.concatenate([curve.observed for curve in groups.curves]))
    left = max(1, len(observed) // 10)
    return float(observed[len(observed) - left])


def _list_stairs(curve: SurvivalCurve, x: Axis, y: Axis) -> list[tuple[float, float]]:
    """Return the corners of a step function, to the last time that a case was followed."""
    shown_until = min(float(curve.observed[-1]), x.high)
    inside = curve.times <= shown_until
    steps = list(zip(curve.times[inside].tolist(), curve.survival[inside].tolist(), strict=True))
    every = max(1, math.ceil(len(steps) / MOST_STEPS))
    drawn = steps[::-1][::every][::-1]  # the last one always
    points, level = [(x(0.0), y(1.0))], 1.0
    for time, share in drawn:
        points += [(x(time), y(level)), (x(time), y(share))]
        level = share
    return [*points, (x(shown_until), y(level))]


def _step_band(
    curve: SurvivalCurve, x: Axis, y: Axis
) -> tuple[list[float], list[float], list[float]]:
    """Return places and both ends of the band as steps; NaN once nobody is left."""
    until = min(float(curve.observed[-1]), x.high)
    drawn = np.flatnonzero(curve.times <= until)
    drawn = drawn[::-1][:: max(1, math.ceil(len(drawn) / BAND_STEPS))][::-1]
    times = [*curve.times[drawn].tolist(), until]
    edges = []
    for end in (curve.low, curve.high):
        steps = [y(float(share)) for share in end[drawn]]
        edges.append([level for level in steps for _ in (0, 1)])
    return [x(t) for a, b in pairwise(times) for t in (a, b)], edges[0], edges[1]


def _find_survival(curve: SurvivalCurve, time: float) -> float:
    index = int(np.searchsorted(curve.times, time, side="right")) - 1
    return 1.0 if index < 0 else float(curve.survival[index])


def _write_group_names(canvas: Canvas, groups: RiskGroups, x: Axis, y: Axis) -> None:
    """Name each line at its right end, apart where they are close."""
    places = [y(_find_survival(curve, x.high)) + 4.5 for curve in groups.curves]
    above = -math.inf
    for i in np.argsort(places, kind="stable"):
        places[i] = above = max(places[i], above + CLOSE)
    over = max(0.0, above - y.start - 2)  # pushed out at the bottom: all move up
    for word, height in zip(groups.names, places, strict=True):
        canvas.text((x.end + 6, height - over), _format_brief(word), _LOOKS[word][0])


def _format_brief(word: str) -> str:
    return word.split()[0]


def _describe_survival(groups: RiskGroups, latest: float) -> str:
    half = latest / 2
    parts = [
        f"{word} {percent(round(_find_survival(curve, half), 2))}"
        for word, curve in zip(groups.names, groups.curves, strict=True)
    ]
    return f"Share without event at time {label_tick(half)}, by predicted risk: {', '.join(parts)}."


def _describe_interval(curve: SurvivalCurve, time: float) -> str:
    """Return the interval at a time in words; none before the first event, and after the last."""
    index = int(np.searchsorted(curve.times, time, side="right")) - 1
    if index < 0 or math.isnan(curve.low[index]):
        return "–"
    return f"{curve.low[index]:.3f} to {curve.high[index]:.3f}"


def _list_survival_rows(groups: RiskGroups, ticks: list[float]) -> list[tuple[str, ...]]:
    level = percent(groups.confidence_level)
    rows: list[tuple[str, ...]] = [
        ("Risk", "Time", "Share without event", f"{level} interval", "At risk")
    ]
    for word, curve in zip(groups.names, groups.curves, strict=True):
        for tick in ticks:
            share = f"{_find_survival(curve, tick):.3f}"
            rows.append(
                (
                    word,
                    label_tick(tick),
                    share,
                    _describe_interval(curve, tick),
                    f"{curve.at_risk(tick):,}",
                )
            )
    return rows


# Calibration at a time.


def calibration_at(
    judged: CalibrationAtTime, *, name: str, width: float = 270, alone: bool = False
) -> Figure:
    """Draw predicted against observed chances of an event by a time, a mark for each group.

    Hollow diamonds: it is the winner as searched, not corrected. Where it stood alone nothing was
    selected, and dots are blue.
    """
    time, level = label_tick(judged.time), percent(judged.confidence_level)
    titles = (f"Predicted risk by time {time}", "Observed (Kaplan-Meier)")
    plot = SquarePlot.of(name, width, titles)
    canvas, colour = plot.canvas, "accent" if alone else "warn"
    canvas.line((plot.x(0), plot.y(0)), (plot.x(1), plot.y(1)), "ink3", dash=DOTS)
    rows: list[tuple[str, ...]] = [
        ("Predicted", "Observed", f"{level} interval", "Events by then", "Cases")
    ]
    each = zip(judged.predicted, judged.observed, judged.low, judged.high, strict=True)
    for k, (predicted, observed, low, high) in enumerate(each):
        interval = "–"
        if not math.isnan(low):
            at = plot.x(float(predicted))
            canvas.line((at, plot.y(float(low))), (at, plot.y(float(high))), colour, 1.8)
            interval = f"{low:.3f} to {high:.3f}"
        counts = f"{int(judged.events[k]):,}", f"{int(judged.counts[k]):,}"
        rows.append((f"{predicted:.3f}", f"{observed:.3f}", interval, *counts))
    for predicted, observed in zip(judged.predicted, judged.observed, strict=True):
        canvas.own_score((plot.x(float(predicted)), plot.y(float(observed))), alone=alone)
    sentence = (
        f"By time {time} the mean predicted risk is {percent(round(judged.expected, 2))} and the "
        f"observed one {percent(round(judged.overall, 2))}; in {judged.n_outside} of "
        f"{len(judged.predicted)} groups they differ by more than the {level} interval allows."
    )
    return canvas.figure(sentence, rows)
