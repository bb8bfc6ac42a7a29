"""What the figures of all papers share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from earnest.plotting.figures.style import GRID, INK, LABEL, SMALL, TINY


def set_plain(ax: Any, *, title: str = "", x: str = "", y: str = "") -> None:
    """Give axes the look of the pages, with what they show."""
    ax.grid(axis="y", color=GRID)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(LABEL)
    ax.tick_params(colors=LABEL, labelsize=TINY)
    for put, text in ((ax.set_title, title), (ax.set_xlabel, x), (ax.set_ylabel, y)):
        if text:
            put(text, color=INK, fontsize=SMALL)


def save(figure: Any, path: Path) -> None:
    """Write a figure, the same bytes every time, and close it."""
    import matplotlib.pyplot as plt
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "earnest"}):
        figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def add_legend(figure: Any, ax: Any) -> None:
    """Put the legend of some axes below the figure."""
    handles, names = ax.get_legend_handles_labels()
    look = {"frameon": False, "fontsize": TINY}
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), **look)
