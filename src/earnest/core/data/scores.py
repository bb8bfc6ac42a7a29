"""Scores: one number an item and configuration, computed elsewhere, in place of predictions."""

from __future__ import annotations

import hashlib
import html
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import (
    Numbers,
    as_array,
    cut_row_blocks,
    finite_range,
    kept,
    read_only,
    yield_row_bytes,
)
from earnest.core.base.errors import InputError
from earnest.core.data.item_scores import Variation, make_predictions, measure_variation
from earnest.core.data.measure import OF_JUDGEMENTS, OF_SAMPLES, Aggregate, Measure, Rule
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution, Severity

if TYPE_CHECKING:
    from typing import Self


MOST_PLAYERS = 60  # configurations whose strengths are fitted in every resample
LARGEST = 1e150  # squares of what is larger overflow


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreParts:
    """Scores as they were read: the matrix, and what is known of items and configurations.

    Parameters
    ----------
    values : ndarray, shape (n, C, R)
        The scores, NaN for what was not run; R samples of the same item and configuration.
    configs : Configs
        The configurations.
    per : ndarray, shape (n, C, R), optional
        What the scores are counted per, for a ratio.
    ids, groups, tasks : array, shape (n,), optional
        Names of the items, units that belong together, and the task of each item.
    fold : array, shape (n,) or (n, R), optional
        The fold that tested each case, for losses of a cross-validation.
    codes : ndarray of int64, shape (n,), optional
        Judgements of pairs, coded as `metrics/scores.py` tells.
    remarks : tuple of Caution
        What had to be guessed or mended to read them.
    """

    values: Numbers
    configs: Configs
    per: Numbers | None = None
    ids: NDArray[Any] | None = None
    groups: NDArray[Any] | None = None
    tasks: NDArray[Any] | None = None
    fold: NDArray[Any] | None = None
    codes: NDArray[np.int64] | None = None
    remarks: tuple[Caution, ...] = ()


def as_matrix(table: object, per_item: str = "scores") -> Numbers:
    """Return scores as numbers of shape (n, C, R), copied unless they are large."""
    array = as_array(per_item, table)
    if array.ndim not in (1, 2, 3) or array.dtype.kind not in "biuf":
        raise InputError(
            f"{per_item} are not numbers, one an item and configuration",
            needs="shape (n,), (n, C) or (n, C, R)",
            got=f"shape {array.shape}, dtype {array.dtype}",
        )
    if 0 in array.shape:
        raise InputError(f"there are no {per_item}", got=f"shape {array.shape}")
    shaped = array.reshape(*array.shape, *(1,) * (3 - array.ndim))
    if shaped.dtype not in (np.float32, np.float64):
        return shaped.astype(np.float64 if shaped.dtype.kind != "b" else np.float32)
    return kept(shaped)


def note_of_guess(what: str, consequence: str, cure: str) -> Caution:
    """Return the note on what had to be guessed of a table of scores."""
    return Caution("EN141", what, consequence, cure, Severity.NOTE)


# What is usual, and what does not fit.


def choose_aggregate(parts: ScoreParts) -> str:
    """Return what scores are summed up to where nothing was said."""
    if parts.per is not None:
        return str(Aggregate.RATIO)
    return str(Aggregate.MEAN if parts.tasks is None else Aggregate.MACRO)


def choose_name(rule: Rule, greater_is_better: bool) -> str:
    """Return what a score is called where nothing was said."""
    if rule.kind is Aggregate.RATIO:
        return "ratio"
    return "score" if greater_is_better else "loss"


