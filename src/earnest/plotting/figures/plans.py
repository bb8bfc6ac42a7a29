"""How many items a study needs: the curve of its power, or of the width of its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from earnest.core.text.numbers import percent
from earnest.decision.plan import DETECT, Plan
from earnest.plotting.figures.style import HONEST, INK, LABEL, SMALL, TINY, get_axes, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # for results, which must not import matplotlib

DASHES = ("-", "--", "-.", ":")


def plot_plan(plan: Plan, ax: Axes | None = None) -> Axes:
    """Draw the curve of each number of configurations and repeats, with the goal and the need.

    Parameters
    ----------
    plan : Plan
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = get_axes(ax, (6.4, 3.2))
    several = len(plan.needs) > 1
    for at, need in enumerate(plan.needs):
        points = [
            point
            for point in plan.curve
            if (point.n_configs, point.n_repeats) == (need.n_configs, need.n_repeats)
        ]
        ax.errorbar(
            [point.n_items for point in points],
            [point.value for point in points],
            yerr=[2 * point.error for point in points],
            color=HONEST,
            linestyle=DASHES[at % len(DASHES)],
            marker="o",
            markersize=3,
            label=f"{need.n_configs} configurations, {need.n_repeats} repeats",
        )
        if need.n_items is not None:
            ax.axvline(need.n_items, color=LABEL, linewidth=0.8, linestyle=DASHES[at % len(DASHES)])
    detect = plan.question == DETECT
    ax.axhline(plan.power if plan.power is not None else plan.goal, color=LABEL, linewidth=0.8)
    word = f"power at a difference of {plan.goal:g}"
    if not detect:
        word = f"width of the {percent(plan.confidence_level)} interval"
    ax.set_xscale("log")
    ax.set_ylabel(literal(word), color=INK, fontsize=SMALL)
    quiet_log(ax)
    if several:
        ax.legend(fontsize=TINY, frameon=False)
    return ax


def quiet_log(ax: Axes) -> None:
    """Leave the axes with few ticks, the x axis on a log scale."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    label = "items"
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.xaxis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.tick_params(colors=LABEL, labelsize=TINY)
    ax.set_xlabel(label, color=INK, fontsize=SMALL)
