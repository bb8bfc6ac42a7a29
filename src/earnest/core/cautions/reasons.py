"""Why tools left something out or saw too much: facts of cautions; values are the words shown."""

from __future__ import annotations

from enum import StrEnum


class Omission(StrEnum):
    """Why rows that a tool was given are no cases."""

    RARE_CLASSES = "their classes have too few"
    NO_OUTCOME = "they have no outcome"
    NO_WEIGHT = "they have a weight of 0"
    NEITHER = "they have no outcome or a weight of 0"


class Peek(StrEnum):
    """What a model had seen of the cases that test it, beside stopping early by them."""

    COPIES = "copies of the only case of a class"
    GOLDEN_FEATURES = "golden features"
    FEATURES = "features selected on the test folds"
    WEIGHTS = "weights by errors on the test folds"
    HYPERPARAMETERS = "hyperparameters that Optuna tuned on a test fold"


class Silence(StrEnum):
    """Why a tool has no predictions of a model."""

    ENSEMBLE = "an ensemble"
    SILENT_MEMBERS = "an ensemble of models without predictions"
    VALIDATION = "it used a validation set, see use_bag_holdout"
    NOT_BAGGED = "it was not bagged"
    SOME_CASES = "no prediction for some cases"
    NOT_KEPT = "it was trained without keep_cross_validation_predictions=True"
    NO_FILE = "no file of predictions"
