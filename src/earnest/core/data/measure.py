"""What scores of items are summed up to: their mean, a quantile, a ratio, a share of passes."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from enum import StrEnum

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.provenance import JsonObject


class Aggregate(StrEnum):
    """How the scores of items become one number; some take a number, as in quantile(0.9)."""

    MEAN = "mean"
    MACRO = "macro"
    MEDIAN = "median"
    QUANTILE = "quantile"
    RATIO = "ratio"
    PASS_AT = "pass@"
    PASS_ALL = "pass^"
    WIN_RATE = "win_rate"
    BRADLEY_TERRY = "bradley_terry"


FORMS = (
    "'mean', 'macro' (the mean over tasks), 'median', 'quantile(0.9)', 'ratio', 'pass@5' (one of "
    "5 samples passes), 'pass^5' (all of 5 pass), 'win_rate' or 'bradley_terry'"
)
OF_SAMPLES = (Aggregate.PASS_AT, Aggregate.PASS_ALL)
OF_JUDGEMENTS = (Aggregate.WIN_RATE, Aggregate.BRADLEY_TERRY)
_QUANTILE = re.compile(r"quantile\(\s*(?:q\s*=\s*)?([0-9.eE+-]+)\s*\)")
_PASS = re.compile(r"pass([@^])(?:k\s*=\s*)?([0-9]+)")


@dataclass(frozen=True)
class Rule:
    """An aggregate with its number: the level of a quantile, or the k of pass@k.

    Examples
    --------
    >>> from earnest.core.data.measure import Rule
    >>> Rule.of("pass@5"), str(Rule.of("quantile(q=0.9)"))
    (Rule(kind=<Aggregate.PASS_AT: 'pass@'>, number=5), 'quantile(0.9)')
    """

    kind: Aggregate
    number: float = 0.0

    @classmethod
    def of(cls, text: object) -> Rule:
        """Read an aggregate as people write it."""
        word = str(text).strip()
        if (quantile := _QUANTILE.fullmatch(word)) is not None:
            return cls(Aggregate.QUANTILE, check.check_share("aggregate", quantile[1]))
        if (quantile := _PASS.fullmatch(word)) is not None:
            kind = Aggregate.PASS_AT if quantile[1] == "@" else Aggregate.PASS_ALL
            return cls(kind, check.whole_number("aggregate", int(quantile[2]), low=1))
        plain = [str(name) for name in Aggregate if name not in (*OF_SAMPLES, Aggregate.QUANTILE)]
        if not isinstance(text, str) or word not in plain:
            raise InputError(
                "the way to sum up scores is unknown",
                needs=FORMS,
                got=check.show(text),
                cure=check.nearest(word, [*plain, "pass@5", "pass^5", "quantile(0.9)"]),
            )
        return cls(Aggregate(word))

    def __str__(self) -> str:
        """Return it as it is written."""
        if self.kind is Aggregate.QUANTILE:
            return f"quantile({self.number:g})"
        return f"{self.kind}{self.number:.0f}" if self.kind in OF_SAMPLES else str(self.kind)


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What is measured of scores: how they are summed up, which way is better, in which range.

    Parameters
    ----------
    name : str
        What one score is called, such as 'score' or 'exact match'.
    rule : Rule
        How the scores of items become one number.
    greater_is_better : bool
        Which way is better.
    limits : tuple of float
        The smallest and the largest value that is possible.
    weights : tuple of float
        The weight of each task, for the mean over tasks; they sum to 1.
    binary : bool
        Whether every score is 0 or 1, so that their mean is a share.
    items : int
        The number of items where what is drawn are batches of them, else 0.
    labelled : float
        For how many labelled items an item counts, where scores are marks of a judge; else 1.
    """

    name: str = "score"
    rule: Rule = Rule(Aggregate.MEAN)
    greater_is_better: bool = True
    limits: tuple[float, float] = (-math.inf, math.inf)
    weights: tuple[float, ...] = ()
    binary: bool = False
    items: int = 0
    labelled: float = field(default=1.0, compare=False, repr=False)  # marks say it themselves

    @property
    def title(self) -> str:
        """The words for people: 'mean score', 'pass@5'."""
        kind = self.rule.kind
        if kind is Aggregate.MEAN:
            return f"mean {self.name}" if self.name == "score" else self.name
        if kind is Aggregate.MACRO:
            return f"mean {self.name} over tasks"
        if kind is Aggregate.QUANTILE:
            return f"{100 * self.rule.number:g} % quantile of the {self.name}"
        words = {
            Aggregate.MEDIAN: f"median {self.name}",
            Aggregate.RATIO: self.name,
            Aggregate.WIN_RATE: "win rate",
            Aggregate.BRADLEY_TERRY: "Bradley-Terry win rate",
        }
        return words.get(kind, str(self.rule))

    def to_dict(self) -> dict[str, object]:
        """Return plain data; an end that is open is None."""
        ends = [end if math.isfinite(end) else None for end in self.limits]
        share = {"labelled": self.labelled} if self.labelled < 1.0 else {}
        return {
            "name": self.name,
            "aggregate": str(self.rule),
            "greater_is_better": self.greater_is_better,
            "limits": ends,
            "weights": list(self.weights),
            "binary": self.binary,
            "number": self.rule.number,
            "items": self.items,
            **share,
        }

    @classmethod
    def from_dict(cls, data: JsonObject) -> Measure:
        """Make it from plain data."""
        low, high = data["limits"]
        return cls(
            name=str(data["name"]),
            rule=replace(Rule.of(data["aggregate"]), number=data["number"]),
            greater_is_better=bool(data["greater_is_better"]),
            limits=(-math.inf if low is None else low, math.inf if high is None else high),
            weights=tuple(data["weights"]),
            binary=bool(data["binary"]),
            items=data["items"],
            labelled=float(data.get("labelled", 1.0)),
        )
