"""A tuning as people read it in a terminal: what is tried, what to expect, and what was written."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.text import Text

from earnest.cli.show.estimate import (
    Part,
    draw_picture,
    emit_blocks,
    grid,
    label_facts,
    list_checked,
    remarks,
    sentences,
    show_paragraph,
)
from earnest.cli.show.subgroups import list_subgroups
from earnest.cli.show.terminal import GREY, clean, columns, emit, write
from earnest.core.base import check
from earnest.core.data.target import Task
from earnest.core.text.calibration import tell_in_short
from earnest.core.text.counts import tell_counts
from earnest.core.text.doors import render
from earnest.core.text.learning import word_confidence, word_headline
from earnest.core.text.model import word_in_short
from earnest.core.text.numbers import percent, write_count
from earnest.core.text.readiness import write_verdict
from earnest.core.text.readings import write_reading
from earnest.engine.progress import describe_time
from earnest.training.tables.kinds import ColumnKind
from earnest.training.tune.folder import EXPLANATION, FILES, LEARNING, REPORT

SPEAKER = "the search"
BUSY = 1.5  # times longer for other programs: then it is told
MEMBERS = 4  # of an ensemble that are listed


def show_read(job: Any) -> None:
    """Write what was read: cases, columns, outcome."""
    emit(_line("Read", read_words(job.table)))
    if job.table.task_note:
        emit(_line("", f"{job.table.schema.roles['target']}: {render(job.table.task_note)}"))
    if left := describe_left_out(job.table.schema):
        emit(_line("", left))


def read_words(table: Any) -> str:
    """Return in a line what the table holds."""
    counts = table.schema.count_kinds()
    words = {
        ColumnKind.NUMBER: "numeric",
        ColumnKind.CATEGORY: "categorical",
        ColumnKind.LEVELS: "many-level",
        ColumnKind.DATE: "date",
        ColumnKind.TEXT: "text",
    }
    kinds = [f"{counts[kind]:,} {word}" for kind, word in words.items() if kind in counts]
    listed = " and ".join(filter(None, [", ".join(kinds[:-1]), kinds[-1]]))
    noun = "feature" if sum(counts.values()) == 1 else "features"
    return f"{table.n_known:,} cases, {listed} {noun}; {table.words}"


def describe_left_out(schema: Any) -> str:
    """Return in a line the columns that no model sees, told before the search and not after."""
    columns = [
        f"{name or 'one without a name'} ({kind})"
        for name, kind in schema.left_out.items()
        if kind != ColumnKind.IGNORED
    ]
    return f"left out: {check.some(columns, limit=8)}" if columns else ""


def show_search_plan(job: Any, plan: Any) -> None:
    """Write what will be tried, and what stands in the way of the budget."""
    emit(_line("Search", plan_words(job, plan)))
    if job.options.n_configs is None and plan.crowding >= BUSY:
        emit(
            _line(
                "",
                f"other programs are using the processors: a fit takes about {plan.crowding:.1f} "
                "times as long, so fewer are planned",
            )
        )
    if plan.least_seconds > job.options.seconds:
        emit(
            _line(
                "",
                f"this will take about {describe_time(plan.least_seconds)}, longer than the budget "
                f"of {describe_time(job.options.seconds)}, because at least two configurations "
                "must be complete",
            )
        )


def show_live(page: Path) -> None:
    """Write where the page of the run is, to be opened while it goes on.

    It is one piece, however narrow the terminal: a terminal makes a link of an address.
    """
    write(f"{'Live':<8}{page.resolve().as_uri()}\n")


def plan_words(job: Any, plan: Any) -> str:
    """Return in a line what is tried."""
    kind = "" if job.table.task is Task.REGRESSION else "stratified "
    kind = f"grouped {kind}" if job.table.groups is not None else kind
    tried = write_count(plan.n_sure or len(plan.configs), "configuration")
    tried += " and more while there is time" if plan.n_sure else ""
    splits = job.splits
    used = "" if splits.n_used is None else f"{splits.n_used} of "
    parts = [tried, f"{used}{splits.folds} {kind}folds"]
    if splits.repeats > 1:
        parts.append(f"{splits.repeats} repeats")
    if plan.n_rows < job.table.n_known:
        parts.append(f"{plan.n_rows:,} rows")
    return ", ".join([*parts, f"metric {job.metric}", f"seed {plan.seed}"])


def _line(label: str, text: str) -> Any:
    """Return a label and a text that wraps beside it."""
    table = grid(2)
    table.add_row(Text(f"{label:<6}", style=GREY), Text(clean(text)))
    return table


def show_tuned(tuned: Any, no_report: str | None = None) -> None:
    """Write what was found, and why there is no report where there is none."""
    estimate = tuned.estimate
    emit_blocks(
        [
            *sentences(estimate, SPEAKER, delivered=True, tried=tuned.counts.tried),
            *_read_plainly(tuned),
        ],
        draw_picture(estimate, columns()),
        list_subgroups(estimate.subgroups),
        [label_facts(_facts(tuned))],
        remarks(estimate.cautions, list_checked(estimate)),
        [label_facts(_list_written(tuned, no_report))],
    )


def _read_plainly(tuned: Any) -> Iterator[Part]:
    """Yield what the value would mean for new cases, where plain words are true."""
    if words := write_reading(tuned.estimate, tuned.predictions.target):
        yield show_paragraph(words)


def _facts(tuned: Any) -> Iterator[tuple[str, str]]:
    yield "Verdict", write_verdict(tuned.readiness)
    yield "Tried", tell_counts(tuned.counts)
    if tuned.estimate.winner is None:
        shares = tuned.estimate.ensemble
        listed = [f"{share:.2f} {name}" for name, share in shares.items()]
        more = f", and {len(listed) - MEMBERS} more" if len(listed) > MEMBERS else ""
        yield "Ensemble", ", ".join(listed[:MEMBERS]) + more
        yield "Best one", tuned.winner.name
    else:
        yield "Winner", tuned.winner.name
    others = tuned.n_not_worse - 1
    if tuned.cheapest is not None:
        near = f", and at most {tuned.margin:.2g} worse here" if tuned.margin else ""
        yield "Cheaper", f"{tuned.cheapest.name}: cheaper to fit, not shown to be worse{near}"
    if others > 0:
        yield "Rivals", f"{write_count(others, 'other')} not shown to be worse"
    if tuned.calibration is not None:
        yield "Probabilities", tell_in_short(tuned.calibration)
    if tuned.explanation is not None:
        yield "Columns", word_in_short(tuned.explanation)
    elif tuned.no_explanation:
        yield "Columns", f"not looked at: {tuned.no_explanation}"
    if tuned.learning is not None:
        yield "Cases", f"{word_headline(tuned.learning)} {word_confidence(tuned.learning)}".strip()
    elif tuned.no_learning:
        yield "Cases", f"no learning curve: {tuned.no_learning}"
    times = tuned.n_fits_nested / tuned.n_fits
    spent = f"{tuned.n_fits:,} fits, {describe_time(tuned.seconds)} in all"
    if tuned.budget_used is not None:
        spent += f", {percent(round(tuned.budget_used, 2))} of the budget in fits"
    longer = describe_time(tuned.seconds * times)
    yield (
        "Cost",
        f"{spent}; nested CV would need {tuned.n_fits_nested:,} ({times:.0f} times as many, about "
        f"{longer})",
    )


def _list_more(tuned: Any) -> Iterator[str]:
    """Yield the files that not every run has."""
    if tuned.learning is not None:
        yield LEARNING
    if tuned.explanation is not None:
        yield EXPLANATION


def _list_written(tuned: Any, no_report: str | None) -> Iterator[tuple[str, str]]:
    if tuned.folder is None:
        return
    folder = f"{tuned.folder}{os.sep}"
    yield (
        f"Wrote {folder}",
        "  ".join(sorted((*FILES, *_list_more(tuned)))),
    )
    if (tuned.folder / REPORT).exists() and no_report is None:
        yield "Report", f"{folder}{REPORT} (open it in a browser)"
    elif no_report is not None:
        yield "Report", f"could not be made: {no_report}"
    yield "Next", f"earnest predict {shlex.quote(folder)} new.csv"
