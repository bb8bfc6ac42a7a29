"""Fold scores: one number per configuration, fold and repeat, as a finished search keeps them."""

from __future__ import annotations

import csv
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import LARGEST
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.writing import write_file
from earnest.core.cautions import of_evidence
from earnest.core.data.folds import encode_folds
from earnest.core.data.measure import Measure
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Target, Task
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg

UNNAMED = "score"  # what a score is called that has no name
PLAIN_SPLITS = 10  # as many splits, of which nothing else is known, are the folds of one repeat


@dataclass(frozen=True, kw_only=True)
class SplitFacts:
    """What is known of the splits behind fold scores.

    Parameters
    ----------
    repeats : int
        How often the cross-validation was repeated.
    n_cases : int, optional
        The number of cases.
    overlap : bool
        Whether test sets share cases, as random splits do.
    ordered : bool
        Whether the splits follow time.
    assumed : bool
        Whether nothing of this was said, so that splits are taken as folds of one repeat.
    """

    repeats: int = 1
    n_cases: int | None = None
    overlap: bool = False
    ordered: bool = False
    assumed: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldScores:
    """The scores of `C` configurations in `K` folds of `R` repeats, without the predictions.

    A fitted `GridSearchCV`, its `cv_results_` or a table of them are read as fold scores by the
    verbs themselves; `from_rows` makes them of numbers. The mean over folds counts every fold
    alike, as searches do.

    Parameters
    ----------
    values : ndarray, shape (K, C, R)
        The scores in the metric's own units, NaN where a fold has none.
    configs : Configs
        The configurations.
    measure : Measure
        What was measured: its name, direction and range.
    splits : SplitFacts
        What is known of the splits.
    others : tuple of FoldScores
        The same configurations by the other scores of the search.
    settled : bool
        Whether it is known which of several scores chose the winner.
    alias : str
        What the tool that wrote them calls the metric, if that is another name.
    remarks : tuple of Caution
        What every result made of them carries.

    Examples
    --------
    >>> from earnest.results import FoldScores
    >>> FoldScores.from_rows({"svm": [0.8, 0.7, 0.9], "tree": [0.7, 0.8, 0.6]}, metric="accuracy")
    FoldScores(configs=2, folds=3, repeats=1, accuracy)
    """

    values: NDArray[np.float64]
    configs: Configs
    measure: Measure
    splits: SplitFacts = SplitFacts()
    others: tuple[FoldScores, ...] = ()
    settled: bool = True
    alias: str = ""
    remarks: tuple[Caution, ...] = ()

    @classmethod
    def from_rows(
        cls,
        rows: ArrayLike | Mapping[str, Sequence[float]],
        *,
        metric: str = UNNAMED,
        greater_is_better: bool = True,
        limits: tuple[float, float] = (-math.inf, math.inf),
        configs: Configs | Iterable[object] | None = None,
        repeats: int | None = None,
        splits: SplitFacts | None = None,
        remarks: tuple[Caution, ...] = (),
    ) -> FoldScores:
        """Make them of one row per configuration, with the scores of its folds.

        Parameters
        ----------
        rows : array-like, shape (C, R * K), or mapping of names to lists
            The scores in the metric's own units, one repeat after the other.
        metric : str
            What was measured.
        greater_is_better : bool
            False for a loss.
        limits : tuple of float
            The range of the metric.
        configs : list of str or of dict, or Configs, optional
            The configurations.
        repeats : int, optional
            How often the cross-validation was repeated; 1 by default.
        splits : SplitFacts, optional
            What else is known of the splits.
        """
        if isinstance(rows, Mapping):
            configs = list(rows) if configs is None else configs
            rows = _pad(list(rows.values()))
        table = _read_numbers(rows)
        facts = splits or SplitFacts(repeats=1 if repeats is None else repeats)
        if repeats is not None and facts.repeats != repeats:
            facts = replace(facts, repeats=repeats, assumed=False)
        count, width = table.shape
        check.whole_number("repeats", facts.repeats, low=1)
        if width % facts.repeats:
            raise InputError(
                f"{width} splits are not {facts.repeats} repeats of as many folds",
                needs=f"a multiple of {facts.repeats}",
                got=str(width),
            )
        named = Configs.of(configs, count)
        values = np.moveaxis(table.reshape(count, facts.repeats, -1), 2, 0)  # (K, C, R)
        values = np.ascontiguousarray(values)
        measure = Measure(name=metric, greater_is_better=greater_is_better, limits=limits)
        return cls(values=values, configs=named, measure=measure, splits=facts, remarks=remarks)

    def __post_init__(self) -> None:
        """Refuse fewer than two folds: one score per configuration shows no luck."""
        if self.values.shape[0] * self.values.shape[2] < 2:
            raise EvidenceError(
                "there is one score per configuration",
                needs="the scores of at least two folds",
                got="one fold",
                cure="earnest.floor(scores, n=...) tells how much of the best of them may be luck.",
            )
        if not np.isfinite(self.values).any():
            raise EvidenceError(
                "every fold score is missing",
                needs="a score in every fold, of at least one configuration",
                got="NaN alone",
                cure="Look at why the fits or the scores failed; error_score='raise' shows it.",
            )

    @property
    def n_folds(self) -> int:
        """The folds of a repeat."""
        return int(self.values.shape[0])

    @property
    def n_repeats(self) -> int:
        """The repeats."""
        return int(self.values.shape[2])

    @property
    def n_configs(self) -> int:
        """The number of configurations."""
        return len(self.configs)

    @property
    def n_cases(self) -> int | None:
        """The number of cases, where it is known."""
        return self.splits.n_cases

    @property
    def target(self) -> Target:
        """The folds, as methods see cases."""
        return self.table.target

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all content, equal only for equal scores."""
        facts = (self.configs.ids, self.measure, self.splits, self.values.shape)
        digest = hashlib.sha256(repr(facts).encode())
        digest.update(np.ascontiguousarray(self.values).tobytes())
        return digest.hexdigest()[:32]

    @cached_property
    def table(self) -> Predictions:
        """The scores as methods take them: each fold is a case of its own, tested in itself.

        A fold in which no configuration has a score was not evaluated, such as one with a single
        class in it where the metric needs two.
        """
        scored = np.isfinite(self.values).any(axis=1)  # (K, R)
        fold = np.where(scored, np.arange(self.n_folds)[:, None], -1)
        codes, names = encode_folds(fold, self.n_folds, self.n_repeats)
        return Predictions(
            target=Target(y=np.zeros(self.n_folds), task=Task.SCORES, measure=self.measure),
            configs=self.configs,
            responses=self.values,
            folds=codes,
            fold_names=names,
            kind=ResponseKind.VALUE,
            remarks=self.remarks,
        )

    def list_remarks(self) -> list[Caution]:
        """Return what every result says of the folds and their splits."""
        remarks = list(self.remarks)
        scored = np.isfinite(self.values).any(axis=1)
        if not scored.all():
            remarks.append(of_evidence.folds_undefined(int((~scored).sum()), scored.size))
        if self.splits.ordered:
            remarks.append(of_evidence.time_order())
        return remarks

    def list_metrics(self) -> list[str]:
        """Return the names of all scores."""
        return [each.measure.name for each in (self, *self.others)]

    def pick(self, metric: str) -> FoldScores:
        """Return the fold scores of a metric, which may be named as scikit-learn does."""
        names = self.list_metrics()
        wanted = metric if metric in names else metric.removeprefix("neg_")
        for each in (self, *self.others):
            if wanted in (each.measure.name, each.alias):
                return each
        if names == [UNNAMED]:
            return replace(self, measure=replace(self.measure, name=wanted))
        raise InputError(
            f"these fold scores are not of {metric!r}",
            needs=check.some(names),
            cure="Other metrics need the predictions: search with earnest.SearchCV.",
        )

    def select(self, configs: int | str | Iterable[int | str]) -> FoldScores:
        """Return the scores of some configurations, by name or position."""
        columns = self.configs.find(configs)
        return replace(
            self,
            values=np.ascontiguousarray(self.values[:, columns]),
            configs=self.configs.take(columns),
            others=tuple(other.select(configs) for other in self.others),
        )

    def to_rows(self) -> NDArray[np.float64]:
        """Return one row per configuration, one repeat after the other: (C, R * K)."""
        return np.moveaxis(self.values, 0, 2).reshape(self.n_configs, -1)

    def save(self, path: str | Path) -> Path:
        """Write them as CSV, one row per configuration and fold, which every verb reads."""
        params = self.configs.params or ({},) * self.n_configs
        names = list(dict.fromkeys(name for config in params for name in config))
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        heads = ["config", "repeat", "fold", "metric", "score"]
        writer.writerow([*heads, *(f"params.{name}" for name in names)])
        for each in (self, *self.others):
            for c, r, k in np.ndindex(self.n_configs, self.n_repeats, self.n_folds):
                score = float(each.values[k, c, r])
                place = [each.configs.ids[c], r, k, each.measure.name]
                cells = [params[c].get(name, "") for name in names]
                writer.writerow([*place, "" if math.isnan(score) else repr(score), *cells])
        return write_file(Path(path), text.getvalue().encode())

    def __repr__(self) -> str:
        """Return one line with the sizes."""
        return (
            f"FoldScores(configs={self.n_configs}, folds={self.n_folds}, "
            f"repeats={self.n_repeats}, {self.measure.name})"
        )


def refuse_fold_scores() -> EvidenceError:
    """Return the error of a question that scores of folds do not answer."""
    return EvidenceError(
        "scores of folds do not tell this",
        needs="the predictions of every configuration",
        got="scores of folds, which answer estimate, gain, compare, compare_many and report",
        cure="Search with earnest.SearchCV in place of GridSearchCV: it keeps them.",
    )


def _pad(lists: list[Sequence[float]]) -> list[list[float]]:
    """Return lists of scores as rows of one length; a shorter one lacks its last folds."""
    rows = []
    for scores in lists:
        array = np.asarray(scores)
        if array.ndim != 1:
            raise InputError(
                "fold scores of a configuration are not a list of numbers",
                needs="one number per fold",
                got=check.show(scores),
            )
        rows.append(array.tolist())
    width = max(map(len, rows), default=0)
    return [[*row, *[math.nan] * (width - len(row))] for row in rows]


def _read_numbers(rows: ArrayLike) -> NDArray[np.float64]:
    """Return fold scores (C, S) as floats; refuse what is no table of usable numbers."""
    try:
        table = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            "fold scores are not numbers",
            needs="one row per configuration, one number per fold",
            got=check.show(rows),
        ) from error
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(
            "fold scores are not a table",
            needs="one row per configuration, one column per fold",
            got=f"shape {table.shape}",
            cure=f"Pass a mapping such as {arg('predictions')} = {{'a': [0.8, 0.7, 0.9]}}.",
        )
    if (np.abs(np.nan_to_num(table, nan=0.0, posinf=math.inf, neginf=-math.inf)) > LARGEST).any():
        raise InputError(
            "fold scores are infinite or too large", needs=f"numbers of at most {LARGEST:g}"
        )
    return table
