"""Results in a terminal that is not the command line's: what `rich` prints of them in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from earnest.cli.show.comparison import show_comparison, show_comparisons
from earnest.cli.show.estimate import show_estimate, show_estimates
from earnest.cli.show.explanation import show_explanation
from earnest.cli.show.gain import show_gain
from earnest.cli.show.model.columns import show_model_explanation
from earnest.cli.show.terminal import NO_BREAK, WIDEST, CleanPart, collecting, make_theme
from earnest.cli.show.thresholds import show_thresholds
from earnest.core.results.base import Result
from earnest.core.results.comparison import Comparison
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.estimate import Estimate, Estimates
from earnest.core.results.gain import Gain
from earnest.core.results.model.columns import ModelExplanation
from earnest.core.results.thresholds import Thresholds
from earnest.core.text.doors import PYTHON, through
from earnest.explanation.result import Explanation

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

_SHOW: dict[type, Callable[[Any], None]] = {
    Estimate: show_estimate,
    Estimates: show_estimates,
    Comparison: show_comparison,
    Comparisons: show_comparisons,
    Explanation: show_explanation,
    Gain: show_gain,
    ModelExplanation: show_model_explanation,
    Thresholds: show_thresholds,
}


@dataclass(frozen=True)
class ShownResult:
    """A result as the command line shows it, for a console of rich; its advice is in Python.

    Examples
    --------
    >>> import numpy as np
    >>> from rich.console import Console
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(100) // 2 % 10)
    >>> found = en.estimate(pi, metric="roc_auc", rng=7)
    >>> console = Console(width=80)
    >>> with console.capture() as told:
    ...     console.print(found)
    >>> told.get().split(",")[0].strip()
    'Expect a ROC AUC of 0.71 on new data'
    """

    result: Result

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """Yield what a console writes."""
        show = next((_SHOW[kind] for kind in type(self.result).__mro__ if kind in _SHOW), None)
        if show is None:
            yield from console.render(CleanPart(repr(self.result)), options)
            return
        width = min(options.max_width, WIDEST)
        with collecting(width) as parts, through(PYTHON):
            show(self.result)
        with console.use_theme(make_theme(console.color_system)):
            for renderable in parts:
                for segment in console.render(CleanPart(renderable), options.update(width=width)):
                    yield segment._replace(text=segment.text.replace(NO_BREAK, "\u00a0"))
