"""What more configurations and more training cases gave, and how the best score grew."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from earnest.core.results.gain import Gain, Improvement, LearningCurve
from earnest.core.text import gain as gain_text
from earnest.core.text import learning as learning_text
from earnest.core.text.gain import count_gain_decimals
from earnest.core.text.numbers import percent, show_number
from earnest.inference.curves.halves import HalfCurves
from earnest.plotting.svg.canvas import (
    APART,
    DASH,
    DOTS,
    Axis,
    Canvas,
    Figure,
    Point,
    draw_x_axis,
    draw_y_grid,
    find_finite_ends,
    find_ticks,
    fit_words,
    label_room,
    label_ticks,
    measure_text,
    round_out,
    space_labels,
)

TOP, UNDER, SIDE, ROW = 28.0, 44.0, 22.0, 17.0
NARROW = 480.0  # pixels under which the lines are named over the plot
STOPS = tuple(m * 10**k for k in range(7) for m in (1, 2, 5))


def gain(result: Gain, *, name: str, width: float = 640, title: str = "") -> Figure:
    """Draw both curves on a log scale: hollow diamonds are naive, dots with a band corrected.

    Parameters
    ----------
    result : Gain
        Of `earnest.gain`.
    title : str
        The metric in words; its name by default.
    """
    words, narrow, height = title or result.metric, width < NARROW, 300.0
    ends = _name_ends(result)
    wide = max(measure_text(word, bold=True) for word, _, _ in ends)
    (low, high), ticks, left = _span_scores(result, [*result.naive, *result.corrected])
    right = width - (14 if narrow else wide + 18)
    top = TOP + (2 * ROW + 4 if narrow else 0)
    canvas = Canvas(width, height, name)
    x = Axis(1.0, max(float(result.n_configs), 2.0), left + 6, right, log=True)
    y = Axis(low, high, height - UNDER, top)
    tails = ("of the winner of so many configurations", "of the winner")
    heading = _find_heading(words, tails, width - left)
    draw_y_grid(canvas, y, left, right, ticks=ticks)
    canvas.text((left, TOP - 14), heading, "ink2")
    _draw_turn(canvas, result, x, (top, height - UNDER))
    places = [x(float(k)) for k in result.marks]
    floor, roof = (
        [math.nan if v is None else y(v) for v in edge] for edge in (result.low, result.high)
    )
    canvas.band(places, floor, roof)
    naive, corrected = (
        _find_points(result, line, x, y) for line in (result.naive, result.corrected)
    )
    canvas.curve(naive, "warn", 1.6, dash=DASH)
    canvas.curve(corrected, "accent", 2.2)
    for point in naive:
        if not math.isnan(point[1]):
            canvas.diamond(point, 4.5)
    for point in corrected:
        if not math.isnan(point[1]):
            canvas.dot(point, 3.5, "accent")
    _draw_names(canvas, ends, y, right, TOP if narrow else None, left)
    order = "in the order tried" if result.order == "tried" else "mean over orders"
    under = f"configurations, {order}" if narrow else f"configurations tried (log scale, {order})"
    labels = _label_stops(x, result.n_configs)
    draw_x_axis(canvas, x, height - UNDER, title=fit_words(under, width - 8), labels=labels)
    heads = {"configurations": "Configurations", "naive": "Naive", "corrected": "Corrected"}
    return canvas.figure(gain_text.word_headline(result), _list_rows(result, heads))


def _find_heading(metric: str, tails: Sequence[str], room: float) -> str:
    """Return the longest of the headings that fits its room; the metric itself is cut last."""
    headings = (f"{metric} {tail}" for tail in tails)
    fitting = (heading for heading in headings if measure_text(heading) <= room)
    return next(fitting, fit_words(metric, room))


def _name_ends(result: Gain) -> list[tuple[str, str, float]]:
    """Return the words of both lines, their colours, and the values they stand beside."""
    places, limits = count_gain_decimals(result), result.scale.limits
    lines = (("search reports", "warn", result.naive), ("expect", "accent", result.corrected))
    ends = [(word, colour, line[-1]) for word, colour, line in lines]
    return [
        (f"{word} {show_number(value, places, limits)}", colour, value)
        for word, colour, value in ends
        if value is not None
    ]


def _find_points(result: Gain, line: Sequence[float | None], x: Axis, y: Axis) -> list[Point]:
    scores = ((k, line[k - 1]) for k in result.marks)
    return [(x(float(k)), math.nan if value is None else y(value)) for k, value in scores]


def _draw_turn(canvas: Canvas, result: Gain, x: Axis, span: tuple[float, float]) -> None:
    """Draw a line where most of the gain was there, with words where they have room."""
    most = result.configurations_for_most
    if not (result.shown and result.plateau) or most is None or most >= result.n_configs:
        return
    at, words = x(float(most)), "most of the gain up to here"
    canvas.line((at, span[0] - 4), (at, span[1]), "ink3", dash=DOTS)
    room = x.end - at - 12
    if measure_text(words) > room:
        words = "most of the gain"
    if measure_text(words) <= room:
        canvas.text((at + 6, span[0] + 4), words, "ink2")


def _draw_names(
    canvas: Canvas,
    ends: Sequence[tuple[str, str, float]],
    y: Axis,
    right: float,
    above: float | None,
    left: float,
) -> None:
    """Name the lines at their right ends, kept apart, or over the plot where it is narrow."""
    if above is not None:
        for row, (word, colour, _) in enumerate(ends):
            base = above + row * ROW
            canvas.line((left, base), (left + 20, base), colour, 2, dash=DASH if row == 0 else "")
            canvas.text((left + 26, base + 4.5), word, colour, bold=True)
        return
    order = sorted(range(len(ends)), key=lambda i: y(ends[i][2]))
    bases = [y(ends[i][2]) + 4.5 for i in order]
    for i in range(1, len(bases)):
        lack = ROW - (bases[i] - bases[i - 1])
        if lack > 0:
            bases[i - 1] -= lack / 2
            bases[i] += lack / 2
    for i, base in zip(order, bases, strict=True):
        word, colour, _ = ends[i]
        canvas.text((right + 12, base), word, colour, bold=True)


def _label_stops(x: Axis, configs: int) -> list[tuple[float, str]]:
    """Return round numbers of configurations that leave room for each other and for the last."""
    last = (float(configs), f"{configs:,}")
    labels: list[tuple[float, str]] = []
    for stop in (number for number in STOPS if number < configs):
        word = f"{stop:,}"
        half = 0.5 * measure_text(word)
        before = x(labels[-1][0]) + 0.5 * measure_text(labels[-1][1]) if labels else -math.inf
        after = x(last[0]) - 0.5 * measure_text(last[1])
        if x(float(stop)) - half - before >= APART and after - x(float(stop)) - half >= APART:
            labels.append((float(stop), word))
    return [*labels, last]


def learning(curve: LearningCurve, *, name: str, width: float = 460, title: str = "") -> Figure:
    """Draw a dot per size with its limits, joined by a line, on a log scale.

    Parameters
    ----------
    curve : LearningCurve
        Of `earnest.learning_curve`.
    title : str
        The metric in words; its name by default.
    """
    (low, high), ticks, left = _span_scores(curve, curve.scores)
    height, right = 240.0, width - SIDE
    canvas = Canvas(width, height, name)
    x = Axis(float(curve.sizes[0]), float(curve.sizes[-1]), left + SIDE, right, log=True)
    y = Axis(low, high, height - UNDER, TOP)
    draw_y_grid(canvas, y, left, right, ticks=ticks)
    heading = _find_heading(title or curve.metric, ("by training cases",), width - left)
    canvas.text((left, TOP - 14), heading, "ink2")
    points = [
        (x(float(size)), y(score)) for size, score in zip(curve.sizes, curve.scores, strict=True)
    ]
    for (middle, _), least, most in zip(points, curve.low, curve.high, strict=True):
        if least is not None and most is not None:
            canvas.line((middle, y(least)), (middle, y(most)), "accent", 1.4)
    canvas.curve(points, "accent", 2.0)
    for point in points:
        canvas.dot(point, 4.0, "accent")
    labels, reached = [], -1e9
    for size in curve.sizes:
        half = 0.5 * measure_text(f"{size:,}")
        if x(float(size)) - half > reached:
            labels.append((float(size), f"{size:,}"))
            reached = x(float(size)) + half + 6
    under = fit_words("training cases (log scale)", width - 8)
    draw_x_axis(canvas, x, height - UNDER, title=under, labels=labels)
    return canvas.figure(
        learning_text.word_headline(curve),
        _list_rows(curve, {"training_cases": "Training cases", "score": "Score"}),
    )


def _span_scores(
    result: Improvement, scores: Sequence[float | None]
) -> tuple[tuple[float, float], list[float], float]:
    """Return the ends of the axis of scores with their limits, its ticks, and room for those."""
    ends = find_finite_ends([*result.low, *result.high, *scores])
    ends = round_out(*ends, result.scale.limits, 6, halves=True)
    ticks = find_ticks(Axis(*ends, 0.0, 1.0))
    return ends, ticks, label_room(label_ticks(ticks))


def _list_rows(result: Improvement, heads: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return the table beside a figure: a whole number, then scores, by the names of `rows`."""
    level, places = percent(result.confidence_level), count_gain_decimals(result)
    named = {**heads, "low": f"Low end, {level}", "high": f"High end, {level}"}

    def show_score(value: float | None) -> str:
        return "–" if value is None else show_number(value, places, result.scale.limits)

    first, *keys = named
    rows = ((f"{row[first]:,}", *(show_score(row[key]) for key in keys)) for row in result.rows())
    return [tuple(named.values()), *rows]