def check_rule(rule: Rule, parts: ScoreParts) -> None:
    """Refuse a way to sum up that these scores do not have."""
    wrong = {
        Aggregate.RATIO: (parts.per is None, "a ratio has two numbers", "`per`"),
        Aggregate.MACRO: (parts.tasks is None, "the mean over tasks needs tasks", "`tasks`"),
    }
    for kind, (lacks, what, needs) in wrong.items():
        if rule.kind is kind and lacks:
            raise InputError(what, needs=needs, cure="Give it, or say aggregate='mean'.")
    if rule.kind in OF_JUDGEMENTS and parts.codes is None:
        raise InputError(
            f"{str(rule)!r} is made of judgements of pairs",
            needs="a table with a row a judgement",
            cure="Read it with Scores.from_judgements.",
        )
    if rule.kind is Aggregate.BRADLEY_TERRY and len(parts.configs) > MOST_PLAYERS:
        raise InputError(
            f"strengths of {len(parts.configs)} configurations take too long to fit in every "
            "resample",
            needs=f"at most {MOST_PLAYERS}",
            cure="Say aggregate='win_rate', or leave judgements of some out.",
        )
    if rule.kind not in OF_JUDGEMENTS and parts.codes is not None:
        raise InputError(
            f"judgements of pairs have no {str(rule)!r}", needs="'win_rate' or 'bradley_terry'"
        )
    if parts.per is not None and rule.kind is not Aggregate.RATIO:
        raise InputError(f"`per` makes a ratio, not {str(rule)!r}", cure="Leave one of them out.")
    if parts.fold is not None and rule.kind in OF_SAMPLES:
        raise InputError(
            f"{str(rule)!r} is about samples of an item, and folds say that repeats are those of a "
            "cross-validation",
            cure="Leave `fold` out.",
        )


def find_range(parts: ScoreParts) -> tuple[float, float]:
    """Return the smallest and the largest score; refuse infinite ones, and none at all."""
    low, high = finite_range(parts.values)
    if parts.per is not None and not (np.abs(finite_range(parts.per)) <= LARGEST).all():
        raise InputError(
            "`per` holds no numbers, or too large ones", needs=f"numbers of at most {LARGEST:g}"
        )
    if (low, high) == (np.inf, -np.inf):
        raise InputError("every score is missing", needs="numbers", got="NaN alone")
    if not np.isfinite([low, high]).all():
        raise InputError(
            "scores are infinite",
            needs="finite numbers",
            got=f"numbers from {low:g} to {high:g}",
            cure="Only NaN may stand for what was not run.",
        )
    if max(-low, high) > LARGEST:
        raise InputError(
            "scores are too large",
            needs=f"numbers of at most {LARGEST:g}, whose squares do not overflow",
            got=f"numbers from {low:g} to {high:g}",
            cure="Divide them by a constant, or look for a damaged column.",
        )
    return low, high


def are_binary(parts: ScoreParts, rule: Rule, low: float, high: float) -> bool:
    """Tell whether every item has a score of 0 or 1, after samples are summed up."""
    if rule.kind in OF_SAMPLES:
        _refuse_fractions(parts, rule, low, high)
    if low < 0.0 or high > 1.0 or parts.values.shape[2] > 1 or rule.kind in OF_SAMPLES:
        return False
    return _hold_zeros_and_ones(parts.values)


def _hold_zeros_and_ones(values: Numbers) -> bool:
    for block in cut_row_blocks(values):
        if not ((block == 0) | (block == 1) | np.isnan(block)).all():
            return False
    return True


def _refuse_fractions(parts: ScoreParts, rule: Rule, low: float, high: float) -> None:
    if low < 0.0 or high > 1.0 or not _hold_zeros_and_ones(parts.values):
        raise InputError(
            f"{str(rule)!r} counts samples that pass, and scores are other numbers than 0 and 1",
            needs="1 for a sample that passes, 0 for one that does not",
            got=f"numbers from {low:g} to {high:g}",
            cure="Say which scores pass, such as Scores(values >= 0.5, ...).",
        )
    counts = np.isfinite(parts.values).sum(axis=2)
    few = (counts > 0) & (counts < rule.number)
    if few.any():
        raise InputError(
            f"{str(rule)!r} needs {rule.number:.0f} samples of an item",
            needs=f"at least {rule.number:.0f} samples of each item and configuration",
            got=f"fewer in {int(few.sum()):,} of {int((counts > 0).sum()):,}, the fewest "
            f"{int(counts[few].min())}",
            cure="Choose a smaller k, or leave those items out.",
        )


