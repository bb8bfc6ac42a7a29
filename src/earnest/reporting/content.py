"""From results to the content of a report."""

from __future__ import annotations

from typing import Any

from earnest.core.caution_texts import Explained, explained
from earnest.reporting.answer import answer_of
from earnest.reporting.asking import Results
from earnest.reporting.audit import audit_of
from earnest.reporting.computed import computed_of
from earnest.reporting.curves_part import curves_of
from earnest.reporting.forest import methods_of
from earnest.reporting.learned import learned_of
from earnest.reporting.model import Answer, Content, LearnedPart, RivalsPart
from earnest.reporting.resamples import resamples_of
from earnest.reporting.rivals import rivals_of


def content_of(found: Results, *, title: str = "") -> Content:
    """Return all parts of a report; those without data are told in `absent`."""
    answer, rivals, learned = answer_of(found), rivals_of(found), learned_of(found)
    return Content(
        title=title or answer.sentence,
        source=found.material.source,
        begun=found.material.begun,
        answer=answer,
        methods=methods_of(found),
        resamples=tuple(resamples_of(found)),
        rivals=rivals,
        curves=curves_of(found),
        audit=audit_of(found, rivals),
        learned=learned,
        computed=computed_of(found),
        absent=found.absent,
        codes=_codes(answer, rivals, learned),
        results=_results(found),
    )


def _codes(*parts: Answer | RivalsPart | LearnedPart | None) -> dict[str, Explained]:
    """Return what the codes mean that these parts warn with."""
    given = sorted({each.code for part in parts if part is not None for each in part.cautions})
    found = {code: explained(code) for code in given}
    return {code: made for code, made in found.items() if made is not None}


def _results(found: Results) -> dict[str, Any]:
    """Return the results in full precision."""
    parts = {
        "estimate": found.estimate,
        "methods": found.table,
        "comparison": found.many,
        "explanation": found.explanation,
    }
    return {name: made.to_dict() for name, made in parts.items() if made is not None}