MOST_ROWS = 12  # of the table behind the figure
HALVES = ("half told", "unseen half")


def best_so_far(
    naive: Sequence[float],
    *,
    name: str,
    metric: str,
    limits: tuple[float, float] = (-math.inf, math.inf),
    corrected: Sequence[float] | None = None,
    limits_of_last: tuple[float, float] | None = None,
    width: float = 560,
) -> Figure:
    """Draw the score of the best of the first k configurations, and what to expect of it.

    Parameters
    ----------
    naive : sequence of float
        For k = 1, 2, ... the score that a search would report that ended there.
    metric : str
        What is measured, in words.
    limits : pair of float
        Between which scores can lie.
    corrected : sequence of float, optional
        What to expect of that winner on new data.
    limits_of_last : pair of float, optional
        The ends of the interval of the last of these.
    """
    count = len(naive)
    values: list[float] = [*naive, *(corrected or ())]
    values += limits_of_last or ()
    low, high = round_out(*find_finite_ends(values), limits, halves=True)
    top, bottom = 34.0, 214.0
    y = Axis(low, high, bottom, top)
    ticks = find_ticks(y, 5)
    left = label_room(label_ticks(ticks))
    x = Axis(1, max(count, 2), left, width - 14.0, log=True)
    canvas = Canvas(width, bottom + 44, name)
    draw_y_grid(canvas, y, left, x.end, title=metric, ticks=ticks)
    labels = [pair for pair in space_labels(x, whole=True) if pair[0] <= count]
    draw_x_axis(canvas, x, bottom, title="configurations tried", labels=labels or [(1, "1")])
    places = [x(k + 1) for k in range(count)]
    if limits_of_last is not None:
        ends = [y(v) for v in limits_of_last]
        canvas.line((places[-1], ends[0]), (places[-1], ends[1]), "accent", 1.8)
        for end in ends:
            canvas.line((places[-1] - 5, end), (places[-1] + 5, end), "accent", 1.8)
    if corrected is not None:
        canvas.curve(_climb(places, [y(v) for v in corrected]), "accent", 2.2)
        canvas.dot((places[-1], y(corrected[-1])), 4, "accent")
    canvas.curve(_climb(places, [y(v) for v in naive]), "warn", 2, dash=DASH)
    canvas.diamond((places[-1], y(naive[-1])), 5)
    return canvas.figure(_say(naive, corrected, metric), _list_best(naive, corrected))


