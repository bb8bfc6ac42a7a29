"""Π of a folder of validation predictions: one file for each model, fold and epoch.

The folder says which fold tests each case, and what came out. Nothing in it is a pickle, and each
file is written whole, so it can be read while training goes on, and written by several processes.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from earnest.adapters.predictions.automl import AutoMLModel, ToolRun, predictions_of_models
from earnest.adapters.readers import EARLY, PredictionsReader, PredictionsRequest, register
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, FormatError
from earnest.core.base.writing import replacing, write_file
from earnest.core.data.predictions import Predictions
from earnest.core.data.stages import USUAL, spread_rounds
from earnest.core.results.base import parse_json

CASES, MODEL = "epochs-cases.npz", "model.json"
ANSWER = re.compile(r"fold(\d+)-epoch(\d+)\.npy")
VERSION = 1
DAMAGED = (OSError, ValueError, KeyError, TypeError)  # what comes of reading a changed file


@dataclass(frozen=True, eq=False)
class EpochCases:
    """The outcome of the cases, the fold that tests each, their groups, the positive class."""

    y: NDArray[np.generic]
    fold: NDArray[np.intp]
    groups: NDArray[np.generic] | None = None
    positive: str = ""  # as text; empty where nobody said

    def find_positive(self) -> object:
        """Return the label of the positive class, None where nobody said."""
        labels: list[object] = np.unique(self.y).tolist()
        return next((label for label in labels if str(label) == self.positive), None)

    def write(self, folder: Path) -> None:
        """Begin a folder."""
        arrays: dict[str, NDArray[np.generic]] = {
            "version": np.array(VERSION),
            "y": _without_objects(self.y),
            "fold": self.fold,
            "positive": np.array(self.positive),
        }
        if self.groups is not None:
            arrays["groups"] = _without_objects(self.groups)
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / CASES) as path, path.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]  # its third argument is a switch

    def equals(self, other: EpochCases) -> bool:
        """Tell whether these are the same cases in the same folds."""
        if self.positive != other.positive:
            return False
        pairs = [(self.y, other.y), (self.fold, other.fold), (self.groups, other.groups)]
        return all(
            (a is None) == (b is None)
            and (a is None or b is None or np.array_equal(_without_objects(a), _without_objects(b)))
            for a, b in pairs
        )


def _without_objects(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return values that a file can hold without a pickle; objects as text."""
    return values.astype(str) if values.dtype.kind == "O" else values


def is_epoch_folder(source: object) -> bool:
    """Tell whether this is a folder of validation predictions by epoch."""
    return isinstance(source, str | Path) and (Path(source) / CASES).is_file()


def read_cases(folder: Path) -> EpochCases:
    """Return the cases of a folder."""
    try:
        with np.load(folder / CASES, allow_pickle=False) as file:
            return _read_arrays(file)
    except DAMAGED as error:
        raise _refuse_damaged(folder / CASES, error) from error


def _read_arrays(file: NpzFile) -> EpochCases:
    if int(file["version"]) > VERSION:
        raise ValueError(f"version {int(file['version'])} is newer than {VERSION}")
    groups = file["groups"] if "groups" in file.files else None
    return EpochCases(file["y"], file["fold"].astype(np.intp), groups, str(file["positive"].item()))


def _refuse_damaged(path: Path, error: Exception) -> FormatError:
    return FormatError(
        f"{str(path)!r} cannot be read",
        needs="a file as earnest wrote it",
        got=f"{type(error).__name__}: {error}",
    )


def write_model(folder: Path, name: str, params: Mapping[str, object]) -> Path:
    """Enter a model by its name and parameters, and return the folder of its predictions."""
    plain = re.fullmatch(r"[\w=-][\w.=-]{0,60}", name, re.ASCII) is not None
    model = folder / (name if plain else f"model-{zlib.crc32(name.encode()):08x}")
    model.mkdir(parents=True, exist_ok=True)
    write_file(model / MODEL, json.dumps({"name": name, "params": dict(params)}, default=str))
    return model


def write_answer(model: Path, fold: int, epoch: int, answer: NDArray[np.float64]) -> None:
    """Keep what a model predicts for the cases of a fold after an epoch."""
    with replacing(model / f"fold{fold}-epoch{epoch:05d}.npy") as path, path.open("wb") as file:
        np.save(file, answer, allow_pickle=False)


def read_epochs(source: str | Path, wanted: PredictionsRequest, stages: int = USUAL) -> Predictions:
    """Make Π of a folder: a configuration for each model and each of some epochs.

    Of the epochs that all folds of a model have, at most `stages` are read, evenly spread.
    """
    wanted.refuse("a folder of epochs", "y", "store", "study", "fold", "classes", "response")
    wanted.refuse("a folder of epochs", "ensembles", "trust_pickle")
    folder = Path(source)
    cases = read_cases(folder)
    models = tuple(
        model
        for path in sorted(folder.glob(f"*/{MODEL}"))
        for model in _read_model(path, cases, stages)
    )
    if not models:
        raise EvidenceError(
            f"{str(folder)!r} holds no predictions yet",
            needs="the predictions of a model after one epoch",
            got=check.some(sorted(path.name for path in folder.iterdir())),
        )
    if wanted.groups is None:
        wanted = replace(wanted, groups=cases.groups)
    if wanted.positive is None:
        wanted = replace(wanted, positive=cases.find_positive())
    run = ToolRun(tool="the training", models=models, y=cases.y, fold=cases.fold, static=True)
    return predictions_of_models(run, wanted)


def _read_model(path: Path, cases: EpochCases, stages: int) -> list[AutoMLModel]:
    """Return a model after some epochs; a fold that was not trained yet has no predictions."""
    try:
        about = parse_json(path.read_text(encoding="utf-8"))
        name, params = str(about["name"]), dict(about["params"])
    except DAMAGED as error:
        raise _refuse_damaged(path, error) from error
    by_fold: dict[int, dict[int, Path]] = {}
    for file in path.parent.iterdir():
        match = ANSWER.fullmatch(file.name)
        if match:
            by_fold.setdefault(int(match[1]), {})[int(match[2])] = file
    if not by_fold:
        return []
    common = sorted(set.intersection(*(set(epochs) for epochs in by_fold.values())))
    chosen = [common[stage - 1] for stage in spread_rounds(len(common), stages)]
    return [
        AutoMLModel(
            name=f"{name}@{epoch}",
            answer=_join_folds({fold: files[epoch] for fold, files in by_fold.items()}, cases),
            params={**params, "epoch": epoch},
        )
        for epoch in chosen
    ]


def _join_folds(files: Mapping[int, Path], cases: EpochCases) -> NDArray[np.float64]:
    """Put the predictions of the folds where their cases are."""
    whole: NDArray[np.float64] | None = None
    for fold, file in files.items():
        rows = np.flatnonzero(cases.fold == fold)
        try:
            answer = np.asarray(np.load(file, allow_pickle=False), dtype=np.float64)
            if whole is None:
                whole = np.full((len(cases.y), *answer.shape[1:]), np.nan)
            if len(answer) != len(rows):
                raise ValueError(f"{len(answer)} predictions for {len(rows)} cases")
            whole[rows] = answer
        except DAMAGED as error:
            raise _refuse_damaged(file, error) from error
    assert whole is not None
    return whole


register(
    PredictionsReader(
        name="epochs",
        words="a folder of validation predictions by epoch",
        takes=is_epoch_folder,
        read=read_epochs,
        rank=EARLY,
        tool="EpochFolds",
        ours=True,
    )
)
