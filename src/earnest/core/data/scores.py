"""Scores: one number per item and configuration, computed elsewhere, in place of predictions.

What methods take is one number per item. `Variation` says how scores vary between items and within
them, and how many samples pay off.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.arguments.shared import TASKS
from earnest.core.base import check
from earnest.core.base.arrays import (
    LARGEST,
    Numbers,
    as_array,
    cut_row_blocks,
    finite_range,
    kept,
    read_only,
    yield_row_bytes,
)
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.cautions import of_tables
from earnest.core.data.folds import encode_folds
from earnest.core.data.guides import Guides
from earnest.core.data.judged import Labels
from earnest.core.data.measure import OF_JUDGEMENTS, OF_SAMPLES, Aggregate, Measure, Rule
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Target, Task, encode_ids, encode_units
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    from typing import Self


MOST_PLAYERS = 60  # configurations whose strengths are fitted in every resample
FEW_WHOLE = 0.5  # of the items: where fewer have every score, nothing is left out by itself
BATCHES = 5000  # means of as many tell of the mean of any number of items
MANY = 50_000_000  # scores from which items are drawn in batches
Array = NDArray[np.float64]


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
        Judgements of pairs, coded as `metrics/scores.py` says.
    remarks : tuple of Caution
        What had to be guessed or mended to read them.
    guides : Guides, optional
        Which half of the items guided each configuration, see `Predictions`.
    labels : Labels, optional
        What is known of the labels of people, where the scores are marks of a judge that they mend.
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
    guides: Guides | None = None
    labels: Labels | None = None


def as_matrix(table: object, per_item: str = "scores") -> Numbers:
    """Return scores as numbers of shape (n, C, R), copied unless they are large."""
    array = as_array(per_item, table)
    if array.ndim not in (1, 2, 3) or array.dtype.kind not in "biuf":
        raise InputError(
            f"{per_item} are not numbers, one per item and configuration",
            needs="shape (n,), (n, C) or (n, C, R)",
            got=f"shape {array.shape}, dtype {array.dtype}",
        )
    if 0 in array.shape:
        raise InputError(f"there are no {per_item}", got=f"shape {array.shape}")
    shaped = array.reshape(*array.shape, *(1,) * (3 - array.ndim))
    if shaped.dtype not in (np.float32, np.float64):
        return shaped.astype(np.float64 if shaped.dtype.kind != "b" else np.float32)
    return kept(shaped)


# Defaults, and checks of what was given.


def choose_aggregate(parts: ScoreParts) -> str:
    """Return the default way to sum up scores."""
    if parts.per is not None:
        return str(Aggregate.RATIO)
    return str(Aggregate.MEAN if parts.tasks is None else Aggregate.MACRO)


def choose_name(rule: Rule, greater_is_better: bool) -> str:
    """Return the default name of a score."""
    if rule.kind is Aggregate.RATIO:
        return "ratio"
    return "score" if greater_is_better else "loss"


def check_rule(rule: Rule, parts: ScoreParts) -> None:
    """Refuse a way to sum up that does not fit these scores."""
    wrong = {
        Aggregate.RATIO: (parts.per is None, "a ratio needs a denominator", f"{arg('per')}"),
        Aggregate.MACRO: (parts.tasks is None, "a mean over tasks needs tasks", TASKS),
    }
    for kind, (lacks, what, needs) in wrong.items():
        if rule.kind is kind and lacks:
            raise InputError(what, needs=needs, cure=f"Pass it, or use {arg('aggregate', 'mean')}.")
    if rule.kind in OF_JUDGEMENTS and parts.codes is None:
        raise InputError(
            f"{str(rule)!r} needs judgements of pairs",
            needs="a table with one row per judgement",
            cure="Read it with Scores.from_judgements.",
        )
    if rule.kind is Aggregate.BRADLEY_TERRY and len(parts.configs) > MOST_PLAYERS:
        raise InputError(
            f"strengths of {len(parts.configs)} configurations take too long to fit in every "
            "resample",
            needs=f"at most {MOST_PLAYERS}",
            cure=f"Use {arg('aggregate', 'win_rate')}, or leave some configurations out.",
        )
    if parts.labels is not None and rule.kind not in (Aggregate.MEAN, Aggregate.MACRO):
        raise InputError(
            f"marks of a judge cannot be summed up by {str(rule)!r}",
            needs="'mean' or 'macro': a mark is right on average, and not for its item",
            got=repr(str(rule)),
        )
    if rule.kind not in OF_JUDGEMENTS and parts.codes is not None:
        raise InputError(
            f"judgements of pairs cannot be summed up by {str(rule)!r}",
            needs="'win_rate' or 'bradley_terry'",
        )
    if parts.per is not None and rule.kind is not Aggregate.RATIO:
        raise InputError(
            f"{arg('per')} makes a ratio, not {str(rule)!r}", cure="Leave one of them out."
        )
    if parts.fold is not None and rule.kind in OF_SAMPLES:
        raise InputError(
            f"{str(rule)!r} is about samples of an item, but with {arg('fold')} repeats are "
            "those of a "
            "cross-validation",
            cure=f"Leave {arg('fold')} out.",
        )


def find_range(parts: ScoreParts) -> tuple[float, float]:
    """Return the smallest and the largest score; refuse infinite ones, and none at all."""
    low, high = finite_range(parts.values)
    if parts.per is not None and not (np.abs(finite_range(parts.per)) <= LARGEST).all():
        raise InputError(
            f"{arg('per')} does not hold numbers of a usable size",
            needs=f"numbers of at most {LARGEST:g}",
        )
    if (low, high) == (np.inf, -np.inf):
        raise InputError("every score is missing", needs="numbers", got="only NaN")
    if not np.isfinite([low, high]).all():
        raise InputError(
            "scores are infinite",
            needs="finite numbers",
            got=f"numbers from {low:g} to {high:g}",
            cure="Use NaN for scores that were not computed.",
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
            f"{str(rule)!r} counts samples that pass, but some scores are neither 0 nor 1",
            needs="1 for a sample that passes, 0 for one that does not",
            got=f"numbers from {low:g} to {high:g}",
            cure="Decide which scores pass, such as Scores(values >= 0.5, ...).",
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


def find_range_of_ratios(parts: ScoreParts) -> tuple[float, float]:
    """Return the smallest and the largest ratio of an item: the ratio of any items lies between."""
    if parts.per is None:
        return -math.inf, math.inf
    scored = ~(np.isnan(parts.values) | np.isnan(parts.per))
    above = np.where(scored, parts.values, 0.0).sum(axis=-1)
    below = np.where(scored, parts.per, 0.0).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = finite_range(above / below)  # 0 / 0 is NaN: such an item changes no ratio
    return (low, high) if low <= high and (below >= 0).all() else (-math.inf, math.inf)


def read_limits(
    limits: Iterable[float] | None,
    extremes: tuple[float, float],
    greater_is_better: bool,
    rule: Rule,
) -> tuple[float, float]:
    """Return the range of the measure: as given, or the usual one."""
    low, high = extremes
    if rule.kind in (*OF_SAMPLES, *OF_JUDGEMENTS):
        return 0.0, 1.0
    if limits is None:
        if rule.kind is Aggregate.RATIO:
            return (0.0, math.inf) if low >= 0 else (-math.inf, math.inf)
        if low < 0:
            return -math.inf, math.inf
        unit = greater_is_better and high <= 1.0
        return (0.0, 1.0) if unit else (0.0 if not greater_is_better else -math.inf, math.inf)
    least, most = check.read_range("limits", limits, "score")
    if low < least or high > most:
        ratio = rule.kind is Aggregate.RATIO
        word = "ratios of items" if ratio else "scores" if greater_is_better else "losses"
        raise InputError(
            f"{word} lie outside {arg('limits')}",
            needs=f"numbers from {least:g} to {most:g}",
            got=f"numbers from {low:g} to {high:g}",
            cure="Give the range that is possible, such as limits=(-inf, inf).",
        )
    return least, most


def read_weights(weights: Mapping[Any, float] | None, parts: ScoreParts) -> tuple[float, ...]:
    """Return the weights of the tasks in the order of their codes; they sum to 1."""
    if parts.tasks is None:
        if weights is not None:
            raise InputError(f"{arg('weights')} are those of tasks", needs=TASKS, got="none")
        return ()
    names = np.unique(np.asarray(parts.tasks)).tolist()
    if weights is None:
        return (1.0 / len(names),) * len(names)
    shares = {str(name): check.read_number(weight) for name, weight in dict(weights).items()}
    lacking = [str(name) for name in names if str(name) not in shares]
    if lacking or any(not 0.0 <= weight < math.inf for weight in shares.values()):
        raise InputError(
            f"{arg('weights')} does not give every task a weight",
            needs=f"a number of at least 0 for each of {check.some(names)}",
            got=f"none for {check.some(lacking)}" if lacking else check.show(dict(weights)),
        )
    strange = [name for name in shares if name not in [str(each) for each in names]]
    if strange:
        raise InputError(
            f"{arg('weights')} names unknown tasks",
            needs=check.some(names),
            got=check.some(strange),
        )
    total = sum(shares[str(name)] for name in names)
    if total <= 0.0:
        raise InputError(f"all {arg('weights')} are 0", needs="at least one positive weight")
    return tuple(shares[str(name)] / total for name in names)


RULES = ("items", "configs", "worst")


class Scores:
    """Scores of `C` configurations on `n` items, computed elsewhere: prompts, models, settings.

    If you try many prompts on the same items and keep the best, you have the same winner's curse as
    a search, with a matrix of scores instead of predictions. Give it to `estimate`, `estimate_all`,
    `compare`, `compare_many` or `report`, without a metric: `aggregate` says how it is summed up.

    Parameters
    ----------
    table : array-like, mapping or frame
        An array (n,), (n, C) or (n, C, R), the R samples of an item side by side; a mapping of
        names to columns (n,) or (n, R); or a table of pandas, polars or Arrow, *wide* (a column a
        configuration) or *long* (one row per score, with columns that name the item and the
        configuration). NaN is what was not run.
    id, groups, tasks : str or array-like, optional
        What names the items, which items belong together (questions on one passage), and the task
        of each: names of columns, or values, one per item. By default the columns `item` (or `id`),
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
    incomplete : {'items', 'configs', 'worst'}, optional
        What to do where an item lacks the score of a configuration: leave out the item (the
        default, if half of the items at least have all), leave out the configuration, or count the
        worst score of the range.
    batches : int, optional
        In how many random batches the items of a large matrix are drawn: resampling the means of
        5,000 batches says as much about a mean as resampling 100,000 items, and is far quicker. By
        default 5,000 where there are more than 50 million scores; 0 for never.
    fold : array-like, optional
        For losses of a cross-validation: the fold that tested each case, one column per repeat.
    format : {'wide', 'long'}, optional
        The form of a table, where it is not clear.
    human : str, array-like, mapping or frame, optional
        Labels of people on a random part of the answers, NaN elsewhere, where the scores are those
        of a judge: values of the same form, or the column of a long table. Each item is then marked
        with what the judge and the labels say together, whose mean is that of the labels of all.
        The columns `judge` and `human` of a long table are read so.
    probability : float, str or array-like, optional
        The chance with which an answer was chosen to be labelled, of each item or answer; by
        default the share that was.

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
    incomplete: str | None
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
        incomplete: str | None = None,
        batches: int | None = None,
        fold: ArrayLike | None = None,
        format: str | None = None,
        human: object = None,
        probability: object = None,
    ) -> None:
        from earnest.core.tables.scores import read_score_parts

        parts = read_score_parts(
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
            human=human,
            probability=probability,
        )
        self._settle(
            parts,
            aggregate=aggregate,
            weights=weights,
            limits=limits,
            greater_is_better=greater_is_better,
            name=name,
            incomplete=incomplete,
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
        incomplete: str | None = None,
        batches: int | None = None,
    ) -> None:
        """Check what was said of the scores, and keep it."""
        if incomplete is not None:
            check.one_of("incomplete", incomplete, RULES)
        if batches:
            check.whole_number("batches", batches, low=100)
        rule = Rule.of(choose_aggregate(parts) if aggregate is None else aggregate)
        check_rule(rule, parts)
        low, high = find_range(parts)
        if parts.labels is not None:
            low, high = parts.labels.low, parts.labels.high
        binary = are_binary(parts, rule, low, high)
        if rule.kind is Aggregate.RATIO and limits is not None:
            low, high = find_range_of_ratios(parts)
        if parts.labels is not None and limits is None and not greater_is_better:
            limits = (0.0, 1.0) if low >= 0.0 and high <= 1.0 else (-math.inf, math.inf)
        ends = read_limits(limits, (low, high), greater_is_better, rule)
        self.parts = replace(parts, values=read_only(parts.values))
        self.incomplete, self.batches = incomplete, batches
        self.measure = Measure(
            name=choose_name(rule, greater_is_better) if name is None else str(name),
            rule=replace(rule, number=len(parts.configs))
            if rule.kind is Aggregate.BRADLEY_TERRY
            else rule,
            greater_is_better=bool(greater_is_better),
            limits=ends,
            weights=read_weights(weights, parts),
            binary=binary and ends == (0.0, 1.0) and parts.labels is None,
            labelled=1.0 if parts.labels is None else parts.labels.share,
        )

    @classmethod
    def _of(
        cls, parts: ScoreParts, measure: Measure, incomplete: str | None, batches: int | None
    ) -> Self:
        """Make scores of parts that were checked."""
        scores = object.__new__(cls)
        scores.parts, scores.measure = parts, measure
        scores.incomplete, scores.batches = incomplete, batches
        return scores

    def _with(self, parts: ScoreParts | None = None, incomplete: str | None = None) -> Self:
        """Return the same scores with other parts, or another rule for what is missing."""
        return type(self)._of(
            self.parts if parts is None else parts,
            self.measure,
            self.incomplete if incomplete is None else incomplete,
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

        scores = load_scores(cls, path, options)
        assert isinstance(scores, cls)
        return scores

    def save(self, path: str | Path) -> Path:
        """Write the scores to a Parquet, CSV, Arrow, JSON-lines or NPZ file, to be read by `load`.

        Tables are wide where there is one sample per item, else long. All that is known of the
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
        facts = (parts.configs.ids, self.measure, self.incomplete, self.batches, parts.values.shape)
        digest = hashlib.sha256(repr(facts).encode())
        for array in (parts.ids, parts.groups, parts.tasks, parts.fold, parts.codes):
            digest.update(b"-" if array is None else repr(np.asarray(array).tolist()).encode())
        for matrix in (parts.values, parts.per):
            if matrix is not None:
                digest.update(str(matrix.dtype).encode())
                for block in yield_row_bytes(matrix):
                    digest.update(block)
        if parts.guides is not None:
            digest.update(repr(parts.guides.to_text()).encode())
        return digest.hexdigest()[:32]

    @cached_property
    def predictions(self) -> Predictions:
        """The scores as methods take them: one number per item and configuration."""
        return make_predictions(self)

    def select(self, configs: int | str | Iterable[int | str]) -> Scores:
        """Return the scores of some configurations, by name or position."""
        columns = self.configs.find(configs)
        if self.parts.codes is not None:
            raise InputError(
                "configurations cannot be selected from judgements of pairs",
                cure="Remove the judgements of the others from the table.",
            )
        per = self.parts.per
        parts = replace(
            self.parts,
            configs=self.configs.take(columns),
            values=self.parts.values[:, columns],
            per=None if per is None else per[:, columns],
            guides=None if self.parts.guides is None else self.parts.guides.select(columns),
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
            guides=None if old.guides is None else old.guides.take(rows),
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
        scores = object.__new__(type(self))
        measure = self.measure
        tasks = self.parts.tasks
        weights = None
        if tasks is not None and measure.weights:
            weights = dict(zip(np.unique(tasks).tolist(), measure.weights, strict=True))
        usual = measure.name == choose_name(measure.rule, measure.greater_is_better)
        scores._settle(
            self.parts,
            aggregate=aggregate,
            weights=weights,
            limits=None if Aggregate.RATIO in (rule.kind, measure.rule.kind) else measure.limits,
            greater_is_better=measure.greater_is_better,
            name=None if usual else measure.name,
            incomplete=self.incomplete,
            batches=self.batches,
        )
        return scores

    def with_labels(self, human: object, *, probability: object = None) -> Scores:
        """Return the marks that these scores of a judge give with labels of people on some of them.

        Parameters
        ----------
        human : array-like, mapping, frame, Scores or path
            The labels: values of the form of these scores, NaN where there is none; or a table with
            the same names of items and configurations, in any order.
        probability : float or array-like, optional
            As for `Scores`.

        Examples
        --------
        >>> import numpy as np
        >>> import earnest as en
        >>> rng = np.random.default_rng(1)
        >>> right = rng.random((400, 5)) < 0.7
        >>> judge = np.where(rng.random((400, 5)) < 0.9, right, 1)  # too kind to some wrong answers
        >>> human = np.where(rng.random((400, 1)) < 0.25, right, np.nan)
        >>> print(en.estimate(en.Scores(judge).with_labels(human), rng=1))
        mean score 0.73, 95 % interval [0.67, 0.80] (near_winner, winner of 5 configs, n=400)
        """
        from earnest.core.tables.scores import read_labels

        if isinstance(human, str | Path):
            human = type(self).load(human)
        parts = read_labels(self.parts, human, probability)
        scores = object.__new__(type(self))
        measure, weights = self.measure, None
        if parts.tasks is not None and measure.weights:
            weights = dict(zip(np.unique(parts.tasks).tolist(), measure.weights, strict=True))
        scores._settle(
            parts,
            aggregate=str(measure.rule),
            weights=weights,
            limits=measure.limits if np.isfinite(measure.limits).all() else None,
            greater_is_better=measure.greater_is_better,
            name=measure.name,
            incomplete=self.incomplete,
            batches=self.batches,
        )
        return scores

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

        scores = object.__new__(cls)
        parts = read_judgements(table, a=a, b=b, winner=winner, id=id, groups=groups)
        scores._settle(parts, aggregate=aggregate, name=name)
        return scores

    def variation(self) -> Variation:
        """Return how scores vary between and within items, and how many samples pay off.

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
        from earnest.reporting.fragments import scores_fragment

        return scores_fragment(self)


# From scores to one number per item, as methods take it: samples, holes, batches, judgements.


def make_predictions(scores: Scores) -> Predictions:
    """Return one number per item and configuration, with what was left out among the remarks."""
    parts, rule = scores.parts, scores.measure.rule
    if parts.fold is not None:
        return _of_folds(scores)
    if parts.codes is not None:
        return _of_judgements(scores)
    if rule.kind is Aggregate.RATIO:
        assert parts.per is not None
        both = np.stack([_sum_samples(parts.values), _sum_samples(parts.per)], axis=-1)
        both[np.isnan(both).any(axis=-1)] = np.nan
        table: Numbers = both[:, :, None]
    else:
        table = sum_up_samples(parts.values, rule)[:, :, None]
    table, rows, columns, remarks = leave_out(scores, table)
    target = _make_target(scores, np.zeros(parts.values.shape[0]))
    if rows is not None:
        target = target.take(rows)
    count = count_batches(scores, *table.shape[:2])
    if count:
        items = len(table)
        table = draw_batches(table[:, :, 0], count)[:, :, None]
        measure = replace(scores.measure, items=items, binary=False)
        target = Target(y=np.zeros(count), task=Task.SCORES, measure=measure)
        remarks = (*remarks, _batch_remark(items, count))
    configs, guides = parts.configs, parts.guides
    if columns is not None:
        configs = configs.take(columns)
    if guides is not None:
        guides = guides if rows is None else guides.take(rows)
        guides = guides if columns is None else guides.select(columns)
    pi = _make_table(target, configs, table, (*parts.remarks, *remarks))
    return replace(pi, guides=guides)


def _make_table(
    target: Target,
    configs: Configs,
    responses: Numbers,
    remarks: tuple[Caution, ...],
    fold: NDArray[Any] | None = None,
) -> Predictions:
    folds, names = encode_folds(fold, target.n, responses.shape[2])
    return Predictions(
        target=target,
        configs=configs,
        responses=responses,
        folds=folds,
        fold_names=names,
        kind=ResponseKind.VALUE,
        remarks=remarks,
    )


def sum_up_samples(values: Numbers, rule: Rule) -> Numbers:
    """Return one number per item and configuration (n, C) of samples (n, C, R), NaN for none.

    The mean of the samples. For pass@k, of which m were drawn and c passed, the share of draws of k
    of them in which one passes at least, 1 - C(m - c, k) / C(m, k): its mean over samples is the
    chance itself (Chen et al. 2021). For pass^k the share in which all pass, C(c, k) / C(m, k).
    """
    if values.shape[2] == 1 and rule.kind not in OF_SAMPLES:
        return values[:, :, 0]
    is_scored = np.isfinite(values)
    count = is_scored.sum(axis=2)
    total = np.where(is_scored, values, 0.0).sum(axis=2, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        if rule.kind not in OF_SAMPLES:
            return np.asarray(total / np.where(count > 0, count, np.nan))
        others = total if rule.kind is Aggregate.PASS_ALL else count - total
        share = np.ones(total.shape)
        for drawn in range(int(rule.number)):  # without replacement, one after the other
            share *= np.clip(others - drawn, 0.0, None) / (count - drawn)
        share[count == 0] = np.nan
        return share if rule.kind is Aggregate.PASS_ALL else 1.0 - share


def count_batches(scores: Scores, items: int, configs: int) -> int:
    """Return in how many batches items are drawn, 0 where each is drawn by itself."""
    parts, kind = scores.parts, scores.measure.rule.kind
    plain = parts.groups is None and parts.tasks is None and parts.guides is None
    if not plain or kind not in (Aggregate.MEAN, *OF_SAMPLES) or scores.batches == 0:
        return 0
    if scores.batches is None:
        return BATCHES if items * configs > MANY and items >= 2 * BATCHES else 0
    return scores.batches if items >= 2 * scores.batches else 0


def draw_batches(table: Numbers, count: int) -> Numbers:
    """Return the means (count, C) of random batches of items (n, C), all of the same size.

    Items are put into batches by a draw that depends on their number alone. What is left over, less
    than one item per batch, is shared out among all of them, so that the mean of the batches is
    that of the items.
    """
    order = np.random.default_rng(len(table)).permutation(len(table))
    size, left = divmod(len(table), count)
    total = np.zeros((count, table.shape[1]))
    for position in range(size):
        total += table[order[position * count : (position + 1) * count]]
    if left:
        total += table[order[size * count :]].sum(axis=0, dtype=np.float64) / count
    return np.asarray(total / (size + left / count))


def _batch_remark(items: int, count: int) -> Caution:
    return of_tables.items_in_batches(items, count)


def _sum_samples(values: Numbers) -> Array:
    """Return the sums over samples (n, C), NaN where there is none."""
    is_scored = np.isfinite(values)
    total = np.where(is_scored, values, 0.0).sum(axis=2, dtype=np.float64)
    total[~is_scored.any(axis=2)] = np.nan
    return np.asarray(total)


def leave_out(
    scores: Scores, table: Numbers
) -> tuple[Numbers, NDArray[np.intp] | None, NDArray[np.intp] | None, tuple[Caution, ...]]:
    """Return a table (n, C, 1[, 2]) without holes, the rows and columns kept, and what to say."""
    gone = np.zeros(table.shape[:2], dtype=bool)
    start, has_gaps = 0, False
    for block in cut_row_blocks(table):
        absent = np.isnan(block).reshape(*block.shape[:2], -1).any(axis=2)
        if absent.any():
            gone[start : start + len(block)] = absent
            has_gaps = True
        start += len(block)
    if not has_gaps:
        return table, None, None, ()
    n, names = len(table), scores.configs.ids
    never = np.asarray(gone.all(axis=1))
    whole = np.asarray(~gone.any(axis=1))
    lacking = np.flatnonzero(gone[~never].any(axis=0))
    rule = scores.incomplete
    if rule is None:
        if whole.sum() < max(1.0, FEW_WHOLE * (~never).sum()):
            raise _few_whole(names, gone, never, whole, lacking)
        rule = "items"
    missing = {names[c]: int(gone[~never, c].sum()) for c in lacking}
    unscored = int(never.sum())
    if rule == "worst":
        low, high = scores.measure.limits
        worst = low if scores.measure.greater_is_better else high
        if not math.isfinite(worst) or table.ndim == 4:
            raise InputError(
                "there is no worst score to count for what is missing",
                needs=f"{arg('limits')} with a worst end, such as (0, 1)",
                got=f"limits ({low:g}, {high:g})",
                cure=f"Give the limits, or pass {arg('incomplete', 'items')}.",
            )
        filled = np.where(gone[:, :, None], worst, table).astype(table.dtype)
        remark = of_tables.scores_missing(missing, len(names), unscored, n, rule, worst, left=n)
        return filled, None, None, (remark,)
    if rule == "configs":
        rows, columns = np.flatnonzero(~never), np.flatnonzero(~gone[~never].any(axis=0))
        if not len(columns) or not len(rows):
            raise EvidenceError(
                "no configuration has a score of every item",
                needs="one configuration that was run on all items",
                got=of_tables.describe_missing(missing, len(names), unscored, n),
                cure=f"Use {arg('incomplete', 'items')} or {arg('incomplete', 'worst')}.",
            )
        kept_part = table[np.ix_(rows, columns)]
        remark = of_tables.scores_missing(
            missing, len(names), unscored, n, rule, None, left=len(columns)
        )
        return kept_part, rows, columns, (remark,)
    rows = np.flatnonzero(whole)
    if not len(rows):
        raise EvidenceError(
            "no item has a score of every configuration",
            needs="one item that all were run on",
            got=of_tables.describe_missing(missing, len(names), unscored, n),
            cure=f"Use {arg('incomplete', 'configs')} or {arg('incomplete', 'worst')}.",
        )
    remark = of_tables.scores_missing(missing, len(names), unscored, n, rule, None, left=len(rows))
    return table[rows], rows, None, (remark,)


def _few_whole(
    names: tuple[str, ...],
    gone: NDArray[np.bool_],
    never: NDArray[np.bool_],
    whole: NDArray[np.bool_],
    lacking: NDArray[np.intp],
) -> EvidenceError:
    worst = sorted(lacking, key=lambda c: -int(gone[~never, c].sum()))
    listed = check.some(f"{names[c]} lacks {int(gone[~never, c].sum())}" for c in worst)
    return EvidenceError(
        "few items have a score of every configuration",
        needs=f"at least {FEW_WHOLE:.0%} of the items with all scores",
        got=f"{int(whole.sum())} of {int((~never).sum())} items; {listed}",
        cure=f"Use {arg('incomplete', 'configs')} to leave out configurations that lack scores, "
        f"{arg('incomplete', 'items')} to keep only those items, or "
        f"{arg('incomplete', 'worst')} to count a missing "
        "score as the worst.",
    )


def _make_target(scores: Scores, y: NDArray[Any]) -> Target:
    parts, n = scores.parts, len(y)
    return Target(
        y=y,
        task=Task.SCORES,
        groups=encode_units(parts.groups, n, "groups", "table"),
        strata=encode_units(parts.tasks, n, "tasks", "table"),
        ids=encode_ids(parts.ids, n),
        measure=scores.measure,
    )


def _of_folds(scores: Scores) -> Predictions:
    parts = scores.parts
    responses = parts.values
    if parts.per is not None:
        responses = np.stack([parts.values, parts.per], axis=-1)
    target = _make_target(scores, np.zeros(len(parts.values)))
    pi = _make_table(target, parts.configs, responses, parts.remarks, parts.fold)
    return replace(pi, guides=parts.guides)


def _of_judgements(scores: Scores) -> Predictions:
    parts = scores.parts
    assert parts.codes is not None
    n, count = len(parts.codes), len(parts.configs)
    if scores.measure.rule.kind is Aggregate.WIN_RATE:
        is_judged = np.isfinite(parts.values[:, :, 0])
        responses: Numbers = np.stack(
            [np.where(is_judged, parts.values[:, :, 0], 0.0), is_judged.astype(np.float64)], axis=-1
        )[:, :, None]
    else:  # every column says which configuration it is; who won whom is the outcome
        responses = np.broadcast_to(np.arange(float(count))[None, :, None], (n, count, 1))
    target = _make_target(scores, parts.codes.astype(np.float64))
    return _make_table(target, parts.configs, responses, parts.remarks)


@dataclass(frozen=True, kw_only=True)
class Variation:
    """How scores vary: between items, and between samples of the same item.

    Attributes
    ----------
    between, within : float
        The variance between items of what each would score in the long run, and the variance of
        samples of the same item; means over configurations. `within` is NaN with one sample each.
    items : int
        The number of items.
    samples : float
        The mean number of samples of an item and configuration.
    design_effect : float
        How many times as large the variance of a mean is since items of a group are alike; 1
        without groups.
    """

    between: float
    within: float
    items: int
    samples: float
    design_effect: float = 1.0

    def standard_error(self, items: int | None = None, samples: float | None = None) -> float:
        """Return the standard error of the mean of one configuration, with so many of each.

        Examples
        --------
        >>> from earnest.core.data.scores import Variation
        >>> found = Variation(between=0.04, within=0.16, items=100, samples=1)
        >>> round(found.standard_error(), 3), round(found.standard_error(samples=4), 3)
        (0.045, 0.028)
        """
        n = self.items if items is None else items
        times = self.samples if samples is None else samples
        return math.sqrt(self.design_effect * (self.between + self.within / times) / n)

    def samples_worth(self, share: float = 0.05) -> int | None:
        """Return the number of samples beyond which more of them hardly help.

        With as many, the spread within items adds at most this share to the variance of a mean;
        only more items narrow it then. None where items do not differ, so that samples are as good
        as items.
        """
        check.check_share("share", share)
        if math.isnan(self.within):
            raise EvidenceError(
                "one sample of each item does not show how samples vary",
                needs="two samples of some items",
                cure="Run a few items again.",
            )
        if self.between <= 0.0:
            return None
        return max(1, math.ceil(self.within / (share * self.between) - 1e-9))

    def best_samples(self, *, item_cost: float = 0.0, sample_cost: float = 1.0) -> int:
        """Return how many samples of an item give the smallest error for the same cost.

        An item costs `item_cost` once (to write, to label) and `sample_cost` for each sample. With
        free items, one sample of each is best, whatever the spread.
        """
        if math.isnan(self.within):
            self.samples_worth()
        if self.between <= 0.0 or sample_cost <= 0.0:
            raise EvidenceError(
                "no number of samples is best",
                needs="items that differ, and samples that cost something",
                got=f"a variance between items of {self.between:g}, a cost of {sample_cost:g}",
            )
        best = math.sqrt(item_cost / sample_cost * self.within / self.between)
        low = max(1, math.floor(best))

        def cost(times: int) -> float:
            return (self.between + self.within / times) * (item_cost + sample_cost * times)

        return low if cost(low) <= cost(low + 1) else low + 1


def measure_variation(scores: Scores) -> Variation:
    """Return how scores vary between items and within them, by the analysis of variance."""
    if scores.parts.codes is not None or scores.parts.per is not None:
        raise EvidenceError("variation can only be measured for scores of single answers")
    values = scores.parts.values
    is_scored = np.isfinite(values)
    count = is_scored.sum(axis=2)
    total = np.where(is_scored, values, 0.0).sum(axis=2, dtype=np.float64)
    seen = count > 0
    means = np.where(seen, total / np.maximum(count, 1), np.nan)
    off = np.where(is_scored, values - means[:, :, None], 0.0)
    spare = np.maximum(count - 1, 0).sum()
    within = float(np.square(off, dtype=np.float64).sum() / spare) if spare else math.nan
    items = seen.sum(axis=0)
    enough = items > 1
    if not enough.any():
        raise EvidenceError("one item does not show how items vary", needs="at least two items")
    centre = np.nansum(np.where(seen, means, 0.0), axis=0) / np.maximum(items, 1)
    apart = np.where(seen, means - centre, 0.0)
    spread = np.square(apart).sum(axis=0)[enough] / (items[enough] - 1)
    noise = np.where(seen, 1.0 / np.maximum(count, 1), 0.0).sum(axis=0) / np.maximum(items, 1)
    noise_share = 0.0 if math.isnan(within) else within * float(noise[enough].mean())
    return Variation(
        between=max(0.0, float(spread.mean()) - noise_share),
        within=within,
        items=len(values),
        samples=float(count[seen].mean()),
        design_effect=_design_effect(scores, apart, float(spread.mean())),
    )


def _design_effect(scores: Scores, apart: Array, spread: float) -> float:
    """Return how many times as large the variance of a mean is as for independent items."""
    codes = encode_units(scores.parts.groups, len(apart), "groups", "table")
    if codes is None or spread <= 0.0:
        return 1.0
    sums = np.zeros((int(codes.max()) + 1, apart.shape[1]))
    np.add.at(sums, codes, apart)
    units = len(sums)
    clustered = float(np.square(sums).sum(axis=0).mean()) * units / max(1, units - 1)
    return max(1.0, clustered / (len(apart) * spread))
