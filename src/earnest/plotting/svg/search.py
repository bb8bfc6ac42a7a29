"""How the best score of a search grows with the configurations that it tries."""

from __future__ import annotations

import math
from collections.abc import Sequence

from earnest.plotting.svg.canvas import (
    DASH,
    Canvas,
    Figure,
    Scale,
    draw_x_axis,
    draw_y_grid,
    find_finite_ends,
    find_ticks,
    label_room,
    label_ticks,
    round_out,
    show_number,
    space_labels,
)

MOST_ROWS = 12  # of the table behind the figure


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
    y = Scale(low, high, bottom, top)
    ticks = find_ticks(y, 5)
    left = label_room(label_ticks(ticks))
    x = Scale(1, max(count, 2), left, width - 14.0, log=True)
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
    return canvas.figure(_say(naive, corrected, metric), _list_rows(naive, corrected))


def _climb(places: Sequence[float], heights: Sequence[float]) -> list[tuple[float, float]]:
    """Return the corners of a line that steps where a configuration is added."""
    points = [(places[0], heights[0])]
    for place, before, after in zip(places[1:], heights, heights[1:], strict=False):
        points += [(place, before), (place, after)]
    return points


def _say(naive: Sequence[float], corrected: Sequence[float] | None, metric: str) -> str:
    words = f"The best {metric} went from {_show(naive[0])} to {_show(naive[-1])}"
    words += f" over {len(naive):,} configuration{'' if len(naive) == 1 else 's'}"
    if corrected is None:
        return f"{words}; not corrected."
    return f"{words}; on new data expect {_show(corrected[-1])} of it."


def _list_rows(naive: Sequence[float], corrected: Sequence[float] | None) -> list[tuple[str, ...]]:
    """Return a row a few configurations, closer at the beginning."""
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
