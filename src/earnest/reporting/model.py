"""The content of a report as plain data, before anything is rendered.

HTML, Markdown and JSON are made from it alone; nothing is computed after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np

from earnest.core.base.provenance import finite
from earnest.core.cautions.meanings import Meaning
from earnest.core.results.calibration import CaseShare
from earnest.core.results.cautions import Caution
from earnest.core.text.readiness import VerdictFact
from earnest.plotting.svg.canvas import Figure

NONE = "–"  # in place of a number that is not there

SCHEMA = "earnest/report/1"
Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Span:
    """A piece of a sentence; `kind` is 'honest', 'naive' or empty."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Facts:
    """A small list of names and values."""

    title: str
    rows: Rows


@dataclass(frozen=True)
class Advice:
    """A question of the reader and its answer, a sentence each.

    `key` names it on the page; `section` is the section that tells more, empty where none does.
    """

    title: str
    words: tuple[str, ...]
    key: str
    section: str = ""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The first screen: the number, in words and in a picture, and what to be careful about.

    `reading` is the value in plain words, `verdict` are the four facts of the front page. `advice`
    answers whether the tuning was worth it, which configuration to use and what to do next; `paste`
    is the sentence for another text, `params` are the winner's parameters as JSON.
    """

    kicker: str
    headline: tuple[Span, ...]
    lede: str
    value: str | None
    value_title: str
    interval_title: str
    interval: str
    naive: str | None
    naive_title: str
    naive_note: str
    gap: str
    meaning: tuple[str, ...]
    cautions: tuple[Caution, ...]
    checked: str
    facts: tuple[Facts, ...]
    reading: str = ""
    verdict: tuple[VerdictFact, ...] = ()
    advice: tuple[Advice, ...] = ()
    paste: str = ""
    params: str = ""
    wide: Figure | None = None
    phone: Figure | None = None

    @property
    def sentence(self) -> str:
        """The headline as text."""
        return "".join(span.text for span in self.headline)


@dataclass(frozen=True, kw_only=True)
class GainPart:
    """What the search gained, what to do next, and what more cases would do.

    `learning` is the curve of the winner over its training cases, where that was trained, and
    `halves` what the samplers of a crossed search were told, with what the unseen half says.
    """

    heading: str
    lede: str
    reading: tuple[str, str]
    level: str
    next: tuple[str, ...]
    panel: Panel
    more: tuple[str, ...] = ()
    learning: Panel | None = None
    halves: Panel | None = None
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MethodRow:
    """One method; `kind` is 'honest', 'other', 'naive' or 'refused'."""

    title: str
    note: str
    value: str
    interval: str
    kind: str
    reported: bool = False
    strip: Figure | None = None


@dataclass(frozen=True)
class MethodGroup:
    """Methods that estimate the same quantity."""

    title: str
    note: str
    rows: tuple[MethodRow, ...]


@dataclass(frozen=True, kw_only=True)
class MethodsPart:
    """All methods on the same resamples."""

    heading: str
    lede: str
    level: str
    reported: str
    kinds: tuple[str, ...]
    one_sided: bool
    cut: bool
    groups: tuple[MethodGroup, ...]
    axis: Figure | None = None


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A figure with its heading, its words and its tag; `data` are its numbers, as computed."""

    heading: str
    figure: Figure
    phone: Figure | None = None
    text: str = ""
    tag: str = ""
    corrected: bool = True
    note: str = ""
    mono: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RivalRow:
    """One configuration beside the winner.

    `ahead` is by how much the winner is better, positive for losses too. `interval`, `p` and
    `worse` hold for all comparisons at once and never contradict each other; `interval_one` is of
    this one alone. The same numbers in full precision: `ahead_by`, `limits`, `limits_one`,
    `p_value`.
    """

    config: str
    label: str
    model: str
    settings: str
    score: str
    ahead: str
    interval: str
    interval_one: str
    p: str
    ahead_by: float | None
    limits: tuple[float, float] | None
    limits_one: tuple[float, float] | None
    p_value: float | None
    worse: bool | None
    standing: str
    cheapest: bool = False
    shown: bool = True
    strip: Figure | None = None


