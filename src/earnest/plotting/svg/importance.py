"""Which parameters move the score: shares of its variation, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping

from earnest.core.text.numbers import percent
from earnest.explanation.importance import Importance
from earnest.plotting.svg.canvas import (
    SMALL,
    Canvas,
    Figure,
    Scale,
    cut_apart,
    draw_x_grid,
    find_ticks,
    label_ticks,
    measure_text,
    round_out,
)


def importance(
    made: Importance,
    *,
    name: str,
    width: float = 480,
    trials: Mapping[str, int] | None = None,
    leading: int = 2,
    most: int = 12,
) -> Figure:
    """Draw the share of each parameter as a dot with its interval, from 0 on; a tick is it alone.

    The share is that alone and together with others, in whose order the parameters come.

    Parameters
    ----------
    made : Importance
        What to draw.
    trials : mapping of str to int, optional
        In how many trials a parameter is active, where not in all.
    leading : int
        How many are named in the heading, in blue.
    most : int
        How many are drawn; the table has all.
    """
    names = list(made.ranking[:most])
    row, top = 24.0, 6.0
    bottom = top + row * len(names)
    counts = dict(trials or {})
    aside = max(
        (measure_text(_count_trials(counts[n]), SMALL) for n in names if n in counts), default=0.0
    )
    room = min(0.42 * width, 14 + max(measure_text(n, bold=True) for n in names))
    left = room + (aside + 14 if aside else 0.0)
    longest = max(max(made.total[n].high for n in names), 0.01)
    x = Scale(0.0, min(round_out(0.0, longest, (0.0, 1.0), 6)[1], 1.0), left, width - 24)
    canvas = Canvas(width, bottom + 44, name)
    ticks = find_ticks(x, 5 if width > 400 else 4)
    draw_x_grid(canvas, x, 0, bottom, ticks)
    words = cut_apart(names, (room - 14) / 1.12, keep_end=True)
    for i, param in enumerate(names):
        share, y = made.total[param], top + (i + 0.5) * row
        leads = i < leading
        colour = "accent" if leads else "ink2"
        canvas.text((0, y + 4), words[i], "ink" if leads else "ink2", bold=leads)
        if param in counts:
            canvas.text((left - 12, y + 4), _count_trials(counts[param]), anchor="end", size=SMALL)
        canvas.line((x(share.low), y), (x(share.high), y), colour, 2)
        canvas.dot((x(share.value), y), 4.5, colour)
        alone = x(made.main[param].value)
        canvas.line((alone, y - 7), (alone, y + 7), colour, 1.5)
    for value, label in zip(ticks, label_ticks(ticks, percent=True), strict=True):
        canvas.text((x(value), bottom + 16), label, anchor="middle", size=SMALL)
    level = percent(made.confidence_level)
    title = f"Share of the score's variation ({level} interval)"
    middle = min(0.5 * (x.start + x.end), width - measure_text(title) / 2)
    canvas.text((max(middle, measure_text(title) / 2), bottom + 36), title, "ink2", anchor="middle")
    first = made.total[names[0]]
    said = (
        f"{names[0]} accounts for {100 * first.value:.0f}\u00a0% of the score's variation "
        f"({100 * first.low:.0f} to {100 * first.high:.0f}\u00a0%)."
    )
    return canvas.figure(said, _list_importance_rows(made))


def _count_trials(count: int) -> str:
    return f"{count:,} trial{'' if count == 1 else 's'}"


def _list_importance_rows(made: Importance) -> list[tuple[str, ...]]:
    level = percent(made.confidence_level)
    rows: list[tuple[str, ...]] = [("Parameter", "Alone", level, "With others", level)]
    for param, share in made.main.items():
        total = made.total[param]
        cells = []
        for one in (share, total):
            cells += [f"{100 * one.value:.1f}\u00a0%"]
            cells += [f"{100 * one.low:.1f} to {100 * one.high:.1f}\u00a0%"]
        rows.append((param, *cells))
    return rows
