"""Why tools left something out, saw too much or ended early: facts of cautions."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Omission(StrEnum):
    """Why rows that a tool was given are no cases; the value is what readers are shown."""

    RARE_CLASSES = "their classes have too few"
    NO_OUTCOME = "they have no outcome"
    NO_WEIGHT = "they have a weight of 0"
    NEITHER = "they have no outcome or a weight of 0"


class Peek(StrEnum):
    """What a model had seen of the cases that test it, beside stopping early; as it is shown."""

    COPIES = "copies of the only case of a class"
    GOLDEN_FEATURES = "golden features"
    FEATURES = "features selected on the test folds"
    WEIGHTS = "weights by errors on the test folds"
    HYPERPARAMETERS = "hyperparameters that Optuna tuned on a test fold"


class Silence(StrEnum):
    """Why a tool has no predictions of a model; the value is what readers are shown."""

    ENSEMBLE = "an ensemble"
    SILENT_MEMBERS = "an ensemble of models without predictions"
    VALIDATION = "it used a validation set, see use_bag_holdout"
    NOT_BAGGED = "it was not bagged"
    SOME_CASES = "no prediction for some cases"
    NOT_KEPT = "it was trained without keep_cross_validation_predictions=True"
    NO_FILE = "no file of predictions"


class Breach(StrEnum):
    """What a log that is not whole lacks."""

    LINE = "its last line"
    ROW = "its last row"
    REPORT = "its final report"
    SUCCESS = "the status of success"
    ANSWERS = "answers"
    VALIDITY = "validity"


class LogEnd(NamedTuple):
    """Why a log is not whole.

    Attributes
    ----------
    lacks : Breach
        What it lacks.
    held, wanted : int
        The answers that it has and should have, or the line that is cut off; 0 if unknown.
    noun : str
        What its tool calls an answer.
    status, message : str
        What the log says itself.
    """

    lacks: Breach
    held: int = 0
    wanted: int = 0
    noun: str = ""
    status: str = ""
    message: str = ""
