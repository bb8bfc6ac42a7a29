"""Names of columns that say a fold: split0_test_score, metrics.fold_3_auc, cv2/accuracy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

SINGLE = "score"  # what is left of a name that says the fold alone
_FOLD = re.compile(r"(?i)(?:^|(?<=[^a-z]))(?:cv_?)?(?:fold|split|cv)[ _.\-/:=]*(\d+)(?!\d)")
_REPEAT = re.compile(r"(?i)(?:^|(?<=[^a-z]))(?:rep|repeat|repetition)[ _.\-/:=]*(\d+)(?!\d)")
_LEADING = re.compile(r"(?i)^(?:metrics|user_attrs|summary|attrs|results?)[._/]")
_OTHER = re.compile(
    r"(?i)(?:^|[^a-z])(?:train|fit|time|seconds|loss_curve|n|size|seed)(?:$|[^a-z])"
)
_TEST = re.compile(r"(?i)^(?:test|val|valid|validation)(?:$|[_./ -])")
_JOINTS = " _.-/:="


@dataclass(frozen=True)
class FoldColumn:
    """A column that is one fold: its name, what it measures, and its place."""

    name: str
    metric: str
    repeat: int
    fold: int


def find_fold_columns(names: Iterable[object]) -> list[FoldColumn]:
    """Return the columns that are numbered by folds, of metrics that have at least two.

    Examples
    --------
    >>> from earnest.adapters.folds.names import find_fold_columns
    >>> columns = find_fold_columns(["metrics.fold_0_auc", "metrics.fold_1_auc", "split0_train_x"])
    >>> [(column.metric, column.fold) for column in columns]
    [('auc', 0), ('auc', 1)]
    """
    columns = [column for name in names if (column := _read_name(str(name))) is not None]
    counts = Counter(column.metric for column in columns)
    return [column for column in columns if counts[column.metric] > 1]


def _read_name(name: str) -> FoldColumn | None:
    body = _LEADING.sub("", name)
    fold = _FOLD.search(body)
    if fold is None:
        return None
    unread = body[: fold.start()] + "/" + body[fold.end() :]
    repeat = _REPEAT.search(unread)
    if repeat is not None:
        unread = unread[: repeat.start()] + "/" + unread[repeat.end() :]
    if _OTHER.search(unread):
        return None
    parts = [word for word in (piece.strip(_JOINTS) for piece in unread.split("/")) if word]
    metric = _TEST.sub("", "_".join(parts)) or SINGLE
    return FoldColumn(name, metric, int(repeat[1]) if repeat else 0, int(fold[1]))
