"""What a model is worth on cases from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from earnest.core.results.base import OPTIONAL, Plain, Result
from earnest.core.results.calibration import Calibration
from earnest.core.results.cautions import Caution
from earnest.core.results.comparison import Comparison
from earnest.core.results.estimate import Estimate
from earnest.core.results.interval import Interval
from earnest.core.results.thresholds import Thresholds

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable


class UpdateKind(StrEnum):
    """What is done to a model before it is used elsewhere."""

    AS_IT_IS = "as it is"
    IN_THE_LARGE = "recalibrated in the large"
    RECALIBRATED = "recalibrated"
    REFITTED = "refitted"


@dataclass(frozen=True, kw_only=True)
class CaseMix(Plain):
    """How the new cases differ from those of the development, by what the model says of them.

    Attributes
    ----------
    n_development : int
        Cases of the development; their log odds are out-of-fold.
    share_development, share : float
        The share of events there and here.
    mean_development, mean, sd_development, sd : float
        Of the log odds.
    membership : Estimate
        The AUC with which log odds tell new cases from those of the development: .5 if they do
        not differ.
    """

    n_development: int
    share_development: float
    share: float
    mean_development: float
    mean: float
    sd_development: float
    sd: float
    membership: Estimate


@dataclass(frozen=True, kw_only=True)
class Update(Plain):
    """One way to update a model, judged by cross-validation on the new cases.

    Attributes
    ----------
    kind : UpdateKind
        What is done.
    log_loss : Estimate
        Of predictions for cases that did not make the update.
    gain : Comparison or None
        The log loss of the update less that of the model as it is, on the same cases; None for
        that itself, or where no test applies.
    intercept, slope : float or None
        Of a recalibration on all new cases: what log odds become is intercept + slope × odds.
    """

    kind: UpdateKind
    log_loss: Estimate
    gain: Comparison | None = field(default=None, metadata=OPTIONAL)
    intercept: float | None = field(default=None, metadata=OPTIONAL)
    slope: float | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, kw_only=True)
class Validation(Result):
    """What a model of two classes is worth on cases from elsewhere.

    Attributes
    ----------
    model, positive : str
        What is validated, and the class that its probabilities are of.
    n_cases, n_events : int
        The new cases with an outcome.
    confidence_level : float
        That of all intervals.
    performance : tuple of Estimate
        Discrimination, calibration and overall performance.
    benchmark : float
        The AUC to expect on these cases if all probabilities were right (Van Klaveren et al.
        2016): what the case mix allows.
    calibration : Calibration
        Level, slope, a joint test and curves.
    decision : Thresholds
        What to expect at every threshold, with the net benefit against treating all.
    updates : tuple of Update
        The model as it is, and updated.
    updated : Estimate
        The log loss of the best update, corrected for its choice.
    case_mix : CaseMix or None
        Beside the development, where its predictions are known.
    cautions : tuple of Caution
        Coded remarks.
    seed : int or None
        The seed of folds and resamples.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y, p = np.tile([0, 1], 60), np.tile([0.2, 0.9, 0.6, 0.4], 30)
    >>> pi = en.Predictions.from_arrays(y, p, configs=["old"])
    >>> validation = en.validate(pi, n_resamples=50, folds=4, rng=0)
    >>> validation.n_events, str(validation.best)
    (60, 'as it is')
    """

    schema: ClassVar[str] = "earnest/validation/1"
    called: ClassVar[str] = "a validation"
    derived: ClassVar[tuple[str, ...]] = ("best",)

    model: str
    positive: str
    n_cases: int
    n_events: int
    confidence_level: float
    performance: tuple[Estimate, ...]
    benchmark: float
    calibration: Calibration
    decision: Thresholds
    updates: tuple[Update, ...]
    updated: Estimate
    cautions: tuple[Caution, ...]
    seed: int | None = None
    case_mix: CaseMix | None = field(default=None, metadata=OPTIONAL)

    def _check_parts(self) -> None:
        super()._check_parts()
        kinds = {str(update.kind) for update in self.updates}
        if self.updated.winner not in kinds or "roc_auc" not in self:
            raise ValueError("parts of a validation are missing")

    def __contains__(self, metric: str) -> bool:
        """Tell whether there is an estimate of a metric."""
        return any(each.metric == metric for each in self.performance)

    def __getitem__(self, metric: str) -> Estimate:
        """Return the estimate of a metric."""
        return next(each for each in self.performance if each.metric == metric)

    @property
    def best(self) -> UpdateKind:
        """The update with the least log loss."""
        kinds = {str(update.kind): update.kind for update in self.updates}
        return kinds[str(self.updated.winner)]

    @property
    def is_worth_updating(self) -> bool:
        """Whether some update is shown to have a smaller log loss than the model as it is."""
        intervals: list[Interval | None] = [
            update.gain.interval for update in self.updates if update.gain is not None
        ]
        return any(interval is not None and interval.high < 0.0 for interval in intervals)

    def rows(self) -> list[dict[str, Any]]:
        """Return the metrics as flat dicts."""
        return [row for estimate in self.performance for row in estimate.rows()]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import PaperTable
        from earnest.core.text.validation import show_row, word_headline

        rows = tuple(show_row(estimate) for estimate in self.performance)
        level = f"{100 * self.confidence_level:g} % interval"
        return PaperTable(("metric", "value", level), rows, word_headline(self))

    def __repr__(self) -> str:
        """Return one line per metric, and one for the updates."""
        lines = [repr(estimate) for estimate in self.performance]
        return "\n".join([*lines, f"least log loss {self.best}: {self.updated!r}"])