@dataclass(frozen=True, kw_only=True)
class RivalsPart:
    """The winner against all others.

    `cheapest` may score worse than the winner by `margin` at most, as printed.
    """

    heading: str
    lede: str
    note: str
    test: str
    rows: tuple[RivalRow, ...]
    n_others: int
    not_worse: tuple[str, ...]
    cheapest: str | None
    margin: str = ""
    cautions: tuple[Caution, ...] = ()
    axis: Figure | None = None


@dataclass(frozen=True, kw_only=True)
class ConfusionMatrix:
    """Counts of decisions: one row per true class, one column per predicted one."""

    heading: str
    predicted: tuple[str, ...]
    rows: tuple[ConfusionRow, ...]
    note: str
    tag: str
    corrected: bool = False


@dataclass(frozen=True)
class ConfusionRow:
    """The cases of one true class: counts by predicted class, the share found, its interval.

    `found` is the share with its limits in full precision; None where no case was tested.
    """

    label: str
    counts: tuple[int, ...]
    right: int
    share: str
    interval: str
    found: CaseShare | None = None


@dataclass(frozen=True, kw_only=True)
class CurvesPart:
    """Figures on the predictions themselves."""

    heading: str
    lede: str
    note: str
    square: tuple[Panel, ...] = ()
    wide: tuple[Panel, ...] = ()
    confusion: ConfusionMatrix | None = None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class CutRow:
    """One threshold: its words, and each measure as value and band; `short` is for paper, too."""

    threshold: str
    cells: tuple[tuple[str, str], ...]
    short: bool = False


@dataclass(frozen=True)
class CutChoice:
    """What a rule chooses: the threshold, and value, band and naive value of some measures."""

    rule: str
    threshold: str
    cells: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, kw_only=True)
class ThresholdsPart:
    """What to expect at every threshold; `start` is the row that stands first, `span` the plot."""

    heading: str
    lede: str
    note: tuple[str, ...]
    measures: tuple[str, ...]
    rows: tuple[CutRow, ...]
    start: int
    positions: tuple[float, ...]
    chosen_measures: tuple[str, ...]
    choices: tuple[CutChoice, ...]
    panels: tuple[Panel, ...]
    span: tuple[float, float]
    span_phone: tuple[float, float]
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SubgroupRow:
    """One subgroup; `kind` is 'worse', 'better' or 'other'."""

    name: str
    n: str
    value: str
    interval: str
    gap: str
    gap_interval: str
    standing: str
    kind: str
    calibration: str
    strip: Figure | None = None


@dataclass(frozen=True)
class SubgroupRates:
    """The decisions of one subgroup at the usual threshold: value and band of each rate."""

    name: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class SubgroupsPart:
    """The score in every subgroup; `at` is the threshold of `rates`, which two classes have."""

    heading: str
    lede: str
    notes: tuple[str, ...]
    gaps: tuple[str, ...]
    level: str
    total: str
    rows: tuple[SubgroupRow, ...]
    rates: tuple[SubgroupRates, ...] = ()
    rate_names: tuple[str, ...] = ()
    at: str = ""
    axis: Figure | None = None


@dataclass(frozen=True, kw_only=True)
class ColumnRow:
    """What the model loses without a column; a `member` stands under columns it goes with."""

    name: str
    member: bool
    shown: bool
    value: str
    interval: str
    strip: Figure


@dataclass(frozen=True, kw_only=True)
class ColumnsPart:
    """What the delivered model does with its columns; `n_open` rows stand open."""

    heading: str
    lede: str
    notes: tuple[str, ...]
    level: str
    metric: str
    rows: tuple[ColumnRow, ...]
    n_open: int
    axis: Figure
    effects: tuple[Panel, ...]
    predicted: str
    n_cases_of_effects: str