def both_halves(
    curves: HalfCurves,
    *,
    name: str,
    metric: str,
    limits: tuple[float, float] = (-math.inf, math.inf),
    width: float = 560,
) -> Figure:
    """Draw what the samplers of a crossed search were told, and what the unseen half says.

    Thick lines are means over the two samplers, thin ones each of them.

    Parameters
    ----------
    curves : HalfCurves
        Of `earnest.inference.curves.halves`.
    metric : str
        What is measured, in words.
    limits : pair of float
        Between which scores can lie.
    """
    values = [*curves.guiding.ravel().tolist(), *curves.judging.ravel().tolist()]
    low, high = round_out(*find_finite_ends(values), limits, halves=True)
    top, bottom = 34.0 + 2 * ROW, 214.0 + 2 * ROW
    y = Axis(low, high, bottom, top)
    ticks = find_ticks(y, 5)
    left = label_room(label_ticks(ticks))
    tried = [float(count) for count in curves.tried]
    x = Axis(tried[0], max(tried[-1], tried[0] + 1.0), left, width - 14.0)
    canvas = Canvas(width, bottom + 44, name)
    draw_y_grid(canvas, y, left, x.end, ticks=ticks)
    canvas.text((left, top - 14), fit_words(metric, width - left), "ink2")
    labels = [pair for pair in space_labels(x, whole=True) if tried[0] <= pair[0] <= tried[-1]]
    under = fit_words("configurations tried", width - 8)
    draw_x_axis(canvas, x, bottom, title=under, labels=labels or [(tried[0], f"{tried[0]:.0f}")])
    places, means = [x(count) for count in tried], curves.means
    for each, colour, dash in ((curves.judging, "accent", ""), (curves.guiding, "warn", DASH)):
        for line in each:
            canvas.curve(_climb(places, [y(float(v)) for v in line]), colour, 0.8, dash=dash)
    for line, colour, dash in zip(means[::-1], ("accent", "warn"), ("", DASH), strict=True):
        canvas.curve(_climb(places, [y(float(v)) for v in line]), colour, 2.2, dash=dash)
    canvas.dot((places[-1], y(float(means[1, -1]))), 4, "accent")
    canvas.diamond((places[-1], y(float(means[0, -1]))), 5)
    ends = [
        (f"{word} {_show(float(line[-1]))}", colour, float(line[-1]))
        for word, colour, line in zip(HALVES, ("warn", "accent"), means, strict=True)
    ]
    _draw_names(canvas, ends, y, x.end, 14.0, left)
    first, last = means[:, 0], means[:, -1]
    label = (
        f"By the half that each sampler was told, its best {metric} went from {_show(first[0])} to "
        f"{_show(last[0])}; by the half that it was not told, from {_show(first[1])} to "
        f"{_show(last[1])}."
    )
    return canvas.figure(label, _list_halves(curves))


