"""The arguments of `ledger`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import Metric, Seed

ACTIONS = ("new", "score", "show", "finish")


@dataclass(frozen=True, kw_only=True)
class LedgerArguments:
    """What a ledger is told; None where nothing was said."""

    metric: Metric = None
    agent: Annotated[
        list[str] | None,
        Argument(
            "[bold]new[/bold]: who will try; repeat for several, who are told of half A and B in "
            "turn. Otherwise who you are, where there are several.",
            "NAME",
            usual=True,
        ),
    ] = None
    name: Annotated[
        str | None,
        Argument(
            "[bold]score[/bold]: the name of the try. [dim]default: its column[/dim]",
            "NAME",
            usual=True,
        ),
    ] = None
    builds_on: Annotated[
        list[str] | None,
        Argument(
            "[bold]score[/bold]: a try that this one builds on; repeat for several.",
            "NAME",
            usual=True,
        ),
    ] = None
    rng: Seed = None
