"""Π of skore: what the models of its cross-validation and estimator reports predict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.adapters.readers import PredictionsReader, PredictionsRequest, register
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.data.folds import places
from earnest.core.data.predictions import Configs, Predictions

TOOL = "skore"
RESPONSES = ("predict_proba", "decision_function", "predict")  # the best that all models have
CROSS, ONE, SEVERAL = "CrossValidationReport", "EstimatorReport", "ComparisonReport"


class ReportModel(Protocol):
    """An estimator as a report holds it."""

    def get_params(self, deep: bool = True) -> Mapping[str, object]:
        """Return its hyperparameters."""


class SkoreReport(Protocol):
    """A report of one estimator, over folds or on one test set."""

    estimator_name_: str
    estimator: ReportModel
    ml_task: str
    y: ArrayLike
    y_test: ArrayLike
    split_indices: Sequence[tuple[ArrayLike, ArrayLike]]

    def get_predictions(self, *, data_source: str, response_method: str) -> object:
        """Return what the models predict, a list over folds or one array."""


class SkoreComparison(Protocol):
    """Several reports, by name or in a list."""

    reports_: Mapping[str, SkoreReport] | Sequence[SkoreReport]


def is_source(source: object) -> bool:
    """Tell whether this is a report of skore, or a list of them."""
    if isinstance(source, (list, tuple)):
        return bool(source) and all(_is_report(report) for report in source)
    return _is_report(source) or _is_of_kind(source, SEVERAL)


def _is_of_kind(source: object, name: str) -> bool:
    kind = type(source)
    return kind.__name__ == name and kind.__module__.split(".")[0] == TOOL


def _is_report(source: object) -> TypeGuard[SkoreReport]:
    return _is_of_kind(source, CROSS) or _is_of_kind(source, ONE)


def predictions_of(source: object, wanted: PredictionsRequest) -> Predictions:
    """Make Π of reports, one configuration each; all must have the same cases and folds."""
    wanted.refuse(TOOL, "store", "study", "trust_pickle", "ensembles", "y")
    names, reports = _list_reports(source)
    if len({_is_of_kind(report, CROSS) for report in reports}) > 1:
        raise EvidenceError(
            "these reports cannot be compared",
            needs=f"either {CROSS}s or {ONE}s",
            got="both",
        )
    response = _choose_response(reports)
    read = _read_folds if _is_of_kind(reports[0], CROSS) else _read_test_set
    parts = [read(report, response) for report in reports]
    y, _, fold = parts[0]
    for name, (other, _, its) in zip(names, parts, strict=True):
        if not (np.array_equal(other, y) and np.array_equal(its, fold)):
            raise EvidenceError(
                f"report {name!r} has other cases or folds than {names[0]!r}",
                needs="reports of the same rows, split in the same way",
                cure="Give each report the same splitter, with a random_state if it shuffles.",
            )
    scores = np.stack([answer for _, answer, _ in parts], axis=1)  # (n, C, R) or (n, C, R, K)
    configs = Configs(
        ids=tuple(names), params=tuple(dict(report.estimator.get_params()) for report in reports)
    )
    tested = fold if wanted.fold is None else wanted.fold
    return wanted.made(y, scores, tested, configs)


def _list_reports(source: object) -> tuple[list[str], list[SkoreReport]]:
    """Return the reports and their names; those of the same name are numbered."""
    if _is_of_kind(source, SEVERAL):
        held = cast("SkoreComparison", source).reports_
        if isinstance(held, Mapping):
            return list(held), list(held.values())
        return [str(i) for i in range(len(held))], list(held)
    listed = list(source) if isinstance(source, (list, tuple)) else [cast("SkoreReport", source)]
    names = [report.estimator_name_ for report in listed]
    apart = [
        name if names.count(name) == 1 else f"{name} {number}"
        for number, name in enumerate(names, 1)
    ]
    return apart, listed


def _choose_response(reports: Sequence[SkoreReport]) -> str:
    """Return the richest response that the models of every report give."""
    if any("classification" not in report.ml_task for report in reports):
        return "predict"
    for response in RESPONSES:
        if all(hasattr(report.estimator, response) for report in reports):
            return response
    raise EvidenceError("these models cannot predict", needs=check.some(RESPONSES))


def _read_folds(
    report: SkoreReport, response: str
) -> tuple[NDArray[np.generic], NDArray[np.float64], NDArray[np.intp]]:
    """Return the outcome (n,), answers (n, R[, K]) and folds (n, R) of a cross-validation."""
    y = np.asarray(report.y)
    answers_by_fold = report.get_predictions(data_source="test", response_method=response)
    answers = [
        _convert_answer(response_of_fold)
        for response_of_fold in cast("Iterable[object]", answers_by_fold)
    ]
    tests = [np.asarray(test, dtype=np.intp) for _, test in report.split_indices]
    placed = places(tests, len(y))
    repeats = placed[-1][0] + 1
    whole = np.full((len(y), repeats, *answers[0].shape[1:]), np.nan)
    fold = np.full((len(y), repeats), -1, dtype=np.intp)
    for test, answer, (repeat, number) in zip(tests, answers, placed, strict=True):
        whole[test, repeat] = answer
        fold[test, repeat] = number
    untested = int((fold < 0).any(axis=1).sum())
    if untested:
        raise EvidenceError(
            "these folds do not test every case",
            needs="a splitter that tests every case once in each repeat, such as KFold",
            got=f"{untested} cases that some repeat does not test",
        )
    return y, whole, fold


def _read_test_set(
    report: SkoreReport, response: str
) -> tuple[NDArray[np.generic], NDArray[np.float64], NDArray[np.intp]]:
    """Return the outcome, answers and the one fold of a test set."""
    y = np.asarray(report.y_test)
    answer = _convert_answer(report.get_predictions(data_source="test", response_method=response))
    return y, answer[:, None], np.zeros((len(y), 1), dtype=np.intp)


def _convert_answer(values: object) -> NDArray[np.float64]:
    answer = np.asarray(values, dtype=float)
    return answer[:, 1] if answer.ndim == 2 and answer.shape[1] == 2 else answer


register(
    PredictionsReader(
        name="skore",
        words="reports of skore",
        takes=is_source,
        read=predictions_of,
    )
)
