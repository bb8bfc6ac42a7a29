"""What we say of a model and its columns: which it needs, and how its prediction moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from earnest.core.results.model.columns import (
    ColumnEffect,
    ColumnImportance,
    ImportanceKind,
    ModelExplanation,
)
from earnest.core.text.numbers import decimals, number, percent, write_count

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable

ANYTHING = (float("-inf"), float("inf"))
NAMED = 3  # columns of a sentence
GOES_WITH = " + "


def count_places(explanation: ModelExplanation) -> int:
    """Return the decimals of all importances: those that most of them deserve."""
    widths = sorted(each.high - each.low for each in explanation if each.high > each.low)
    return decimals(widths[len(widths) // 3] / 4 if widths else None, explanation.score)


def show_importance(explanation: ModelExplanation, value: float) -> str:
    """Return an importance, or an end of its interval."""
    return number(value, count_places(explanation), ANYTHING)


def show_limits(explanation: ModelExplanation, each: ColumnImportance) -> str:
    """Return the interval of an importance."""
    return f"[{show_importance(explanation, each.low)}, {show_importance(explanation, each.high)}]"


def join_names(names: Sequence[str]) -> str:
    """Return names as a sentence has them: a, b and c."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def word_headline(explanation: ModelExplanation) -> str:
    """Return which columns the model needs most."""
    needed = explanation.needed
    if not needed:
        return "No column alone is shown to matter to the model"
    if len(needed) <= NAMED:
        return f"The model needs {join_names(needed)}"
    return f"The model needs {join_names(needed[:NAMED])} most"


def word_needed(explanation: ModelExplanation) -> str:
    """Return how many columns are shown to matter, of how many."""
    alone = [each for each in explanation if each.kind is ImportanceKind.COLUMN]
    level = percent(explanation.confidence_level)
    verb = "is" if len(explanation.needed) == 1 else "are"
    return (
        f"{len(explanation.needed)} of {write_count(len(alone), 'column')} {verb} shown to matter: "
        f"the {level} interval lies above 0."
    )


def word_in_short(explanation: ModelExplanation) -> str:
    """Return what the model needs, for a line among others."""
    shown = len(explanation.needed)
    more = f"; {shown:,} of {explanation.n_columns:,} are shown to matter" if shown > NAMED else ""
    return f"{word_headline(explanation)}{more}"


def word_way(explanation: ModelExplanation) -> str:
    """Return what an importance is."""
    way = "falls" if explanation.scale.greater_is_better else "rises"
    return (
        f"How much {explanation.metric} {way} on held-out cases when a column gets its values from "
        "other cases, so that it tells nothing."
    )


def word_effort(explanation: ModelExplanation) -> str:
    """Return what it is based on, and what was left out for want of time."""
    cases = f"{explanation.n_cases:,}"
    if explanation.n_cases < explanation.n_cases_in_all:
        cases += f" of {explanation.n_cases_in_all:,}"
    words = (
        f"{explanation.n_models} models of folds judged {cases} cases that they had not seen, with "
        f"{write_count(explanation.n_permutations, 'permutation')} of each column."
    )
    others = [each for each in explanation if each.kind is ImportanceKind.OTHERS]
    for each in others:
        words += (
            f" {len(each.columns):,} of {explanation.n_columns:,} columns were only looked at "
            "together: those that tell least alone."
        )
    return words


def word_together(explanation: ModelExplanation) -> str:
    """Return which columns go together, and what follows; nothing where none do."""
    groups = [each for each in explanation if each.kind is ImportanceKind.TOGETHER]
    if not groups:
        return ""
    return (
        "Columns that go together stand in for each other, so each alone may seem needless: their "
        "common row tells what they are worth."
    )


def describe_effect(effect: ColumnEffect) -> str:
    """Return in a sentence how the prediction moves with a column."""
    low, high = effect.range
    places = decimals((high - low) / 20 if high > low else None, high)
    at_low = effect.grid[effect.mean.index(low)]
    at_high = effect.grid[effect.mean.index(high)]
    if high == low:
        return f"The {effect.predicted} does not move."
    ends = [(at_low, low), (at_high, high)]
    if effect.grid.index(at_low) > effect.grid.index(at_high):
        ends.reverse()
    first, last = (f"{number(value, places, ANYTHING)} at {at}" for at, value in ends)
    return f"The mean {effect.predicted} goes from {first} to {last}."


def word_summary(explanation: ModelExplanation) -> str:
    """Return what is shown of the columns, in a few sentences."""
    words = [f"{word_headline(explanation)}.", word_needed(explanation), word_way(explanation)]
    words += [word_together(explanation), word_effort(explanation)]
    return " ".join(filter(None, words))


def word_line(explanation: ModelExplanation) -> str:
    """Return the explanation in a line."""
    level = percent(explanation.confidence_level)
    return (
        f"{explanation.model}: {word_headline(explanation).lower()} ({explanation.metric}, {level} "
        f"intervals, n={explanation.n_cases:,})"
    )


def word_rows(explanation: ModelExplanation) -> Iterator[str]:
    """Yield a line per importance."""
    for each in explanation:
        value = show_importance(explanation, each.value)
        yield f"{each.name}: {value} {show_limits(explanation, each)}"


def make_table(explanation: ModelExplanation) -> PaperTable:
    """Return the importances as a table for a paper."""
    from earnest.core.text.paper import PaperTable

    level = percent(explanation.confidence_level)
    heads = ("column", f"{explanation.metric} lost", f"{level} interval")
    rows = tuple(
        (
            each.name,
            show_importance(explanation, each.value),
            show_limits(explanation, each),
        )
        for each in explanation
    )
    return PaperTable(heads, rows, word_effort(explanation))
