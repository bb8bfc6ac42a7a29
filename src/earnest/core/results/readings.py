"""What the value of a metric says in plain words, as far as there are true ones."""

from __future__ import annotations

from enum import StrEnum


class Reading(StrEnum):
    """What a value counts or measures; a metric declares it where plain words are true.

    The shares are of 1: of pairs that are put in order, of cases that are right, of cases of a
    class that are found. The errors are in the units of the outcome.
    """

    PAIRS = "pairs of a positive and a negative case that are put in order"
    EVENT_PAIRS = "pairs of cases whose order of events is predicted"
    RIGHT = "cases that are right"
    WRONG = "cases that are wrong"
    RIGHT_IF_EVEN = "cases that are right, where classes are equally frequent"
    POSITIVES_FOUND = "positive cases that are found"
    NEGATIVES_CLEARED = "negative cases that are cleared"
    ALARMS_RIGHT = "cases called positive that are"
    CLEARANCES_RIGHT = "cases called negative that are"
    EXPLAINED = "squared error of the mean that is removed"
    MEAN_ERROR = "the average error"
    ABOVE_MEAN_ERROR = "an error that the average one does not exceed"
    MIDDLE_ERROR = "the error that half of the cases stay below"
    RELATIVE_ERROR = "the average error as a share of the outcome"
