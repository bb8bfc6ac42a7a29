"""The counts of a search, and of cases that weigh unlike, in words, the same for every reader."""

from __future__ import annotations

from earnest.core.results.counts import Counts
from earnest.core.results.scale import CaseWeighting
from earnest.core.text.numbers import write_count


def tell_counts(counts: Counts) -> str:
    """Return how many configurations were tried, and what became of those that are not complete.

    Examples
    --------
    >>> from earnest.core.results.counts import Counts
    >>> from earnest.core.text.counts import tell_counts
    >>> tell_counts(Counts(planned=106, tried=85, complete=83, failed=1))
    '85 configurations (106 planned): 83 on every fold, 1 failed, 1 incomplete'
    >>> tell_counts(Counts(planned=12, tried=12, complete=12))
    '12 configurations'
    """
    words = write_count(counts.tried, "configuration")
    if counts.planned is not None and counts.planned != counts.tried:
        words += f" ({counts.planned:,} planned)"
    ends = (
        (counts.complete, "on every fold"),
        (counts.dropped, "dropped early"),
        (counts.failed, "failed"),
        (counts.incomplete, "incomplete"),
    )
    if counts.complete == counts.tried:
        return words
    return f"{words}: {', '.join(f'{count:,} {end}' for count, end in ends if count)}"


def tell_weights(weighting: CaseWeighting) -> str:
    """Return what the weights of cases mean, and how many equal cases they are worth.

    Examples
    --------
    >>> from earnest.core.results.scale import CaseWeighting
    >>> from earnest.core.text.counts import tell_weights
    >>> tell_weights(CaseWeighting(kind="survey", effective=84.6, n_strata=4, n_units=24))
    'survey weights, worth 85 equal cases, 24 units in 4 strata'
    """
    cases = write_count(round(weighting.effective), "equal case")
    words = f"{weighting.kind} weights, worth {cases}"
    if weighting.n_strata is None or weighting.n_units is None:
        return words
    strata = "1 stratum" if weighting.n_strata == 1 else f"{weighting.n_strata:,} strata"
    return f"{words}, {write_count(weighting.n_units, 'unit')} in {strata}"
