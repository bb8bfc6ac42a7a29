"""Cautions about tables and logs: how they were read, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from earnest.core.base import check
from earnest.core.cautions.reasons import Breach, LogEnd, Omission
from earnest.core.results.cautions import Scope, Words, caution, note, write_for
from earnest.core.text.doors import arg
from earnest.core.text.numbers import prose, write_count

UNLIMITED = (float("-inf"), float("inf"))
READ_AS_CONFIGURATIONS = (
    "Each column is read as the {what} of one configuration, and the best of them as the winner."
)


def count_values(count: int | None, noun: str = "values") -> str:
    """Return how many values a column has; None where every row has another."""
    return "a different value in every row" if count is None else f"{count:,} {noun}"


def describe_empty(kind: str, like: str) -> str:
    """Return why a column holds nothing to learn from: its kind, its value or what it repeats."""
    if not like:
        return kind
    return f"{kind}, {'only' if kind == 'constant' else 'as'} {like}"


@caution("EN072")
def identifiers_left_out(
    columns: tuple[tuple[str, int | None], ...], keep: str, group: str | None
) -> Words:
    """Columns look like identifiers: each with its values. `keep` is the first that has a name."""
    named = [
        f"{repr(name) if name.strip() else 'one without a name'} ({count_values(count)})"
        for name, count in columns
    ]
    lone = len(columns) == 1
    looks = "looks like an identifier and is" if lone else "look like identifiers and are"
    cure = ""
    if keep:
        cure = f"{'If it is not one' if lone else 'If one is not'}, pass {arg('keep', keep)}."
    if group is not None:
        cure = f"If rows of one {group} belong together, pass {arg('group', group)}."
    return Words(
        f"{write_count(len(columns), 'column')} {looks} left out: {check.some(named)}.",
        f"A model could memorize rows with {'it' if lone else 'them'}, and new rows have other "
        "values.",
        cure,
    )


@caution("EN072")
def copies_of_outcome_left_out(columns: tuple[tuple[str, str], ...]) -> Words:
    """Columns match the outcome in every row: each with the outcome it matches."""
    listed = check.some(f"{name!r} (as {outcome})" for name, outcome in columns)
    return Words(
        f"{_count_left_out(columns)} for matching the outcome in every row: {listed}.",
        "A model would learn to read the answer, which new cases rarely have.",
        f"If it is known before the outcome, pass {arg('keep', columns[0][0])}.",
    )


@caution("EN081")
def columns_know_outcome(
    suspects: tuple[tuple[str, str, float, str | None], ...],
    metric: str,
    winner: float | None,
    without: float | None,
) -> Words:
    """Columns may hold what is only known later: each with why, its score alone, and a class."""
    listed = "; ".join(_write_suspect(*suspect, metric) for suspect in suspects[:MOST_SUSPECTS])
    more = len(suspects) - MOST_SUSPECTS
    listed += f"; and {write_count(more, 'more column')}" if more > 0 else ""
    lone = len(suspects) == 1
    best = "" if winner is None else f" The winner scores {_score(winner)} with all columns"
    if winner is not None and without is not None:
        best += f", and {_score(without)} without {'this one' if lone else 'these'}"
    which = "it" if lone else "each of them"
    leave = _leave_out([name for name, *_ in suspects[:MOST_SUSPECTS]])
    return Words(
        f"{listed[0].upper()}{listed[1:]}: {'is it' if lone else 'are they'} known before the "
        f"outcome?{best}{'.' * bool(best)}",
        "A model that needs what is only known afterwards is of no use.",
        f"Find out when {which} is written down. If after the outcome, pass {leave}.",
    )


@note("EN081")
def winner_without(columns: tuple[str, ...], metric: str, winner: float, without: float) -> Words:
    """The winner was trained again without some columns."""
    listed = check.some(f"`{name}`" for name in columns)
    return Words(
        f"Without {listed} the winner scores {_score(without)} ({metric}), and {_score(winner)} "
        "with all columns.",
        "Both are scores of the same settings in the same folds, not corrected for the search.",
        f"To search without them, pass {_leave_out(columns)}.",
    )


MOST_SUSPECTS = 3  # columns that are listed


def _leave_out(columns: Sequence[str]) -> str:
    """Return the argument that leaves columns out."""
    return arg("ignore", columns[0] if len(columns) == 1 else list(columns))


def _write_suspect(name: str, sign: str, score: float, label: str | None, metric: str) -> str:
    """Return why a column is suspected, as a clause."""
    alone = f"`{name}` alone scores {_score(score)} ({metric})"
    reasons = {
        "missing": f"whether it has a value tells {label!r} from the rest",
        "zero": f"whether it is zero tells {label!r} from the rest",
        "copy": "its values are the outcome under other names",
        "order": "it follows the order of the rows, along which the outcome changes",
    }
    return f"{alone}; {reasons[sign]}" if sign in reasons else alone


def _score(value: float) -> str:
    return prose(value, 3, UNLIMITED)


@note("EN072")
def empty_left_out(columns: tuple[tuple[str, str, str], ...]) -> Words:
    """Columns have nothing to learn from: each with its kind, and its value or what it repeats."""
    listed = check.some(f"{name!r} ({describe_empty(kind, like)})" for name, kind, like in columns)
    return Words(
        f"{_count_left_out(columns)}: {listed}.",
        "There is nothing to learn from columns that never vary or repeat another one.",
    )


@note("EN072")
def names_left_out(columns: tuple[tuple[str, int | None], ...]) -> Words:
    """Columns hold short text with few cases each: with how many values."""
    listed = check.some(f"{name!r} ({count_values(count, 'levels')})" for name, count in columns)
    return Words(
        f"{_count_left_out(columns)}: {listed}.",
        "Names with so many levels have too few cases of each to learn from.",
        f"Merge rare levels, or use the column with {arg('keep', columns[0][0])}.",
    )


@note("EN121")
def columns_encoded(
    dates: tuple[str, ...], texts: tuple[str, ...], coded: tuple[str, ...]
) -> Words:
    """Columns that models do not see as they are: dates, text, categories of many levels."""
    ways = (
        (dates, "as year, month, weekday and time"),
        (texts, "as components of the words in it"),
        (coded, "as the mean outcome of each of its many levels"),
    )
    listed = "; ".join(f"{check.some(map(repr, names))} {way}" for names, way in ways if names)
    why = "What levels and words are worth is learned in the training part of each fold."
    if dates:
        why = "If new cases come later than these, shuffled folds are too optimistic."
    first = (*dates, *texts, *coded)[0]
    return Words(f"Models see {listed}.", why, f"{arg('ignore', first)} leaves it out.")


@note("EN072")
def columns_ignored(columns: tuple[str, ...]) -> Words:
    """A table to predict has columns that the model was not trained with."""
    return Words(
        f"{write_count(len(columns), 'column')} {'is' if len(columns) == 1 else 'are'} ignored: "
        f"{check.some(map(repr, columns))}.",
        "The model was trained without them.",
    )


def _count_left_out(columns: tuple[object, ...]) -> str:
    return f"{write_count(len(columns), 'column')} {'is' if len(columns) == 1 else 'are'} left out"


@caution("EN078")
def outcomes_missing(missing: int, rows: int) -> Words:
    """Rows have no outcome."""
    return Words(
        f"{missing:,} of {rows:,} rows have no outcome and are left out.",
        "If outcomes are missing for a reason, such as a bad end, the estimate is about other "
        "cases than those you will meet.",
        "Find out why they are missing.",
    )


@note("EN078")
def cases_left_out_by_tool(tool: str, cases: int, left_out: int, reason: Omission) -> Words:
    """A tool did not use all its rows."""
    return Words(
        f"{tool} was given {cases} cases, and {left_out} of them are left out: {reason}.",
        "The estimate is about cases like the others.",
    )


@caution("EN079")
def levels_unknown(column: str, levels: tuple[str, ...], cells: int, known: int) -> Words:
    """A table to predict has values that training never saw."""
    return Words(
        f"Column {column!r} has {cells:,} of {known:,} values that training never saw: "
        f"{check.some(map(repr, levels), limit=3)}.",
        "They are treated as missing.",
        "Check whether they are spelled as in training.",
    )


def list_ranges(columns: Sequence[tuple[str, float, float]], unlike: int) -> str:
    """Return the ends of columns, or how many have no value in common with the others."""
    if not columns:
        return f"{unlike} columns have no value in common with the others"
    return check.some(
        (f"{name!r} from {low:g} to {high:g}" for name, low, high in columns), limit=3
    )


@caution("EN120")
def columns_may_be_data(columns: tuple[tuple[str, float, float], ...], unlike: int) -> Words:
    """Columns may be data instead of predictions: each with its ends, or how many are unlike."""
    signs = list_ranges(columns, unlike)
    train = write_for(python="earnest.tune", command="earnest tune")
    return Words(
        f"Some columns may be data instead of predictions: {signs}.",
        READ_AS_CONFIGURATIONS.format(what="predictions"),
        f"If they are data, train models on them with {train}; otherwise name the configurations "
        f"with {arg('configs', ...)}.",
    )


@note("EN120")
def decision_values_disagree(columns: tuple[str, ...], agreement: float) -> Words:
    """Columns that are read as decision values order the cases in unlike ways."""
    train = write_for(python="earnest.tune", command="earnest tune")
    return Words(
        f"{check.some(map(repr, columns), limit=3)} are read as decision values of configurations, "
        f"but hardly agree: their median rank correlation is {agreement:.2f}.",
        "Predictions of one outcome mostly agree; features do not, and neither do learners that "
        "have learned nothing.",
        f"If they are data, train models on them with {train}; otherwise name the configurations "
        f"with {arg('configs', ...)}.",
    )


@caution("EN120")
def columns_may_not_be_scores(within: int, columns: tuple[str, ...]) -> Words:
    """Columns of scores reach far beyond the others."""
    return Words(
        f"{within} columns lie between 0 and 1, and others reach far beyond that: "
        f"{check.some(columns)}.",
        READ_AS_CONFIGURATIONS.format(what="scores"),
        f"If they are something else, name the configurations with {arg('configs', ...)}.",
    )


@note("EN121")
def other_sheets(file: str, sheets: tuple[str, ...]) -> Words:
    """A workbook has several sheets, of which the first is read."""
    return Words(
        f"{file} has {len(sheets)} sheets; earnest read the first, {sheets[0]!r}.",
        f"It did not look at {check.some(map(repr, sheets[1:]))}.",
        "To read another sheet, move it to the front or save it as its own file.",
    )


@note("EN121")
def marks_read_as_missing(source: str, marks: Mapping[str, Mapping[str, int]]) -> Words:
    """Marks were read as missing values: by column, how many cells have each."""
    columns = [
        f"{name!r} has "
        + check.some(
            (
                f"{check.show(mark, 30)} in {write_count(cells, 'cell')}"
                for mark, cells in of.items()
            ),
            limit=3,
        )
        for name, of in marks.items()
    ]
    return Words(
        f"{source} has marks of missing values: column {check.some(columns)}.",
        "These cells are read as missing.",
        "If a mark is a value, write it in another way.",
    )


@note("EN121")
def numbers_for_people(file: str, examples: tuple[tuple[str, str, float], ...]) -> Words:
    """Numbers are formatted for people: of each column a cell, and how it was read."""
    listed = (f"{name!r} has {cell}, read as {number:.12g}" for name, cell, number in examples)
    return Words(
        f"{file!r} has numbers formatted for people: column {check.some(listed, limit=3)}.",
        "They are read as shown.",
        f"If one was read wrong, pass the separators as {arg('decimal')} and {arg('thousands')}.",
    )


@note("EN121")
def digits_read_as_codes(file: str, examples: tuple[tuple[str, str], ...]) -> Words:
    """Digits begin with a zero: of each column a cell."""
    listed = (f"{name!r} has {check.show(cell, 30)}" for name, cell in examples)
    return Words(
        f"{file!r} has digits that begin with a zero: column {check.some(listed)}.",
        "They are read as codes, such as postal codes, and not as numbers.",
        "If they are numbers, write them without leading zeros.",
    )


@note("EN121")
def read_as_windows_1252(file: str, example: str) -> Words:
    """A file is not UTF-8."""
    return Words(
        f"{file!r} is not UTF-8 and was read as Windows-1252: {check.show(example, 30)}, for "
        "example.",
        "If its encoding is another one, letters other than a to z are wrong in names and "
        "categories.",
        "If the example is wrong, save the table as 'CSV UTF-8'.",
    )


# Tables and logs of scores.

RUN_ITEMS = "Run the missing items."


@caution("EN140")
def scores_missing(
    lacking: Mapping[str, int],
    configs: int,
    never: int,
    items: int,
    rule: str,
    worst: float | None,
    left: int,
) -> Words:
    """Scores are missing: by configuration, of how many items; `left` is what remains."""
    what = describe_missing(lacking, configs, never, items)
    if rule == "worst":
        done = f"A missing score counts as the worst, {worst:g}."
    elif rule == "configs":
        done = f"They are left out; the result is about the other {left}."
    else:
        done = (
            f"{items - left} of {items} items are left out; the result is about the {left} that "
            "have every score."
        )
    return Words(
        f"{what}.",
        f"{done} If scores are missing where an answer was bad, the result is too good.",
        f"Run what is missing, or choose with {arg('incomplete')} what a missing score counts as.",
    )


def describe_missing(lacking: Mapping[str, int], configs: int, never: int, items: int) -> str:
    """Return which configurations lack scores, or how many items have none."""
    if not lacking:
        return f"{never} of {items} items have no score"
    return f"{len(lacking)} of {configs} configurations lack scores: " + check.some(
        f"{name} ({write_count(count, 'item')})" for name, count in lacking.items()
    )


@caution("EN140")
def items_not_run(items: int, lacking: Mapping[str, int]) -> Words:
    """Items were not run for every configuration: by configuration, how many."""
    return Words(
        f"Some of the {items:,} items were not run for every configuration "
        f"({_list_counts(lacking)}).",
        "Missing items do not count as 0, so a configuration that lacks the hard items looks too "
        "good.",
        RUN_ITEMS,
    )


@caution("EN140")
def samples_missing(short: Mapping[str, int]) -> Words:
    """Items have fewer samples than most: by configuration, how many."""
    return Words(
        f"Some items have fewer samples than most ({_list_counts(short)}).",
        "The score of an item is the mean of the samples it has; the missing ones may be the bad "
        "ones.",
        "Run the missing samples.",
    )


@caution("EN140")
def answers_unscored(unscored: int, answers: int) -> Words:
    """Answers have no score."""
    return Words(
        f"{unscored:,} of {answers:,} answers have no score.",
        "They count as not run, not as 0.",
        f"If a failed answer is a wrong one, pass {arg('incomplete', 'worst')}.",
    )


@caution("EN140")
def labels_not_random(labelled: float, others: float) -> Words:
    """The judge scores answers that people labelled otherwise than the rest, beyond chance."""
    return Words(
        f"The judge scores labelled answers at {labelled:.3g} on average, and the others at "
        f"{others:.3g}: more apart than answers that were chosen at random.",
        "Labels of chosen answers, such as the doubtful ones, say little of the others, and the "
        "result may be off.",
        "Label a random part, or pass the chance with which each was chosen as "
        f"{arg('probability')}.",
    )


@note("EN140")
def runs_without_score(runs: int, score: str, tasks: tuple[str, ...]) -> Words:
    """Runs lack the score that was asked for."""
    return Words(
        f"{write_count(runs, 'run')} {'is' if runs == 1 else 'are'} without a score {score!r} "
        f"({check.some(tasks)}).",
        "They are not read: the result is about the other items.",
        "Ask for another score to read these.",
    )


@caution("EN140")
def items_not_shared(shared: int, new: int, other: int) -> Words:
    """Two results do not have the same items."""
    return Words(
        f"{new:,} items are only in the new result, and {other:,} only in the other.",
        f"They are compared on the {shared:,} items that both have; if the hard ones are missing, "
        "the verdict is too good.",
        RUN_ITEMS,
    )


def _describe_end(end: LogEnd) -> str:
    """Return why a log is not whole."""
    of = f" of {end.wanted}" if end.wanted else ""
    message = f" ({end.message})" if end.message else ""
    return {
        Breach.LINE: f"line {end.held}, its last, is cut off",
        Breach.ROW: "its last row is cut off",
        Breach.REPORT: "it has no final report",
        Breach.SUCCESS: f"its status is {end.status!r}, with {end.held}{of} {end.noun}{message}",
        Breach.ANSWERS: f"it holds {end.held}{of} {end.noun}",
        Breach.VALIDITY: "Inspect has marked it as invalid",
    }[Breach(end.lacks)]


@caution("EN140")
def logs_unfinished(logs: tuple[tuple[str, tuple[Breach, int, int, str, str, str]], ...]) -> Words:
    """Logs are not whole: each with its `LogEnd`."""
    listed = "; ".join(f"{name}: {_describe_end(LogEnd(*end))}" for name, end in logs[:3])
    more = f"; and {len(logs) - 3} more" if len(logs) > 3 else ""
    return Words(
        f"{write_count(len(logs), 'log')} {'is' if len(logs) == 1 else 'are'} not whole "
        f"({listed}{more}).",
        "What they hold is read; the items that are missing may be the hard ones.",
        "Let the runs finish, or leave these logs out.",
    )


@note("EN140")
def formats_unknown(files: tuple[str, ...]) -> Words:
    """No reader knows the form of some files."""
    return Words(
        f"The format of {len(files)} files is unknown: {check.some(files)}.",
        "They are not read.",
        "Move them elsewhere, or write them as a table with the columns item and score.",
    )


@caution("EN141")
def scored_unevenly(counts: Mapping[str, int]) -> Words:
    """A run scored some items more often than others: by configuration, how many items."""
    return Words(
        f"Some items were scored more often than others by the same run ({_list_counts(counts)}).",
        "They are read as repeats of one item. If they are different questions with the same name, "
        "these are mixed up.",
        "Give every question its own name, and leave out what was run twice by mistake.",
    )


@note("EN141")
def rows_read_as_samples(most: int, configurations: bool) -> Words:
    """Rows are about the same item, and no column numbers them."""
    what = "item and configuration" if configurations else "item"
    return Words(
        f"Up to {most} rows are about the same {what}, and no column numbers them.",
        "They are read as samples: an item counts once, with their mean.",
        "If they are different items, give them different names; name the column that numbers "
        f"samples with {arg('repeat')}.",
    )


@note("EN143")
def items_in_batches(items: int, batches: int) -> Words:
    """Items are drawn in random batches."""
    return Words(
        f"The {items:,} items are drawn in {batches:,} random batches.",
        "Means of batches vary as means of items do, so the interval is that of the items. Methods "
        "that look at single items, such as mcnemar, are not offered.",
        f"For single items use {arg('batches', 0)}, which takes far longer.",
    )


def _list_counts(counts: Mapping[str, int]) -> str:
    return check.some(f"{name}: {count}" for name, count in counts.items())


# Tables of thresholds.


@caution("EN126", about=Scope.THRESHOLD)
def rule_not_met(rule: str, share: float) -> Words:
    """A rule for a threshold could not be satisfied in all resamples."""
    return Words(
        f"The rule for the {rule} could be satisfied in {100 * share:.0f} % of the resamples.",
        "In the others the threshold at the end of the grid is used, so the values are not those "
        "of a threshold that satisfies the rule.",
        f"Ask for less, or pass {arg('thresholds')} that reach beyond the lowest and highest "
        "score.",
    )