def read_limits(
    limits: Iterable[float] | None, found: tuple[float, float], greater_is_better: bool, rule: Rule
) -> tuple[float, float]:
    """Return the range of what is measured: as given, or as it is usual."""
    low, high = found
    if rule.kind in (*OF_SAMPLES, *OF_JUDGEMENTS):
        return 0.0, 1.0
    if limits is None:
        if rule.kind is Aggregate.RATIO:
            return (0.0, math.inf) if low >= 0 else (-math.inf, math.inf)
        if low < 0:
            return -math.inf, math.inf
        unit = greater_is_better and high <= 1.0
        return (0.0, 1.0) if unit else (0.0 if not greater_is_better else -math.inf, math.inf)
    try:
        least, most = (float(end) for end in limits)
    except (TypeError, ValueError):
        least = most = math.nan
    if not least < most:
        raise InputError(
            "`limits` cannot be read",
            needs="the smallest and the largest score that is possible, such as (0, 1)",
            got=check.show(limits),
        )
    if rule.kind is not Aggregate.RATIO and (low < least or high > most):
        word = "scores" if greater_is_better else "losses"
        raise InputError(
            f"{word} lie outside `limits`",
            needs=f"numbers from {least:g} to {most:g}",
            got=f"numbers from {low:g} to {high:g}",
            cure="Give the range that is possible, such as limits=(-inf, inf).",
        )
    return least, most


def read_weights(weights: Mapping[Any, float] | None, parts: ScoreParts) -> tuple[float, ...]:
    """Return the weights of the tasks in the order of their codes; they sum to 1."""
    if parts.tasks is None:
        if weights is not None:
            raise InputError("`weights` are those of tasks", needs="`tasks`", got="none")
        return ()
    names = np.unique(np.asarray(parts.tasks)).tolist()
    if weights is None:
        return (1.0 / len(names),) * len(names)
    said = {str(name): float(weight) for name, weight in dict(weights).items()}
    lacking = [str(name) for name in names if str(name) not in said]
    if lacking or any(not 0.0 <= weight < math.inf for weight in said.values()):
        raise InputError(
            "`weights` do not give every task its weight",
            needs=f"a number from 0 on for each of {check.some(names)}",
            got=f"none for {check.some(lacking)}" if lacking else check.show(dict(weights)),
        )
    strange = [name for name in said if name not in [str(each) for each in names]]
    if strange:
        raise InputError(
            "`weights` name tasks that there are not",
            needs=check.some(names),
            got=check.some(strange),
        )
    total = sum(said[str(name)] for name in names)
    if total <= 0.0:
        raise InputError("all `weights` are 0", needs="a task that counts")
    return tuple(said[str(name)] / total for name in names)


RULES = ("items", "configs", "worst")


