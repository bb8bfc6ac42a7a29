"""What a gate says: pass, fail or undecided, by which limits, and what would decide it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar
from xml.etree import ElementTree as ET

from earnest.core.base.check import some
from earnest.core.results.base import FLAT, HIGH_END, LOW_END, OPTIONAL, MetricResult, Plain
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Provenance, Scale
from earnest.core.results.specs import Selection
from earnest.core.text.cleaning import clean_line
from earnest.core.text.numbers import decimals, number

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable

POWER = 0.8  # the chance of a decision with as many more items as are named
MOST_ITEMS = 10_000_000  # more than that decide nothing
MOST_TIMES = 1000  # the items that there are, which nobody would collect


class Outcome(StrEnum):
    """What a gate decides."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"


EXIT_CODES = {Outcome.PASS: 0, Outcome.FAIL: 3, Outcome.UNDECIDED: 4}


def combine_outcomes(outcomes: Iterable[str]) -> Outcome:
    """Return what holds of all: fail where any fails, pass where all pass.

    Examples
    --------
    >>> from earnest.decision.verdict import combine_outcomes
    >>> str(combine_outcomes(["pass", "undecided"])), str(combine_outcomes(["pass", "fail"]))
    ('undecided', 'fail')
    """
    listed = {Outcome(outcome) for outcome in outcomes}
    if Outcome.FAIL in listed:
        return Outcome.FAIL
    return Outcome.PASS if listed == {Outcome.PASS} else Outcome.UNDECIDED


@dataclass(frozen=True, kw_only=True)
class SubgroupVerdict(Plain):
    """Whether the evidence shows in a subgroup what a gate asks for.

    Attributes
    ----------
    column, level : str
        The column, and its level.
    outcome : Outcome
        Pass, fail or undecided.
    value, low, high : float or None
        As of the verdict, with limits that hold in all subgroups at once; None where its cases are
        too few.
    n_items : int
        Its cases.
    """

    derived: ClassVar[tuple[str, ...]] = ("name",)

    column: str
    level: str
    outcome: Outcome
    n_items: int
    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def name(self) -> str:
        """Column and level, as in 'sex = f'."""
        return f"{self.column} = {self.level}"


