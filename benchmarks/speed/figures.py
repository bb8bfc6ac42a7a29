"""The figures of a report, beside the same drawn by matplotlib, and the curves behind them."""

from __future__ import annotations

import io
from collections.abc import Iterator

import earnest as en
from benchmarks.speed.problems import binary
from benchmarks.speed.timing import Row, best, side_by_side
from earnest.inference.curves.corrected import ResampledSelection, mean_curves
from earnest.plotting.figures.estimates import plot_estimate
from earnest.plotting.svg.answer import answer


def drawn_by_matplotlib(made: en.results.Estimate) -> str:
    """Return matplotlib's picture of the answer as SVG, text left as text."""
    from matplotlib import rc_context

    page = io.StringIO()
    with rc_context({"svg.fonttype": "none"}):
        plot_estimate(made).figure.savefig(page, format="svg")
    return page.getvalue()


def rows(quick: bool) -> Iterator[Row]:
    """Yield the picture of the answer, and the curves against the estimate they repeat."""
    pi = binary(500, 100)
    made = en.estimate(pi, metric="roc_auc", rng=1)
    ours, theirs = side_by_side(
        lambda: answer(made, name="a"),
        lambda: drawn_by_matplotlib(made),
        3 if quick else 10,
    )
    yield Row("picture of the answer", ours, "matplotlib", theirs, 5.0)
    sizes = len(answer(made, name="a").svg), len(drawn_by_matplotlib(made))
    yield Row("its size", sizes[0], "matplotlib", sizes[1], 1.0, unit="bytes")
    metric, selection = en.metric("roc_auc"), ResampledSelection.of(made)
    whole = best(lambda: en.estimate(pi, metric="roc_auc", rng=1))
    curves = best(lambda: mean_curves(pi, metric, made.winner or 0, selection))
    yield Row("both curves, n=500 C=100", curves, "the estimate they repeat", whole, None)
