"""Π of a run file: what our own search kept, also of one that was killed.

The file says which rows each split tested, what was predicted and what came out, so it is enough by
itself. A file that an older search began lacks the outcome, which then comes from the caller.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.readers import LATE, OUTCOME, PredictionsReader, PredictionsRequest, register
from earnest.adapters.trials.files import is_run_file
from earnest.adapters.trials.run_file import CONFIGS, document_of, refuse_newer
from earnest.core.base import check
from earnest.core.base.arrays import as_array
from earnest.core.base.errors import EvidenceError, FormatError, InputError
from earnest.core.data.case_weights import CaseWeights
from earnest.core.data.folds import FoldSizes
from earnest.core.data.guides import Guides
from earnest.core.data.order import describe_order, rebuild_order
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.subgroups import SubgroupColumn
from earnest.core.data.target import Target, Task, plain_labels, read_target
from earnest.core.results.base import parse_json
from earnest.core.text.doors import arg
from earnest.store import RunFile, read_run

if TYPE_CHECKING:
    from earnest.core.tables.columns import Outcome

CASES = "cases"  # the document of a run that says which rows were tested
RESPONSE = "response"  # the array of an outcome that holds its predictions
VERSION = 1
_PLAIN = (bool, int, float, str)


def about_cases(
    target: Target,
    kind: ResponseKind,
    splits: Sequence[tuple[int, int, NDArray[np.intp]]],
    *,
    training_sizes: FoldSizes | None,
    static: bool,
    halves: NDArray[np.int8] | None = None,
) -> str:
    """Return the document by which a reader of the file alone can put predictions together."""
    labels = [label if isinstance(label, _PLAIN) else str(label) for label in target.classes]
    return json.dumps(
        {
            "version": VERSION,
            "n": target.n,
            "task": str(target.task),
            "classes": labels,
            "response": str(kind),
            "static": static,
            **describe_order(target.order),
            "groups": None if target.groups is None else target.groups.tolist(),
            "splits": [[repeat, fold, rows.tolist()] for repeat, fold, rows in splits],
            "training_sizes": training_sizes,
            "halves": None if halves is None else halves.tolist(),
            "by": [column.to_plain() for column in target.subgroups],
            "weights": None if target.weights is None else target.weights.to_plain(),
            "times": list(target.times),
            "outcome": {
                "y": target.y.tolist(),
                "event": None if target.event is None else target.event.tolist(),
                "strata": None if target.strata is None else target.strata.tolist(),
            },
        }
    )


class CodedOutcome(TypedDict):
    """The outcome of the cases as a run file holds it: codes of classes, numbers, or times."""

    y: list[float]
    event: list[bool] | None
    strata: list[int] | None


class Cases(TypedDict):
    """What a run file says of its cases and splits."""

    version: int
    n: int
    task: Task
    classes: list[object]
    response: ResponseKind
    static: bool
    ordered: bool
    order: str | None
    groups: list[int] | None
    splits: list[tuple[int, int, list[int]]]  # repeat, fold, tested rows
    training_sizes: list[list[int]] | None
    halves: list[int] | None
    by: list[dict[str, Any]]
    weights: dict[str, str] | None
    times: list[float]
    outcome: CodedOutcome | None


def holds_outcome(run: RunFile) -> bool:
    """Tell whether a run file is enough for predictions: whether it has the outcome."""
    if CASES not in run.documents:
        return False
    with document_of(run, CASES):
        return _read_about(run)["outcome"] is not None


def read_predictions_of_run(path: str | Path, wanted: PredictionsRequest) -> Predictions:
    """Make Π of a run file, also while its run goes on; what was not evaluated is NaN."""
    refused = ("store", "study", "fold", "task", "positive", "classes", "response")
    wanted.refuse("a run file", *refused, "ensembles", "trust_pickle")
    run = read_run(path)
    with document_of(run, CASES):
        about = _read_about(run)
    if wanted.y is None and about["outcome"] is not None:
        with document_of(run, CASES):
            target = _decode_target(about, about["outcome"], wanted)
    else:
        y = wanted.outcome(f"the run file {run.path.name!r}")
        target = _read_target(y, about, wanted, run)
    with document_of(run, CONFIGS):
        names, params, guided_by = _read_configs(run)
    with document_of(run, CASES):
        responses, folds = _read_arrays(run, about, len(names))
    static = about["static"] if wanted.static is None else bool(wanted.static)
    pi = Predictions(
        target=target,
        configs=Configs(ids=names, params=params, static=static),
        responses=responses,
        folds=folds,
        fold_names=tuple(
            tuple(str(k) for k in range(folds[:, r].max() + 1)) for r in range(folds.shape[1])
        ),
        kind=about["response"],
        training_sizes=_read_sizes(about),
        guides=None
        if about["halves"] is None
        else Guides(_code(about["halves"]), _code(guided_by)),
    )
    return pi.unfold()


def _code(marks: Sequence[int]) -> NDArray[np.int8]:
    return np.array(marks, dtype=np.int8)


def _read_sizes(about: Cases) -> FoldSizes | None:
    sizes = about["training_sizes"]
    return None if sizes is None else tuple(tuple(int(n) for n in row) for row in sizes)


def _read_about(run: RunFile) -> Cases:
    text = run.documents.get(CASES)
    if text is None:
        raise FormatError(
            f"{run.path.name!r} does not say which rows it predicts",
            needs="the run file of a SearchCV, of this version",
            got=f"documents {check.some(sorted(run.documents)) or 'none'}",
            cure=f"Run the same search again with this {arg('store')} and use its `predictions_`; "
            "finished fits are not trained again.",
        )
    about = parse_json(text)
    cases: Cases = {
        "version": int(about["version"]),
        "n": int(about["n"]),
        "task": Task(about["task"]),
        "classes": list(about["classes"]),
        "response": ResponseKind(about["response"]),
        "static": bool(about["static"]),
        "ordered": bool(about["ordered"]),
        "order": about.get("order"),
        "groups": about["groups"],
        "splits": about["splits"],
        "training_sizes": about["training_sizes"],
        "halves": about["halves"],
        "by": about.get("by", []),
        "weights": about.get("weights"),
        "times": about.get("times", []),
        "outcome": about.get("outcome"),
    }
    refuse_newer(run, CASES, cases["version"], VERSION)
    return cases


def _decode_target(about: Cases, outcome: CodedOutcome, wanted: PredictionsRequest) -> Target:
    """Return the outcome that the search was given."""
    groups = about["groups"]
    if wanted.groups is not None:
        groups = np.unique(as_array("groups", wanted.groups), return_inverse=True)[1].tolist()
    event, strata = outcome["event"], outcome["strata"]
    return Target(
        y=np.array(outcome["y"], dtype=np.int64 if about["classes"] else np.float64),
        task=about["task"],
        classes=tuple(about["classes"]),
        groups=None if groups is None else np.array(groups, dtype=np.int64),
        order=_read_order(about),
        event=None if event is None else np.array(event, dtype=np.bool_),
        strata=None if strata is None else np.array(strata, dtype=np.int64),
        subgroups=_read_subgroups(about),
        weights=_read_weights(about),
        times=tuple(about["times"]),
    )


def _read_target(y: Outcome, about: Cases, wanted: PredictionsRequest, run: RunFile) -> Target:
    """Read the outcome as the search did, and refuse that of other cases."""
    classes = {str(label) for label in about["classes"]}
    groups = about["groups"] if wanted.groups is None else wanted.groups
    n = len(y[0]) if isinstance(y, tuple) else len(y)
    if n != about["n"]:
        raise InputError(
            f"{OUTCOME} does not match the cases of {run.path.name!r}",
            needs=f"{about['n']:,} cases, in the order of the rows of the search",
            got=f"{n:,}",
        )
    labels: tuple[object, ...] | None = None
    if classes:
        labels_of_y = plain_labels(dict.fromkeys(as_array("y", y).ravel().tolist()))
        strange = [label for label in labels_of_y if str(label) not in classes]
        if strange:
            raise InputError(
                f"{OUTCOME} has a class that {run.path.name!r} does not know",
                needs=check.some(map(repr, about["classes"])),
                got=check.some(map(repr, strange)),
            )
        by_text = {str(label): label for label in labels_of_y}
        labels = tuple(by_text.get(str(label), label) for label in about["classes"])
    target, _ = read_target(
        y,
        np.zeros((n, 1, 1)),
        task=about["task"],
        positive=labels[1] if labels is not None and about["task"] == "binary" else None,
        classes=labels,
        groups=groups,
        strata=None,
        order=None,
        ids=None,
    )
    times = tuple(about["times"]) or target.times
    return replace(
        target,
        order=_read_order(about),
        subgroups=_read_subgroups(about),
        times=times,
        weights=_read_weights(about),
    )


def _read_order(about: Cases) -> NDArray[np.int64] | None:
    """Return the ranks of the times of the cases, as the search was given them."""
    return rebuild_order(about["ordered"], about["order"], about["n"])


def _read_weights(about: Cases) -> CaseWeights | None:
    """Return how much each case counts, as the search was told."""
    if about["weights"] is None:
        return None
    weights = CaseWeights.of_plain(about["weights"])
    if len(weights.values) != about["n"]:
        raise ValueError("weights are of other cases")
    return weights


def _read_subgroups(about: Cases) -> tuple[SubgroupColumn, ...]:
    """Return the columns that divide the cases, as the search was given them."""
    columns = tuple(SubgroupColumn.of_plain(column) for column in about["by"])
    if any(len(column.codes) != about["n"] for column in columns):
        raise ValueError("a column of subgroups is of other cases")
    return columns


def _read_configs(
    run: RunFile,
) -> tuple[tuple[str, ...], tuple[dict[str, object], ...], list[int]]:
    """Return the names and parameters of the configurations, and which half guided each."""
    listed = parse_json(run.documents.get(CONFIGS, "[]"))
    if not listed:
        raise EvidenceError(f"{run.path.name!r} has no configurations yet", needs="at least one")
    return (
        tuple(str(config["config"]) for config in listed),
        tuple(config["params"] for config in listed),
        [int(config["guide"]) for config in listed],
    )


def _read_arrays(
    run: RunFile, about: Cases, count: int
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return responses (n, C, R[, K]) and folds (n, R)."""
    tests = {(r, f): np.array(rows, dtype=np.intp) for r, f, rows in about["splits"]}
    repeats = 1 + max(repeat for repeat, _ in tests)
    cells = {
        key: outcome.arrays[RESPONSE]
        for key, outcome in run.outcomes.items()
        if len(key) == 3 and RESPONSE in outcome.arrays
    }
    if not cells:
        raise EvidenceError(
            f"{run.path.name!r} holds no predictions yet",
            needs="a finished fit that kept them",
            got=f"{len(run.outcomes)} outcomes",
        )
    width = next(iter(cells.values())).shape[1:]
    responses = np.full((about["n"], count, repeats, *width), np.nan)
    folds = np.full((about["n"], repeats), -1, dtype=np.int32)
    for (repeat, fold), rows in tests.items():
        folds[rows, repeat] = fold
    for (config, repeat, fold), answer in cells.items():
        responses[tests[repeat, fold], config, repeat] = answer
    return responses, folds


register(
    PredictionsReader(
        name="run_file",
        words="a run file",
        takes=is_run_file,
        read=read_predictions_of_run,
        rank=LATE,
        tool="SearchCV",
        options=" --data TABLE --target COLUMN",
        ours=True,
    )
)
