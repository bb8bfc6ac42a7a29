"""What a model does with the columns of a table: how much it needs each, and what they move."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from earnest.core.base.errors import UnknownNameError
from earnest.core.results.base import FLAT, OPTIONAL, MetricResult, Plain, check_lengths
from earnest.core.results.scale import Scale

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable


class ImportanceKind(StrEnum):
    """What changes cases.

    `COLUMN`: a column alone. `TOGETHER`: columns that tell much the same, the values of a case
    together. `OTHERS`: all columns that were not looked at one by one, together.
    """

    COLUMN = "column"
    TOGETHER = "together"
    OTHERS = "others"


@dataclass(frozen=True)
class ColumnImportance(Plain):
    """How much worse a model scores if it gets the values of columns from other cases.

    Attributes
    ----------
    columns : tuple of str
        The columns of the table whose values changed cases together.
    kind : ImportanceKind
        Which they are.
    value : float
        How much worse the score is, 0 or more where the model needs the columns; below 0 by chance.
    low, high : float
        Its interval.

    Examples
    --------
    >>> from earnest.results import ColumnImportance
    >>> importance = ColumnImportance(("age",), "column", 0.12, 0.05, 0.19)
    >>> importance.name, importance.shown
    ('age', True)
    """

    columns: tuple[str, ...]
    kind: ImportanceKind
    value: float
    low: float
    high: float

    def __post_init__(self) -> None:
        """Read a kind that is written as text."""
        object.__setattr__(self, "kind", ImportanceKind(self.kind))

    @property
    def name(self) -> str:
        """The columns in a few words."""
        if self.kind is ImportanceKind.OTHERS:
            return f"{len(self.columns):,} other columns"
        return " + ".join(self.columns)

    @property
    def shown(self) -> bool:
        """Whether the interval shows that the model needs them."""
        return self.low > 0


@dataclass(frozen=True, kw_only=True)
class ColumnEffect(Plain):
    """How the mean prediction moves with the values of a column.

    Attributes
    ----------
    column : str
        The column.
    predicted : str
        What moves: the probability of a class, the number, the risk.
    grid : tuple of str
        The values of the column that all cases got in turn, as they are written.
    places : tuple of float or None
        Where they stand on an axis; None for levels.
    mean : tuple of float
        The mean prediction there, over cases and models.
    low, high : tuple of float
        The lowest and the highest mean of one model.

    Examples
    --------
    >>> from earnest.results import ColumnEffect
    >>> three = {"mean": (0.1, 0.4, 0.3), "low": (0.1, 0.3, 0.2), "high": (0.2, 0.5, 0.4)}
    >>> ColumnEffect(column="age", predicted="P(1)", grid=("20", "40", "60"), **three).range
    (0.1, 0.4)
    """

    column: str
    predicted: str
    grid: tuple[str, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    places: tuple[float, ...] | None = field(default=None, metadata=OPTIONAL)

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest mean prediction."""
        return min(self.mean), max(self.mean)


@dataclass(frozen=True, kw_only=True)
class ModelExplanation(MetricResult):
    """Which columns a model needs, and how its prediction moves with them.

    Attributes
    ----------
    model : str
        What was delivered: a configuration, or an ensemble.
    predicted : str
        What it predicts, in words.
    scale : Scale
        The metric of the importances.
    score : float
        What the models of the folds score on the cases as they are, not corrected.
    importances : tuple of ColumnImportance
        The largest first.
    effects : tuple of ColumnEffect
        Of the most important columns.
    n_cases, n_cases_in_all : int
        How many held-out cases changed their values, of how many.
    n_columns : int
        How many columns the model sees.
    n_models : int
        How many models of folds were trained again for it.
    n_permutations : int
        How often the values of a column changed cases.
    n_cases_of_effects : int
        Over how many cases effects are means.
    confidence_level : float
        Of each interval by itself.
    seed : int
        Of cases and permutations.
    seconds : float
        What it took.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> found = en.tune(iris, target="target", n_configs=1, folds=3, rng=7, n_jobs=1)
    >>> explanation = found.explain_model(["petal width (cm)"])
    >>> explanation.n_columns, explanation.n_models
    (4, 3)
    >>> len(explanation.effects)  # of each class
    3
    """

    schema: ClassVar[str] = "earnest/model_explanation/1"
    called: ClassVar[str] = "an explanation of a model"
    derived: ClassVar[tuple[str, ...]] = ("needed",)

    model: str
    predicted: str
    scale: Scale = field(metadata=FLAT)
    score: float
    importances: tuple[ColumnImportance, ...]
    effects: tuple[ColumnEffect, ...]
    n_cases: int
    n_cases_in_all: int
    n_columns: int
    n_models: int
    n_permutations: int
    n_cases_of_effects: int
    confidence_level: float
    seed: int
    seconds: float

    def __iter__(self) -> Iterator[ColumnImportance]:
        """Iterate over the importances."""
        return iter(self.importances)

    def __len__(self) -> int:
        """Count the importances."""
        return len(self.importances)

    def __getitem__(self, column: str) -> ColumnImportance:
        """Return the importance of a column alone."""
        alone = [each for each in self.importances if each.kind is ImportanceKind.COLUMN]
        for each in alone:
            if each.columns == (column,):
                return each
        raise UnknownNameError(
            f"{column!r} was not looked at alone",
            needs=", ".join(repr(each.columns[0]) for each in alone[:6]),
        )

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that the model is shown to need, the most important first."""
        alone = (each for each in self.importances if each.kind is ImportanceKind.COLUMN)
        return tuple(each.columns[0] for each in alone if each.shown)

    def _check_parts(self) -> None:
        super()._check_parts()
        for each in self.importances:
            numbers = (each.value, each.low, each.high)
            if not each.columns or any(map(math.isinf, numbers)):
                raise ValueError(f"the importance of {each.name or 'no column'} is no number")
        for effect in self.effects:
            check_lengths(effect.grid, effect.mean, effect.low, effect.high)
            if effect.places is not None:
                check_lengths(effect.grid, effect.places)

    def rows(self) -> list[dict[str, Any]]:
        """Return the importances as flat dicts."""
        return [
            {
                "columns": each.name,
                "kind": str(each.kind),
                "value": each.value,
                "low": each.low,
                "high": each.high,
            }
            for each in self.importances
        ]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.model import make_table

        return make_table(self)

    def summary(self) -> str:
        """Return what is shown of the columns, in a few sentences."""
        from earnest.core.text.model import word_summary

        return word_summary(self)

    def _print_more(self) -> Iterator[str]:
        """Yield a line per importance."""
        from earnest.core.text.model import word_rows

        yield from word_rows(self)

    def __repr__(self) -> str:
        """Return one line."""
        from earnest.core.text.model import word_line

        return word_line(self)
