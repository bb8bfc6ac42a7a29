"""What we say of cases in time order: how much their losses depend on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from earnest.core.text.numbers import write_count

if TYPE_CHECKING:
    from earnest.core.data.order import Dependence


def word_dependence(dependence: Dependence) -> str:
    """Return in short how many times there are, what they are worth, and how they were drawn.

    Examples
    --------
    >>> from earnest.core.data.order import Dependence
    >>> from earnest.core.text.order import word_dependence
    >>> told = Dependence(block_length=8, inflation=2.5, first=0.4, n_times=250, df=45)
    >>> word_dependence(told)
    '250 times, worth 100 independent ones; blocks of 8 times'
    """
    times = write_count(dependence.n_times, "time")
    worth = min(round(dependence.worth), dependence.n_times)
    length = write_count(dependence.block_length, "time")
    drawn = "single times" if dependence.block_length == 1 else f"blocks of {length}"
    return f"{times}, worth {worth:,} independent ones; {drawn}"


def say_dependence(dependence: Dependence | None) -> str:
    """Return the sentence for the methods section of a paper; empty without an order."""
    if dependence is None:
        return ""
    length = write_count(dependence.block_length, "time")
    return (
        f"The cases are in time order: resamples drew blocks of {length} (Politis and White 2004), "
        f"and the variance allows for losses that depend on each other as if "
        f"{round(dependence.worth):,} of {dependence.n_times:,} times were independent."
    )