class Scores:
    """Scores of `C` configurations on `n` items, computed elsewhere: prompts, models, settings.

    Whoever tries many prompts on the same items and keeps the best has the same winner's curse as a
    search, and a matrix of scores in place of predictions. Give it to `estimate`, `estimate_all`,
    `compare`, `compare_many` or `report`, without a metric: it says itself what it is summed up to.

    Parameters
    ----------
    table : array-like, mapping or frame
        An array (n,), (n, C) or (n, C, R), the R samples of an item side by side; a mapping of
        names to columns (n,) or (n, R); or a table of pandas, polars or Arrow, *wide* (a column a
        configuration) or *long* (a row a score, with columns that name the item and the
        configuration). NaN is what was not run.
    id, groups, tasks : str or array-like, optional
        What names the items, which items belong together (questions on one passage), and the task
        of each: names of columns, or values, one an item. By default the columns `item` (or `id`),
        `group` and `task` of a table, where they stand. Items of a group are drawn together.
    config, score, repeat : str, optional
        Long tables: the columns that name the configuration, hold the score and number the sample;
        by default `config`, `model` or `prompt`, and `score`. Rows of the same item and
        configuration are samples.
    configs : list of str, optional
        The names of the configurations; of a table, the columns (or configurations) that are read.
    per : array-like or str, optional
        What the scores are counted per, such as successes for costs: the score is then the ratio
        of both sums.
    aggregate : str, optional
        What the scores are summed up to: 'mean', 'macro' (the mean over tasks, the default where
        there are tasks), 'median', 'quantile(0.9)', 'pass@5' (the chance that one of 5 samples
        passes), 'pass^5' (that all 5 pass), or 'ratio' (the default with `per`).
    weights : mapping, optional
        The weight of each task in the mean over tasks; all alike by default.
    limits : tuple of float, optional
        The smallest and the largest score that is possible; intervals stay within. By default 0
        and 1 if all scores lie there and greater is better, 0 and infinity for losses.
    greater_is_better : bool
        False for losses and costs.
    name : str
        What a score is called.
    missing : {'items', 'configs', 'worst'}, optional
        What to do where an item lacks the score of a configuration: leave out the item (the
        default, if half of the items at least have all), leave out the configuration, or count the
        worst score of the range.
    batches : int, optional
        In how many random batches the items of a large matrix are drawn: resampling the means of
        5,000 batches tells as much of a mean as resampling 100,000 items, and is far quicker. By
        default 5,000 where there are more than 50 million scores; 0 for never.
    fold : array-like, optional
        For losses of a cross-validation: the fold that tested each case, one column a repeat.
    format : {'wide', 'long'}, optional
        The form of a table, where it is not clear.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(1)
    >>> easy = rng.random((500, 1))  # items differ, twenty prompts are equally good
    >>> scores = en.Scores(rng.random((500, 20)) < 0.3 + 0.7 * easy)
    >>> scores
    Scores(items=500, configs=20, samples=1, mean score, limits=(0, 1))
    >>> en.estimate(scores, rng=1)
    mean score 0.65, 95 % interval [0.62, 0.72] (near_winner, winner of 20 configs, n=500)
    """

    parts: ScoreParts
    measure: Measure
    missing: str | None
    batches: int | None

    def __init__(
        self,
        table: object,
        *,
        id: str | ArrayLike | None = None,
        groups: str | ArrayLike | None = None,
        tasks: str | ArrayLike | None = None,
        config: str | None = None,
        score: str | None = None,
        repeat: str | None = None,
        configs: Configs | Iterable[object] | None = None,
        per: str | ArrayLike | None = None,
        aggregate: str | None = None,
        weights: Mapping[Any, float] | None = None,
        limits: tuple[float, float] | None = None,
        greater_is_better: bool = True,
        name: str | None = None,
        missing: str | None = None,
        batches: int | None = None,
        fold: ArrayLike | None = None,
        format: str | None = None,
    ) -> None:
        from earnest.core.tables.scores import read_parts

        parts = read_parts(
            table,
            id=id,
            groups=groups,
            tasks=tasks,
            config=config,
            score=score,
            repeat=repeat,
            configs=configs,
            per=per,
            fold=fold,
            form=format,
        )
        self._settle(
            parts,
            aggregate=aggregate,
            weights=weights,
            limits=limits,
            greater_is_better=greater_is_better,
            name=name,
            missing=missing,
            batches=batches,
        )

    def _settle(
        self,
        parts: ScoreParts,
        *,
        aggregate: str | None = None,
        weights: Mapping[Any, float] | None = None,
        limits: tuple[float, float] | None = None,
        greater_is_better: bool = True,
        name: str | None = None,
        missing: str | None = None,
        batches: int | None = None,
    ) -> None:
        """Check what was said of the scores, and keep it."""
        if missing is not None:
            check.one_of("missing", missing, RULES)
        if batches:
            check.whole_number("batches", batches, low=100)
        rule = Rule.of(choose_aggregate(parts) if aggregate is None else aggregate)
        check_rule(rule, parts)
        low, high = find_range(parts)
        binary = are_binary(parts, rule, low, high)
        ends = read_limits(limits, (low, high), greater_is_better, rule)
        self.parts = replace(parts, values=read_only(parts.values))
        self.missing, self.batches = missing, batches
        self.measure = Measure(
            name=choose_name(rule, greater_is_better) if name is None else str(name),
            rule=replace(rule, number=len(parts.configs))
            if rule.kind is Aggregate.BRADLEY_TERRY
            else rule,
            greater_is_better=bool(greater_is_better),
            limits=ends,
            weights=read_weights(weights, parts),
            binary=binary and ends == (0.0, 1.0),
        )

    @classmethod
    def _of(
        cls, parts: ScoreParts, measure: Measure, missing: str | None, batches: int | None
    ) -> Self:
        """Make scores of parts that were checked."""
        made = object.__new__(cls)
        made.parts, made.measure = parts, measure
        made.missing, made.batches = missing, batches
        return made

    def _with(self, parts: ScoreParts | None = None, missing: str | None = None) -> Self:
        """Return the same scores with other parts, or another rule for what is missing."""
        return type(self)._of(
            self.parts if parts is None else parts,
            self.measure,
            self.missing if missing is None else missing,
            self.batches,
        )

    @classmethod
    def from_frame(cls, frame: object, **options: Any) -> Self:
        """Make scores from a pandas, polars or Arrow table, wide or long; as the constructor.

        Examples
        --------
        >>> import earnest as en, pyarrow as pa
        >>> rows = {"item": [1, 1, 2, 2], "prompt": ["a", "b", "a", "b"], "score": [1, 0, 1, 1]}
        >>> en.Scores.from_frame(pa.table(rows))
        Scores(items=2, configs=2, samples=1, mean score, limits=(0, 1))
        """
        return cls(frame, **options)

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> Self:
        """Read scores from a CSV, Parquet, Arrow, JSON-lines, NPZ or NPY file.

        A file that `save` wrote comes back exactly. Any other is read as the constructor reads a
        table, whose options these are; for CSV also `delimiter`, `decimal` and `thousands`.
        """
        from earnest.core.tables.score_files import load_scores

        found = load_scores(cls, path, options)
        assert isinstance(found, cls)
        return found

    def save(self, path: str | Path) -> Path:
        """Write the scores to a Parquet, CSV, Arrow, JSON-lines or NPZ file, to be read by `load`.

        Tables are wide where there is one sample an item, else long. All that is known of the
        scores is kept with them.
        """
        from earnest.core.tables.score_files import save_scores

        return save_scores(self, path)

    @property
    def values(self) -> Numbers:
        """The scores (n, C, R), NaN for what was not run."""
        return self.parts.values

    @property
    def configs(self) -> Configs:
        """The configurations."""
        return self.parts.configs

    @property
    def target(self) -> Target:
        """The items, as methods see cases."""
        return self.predictions.target

    @property
    def n_cases(self) -> int:
        """The number of items."""
        return len(self.parts.values)

    @property
    def n_configs(self) -> int:
        """The number of configurations."""
        return len(self.parts.configs)

    @property
    def n_repeats(self) -> int:
        """The largest number of samples of an item and configuration."""
        return int(self.parts.values.shape[2])

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all content, equal only for equal scores of equal items."""
        parts = self.parts
        facts = (parts.configs.ids, self.measure, self.missing, self.batches, parts.values.shape)
        digest = hashlib.sha256(repr(facts).encode())
        for known in (parts.ids, parts.groups, parts.tasks, parts.fold, parts.codes):
            digest.update(b"-" if known is None else repr(np.asarray(known).tolist()).encode())
        for matrix in (parts.values, parts.per):
            if matrix is not None:
                digest.update(str(matrix.dtype).encode())
                for block in yield_row_bytes(matrix):
                    digest.update(block)
        return digest.hexdigest()[:32]

    @cached_property
    def predictions(self) -> Predictions:
        """The scores as methods take them: one number an item and configuration."""
        return make_predictions(self)

    def select(self, configs: int | str | Iterable[int | str]) -> Scores:
        """Return the scores of some configurations, by name or position."""
        if isinstance(configs, str) or not isinstance(configs, Iterable):
            configs = [configs]
        columns = [self.configs.index(config) for config in configs]
        if not columns:
            raise InputError(
                "no configuration was selected",
                needs=f"at least one of {self.n_configs}",
                got="none",
            )
        if self.parts.codes is not None:
            raise InputError(
                "judgements of pairs tell of all configurations at once",
                cure="Leave judgements of others out of the table.",
            )
        per = self.parts.per
        parts = replace(
            self.parts,
            configs=self.configs.take(columns),
            values=self.parts.values[:, columns],
            per=None if per is None else per[:, columns],
        )
        return self._with(parts)

    def take(self, rows: NDArray[np.intp]) -> Scores:
        """Return the scores of some of the items, by position."""

        def part(values: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if values is None else np.asarray(values)[rows]

        old = self.parts
        parts = replace(
            old,
            values=old.values[rows],
            per=part(old.per),
            ids=part(old.ids),
            groups=part(old.groups),
            tasks=part(old.tasks),
            fold=part(old.fold),
            codes=part(old.codes),
        )
        return self._with(parts)

    def summed_up(self, aggregate: str) -> Scores:
        """Return the same scores, summed up in another way.

        Examples
        --------
        >>> import earnest as en
        >>> samples = [[[1, 0, 0], [1, 1, 1]], [[0, 0, 0], [1, 0, 1]]]  # 2 items, 2 prompts
        >>> en.Scores(samples).summed_up("pass@2").predictions.responses[:, :, 0].round(2)
        array([[0.67, 1.  ],
               [0.  , 1.  ]])
        """
        rule = Rule.of(aggregate)
        if rule == self.measure.rule or (
            rule.kind is self.measure.rule.kind is not None
            and (rule.kind is Aggregate.BRADLEY_TERRY)
        ):
            return self
        made = object.__new__(type(self))
        measure = self.measure
        tasks = self.parts.tasks
        weights = None
        if tasks is not None and measure.weights:
            weights = dict(zip(np.unique(tasks).tolist(), measure.weights, strict=True))
        usual = measure.name == choose_name(measure.rule, measure.greater_is_better)
        made._settle(
            self.parts,
            aggregate=aggregate,
            weights=weights,
            limits=None if Aggregate.RATIO in (rule.kind, measure.rule.kind) else measure.limits,
            greater_is_better=measure.greater_is_better,
            name=None if usual else measure.name,
            missing=self.missing,
            batches=self.batches,
        )
        return made

    @classmethod
    def from_judgements(
        cls,
        table: object,
        *,
        a: str = "a",
        b: str = "b",
        winner: str = "winner",
        id: str | None = None,
        groups: str | None = None,
        aggregate: str = "win_rate",
        name: str | None = None,
    ) -> Self:
        """Make scores of judgements of pairs: which of two answers was better.

        Parameters
        ----------
        table : frame or mapping
            A row a judgement.
        a, b : str
            The columns that name the two configurations.
        winner : str
            The column that says which was better: the name of the configuration, 'a' or 'b',
            or 'tie'.
        id, groups : str, optional
            The columns that name the judgements, and those that belong together, such as all
            judgements of one question or by one judge.
        aggregate : {'win_rate', 'bradley_terry'}
            The share of its judgements that a configuration wins, a tie being half a win; or the
            chance to beat one of the others, by strengths that allow for who met whom.

        Examples
        --------
        >>> import earnest as en
        >>> rows = {"a": ["x", "x", "y"], "b": ["y", "z", "z"], "winner": ["x", "a", "tie"]}
        >>> judged = en.Scores.from_judgements(rows)
        >>> judged
        Scores(items=3, configs=3, samples=1, win rate, limits=(0, 1))
        """
        from earnest.core.tables.scores import read_judgements

        made = object.__new__(cls)
        parts = read_judgements(table, a=a, b=b, winner=winner, id=id, groups=groups)
        made._settle(parts, aggregate=aggregate, name=name)
        return made

    def variation(self) -> Variation:
        """Return how scores vary between items and within them, and how many samples are worth it.

        Examples
        --------
        >>> import numpy as np
        >>> import earnest as en
        >>> rng = np.random.default_rng(0)
        >>> hard = rng.random((400, 1, 1))
        >>> found = en.Scores(rng.random((400, 2, 8)) < hard).variation()
        >>> round(found.between, 2), round(found.within, 2), found.samples_worth()
        (0.08, 0.16, 39)
        """
        return measure_variation(self)

    def __repr__(self) -> str:
        """Return one line with the sizes."""
        low, high = self.measure.limits
        return (
            f"Scores(items={self.n_cases}, configs={self.n_configs}, samples={self.n_repeats}, "
            f"{self.measure.title}, limits=({low:g}, {high:g}))"
        )

    def _repr_html_(self) -> str:
        better = "greater is better" if self.measure.greater_is_better else "less is better"
        facts = [
            ("Items", f"{self.n_cases:,}"),
            ("Configurations", f"{self.n_configs:,}: {check.some(self.configs.ids)}"),
            ("Samples of each", f"{self.n_repeats:,}"),
            ("Measure", f"{self.measure.title}, {better}"),
        ]
        for word, known in (("Groups", self.parts.groups), ("Tasks", self.parts.tasks)):
            if known is not None:
                facts.append((word, f"{len(np.unique(known)):,}"))
        rows = "".join(
            f"<tr><th style='text-align:left'>{name}</th>"
            f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
            for name, value in facts
        )
        return f"<table>{rows}</table>"