@dataclass(frozen=True, kw_only=True)
class Verdict(MetricResult):
    """Whether the evidence shows what a gate asks for.

    Attributes
    ----------
    outcome : {'pass', 'fail', 'undecided'}
        Pass where the limit at the bad end reaches the bound, fail where the one at the good end
        does not, undecided in between.
    value : float
        The metric, corrected for the choice where there was one; against a baseline, the
        difference to it.
        NaN where it is hidden.
    low, high : float
        Its one-sided limits: each is wrong in at most 1 minus `level` of all cases.
    hidden : bool
        Whether the numbers are hidden, as those of an open ledger.
    bound : float
        What the value must reach: the threshold, or the margin below the baseline.
    margin : float or None
        How much worse than the baseline is allowed; None without a baseline.
    config, baseline : str or None
        The configuration that is judged, and the one that it is compared with.
    confidence_level, level : float
        The level that was asked for, and the level of the limits: higher where the same items have
        been looked at before.
    look : int or None
        Which look at these items this is; None where none are counted.
    n_items, n_configs : int
        What it stands on.
    more_items : int or None
        About how many more items would decide it with a chance of 80 %, if the value stays; None
        where it is decided, or where no number of items would do.
    method : str
        The method of the estimate, or the test of the comparison.
    selection : Selection
        What value and limits do about the choice of `config` among several; against a baseline
        only the limits allow for it.
    cautions, provenance
        As of every result.
    of_all : {'pass', 'fail', 'undecided'} or None
        What holds for all cases together, where subgroups are judged.
    subgroups : tuple of SubgroupVerdict
        What holds in each, where `by` was asked for.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 200)
    >>> score = y + np.random.default_rng(1).standard_normal(400)
    >>> pi = en.Predictions.from_arrays(y, score, configs=["svm"])
    >>> verdict = en.gate(pi, metric="roc_auc", above=0.7)
    >>> verdict.outcome, verdict.exit_code
    ('pass', 0)
    >>> verdict
    pass: roc_auc of svm is above 0.7 (0.810; with 95 % confidence above 0.775; delong, n=400)
    """

    schema: ClassVar[str] = "earnest/verdict/1"
    called: ClassVar[str] = "a verdict"
    derived: ClassVar[tuple[str, ...]] = ("exit_code", "sentence", "more_items")

    outcome: str
    value: float = field(metadata={"none": math.nan})
    low: float = field(metadata=LOW_END)
    high: float = field(metadata=HIGH_END)
    bound: float
    margin: float | None
    scale: Scale = field(metadata=FLAT)
    config: str | None
    baseline: str | None
    confidence_level: float
    level: float
    look: int | None
    n_items: int
    n_configs: int
    method: str
    selection: Selection
    cautions: tuple[Caution, ...]
    provenance: Provenance = field(metadata=FLAT)
    hidden: bool = False
    of_all: str | None = field(default=None, metadata=OPTIONAL)
    subgroups: tuple[SubgroupVerdict, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether it passes."""
        return self.outcome == Outcome.PASS

    @property
    def exit_code(self) -> int:
        """The exit code of `earnest gate`: 0 pass, 3 fail, 4 undecided."""
        return EXIT_CODES[Outcome(self.outcome)]

    @property
    def more_items(self) -> int | None:
        """About how many more items would decide it, None where that is no question."""
        if (self.of_all or self.outcome) != Outcome.UNDECIDED or self.hidden:
            return None
        return count_more(self.value, (self.low, self.high), self.bound, self.n_items, self.level)

    @property
    def sentence(self) -> str:
        """What was decided, in words, in one line."""
        outcome = str(self.outcome).capitalize()
        return clean_line(f"{outcome}: {self._clause()}.{self._advice()}{self._word_subgroups()}")

    def _word_subgroups(self) -> str:
        """Return in which subgroups it fails or is undecided; empty where none are judged."""
        if not self.subgroups:
            return ""
        words = []
        for outcome, verb in ((Outcome.FAIL, "Fails"), (Outcome.UNDECIDED, "Undecided")):
            names = [each.name for each in self.subgroups if each.outcome is outcome]
            if names:
                words.append(f" {verb} in {some(names)}.")
        return "".join(words) or f" Passes in each of {len(self.subgroups)} subgroups."

    def _clause(self) -> str:
        short = self._write
        better = self.scale.greater_is_better
        good, bad = ("above", "below") if better else ("below", "above")
        at_bad, at_good = (self.low, self.high) if better else (self.high, self.low)
        who = f"{self.metric} of {self.config}" if self.config else self.metric
        who += " on all cases" if self.subgroups else ""
        sure = f"with {100 * self.level:.6g} % confidence"
        if self.hidden:
            shown = "is shown" if self.passed else "is not shown"
            if self.margin is None:
                return f"{who} {shown} to be {good} {self.bound:g} ({sure})"
            allowed = f" by more than {self.margin:g}" if self.margin else ""
            return f"{who} {shown} not to be worse than that of {self.baseline}{allowed} ({sure})"
        if self.margin is None:
            facts = {
                Outcome.PASS: f"is {good} {self.bound:g} ({short(self.value)}; {sure} {good} "
                f"{short(at_bad)})",
                Outcome.FAIL: f"is {bad} {self.bound:g} ({short(self.value)}; {sure} {bad} "
                f"{short(at_good)})",
                Outcome.UNDECIDED: f"is {short(self.value)}, and may be {good} or {bad} "
                f"{self.bound:g} (limits {short(self.low)} and {short(self.high)})",
            }
        else:
            allowed = f" by more than {self.margin:g}" if self.margin else ""
            rival = f"{self.baseline}{allowed}"
            facts = {
                Outcome.PASS: f"is not worse than that of {rival} (difference {short(self.value)};"
                f" {sure} {good} {short(at_bad)})",
                Outcome.FAIL: f"is worse than that of {rival} (difference {short(self.value)}; "
                f"{sure} {bad} {short(at_good)})",
                Outcome.UNDECIDED: f"may or may not be worse than that of {rival} (difference "
                f"{short(self.value)}, limits {short(self.low)} and {short(self.high)})",
            }
        return f"{who} {facts[Outcome(self.of_all or self.outcome)]}"

    def _write(self, value: float) -> str:
        """Return a number with the decimals that the width of the limits deserves."""
        width = self.high - self.low
        places = decimals(width / 4 if math.isfinite(width) else None, self.value)
        limits = (-math.inf, math.inf) if self.margin is not None else self.scale.limits
        return number(value, places, limits)

    def _advice(self) -> str:
        if self.hidden:
            return " The ledger is open, so its numbers are hidden."
        if (self.of_all or self.outcome) != Outcome.UNDECIDED:
            return ""
        more = self.more_items
        if more is None:
            return " The value is so near the bound that more items would hardly decide it."
        return f" About {more:,} more items would decide it."

    def _check_parts(self) -> None:
        super()._check_parts()
        Outcome(self.outcome)
        if self.of_all is not None:
            Outcome(self.of_all)

    def rows(self) -> list[dict[str, Any]]:
        """Return the main numbers as one flat dict."""
        names = ("outcome", "metric", "config", "baseline", "value", "low", "high", "bound")
        facts = {name: getattr(self, name) for name in names}
        rows = [{**facts, "level": self.level, "look": self.look, "n_items": self.n_items}]
        if not self.subgroups:
            return rows
        rows[0] |= {"subgroup": None, "outcome": self.of_all}
        for each in self.subgroups:
            parts = {name: getattr(each, name) for name in ("value", "low", "high", "n_items")}
            rows.append({**rows[0], **parts, "outcome": str(each.outcome), "subgroup": each.name})
        return rows

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import PaperTable

        short = self._write
        what = self.metric if self.baseline is None else f"{self.metric} against {self.baseline}"
        heads: tuple[str, ...] = ("verdict", what, "lower limit", "upper limit", "bound", "n")
        numbers = (self.value, self.low, self.high)
        cells = (str(self.outcome), *("hidden" if self.hidden else short(v) for v in numbers))
        row = (*cells, f"{self.bound:g}", f"{self.n_items:,}")
        codes = sorted({caution.code for caution in self.cautions})
        note = f"{self.method}, limits one-sided at {100 * self.level:.6g} %."
        rows: list[tuple[str, ...]] = [row]
        if self.subgroups:
            heads = ("subgroup", *heads)
            rows = [("all cases", str(self.of_all), *row[1:])]
        for each in self.subgroups:
            ends = (each.value, each.low, each.high)
            shown = ("–" if end is None else short(end) for end in ends)
            parts = (each.name, str(each.outcome), *shown)
            rows.append((*parts, f"{self.bound:g}", f"{each.n_items:,}"))
        return PaperTable(heads, tuple(rows), note + f" Cautions {', '.join(codes)}." * bool(codes))

    def to_comment(self) -> str:
        """Return what to post under a change: the verdict, its numbers and the cautions."""
        sign = {Outcome.PASS: "✅", Outcome.FAIL: "❌", Outcome.UNDECIDED: "❔"}
        sentence = _escape(self.sentence)
        lines = [
            f"{sign[Outcome(self.outcome)]} **earnest gate**: {sentence}",
            "",
            self.to_markdown(),
        ]
        lines += [f"- {_escape(str(caution))}" for caution in self.cautions]
        return "\n".join(lines).rstrip() + "\n"

    def to_junit(self) -> str:
        """Return a JUnit file of one test: a failure where it fails, an error where undecided."""
        failed, unsure = self.outcome == Outcome.FAIL, self.outcome == Outcome.UNDECIDED
        suite = ET.Element(
            "testsuite",
            name="earnest gate",
            tests="1",
            failures=str(int(failed)),
            errors=str(int(unsure)),
        )
        question = f"{self.metric} {self.bound:g}"
        if self.baseline is not None:
            question = f"{self.metric} against {self.baseline}"
        case = ET.SubElement(suite, "testcase", classname="earnest", name=clean_line(question))
        if failed or unsure:
            kind = "failure" if failed else "error"
            sentence = self.sentence
            node = ET.SubElement(case, kind, type=str(self.outcome), message=sentence)
            node.text = sentence
        if self.cautions:
            output = ET.SubElement(case, "system-out")
            output.text = "\n".join(map(str, self.cautions))
        ET.indent(suite)
        return f'<?xml version="1.0" encoding="utf-8"?>\n{_write_xml(suite)}\n'

    def __repr__(self) -> str:
        """Return one line."""
        return clean_line(
            f"{self.outcome}: {self._clause()[:-1]}; {self.method}, n={self.n_items})"
        )


def _write_xml(node: ET.Element) -> str:
    return ET.tostring(node, encoding="unicode")


def _escape(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return re.sub(r"([\\`*_<>\[\]|#@])", r"\\\1", clean_line(text.replace("\n", " ")))


def count_more(
    value: float, limits: tuple[float, float], bound: float, items: int, level: float
) -> int | None:
    """Return about how many more items would decide, None where no number would.

    At a level of one half or less a limit has no distance that would shrink.

    The distance of a limit shrinks with the root of the items. With as many that it is the distance
    to the bound, half of all studies decide; the quantile of the power makes it four in five.

    Examples
    --------
    >>> from earnest.decision.verdict import count_more
    >>> count_more(0.80, (0.76, 0.84), 0.78, 400, 0.95)
    3300
    >>> count_more(0.80, (0.76, 0.84), 0.80, 400, 0.95) is None
    True
    """
    gap, quantile = abs(value - bound), NormalDist().inv_cdf
    reach = value - limits[0] if value > bound else limits[1] - value
    if not gap or level <= 0.5 or not math.isfinite(reach) or not math.isfinite(value):
        return None
    ratio = reach / gap * (1.0 + quantile(POWER) / quantile(level))
    needed = items * ratio**2
    if needed > min(MOST_ITEMS, MOST_TIMES * items):
        return None
    more = max(1.0, needed - items)
    step = 10.0 ** max(0, math.floor(math.log10(more)) - 1)
    return int(math.ceil(more / step) * step)


def decide_outcome(low: float, high: float, bound: float, *, greater_is_better: bool) -> Outcome:
    """Return the verdict of one-sided limits on a bound.

    Examples
    --------
    >>> from earnest.decision.verdict import decide_outcome
    >>> [
    ...     str(decide_outcome(low, low + 0.1, 0.75, greater_is_better=True))
    ...     for low in (0.76, 0.7, 0.6)
    ... ]
    ['pass', 'undecided', 'fail']
    """
    if greater_is_better:
        reached, missed = low >= bound, high < bound
    else:
        reached, missed = high <= bound, low > bound
    return Outcome.PASS if reached else Outcome.FAIL if missed else Outcome.UNDECIDED
