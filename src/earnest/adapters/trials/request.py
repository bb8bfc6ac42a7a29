"""What a caller may say of a source of trials beside the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from numpy.typing import ArrayLike

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.space.space import Space
from earnest.core.space.trials import DIRECTIONS, TrialOptions

MARKS = ("delimiter", "decimal", "thousands")  # of a text table


@dataclass(frozen=True, kw_only=True)
class TrialsRequest:
    """The options of `trials_from`, each None where it was not said."""

    study: str | None = None
    objective: str | int | None = None
    direction: str | None = None
    params: Sequence[str] | None = None
    standard_error: str | None = None
    status: str | None = None
    space: Space | None = None
    values: ArrayLike | None = None  # objectives, where the source has configurations only
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None

    def refuse(self, source: str, *names: str) -> None:
        """Refuse options that mean nothing for this source, rather than ignore them."""
        check.refuse_given({name: getattr(self, name) for name in names}, source)

    def table_options(self) -> TrialOptions:
        """Return what was said of the columns of a table, as `Trials.from_frame` takes it."""
        return {
            "objective": cast(str | None, self.objective),  # a number is refused as no column
            "direction": self.direction,
            "params": self.params,
            "standard_error": self.standard_error,
            "status": self.status,
            "space": self.space,
        }

    def direction_or(self, own: str, source: str) -> str:
        """Return the source's own direction, which may be said again but not contradicted."""
        if self.direction is None:
            return own
        check.one_of("direction", self.direction, DIRECTIONS)
        if self.direction != own:
            raise InputError(
                f"`direction` contradicts that of {source}",
                needs=repr(own),
                got=repr(self.direction),
                cure="Leave it out.",
            )
        return own

    def some_of(self, configs: Sequence[dict[str, object]]) -> list[dict[str, object]]:
        """Return the configurations with only the parameters that were asked for."""
        if self.params is None:
            return list(configs)
        known = list(dict.fromkeys(name for config in configs for name in config))
        for name in self.params:
            if name not in known:
                raise InputError(
                    f"hyperparameter {check.show(name)} is unknown",
                    needs=check.some(known, limit=30),
                    cure=check.nearest(str(name), known),
                )
        return [{k: v for k, v in config.items() if k in self.params} for config in configs]
