"""A model card (Mitchell et al. 2019) in Markdown, from the facts of a run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from earnest.core.text.paper import PaperTable
from earnest.reporting.checklist.checklist import (
    FactTable,
    list_flow,
    list_performance,
    list_predictors,
)
from earnest.reporting.checklist.study import Study
from earnest.reporting.checklist.words import (
    say_delivered,
    say_missing,
    say_outcome,
    say_participants,
    say_performance,
    say_predictors,
    say_validation,
    tell_item,
)
from earnest.reporting.page import escape_markdown

AUTHOR = "*To be written by the authors: {}.*"


def write_card(study: Study) -> str:
    """Return the card; what no run can know is marked as the authors' to write."""
    return "\n\n".join(_write_blocks(study)) + "\n"


def _write_blocks(study: Study) -> Iterator[str]:
    names = " and ".join(study.outcome)
    yield f"# Model card: {escape_markdown(names)}"
    yield _join(say_performance(study))
    yield "## Model"
    yield _join(say_delivered(study), *tell_item("15", study), *tell_item("18f", study))
    if study.has_model and study.folder:
        yield f"Use it: `earnest predict {shlex.quote(study.folder)} new.csv`."
    yield "## Intended use"
    yield AUTHOR.format("who may use the model, for whom, for which decision, and what not for")
    yield "## Training data"
    yield _join(say_participants(study), say_outcome(study), say_predictors(study))
    yield _join(say_missing(study))
    yield _write_table(list_flow(study))
    yield _write_table(list_predictors(study))
    yield AUTHOR.format("where the data come from, when, and whom they represent")
    yield "## Evaluation"
    yield _join(say_validation(study))
    yield _write_table(list_performance(study))
    yield _join(*tell_item("23a", study)[1:])
    yield "## Factors"
    yield _join(*tell_item("14", study))
    yield "## Limits"
    yield "\n".join(f"- {escape_markdown(text)}" for text in tell_item("26", study))
    yield _join(*tell_item("27a", study))
    yield "## Ethics"
    yield AUTHOR.format("risks, harms, and what was done about them")


def _join(*texts: str) -> str:
    return escape_markdown(" ".join(texts))


def _write_table(table: FactTable) -> str:
    return PaperTable(table.heads, table.rows, "").to_markdown().strip()
