"""What a caller may say of a source of predictions beside the source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias, cast

from numpy.typing import ArrayLike

from earnest.core.base import check
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import InputError
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.results.cautions import Caution

if TYPE_CHECKING:
    from optuna.artifacts._protocol import ArtifactStore

    from earnest.core.tables.columns import Outcome

StoreLike: TypeAlias = "str | PathLike[str] | ArtifactStore"  # where `keep_predictions` keeps


@dataclass(frozen=True, kw_only=True)
class PredictionsRequest:
    """The options of `predictions_from`, each None where it was not said."""

    y: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None
    store: StoreLike | None = None
    study: str | None = None
    fold: ArrayLike | None = None
    groups: ArrayLike | None = None
    task: str | None = None
    positive: object = None
    classes: Sequence[object] | None = None
    response: str | None = None
    static: bool | None = None
    ensembles: bool | None = None
    trust_pickle: bool | None = None

    def refuse(self, source: str, *names: str) -> None:
        """Refuse options that mean nothing for this source, rather than ignore them."""
        check.refuse_given({name: getattr(self, name) for name in names}, source)

    def outcome(self, source: str) -> Outcome:
        """Return `y`, and refuse to go on without."""
        if self.y is None:
            raise InputError(
                f"{source} does not hold the outcome of the cases",
                needs="`y`, in the order of the rows that the models were trained on",
                cure="predictions_from(source, y, ...)",
            )
        if isinstance(self.y, str | bytes) or not hasattr(self.y, "__len__"):
            raise InputError(
                "`y` is not a column", needs="one value per case", got=check.show(self.y)
            )
        return cast("Outcome", self.y)

    def made(
        self,
        y: ArrayLike | tuple[ArrayLike, ArrayLike],
        scores: RawArray,
        fold: ArrayLike | None,
        configs: Configs,
        remarks: Iterable[Caution] = (),
        ensemble_rule: str | None = None,
    ) -> Predictions:
        """Return Π of what was read, checked as any other, with what is to be known of it."""
        if self.static is not None:
            configs = replace(configs, static=bool(self.static))
        pi = Predictions.from_arrays(
            y,
            scores,
            fold,
            groups=self.groups,
            configs=configs,
            task=self.task,
            positive=self.positive,
            classes=self.classes,
            response=self.response,
        )
        return replace(pi, remarks=tuple(remarks), ensemble_rule=ensemble_rule)
