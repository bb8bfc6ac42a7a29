"""What importers of AutoML tools share: a model that was read, and what is to be known of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.readers import PredictionsRequest
from earnest.core.base import check
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import EvidenceError
from earnest.core.cautions import of_evidence, of_search, of_tables
from earnest.core.cautions.reasons import Omission, Peek, Silence
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.selection import EnsembleRule
from earnest.core.results.cautions import Caution

if TYPE_CHECKING:
    import pandas as pd


Values = TypeVar("Values")  # of the cases, as the user has them


@dataclass(frozen=True, eq=False, kw_only=True)
class AutoMLModel:
    """A model of an AutoML tool: its name, what it predicted out of fold, how it came about."""

    name: str
    answer: NDArray[np.float64] | None  # (n,) or (n, K); None where nothing was kept
    params: dict[str, object] = field(default_factory=dict)
    stops_early: bool = False  # training was stopped by what the test fold says
    ensemble: bool = False  # fitted to the out-of-fold predictions of others
    peeked: Peek | None = None  # what it had seen of the cases that test it, beside stopping early
    out_of_bag: bool = False  # its predictions are of other splits than those of the folds
    silence: Silence | None = None  # why there is no answer


@dataclass(frozen=True, eq=False, kw_only=True)
class SourceRows:
    """The rows that a tool was given, of which the cases with predictions may be a part."""

    n: int
    rows: NDArray[np.intp] | None = None  # which of them are the cases; None where only names tell
    index: pd.Index | None = None  # the names of the cases in a pandas table
    left_out: Omission | None = None  # why the others are no cases, where that is worth a word

    def cases(self, values: Values) -> Values:
        """Return the part of the user's values that is about the cases, by name or by place."""
        names = getattr(values, "index", None)
        named = getattr(names, "is_unique", False)
        if self.index is not None and named and bool(self.index.isin(names).all()):
            return cast(Values, cast("pd.Series", values).loc[self.index])
        if values is None or self.rows is None or len(cast(Sized, values)) != self.n:
            return values
        return cast(Values, np.asarray(values)[self.rows])


@dataclass(frozen=True, eq=False, kw_only=True)
class ToolRun:
    """What a tool kept of a whole run."""

    tool: str
    models: tuple[AutoMLModel, ...]
    y: RawArray
    fold: RawArray | None = None  # (n,), None where it is not known
    static: bool = False
    averaged: bool = False  # over repeats, each with folds of its own
    weighted: bool = False  # cases had weights, in training or in scores
    rows: SourceRows | None = None  # None where the cases are all that the tool was given
    rule: EnsembleRule | None = None  # by which the tool made the ensemble that it delivers


def predictions_of_models(run: ToolRun, wanted: PredictionsRequest) -> Predictions:
    """Make Π of the models of a run, with cautions for how they came about."""
    used = [m for m in run.models if m.answer is not None and (wanted.ensembles or not m.ensemble)]
    if not used:
        raise EvidenceError(
            f"{run.tool} kept no out-of-fold predictions",
            needs="at least one model with predictions of every training case",
            got="; ".join(_explain_silence(run.models)) or "no models",
        )
    answers = [m.answer for m in used if m.answer is not None]
    _refuse_unlike(run.tool, used)
    scores = np.stack(answers, axis=1)  # (n, C) or (n, C, K)
    scores = scores[:, :, None] if scores.ndim == 2 else scores[:, :, None, :]
    configs = Configs(
        ids=tuple(m.name for m in used),
        params=tuple(m.params for m in used),
        static=run.static,
    )
    of = run.rows or SourceRows(n=len(scores))
    fold = run.fold if wanted.fold is None else of.cases(wanted.fold)
    if wanted.ensembles or len(used) < 2:  # ensembles as they are, or nothing to choose from
        run = replace(run, rule=None)
    remarks = _yield_remarks(run, used, fold_known=fold is not None)
    request = replace(wanted, groups=of.cases(wanted.groups))
    rule = None if run.rule is None else run.rule.name
    return request.made(run.y, scores, fold, configs, remarks, rule)


def _explain_silence(models: Sequence[AutoMLModel]) -> Iterator[str]:
    """Tell why models have no predictions, each reason once."""
    reasons: dict[Silence, list[str]] = {}
    for model in models:
        reasons.setdefault(model.silence or Silence.ENSEMBLE, []).append(model.name)
    for reason, names in reasons.items():
        yield f"{reason}: {check.some(names)}"


def _refuse_unlike(tool: str, used: Sequence[AutoMLModel]) -> None:
    shapes = {m.answer.shape: m.name for m in used if m.answer is not None}
    if len(shapes) > 1:
        raise EvidenceError(
            f"models of {tool} kept predictions of different cases",
            needs="predictions of the same cases by every model",
            got=", ".join(f"{shape} of {name}" for shape, name in shapes.items()),
        )


def _yield_remarks(
    run: ToolRun, used: Sequence[AutoMLModel], *, fold_known: bool
) -> Iterator[Caution]:
    yield from _remark_not_kept(run)
    stopped = [m.name for m in used if m.stops_early]
    if stopped:
        yield of_evidence.stopped_on_tests(run.tool, tuple(stopped))
    yield from _remark_peeked(run.tool, used)
    yield from _remark_ensembles(run, used)
    yield from _remark_other_splits(used)
    yield from _remark_left_out(run)
    if run.weighted:
        yield of_search.tool_weighted(run.tool)
    if run.averaged or not fold_known:
        yield of_evidence.folds_unknown(run.tool, averaged=run.averaged)


def _remark_peeked(tool: str, used: Sequence[AutoMLModel]) -> Iterator[Caution]:
    peeked = [m for m in used if m.peeked]
    if peeked:
        yield of_evidence.tests_seen_in_training(
            tool,
            models=tuple(m.name for m in peeked),
            ways=tuple(dict.fromkeys(m.peeked for m in used if m.peeked)),
        )


def _remark_left_out(run: ToolRun) -> Iterator[Caution]:
    if run.rows is not None and run.rows.left_out:
        yield of_tables.cases_left_out_by_tool(
            run.tool, run.rows.n, run.rows.n - len(run.y), run.rows.left_out
        )


def _remark_not_kept(run: ToolRun) -> Iterator[Caution]:
    silent = [m for m in run.models if m.answer is None and not m.ensemble]
    if silent:
        yield of_search.models_without_predictions(
            run.tool,
            len(run.models),
            models=tuple(m.name for m in silent),
            reasons=tuple(dict.fromkeys(m.silence for m in silent if m.silence)),
        )


def _remark_ensembles(run: ToolRun, used: Sequence[AutoMLModel]) -> Iterator[Caution]:
    names = [m.name for m in run.models if m.ensemble]
    within = [m.name for m in used if m.ensemble]
    if within:
        yield of_search.ensembles_included(tuple(within))
    elif names:
        yield of_search.ensembles_left_out(run.tool, tuple(names), chosen_anew=run.rule is not None)


def _remark_other_splits(used: Sequence[AutoMLModel]) -> Iterator[Caution]:
    names = [m.name for m in used if m.out_of_bag]
    if names:
        yield of_evidence.out_of_bag(tuple(names))