def _list_halves(curves: HalfCurves) -> list[tuple[str, ...]]:
    """Return a row every few configurations."""
    steps = {round(i * (len(curves.tried) - 1) / (MOST_ROWS - 1)) for i in range(MOST_ROWS)}
    rows: list[tuple[str, ...]] = [("configurations", *HALVES)]
    for step in sorted(steps):
        scores = (_show(float(line[step])) for line in curves.means)
        rows.append((f"{curves.tried[step]:,}", *scores))
    return rows


def _climb(places: Sequence[float], heights: Sequence[float]) -> list[tuple[float, float]]:
    """Return the corners of a line that steps where a configuration is added."""
    points = [(places[0], heights[0])]
    for position, before, after in zip(places[1:], heights, heights[1:], strict=False):
        points += [(position, before), (position, after)]
    return points


def _say(naive: Sequence[float], corrected: Sequence[float] | None, metric: str) -> str:
    words = f"The best {metric} went from {_show(naive[0])} to {_show(naive[-1])}"
    words += f" over {len(naive):,} configuration{'' if len(naive) == 1 else 's'}"
    if corrected is None:
        return f"{words}; not corrected."
    return f"{words}; on new data expect {_show(corrected[-1])} of it."


def _list_best(naive: Sequence[float], corrected: Sequence[float] | None) -> list[tuple[str, ...]]:
    """Return a row every few configurations, closer at the beginning."""
    count = len(naive)
    steps = {round(count ** (i / (MOST_ROWS - 1))) for i in range(MOST_ROWS)} | {1, count}
    heads = ("configurations", "best so far", *(("expect",) if corrected is not None else ()))
    rows = [heads]
    for k in sorted(step for step in steps if 1 <= step <= count):
        more = (_show(corrected[k - 1]),) if corrected is not None else ()
        rows.append((f"{k:,}", _show(naive[k - 1]), *more))
    return rows


def _show(value: float) -> str:
    return show_number(value, 3, (-math.inf, math.inf))