@dataclass(frozen=True, kw_only=True)
class AuditRow:
    """One configuration that was tried; `label` is its whole name, `model` and `settings` parts."""

    rank: int | None
    config: str
    label: str
    model: str
    settings: str
    params: Rows
    score: str
    value: float | None
    won: str
    share: float | None
    status: str
    reason: str
    cheapest: bool
    folds: tuple[float | None, ...]
    strip: Figure | None = None
    dots: Figure | None = None


@dataclass(frozen=True, kw_only=True)
class AuditPart:
    """Every configuration, with what became of it.

    `with_ids` and `with_models` tell whether the ids and the models say what the names do not;
    `n_open` is how many rows stand open.
    """

    heading: str
    lede: str
    score_title: str
    counts: Rows
    rows: tuple[AuditRow, ...]
    n_folds: int
    with_ids: bool
    with_models: bool
    n_open: int
    axis: Figure | None = None
    dropped: Facts | None = None


@dataclass(frozen=True, kw_only=True)
class RegionNode:
    """A region of the space: its words, its facts and its curve."""

    number: int
    parent: int | None
    depth: int
    title: str
    facts: str
    band: str
    narrower: bool | None
    best: bool
    on_path: bool
    figure: Figure
    others: tuple[Panel, ...] = ()
    children: tuple[RegionNode, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RegionsPart:
    """The tree of regions of one parameter."""

    param: str
    lede: str
    root: RegionNode
    depth: int


@dataclass(frozen=True, kw_only=True)
class WinnerPart:
    """The region that holds the winner, at the end of its branch, and the effect there."""

    heading: str
    words: str
    text: str


@dataclass(frozen=True, kw_only=True)
class LearnedPart:
    """What the search learned of its parameters; `flat` are effects that cannot be seen.

    Where the surrogate cannot be trusted, nothing that is read from it is there, and `untrusted`
    says so.
    """

    heading: str
    lede: str
    winner: WinnerPart | None
    trust: str
    looked: str
    next_title: str
    next: tuple[str, ...]
    stable: str
    numbers: tuple[Facts, ...]
    importance: Figure | None
    importance_phone: Figure | None
    effects: tuple[Panel, ...]
    flat: tuple[Panel, ...]
    regions: tuple[RegionsPart, ...]
    untold: tuple[str, ...]
    cautions: tuple[Caution, ...]
    level: str
    untrusted: str = ""


@dataclass(frozen=True, kw_only=True)
class ComputedPart:
    """How everything came about, so that it can be repeated and cited.

    `citations` are what the paragraph names, `others` what else the page shows.
    """

    heading: str
    facts: tuple[Facts, ...]
    paragraph: str
    citations: Rows
    bibtex: str
    others: Rows = ()


@dataclass(frozen=True, kw_only=True)
class Content:
    """All of a report. A part is None where there is nothing to say, and `absent` tells why.

    The page of an explanation is a report without an answer. `begun` is when the run was begun, as
    it has recorded it; `files` are those of the run; `codes` explains every code of a caution that
    stands in the report.
    """

    title: str
    source: str
    begun: str | None = None
    answer: Answer | None = None
    computed: ComputedPart
    columns: ColumnsPart | None = None
    gain: GainPart | None = None
    methods: MethodsPart | None = None
    resamples: tuple[Panel, ...] = ()
    rivals: RivalsPart | None = None
    curves: CurvesPart | None = None
    thresholds: ThresholdsPart | None = None
    subgroups: SubgroupsPart | None = None
    audit: AuditPart | None = None
    learned: LearnedPart | None = None
    files: tuple[str, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, Meaning] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """The first heading as text."""
        return self.title if self.answer is None else self.answer.sentence


def make_plain(value: Any) -> Any:
    """Return content as data that JSON can hold; a figure by its label and its table."""
    if isinstance(value, Figure):
        return {"label": value.label, "table": [list(row) for row in value.table]}
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: make_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): make_plain(each) for key, each in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return make_plain(value.tolist())
    if isinstance(value, (tuple, list)):
        return [make_plain(each) for each in value]
    if isinstance(value, float):
        return finite(value)
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
