"""What a report is made from: predictions, trials and facts, whatever the source held of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from earnest.core.data.fold_scores import FoldScores
from earnest.core.data.predictions import Predictions
from earnest.core.results.calibration import Calibration
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.counts import COMPLETE, Counts
from earnest.core.results.estimate import Estimate, Scale
from earnest.core.results.gain import LearningCurve
from earnest.core.results.leaks import LeakScreen
from earnest.core.results.model.columns import ModelExplanation
from earnest.core.text.names import ConfigName, name_configs
from earnest.metrics.families import Metric

INCOMPLETE = "incomplete"  # lacks folds: its time ran out, or predictions from elsewhere do


@dataclass(frozen=True, kw_only=True)
class SearchedConfiguration:
    """One configuration as it was searched.

    Attributes
    ----------
    config : str
        Its name.
    params : mapping
        Its parameters, of plain values; empty where they are unknown.
    score : float or None
        Its own score in the metric's units, not corrected; None where there is none.
    folds : tuple of float or None
        Its score in every fold, None where it was not evaluated.
    status : {'complete', 'dropped', 'failed', 'incomplete'}
        How it ended.
    reason : str
        Why it was dropped or failed, in words.
    """

    config: str
    params: Mapping[str, Any] = field(default_factory=dict)
    score: float | None = None
    folds: tuple[float | None, ...] = ()
    status: str = COMPLETE
    reason: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Material:
    """All that a source holds, read once; what it lacks is None, and told in `missing`.

    Attributes
    ----------
    source : str
        What was read, in a word: a file's name, or the kind of object.
    speaker : str
        Who reported the naive number: 'the search' or 'your predictions'.
    title, scale : str, Scale
        What is measured, in words for people; its name, direction and range.
    metric : Metric or None
        The same as a function of predictions, where there are any.
    predictions : Predictions or None
        Out-of-sample predictions.
    fold_scores : FoldScores or None
        The scores of folds alone, where there are no predictions.
    estimate : Estimate or None
        The honest number, where the source has asked for it already.
    ask : callable or None
        Asks the source's own question of its winner again, with other settings; None where the
        predictions say who won.
    comparison : Comparisons or None
        The winner against all others, where the source has asked for it already.
    calibration : Calibration or None
        How far the probabilities can be believed, where the source has asked for it already.
    learning : LearningCurve or None
        What more training cases gave, where the source has trained for it.
    explained : ModelExplanation or None
        What the delivered model does with its columns, where the source has looked.
    won : mapping of str to float
        The share of resamples that each configuration won, where the source has counted them.
    settings : mapping
        How to ask: method, level, resamples and seed of the source.
    tried : tuple of SearchedConfiguration
        Every configuration.
    counts : Counts
        How many were planned and tried, and how they ended.
    by_folds : bool
        Whether the scores of `tried` are means over folds, and not over all cases at once.
    best : str or None
        The winner by the search's own score, where there are no predictions to choose from.
    trials : callable or None
        Returns what an explanation reads, or raises why there is nothing to explain.
    model : str
        The kind of the winner's model, empty where it is unknown.
    n_features, n_fits, n_fits_saved, seed : int or None
        Facts of the search.
    drop : str
        The rule of early dropping, empty where there was none.
    refitted : bool
        Whether a model was refitted on all cases.
    begun : str or None
        When the run was begun, as it has recorded it; None where it is not known.
    folder : str
        The name of the run folder, empty where there is none.
    files : tuple of str
        The files of a run folder.
    missing : tuple of str
        What the source lacks, and what follows; a sentence each.
    tuning : mapping of str to Any
        What a run of `tune` wrote of its table and its search; empty of other sources.
    """

    source: str
    speaker: str
    title: str
    scale: Scale
    metric: Metric | None = None
    predictions: Predictions | None = None
    fold_scores: FoldScores | None = None
    estimate: Estimate | None = None
    ask: Callable[[Mapping[str, Any]], Estimate] | None = None
    comparison: Comparisons | None = None
    calibration: Calibration | None = None
    leaks: LeakScreen | None = None
    learning: LearningCurve | None = None
    explained: ModelExplanation | None = None
    won: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    tried: tuple[SearchedConfiguration, ...] = ()
    counts: Counts = field(default_factory=Counts)
    by_folds: bool = False
    best: str | None = None
    trials: Callable[[], Any] | None = None
    model: str = ""
    n_features: int | None = None
    n_fits: int | None = None
    n_fits_saved: int | None = None
    seed: int | None = None
    drop: str = ""
    refitted: bool = False
    begun: str | None = None
    folder: str = ""
    files: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    tuning: Mapping[str, Any] = field(default_factory=dict)

    @property
    def searched(self) -> bool:
        """Whether the source is a search, not predictions from anywhere."""
        return self.speaker == "the search"

    @cached_property
    def names(self) -> dict[str, ConfigName]:
        """What the configurations are called in the report."""
        return name_configs(
            [configuration.config for configuration in self.tried],
            [configuration.params for configuration in self.tried],
        )

    @cached_property
    def labels(self) -> dict[str, str]:
        """The whole name of each configuration."""
        return {config: name.words for config, name in self.names.items()}


def count_tried(tried: Iterable[SearchedConfiguration], planned: int | None = None) -> Counts:
    """Count configurations by how they ended."""
    return Counts.of_statuses((configuration.status for configuration in tried), planned)


def measuring(metric: Metric) -> dict[str, Any]:
    """Return what material says of a metric."""
    return {"title": metric.title, "scale": metric.scale, "metric": metric}
