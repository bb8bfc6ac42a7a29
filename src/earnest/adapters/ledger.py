"""A ledger: the tries of people and agents on the same cases, each told the scores of one half.

The halves are dealt when the ledger begins, with what is in use, which no score has guided. Each
agent is told the scores of one half, and the other half judges what he proposed. So no try may
build on tries of the other half. The file is a run file: a row for each try, appended in one step
by one writer at a time, and chained by hashes. No clock is read.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Never, TypeAlias

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.evidence import EvidenceLike, Source, open_evidence
from earnest.adapters.trials.files import LEDGER, SQLITE, is_ledger, read_start
from earnest.core.base import check
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import EvidenceError, FormatError, InputError, StoreError
from earnest.core.base.protocols import Key, TaskOutcome
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.data.guides import FIXED, Guides, Halves, split_halves
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.scores import Scores
from earnest.core.data.target import Target, Task
from earnest.core.data.weights import Weights
from earnest.core.results.base import Plain, parse_json
from earnest.core.text.cleaning import clean_line
from earnest.core.text.doors import arg, word
from earnest.kernels.score import score_table
from earnest.metrics.responding import check_fits, pick_answer
from earnest.metrics.scores import settle_metric
from earnest.store import SqliteStore, read_run, read_run_identity

HALVES = ("A", "B")
AGENT = "agent"  # who tries where nobody is named
PATIENCE = 60.0  # seconds to wait for another who adds a try
LONGEST = 200  # letters of a name
VERSION = "1"
CASES, FINISHED = "cases", "finished"  # an array, and a document
PER = "per"
Table: TypeAlias = Predictions | Scores


@dataclass(frozen=True, kw_only=True)
class LedgerTry(Plain):
    """What may be told of one try.

    Attributes
    ----------
    name : str
        Its name.
    agent : str or None
        Who tried it; None for what the ledger began with.
    half : {'A', 'B'} or None
        The half whose scores guided it; the other one judges it. None where no score did.
    builds_on : tuple of str
        The tries that it builds on.
    score_a, score_b : float or None
        Its scores on both halves; None for one that is not told yet.
    """

    name: str
    agent: str | None
    half: str | None
    builds_on: tuple[str, ...]
    score_a: float | None
    score_b: float | None


@dataclass(frozen=True, kw_only=True)
class LedgerView(Plain):
    """What a ledger tells one reader.

    Attributes
    ----------
    metric : str
        What is scored.
    greater_is_better : bool
        Whether more of it is better.
    n_cases : tuple of int
        The cases of both halves.
    agents : tuple of (str, str)
        Each agent with the half that he is told of.
    tries : tuple of LedgerTry
        The tries that the reader may know.
    n_tries : int
        How many there are, of all agents, without what the ledger began with.
    finished : bool
        Whether the ledger takes no more tries, and tells everything.
    digest : str
        A hash of all that was appended, in its order. Note it elsewhere to notice an older copy.
    """

    metric: str
    greater_is_better: bool
    n_cases: tuple[int, int]
    agents: tuple[tuple[str, str], ...]
    tries: tuple[LedgerTry, ...]
    n_tries: int
    finished: bool
    digest: str

    def find_best(self, half: str) -> LedgerTry:
        """Return the best try that the reader may know, by its score on a half."""
        sign = 1.0 if self.greater_is_better else -1.0

        def rank(each: LedgerTry) -> float:
            score = each.score_a if half == "A" else each.score_b
            return -np.inf if score is None else sign * score

        return max(self.tries, key=rank)


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """One row: who tried what, and its predictions or scores."""

    name: str
    agent: str | None
    guided_by: int
    builds_on: tuple[str, ...]
    arrays: Mapping[str, RawArray]
    digest: str


@dataclass(frozen=True, kw_only=True)
class _Content:
    """All that the file holds, as of one moment."""

    identity: Mapping[str, str]
    cases: Table  # with what the ledger began with
    halves: Halves
    agents: tuple[str, ...]
    entries: tuple[_Entry, ...]
    finished: bool
    digest: str

    @property
    def metric(self) -> str:
        return self.identity["metric"]

    def find_half(self, agent: str) -> int:
        """Return the half that an agent is told of; they take turns."""
        return self.agents.index(agent) % 2


class Ledger:
    """A file of tries by one or several agents, none of whom sees the scores that judge him.

    Whoever tries one idea after the other and keeps what scored best climbs on the noise of his
    cases. A ledger deals them into two halves. An agent is told the scores of one half only; the
    other half judges. With one agent this is half-and-half. Two agents, who do not know each
    other's work, cross: each half judges the tries of the other's agent, and the interval is
    narrower. When you `finish` it, `estimate`, `report`, `gain`, `compare_many` and `gate` take
    the file as any other.

    Parameters
    ----------
    path : str or Path
        The file of a ledger that `create` has begun.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> import earnest as en
    >>> rng, y = np.random.default_rng(0), np.tile([0, 1], 100)
    >>> def guess(name):  # knows nothing
    ...     return en.Predictions.from_arrays(y, rng.random(200), configs=[name])
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = f"{folder.name}/work.db"
    >>> ledger = en.Ledger.create(path, guess("in use"), metric="roc_auc", rng=0)
    >>> told = [ledger.score(guess(f"try {k}")) for k in range(30)]
    >>> ledger.finish()
    >>> round(max(told), 2), round(en.estimate(path).value, 2)
    (0.65, 0.48)
    >>> folder.cleanup()
    """

    def __init__(self, path: str | Path) -> None:
        self.path = check.read_path(path)
        self._known: _Content | None = None  # as it was last read: the cases never change
        if not is_ledger(self.path):
            there = self.path.is_file()
            if there and read_start(self.path).startswith(SQLITE):
                read_run(self.path, arrays=False)  # says of a damaged file what is wrong with it
            raise FormatError(
                f"{str(path)!r} is not a ledger" if there else f"there is no {str(path)!r}",
                needs="the file of a ledger",
                cure=word("Begin one: Ledger.create.", "Begin one: earnest ledger new."),
            )
        self._read()

    def __repr__(self) -> str:
        """Return one line with the sizes."""
        view = self.show()
        state = "finished" if view.finished else "open"
        return f"Ledger({view.metric}, tries={view.n_tries}, n={sum(view.n_cases)}, {state})"

    @property
    def metric(self) -> str:
        """The name of what is scored."""
        return self._read().metric

    @property
    def holds_scores(self) -> bool:
        """Whether tries are scores of items, not predictions of cases."""
        return isinstance(self._read().cases, Scores)

    @classmethod
    def create(
        cls,
        path: str | Path,
        baseline: EvidenceLike,
        *,
        metric: str | None = None,
        agents: Sequence[str] = (AGENT,),
        rng: RngLike = None,
    ) -> Ledger:
        """Begin a ledger with what is in use, on the cases that score and judge every try.

        Parameters
        ----------
        path : str or Path
            The new file.
        baseline : Predictions, Scores, str or Path
            Out-of-sample predictions, or scores of items, of one or several configurations that
            were fixed before any score of these cases was seen.
        metric : str, optional
            What is scored; left out for scores.
        agents : list of str
            Who will try. They are told of the halves A and B in turn. Whoever knows of another's
            work shares his name.
        rng : None, int, SeedSequence, Generator or RandomState
            The seed of the halves, which the file keeps.
        """
        path = check.read_path(path)
        if path.exists():
            raise InputError(
                f"{str(path)!r} is there already",
                needs="the name of a new file: a ledger is begun once",
                cure="Name another, or go on with this one.",
            )
        names = tuple(_clean_name(agent, "an agent") for agent in _list_names(agents))
        if not names or len(set(names)) < len(names):
            raise InputError(
                f"{arg('agents')} are not told apart",
                needs="one name for each, at least one",
                got=check.some(names) or "none",
            )
        source = open_evidence(baseline)
        cases, measure = _check_cases(source.evidence, source.metric_or(metric))
        seeds = Seeds.of(rng)
        halves = deal_halves(cases, seeds)
        _refuse_undefined(cases, measure, halves)
        saved = {CASES: np.frombuffer(_write_table(cases), dtype=np.uint8)}
        identity = {
            "kind": LEDGER,
            "version": VERSION,
            "evidence": "scores" if isinstance(cases, Scores) else "predictions",
            "cases": cases.fingerprint,
            "metric": measure,
            "agents": json.dumps(names, ensure_ascii=False),
            "seed": str(seeds.entropy),
            "halves": Guides(halves, np.zeros(0, dtype=np.int8)).to_text()[0],
        }
        with SqliteStore(path, patience=PATIENCE) as store:
            store.open(identity)
            if not store.done():
                begun = {"name": CASES, "fingerprint": cases.fingerprint}
                store.put(replace(_make_row(0, begun, {}, ""), arrays=saved))
        return cls(path)

    def score(
        self,
        result: EvidenceLike,
        name: str | None = None,
        *,
        agent: str | None = None,
        builds_on: Iterable[str] = (),
    ) -> float:
        """Append a try, and return its score on the half that its agent is told of.

        The same try again is told again, and not appended twice: after a crash, repeat the call.

        Parameters
        ----------
        result : Predictions, Scores, str or Path
            The predictions or scores of one configuration, for all cases in any order, in the
            folds that the ledger began with.
        name : str, optional
            The name of the try; by default that of the configuration.
        agent : str, optional
            Who tries; may be left out where the ledger has one agent.
        builds_on : list of str
            The tries that this one builds on. Those of the other half are refused: it would
            judge what it has guided.
        """
        table = open_evidence(result).evidence
        with self._write() as (store, content):
            who = _find_agent(content, agent)
            half = content.find_half(who)
            arrays, config = _take_arrays(content.cases, table)
            about = {
                "name": _clean_name(config if name is None else name, "a try"),
                "agent": who,
                "guided_by": half,
                "builds_on": sorted(
                    {_clean_name(each, "a try") for each in _list_names(builds_on)}
                ),
            }
            _refuse_finished(self.path, content)
            _refuse_lineage(content, about)
            score = _score_alone(content, arrays)[half]
            if not np.isfinite(score):
                raise EvidenceError(
                    f"{content.metric} of {about['name']!r} is undefined on half {HALVES[half]}",
                    needs="a defined score",
                    cure="Look for constant predictions.",
                )
            twin = next((each for each in content.entries if each.name == about["name"]), None)
            if twin is None and about["name"] not in content.cases.configs.ids:
                store.put(_make_row(len(content.entries) + 1, about, arrays, content.digest))
            elif twin is None or not _is_same(twin, about, arrays):
                raise InputError(
                    f"the ledger has a try {about['name']!r} already",
                    needs="a name of its own for each try",
                    cure=f"Give it another {arg('name')}.",
                )
        return score

    def show(self, agent: str | None = None) -> LedgerView:
        """Return what an agent may know: the tries of his half, with their scores on it.

        Of the others there is only their number until the ledger is finished.

        Parameters
        ----------
        agent : str, optional
            Who asks; may be left out where the ledger has one agent. Without a name no scores are
            told where there are several.
        """
        content = self._read()
        alone = agent is None and len(content.agents) == 1
        who = _find_agent(content, agent) if agent is not None or alone else None
        half = None if who is None else content.find_half(who)
        open_halves = {0, 1} if content.finished else set() if half is None else {half}
        codes = _list_guides(content)
        agents = [None] * content.cases.n_configs + [each.agent for each in content.entries]
        parents = [()] * content.cases.n_configs + [each.builds_on for each in content.entries]
        table = _join_table(content)
        scores = _score_halves(table, content.metric, content.halves)  # (2, C)
        better = settle_metric(table, content.metric)[1].greater_is_better
        visible = [c for c, code in enumerate(codes) if code in (FIXED, *open_halves)]

        def tell(config: int, code: int) -> float | None:
            return float(scores[code, config]) if code in open_halves else None

        return LedgerView(
            metric=content.metric,
            greater_is_better=better,
            n_cases=(int((content.halves == 0).sum()), int((content.halves == 1).sum())),
            agents=tuple((name, HALVES[content.find_half(name)]) for name in content.agents),
            tries=tuple(
                LedgerTry(
                    name=table.configs.ids[c],
                    agent=agents[c],
                    half=None if codes[c] == FIXED else HALVES[codes[c]],
                    builds_on=parents[c],
                    score_a=tell(c, 0),
                    score_b=tell(c, 1),
                )
                for c in visible
            ),
            n_tries=len(content.entries),
            finished=content.finished,
            digest=content.digest,
        )

    def finish(self) -> None:
        """End the ledger: it takes no more tries, and every verb may judge it."""
        with self._write() as (store, content):
            if not content.finished:
                end = {"tries": len(content.entries), "digest": content.digest}
                store.put_document(FINISHED, json.dumps(end))

    def to_source(self, *, hidden: bool = False) -> Source:
        """Return all tries as predictions or scores that know which half guided each.

        Parameters
        ----------
        hidden : bool
            Whether an open ledger may be read, by a verb that hides its numbers.
        """
        content = self._read()
        if not content.finished and not hidden:
            raise EvidenceError(
                f"the ledger {str(self.path)!r} is still open",
                needs="a finished one: its numbers would guide what is tried next",
                cure=word(
                    "Call `finish`, after which it takes no more tries; `gate` asks an open one.",
                    f"Run earnest ledger finish {self.path}, after which it takes no more tries; "
                    "earnest gate asks an open one.",
                ),
            )
        return Source(
            evidence=_join_table(content),
            metric=content.metric,
            seed=int(content.identity["seed"]),
            looks=self.path,
            hidden=not content.finished,
        )

    def _read(self) -> _Content:
        run = read_run(self.path)
        return self._open(run.identity, run.outcomes, run.documents)

    @contextmanager
    def _write(self) -> Iterator[tuple[SqliteStore, _Content]]:
        """Give the store and what it holds, while nobody else writes."""
        identity = read_run_identity(self.path)
        with SqliteStore(self.path, patience=PATIENCE) as store:
            store.open(identity)
            yield store, self._open(identity, store.done(), store.documents())

    def _open(
        self,
        identity: Mapping[str, str],
        rows: Mapping[Key, TaskOutcome],
        documents: Mapping[str, str],
    ) -> _Content:
        same = self._known is not None and self._known.identity == identity
        cases = self._known.cases if self._known is not None and same else None
        self._known = _open_content(self.path, identity, rows, documents, cases)
        return self._known


def find_ledger(source: object) -> Ledger | None:
    """Return the ledger that something is, or the path of; None for all else."""
    if isinstance(source, Ledger):
        return source
    return Ledger(str(source)) if is_ledger(source) else None


# Names.


def _list_names(names: Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _clean_name(name: object, of: str) -> str:
    """Return a name as it is kept, and refuse one that people could not read or tell apart."""
    text = unicodedata.normalize("NFC", name).strip() if isinstance(name, str) else ""
    if not text or len(text) > LONGEST or clean_line(text) != text:
        raise InputError(
            f"this cannot be the name of {of}",
            needs=f"1 to {LONGEST} letters that can be seen, in one line",
            got=check.show(name),
        )
    return text


def _find_agent(content: _Content, agent: str | None) -> str:
    """Return who asks, and refuse a name that the ledger does not know."""
    if agent is None and len(content.agents) == 1:
        return content.agents[0]
    needs = f"one of {check.some(map(repr, content.agents))}"
    if agent is None:
        raise InputError(f"{arg('agent')} is missing", needs=needs)
    name = _clean_name(agent, "an agent")
    if name not in content.agents:
        raise InputError(
            f"the ledger has no agent {name!r}",
            needs=needs,
            cure=check.nearest(name, content.agents)
            or "Agents are named when a ledger begins, as a new one would see a new half.",
        )
    return name


def _refuse_lineage(content: _Content, about: Mapping[str, Any]) -> None:
    """Refuse a try that builds on what the half guided that is to judge it."""
    guides = dict.fromkeys(content.cases.configs.ids, FIXED)
    guides |= {each.name: each.guided_by for each in content.entries}
    for parent in about["builds_on"]:
        if parent not in guides:
            raise InputError(
                f"the ledger has no try {parent!r} to build on",
                needs="the name of an earlier try",
                cure=check.nearest(parent, guides),
            )
        if guides[parent] not in (FIXED, about["guided_by"]):
            half = HALVES[about["guided_by"]]
            raise InputError(
                f"{about['name']!r} builds on {parent!r}, which half {HALVES[guides[parent]]} "
                "has guided",
                needs=f"tries of half {half}, or what the ledger began with",
                got="tries of both halves, which leave no case to judge by",
                cure="Go on from a try of your half, or finish this ledger and begin one on "
                "new cases.",
            )


def _refuse_finished(path: Path, content: _Content) -> None:
    if content.finished:
        raise InputError(
            f"the ledger {str(path)!r} is finished",
            needs="an open ledger: the scores of both halves are known here",
            cure="Begin a new one, on new cases.",
        )


# The cases.


def deal_halves(cases: Table, seeds: Seeds) -> Halves:
    """Deal cases or items into two halves; groups stay together.

    Cases are alike in outcome and folds; items in their task and in how what is in use did on them.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.adapters.ledger import deal_halves
    >>> from earnest.core.base.rng import Seeds
    >>> halves = deal_halves(en.Scores([1, 1, 0, 0]), Seeds(0))
    >>> int(halves[:2].sum()), int(halves[2:].sum())
    (1, 1)
    """
    if isinstance(cases, Predictions):
        return split_halves(cases.target, cases.folds, seeds)
    target = cases.target
    worth = np.asarray(np.nanmean(cases.values, axis=(1, 2), dtype=np.float64))
    alike = Target(y=worth, task=Task.REGRESSION, groups=target.groups)
    tasks = np.zeros(target.n) if target.strata is None else target.strata
    return split_halves(alike, tasks.astype(np.int32)[:, None], seeds)


def _check_cases(evidence: object, metric: object) -> tuple[Table, str]:
    """Return what a ledger begins with, and the name of its metric."""
    if not isinstance(evidence, Predictions | Scores):
        raise EvidenceError(
            "a ledger begins with predictions or scores",
            needs="earnest.Predictions, earnest.Scores, or a file of them",
            got=type(evidence).__name__,
        )
    scores = isinstance(evidence, Scores)
    guides = evidence.parts.guides if isinstance(evidence, Scores) else evidence.guides
    judged = isinstance(evidence, Scores) and evidence.parts.codes is not None
    if isinstance(evidence, Scores) and evidence.parts.labels is not None:
        _refuse_marks()
    if guides is not None or judged or not evidence.configs.static:
        raise EvidenceError(
            "a ledger cannot begin with this",
            needs="configurations that were fixed before any score of these cases was seen",
            got="judgements of pairs" if judged else "the result of a search that saw scores",
            cure="Begin with what is in use.",
        )
    if isinstance(evidence, Scores):
        metric = str(evidence.measure.rule) if metric is None else metric
        cases: Table = Scores._of(evidence.parts, evidence.measure, evidence.incomplete, 0)
    else:
        cases = replace(evidence, ensemble_rule=None)
    if not isinstance(metric, str | None):
        raise InputError(
            f"a ledger keeps the name of its {arg('metric')}",
            needs="a name, such as 'roc_auc'; `earnest metrics` lists them",
            got=check.show(metric),
        )
    pi, measure = settle_metric(cases, metric)
    check_fits(pi, measure)
    whole = _has_all(cases.values) if isinstance(cases, Scores) else bool(cases.complete.all())
    if not whole:
        raise EvidenceError(
            "a ledger cannot begin with gaps",
            needs="a score of every item" if scores else "predictions of every fold",
            cure="Leave out the configurations or the cases that lack some.",
        )
    return cases, str(metric)


def _has_all(values: NDArray[Any]) -> bool:
    """Tell whether every item has a score of every configuration: (n, C, R)."""
    return bool(np.isfinite(values).any(axis=2).all())


def _refuse_undefined(cases: Table, metric: str, halves: Halves) -> None:
    if not np.isfinite(_score_halves(cases, metric, halves)).all():
        raise EvidenceError(
            f"{metric} is undefined on a half of the cases",
            needs="cases enough that each half has a score, such as both classes in each",
            got=f"halves of {int((halves == 0).sum())} and {int((halves == 1).sum())} cases",
        )


def _score_halves(table: Table, metric: str, halves: Halves) -> NDArray[np.float64]:
    """Return the scores of all configurations on both halves: (2, C)."""
    pi, measure = settle_metric(table, metric)
    check_fits(pi, measure)
    guides = Guides(halves, np.full(pi.n_configs, FIXED, dtype=np.int8))
    usable = pick_answer(replace(pi, guides=guides), measure).usable()
    assert usable.guides is not None
    weights = np.stack([usable.guides.halves == half for half in (0, 1)]).astype(np.uint8)
    return np.asarray(score_table(usable, measure, Weights(weights)))


def _score_alone(content: _Content, arrays: Mapping[str, RawArray]) -> list[float]:
    """Return the scores of one try on both halves."""
    entry = _Entry(name="try", agent=None, guided_by=0, builds_on=(), arrays=arrays, digest="")
    table = _append(content.cases.select([0]), [replace(entry, name=_free_name(content.cases))])
    return [float(row[1]) for row in _score_halves(table, content.metric, content.halves)]


def _free_name(cases: Table) -> str:
    """Return a name that no configuration has."""
    name = "try"
    while name in cases.configs.ids:
        name += "_"
    return name


def _list_guides(content: _Content) -> list[int]:
    return [FIXED] * content.cases.n_configs + [each.guided_by for each in content.entries]


def _join_table(content: _Content) -> Table:
    """Return all that was tried, with what guided it."""
    guides = Guides(content.halves, np.array(_list_guides(content), dtype=np.int8))
    table = _append(content.cases, content.entries)
    if isinstance(table, Scores):
        return table._with(replace(table.parts, guides=guides))
    return replace(table, guides=guides)


def _append(cases: Table, entries: Sequence[_Entry]) -> Table:
    """Return the cases with further configurations."""
    if not entries:
        return cases
    ids = (*cases.configs.ids, *(each.name for each in entries))
    configs = Configs(ids=ids, static=False)
    if isinstance(cases, Scores):
        parts = cases.parts
        columns = [each.arrays["values"] for each in entries]  # (n, R)
        per = None if parts.per is None else _stack(parts.per, [e.arrays[PER] for e in entries])
        values = _stack(parts.values, columns)
        return cases._with(replace(parts, configs=configs, values=values, per=per))

    def extend(pi: Predictions, others: tuple[Predictions, ...]) -> Predictions:
        columns = np.stack([each.arrays[str(pi.kind)] for each in entries], axis=1)
        responses = np.concatenate([pi.responses, columns], axis=1)
        return replace(pi, configs=configs, responses=responses, others=others)

    return extend(cases, tuple(extend(other, ()) for other in cases.others))


def _stack(values: NDArray[Any], columns: Sequence[RawArray]) -> NDArray[np.float64]:
    """Return scores (n, C, R) with further columns (n, R'), filled up with NaN."""
    samples = max(values.shape[2], *(column.shape[1] for column in columns))

    def fill(array: RawArray) -> NDArray[np.float64]:
        wide = np.full((*array.shape[:-1], samples), np.nan)
        wide[..., : array.shape[-1]] = array
        return wide

    return np.concatenate([fill(values), np.stack([fill(c) for c in columns], axis=1)], axis=1)


# From a result to the arrays of a try, in the order of the cases.


def _take_arrays(cases: Table, result: object) -> tuple[dict[str, RawArray], str]:
    """Return the arrays of a result that belong to these cases, and what it is called."""
    if type(result) is not type(cases) or not isinstance(result, Predictions | Scores):
        raise EvidenceError(
            f"the ledger holds {'scores' if isinstance(cases, Scores) else 'predictions'}",
            needs=f"earnest.{type(cases).__name__}, or a file of them",
            got=type(result).__name__,
        )
    if result.n_configs != 1:
        raise InputError(
            "a try is one configuration",
            needs="one column of predictions or scores",
            got=f"{result.n_configs} configurations",
            cure=word("Select one: result.select(NAME).", "Name one: --configs NAME."),
        )
    if isinstance(cases, Scores) and isinstance(result, Scores):
        return _take_scores(cases, result), result.configs.ids[0]
    assert isinstance(cases, Predictions)
    assert isinstance(result, Predictions)
    return _take_predictions(cases, result), result.configs.ids[0]


def _find_order(ours: RawArray | None, theirs: RawArray | None, n: int, m: int) -> NDArray[np.intp]:
    """Return where each case stands in a result; refuse one that lacks cases, or has others."""
    if n != m:
        raise _other_cases(f"{n} cases, all of those that the ledger began with", f"{m}")
    if ours is None or theirs is None:
        return np.arange(n)
    mine, names = (np.asarray(ids).astype(str) for ids in (ours, theirs))
    position = {name: row for row, name in enumerate(names.tolist())}
    lacking = [name for name in mine.tolist() if name not in position]
    if lacking or len(position) < m:
        got = f"none named {check.some(lacking)}" if lacking else "names that come twice"
        raise _other_cases("a row for each case of the ledger, by its name", got)
    return np.array([position[name] for name in mine.tolist()], dtype=np.intp)


def _other_cases(needs: str, got: str) -> InputError:
    return InputError(
        "this try is not of the cases of the ledger",
        needs=needs,
        got=got,
        cure="Predict or score the same cases, all of them.",
    )


def _take_predictions(cases: Predictions, result: Predictions) -> dict[str, RawArray]:
    ours, theirs = cases.target, result.target
    result = result.take(_find_order(ours.ids, theirs.ids, cases.n_cases, result.n_cases))
    theirs = result.target
    if (ours.task, ours.classes) != (theirs.task, theirs.classes):
        raise _other_cases(_describe_task(ours), _describe_task(theirs))
    for name in ("y", "event"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        if (mine is None) != (other is None) or (mine is not None and (mine != other).any()):
            count = 0 if mine is None or other is None else int((mine != other).sum())
            raise _other_cases("the outcome of the ledger", f"another one in {count} cases")
    mass, mine = theirs.masses, ours.masses
    if mass is not None and (mine is None or not np.allclose(mass, mine)):
        raise _other_cases("the case weights of the ledger", "others")
    if theirs.groups is not None and ours.groups is not None:
        pairs = set(zip(ours.groups.tolist(), theirs.groups.tolist(), strict=True))
        if len(pairs) > len(set(ours.groups.tolist())):
            raise _other_cases("the groups of the ledger", "others")
    if result.folds.shape != cases.folds.shape or (result.folds != cases.folds).any():
        raise _other_cases(
            "the folds of the ledger, or the same test set", f"{result.n_folds} other folds"
        )
    kinds = {str(each.kind): each for each in (result, *result.others)}
    needed = [str(each.kind) for each in (cases, *cases.others)]
    lacking = [kind for kind in needed if kind not in kinds]
    if lacking or result.threshold != cases.threshold:
        raise InputError(
            "this try answers in another way than what the ledger began with",
            needs=f"{' and '.join(needed)}, threshold {cases.threshold}",
            got=f"{' and '.join(kinds)}, threshold {result.threshold}",
            cure=f"Say what the predictions are: {arg('response', needed[0])}.",
        )
    if not result.complete[0] or not all(
        np.array_equal(result.tested(r), cases.tested(r)) for r in range(cases.n_repeats)
    ):
        raise _other_cases("predictions of every case", "some that are missing")
    arrays = {kind: kinds[kind].responses[:, 0] for kind in needed}
    shapes = {str(each.kind): each.responses[:, 0].shape for each in (cases, *cases.others)}
    if any(arrays[kind].shape != shapes[kind] for kind in needed):
        raise _other_cases(f"responses of shape {shapes}", "others")
    return {kind: np.ascontiguousarray(array) for kind, array in arrays.items()}


def _describe_task(target: Target) -> str:
    classes = f" of {check.some(target.classes)}" if target.classes else ""
    return f"a {target.task} outcome{classes}"


def _refuse_marks() -> Never:
    raise EvidenceError(
        "a ledger does not take marks of a judge that labels of people mend",
        needs="one score of each item, by the same judge in every try",
        cure="Score the tries by people, or estimate from the marks without a ledger.",
    )


def _take_scores(cases: Scores, result: Scores) -> dict[str, RawArray]:
    ours, theirs = cases.parts, result.parts
    if theirs.labels is not None:
        _refuse_marks()
    if (ours.per is None) != (theirs.per is None) or theirs.codes is not None:
        raise InputError(
            "these scores are of another kind than what the ledger began with",
            needs="scores" if ours.per is None else f"scores counted per something: {arg('per')}",
        )
    order = _find_order(ours.ids, theirs.ids, cases.n_cases, result.n_cases)
    values = np.asarray(theirs.values, dtype=np.float64)[order, 0]
    if not _has_all(values[:, None]):
        raise _other_cases(
            "a score of every item", f"none for {int((~np.isfinite(values).any(axis=1)).sum())}"
        )
    low, high = cases.measure.limits
    if ours.per is None and not (low <= np.nanmin(values) and np.nanmax(values) <= high):
        raise InputError(
            "scores lie outside the range of the ledger",
            needs=f"numbers from {low:g} to {high:g}",
            got=f"numbers from {np.nanmin(values):g} to {np.nanmax(values):g}",
        )
    arrays: dict[str, RawArray] = {"values": np.ascontiguousarray(values)}
    if theirs.per is not None:
        arrays[PER] = np.ascontiguousarray(np.asarray(theirs.per, dtype=np.float64)[order, 0])
    return arrays


# The file.


def _write_table(table: Table) -> bytes:
    with TemporaryDirectory(prefix="earnest-") as folder:
        path = Path(folder) / "cases.npz"
        table.save(path)
        return path.read_bytes()


def _read_table(content: bytes, kind: str) -> Table:
    with TemporaryDirectory(prefix="earnest-") as folder:
        path = Path(folder) / "cases.npz"
        path.write_bytes(content)
        return Scores.load(path) if kind == "scores" else Predictions.load(path, mmap=False)


def _make_row(
    number: int, about: Mapping[str, Any], arrays: Mapping[str, RawArray], before: str
) -> TaskOutcome:
    text = json.dumps(about, ensure_ascii=False, sort_keys=True)
    return TaskOutcome((number,), arrays, note=json.dumps([text, _hash_row(text, arrays, before)]))


def _hash_row(text: str, arrays: Mapping[str, RawArray], before: str) -> str:
    digest = hashlib.sha256(f"{before}\0{text}".encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"\0{name} {array.dtype.str} {array.shape}\0".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:32]


def _is_same(entry: _Entry, about: Mapping[str, Any], arrays: Mapping[str, RawArray]) -> bool:
    """Tell whether a try is one that was appended before."""
    same = (entry.agent, list(entry.builds_on)) == (about["agent"], about["builds_on"])
    return (
        same
        and set(entry.arrays) == set(arrays)
        and all(np.array_equal(entry.arrays[k], arrays[k], equal_nan=True) for k in arrays)
    )


def _open_content(
    path: Path,
    identity: Mapping[str, str],
    rows: Mapping[Key, TaskOutcome],
    documents: Mapping[str, str],
    cases: Table | None = None,
) -> _Content:
    """Return what a ledger holds, and refuse one whose rows are not all there and in order."""
    if identity.get("version") != VERSION:
        raise FormatError(
            f"the ledger {str(path)!r} was written by a newer version of earnest",
            cure="Update earnest.",
        )
    if (0,) not in rows:
        raise StoreError(
            f"the ledger {str(path)!r} holds no cases",
            needs="a ledger that was begun to the end",
            cure="Remove it, and begin it again.",
        )
    entries: list[_Entry] = []
    digest = ""
    for number in range(len(rows)):
        row = rows.get((number,))
        if row is None or row.note is None:
            raise _make_damaged_error(path, f"no row {number} among {len(rows)}")
        text, after = parse_json(row.note)
        if _hash_row(text, row.arrays if number else {}, digest) != after:
            raise _make_damaged_error(path, f"row {number} does not follow the one before it")
        digest = after
        about = parse_json(text)
        if number:
            entries.append(
                _Entry(
                    name=about["name"],
                    agent=about["agent"],
                    guided_by=about["guided_by"],
                    builds_on=tuple(about["builds_on"]),
                    arrays=row.arrays,
                    digest=after,
                )
            )
    end = parse_json(documents[FINISHED]) if FINISHED in documents else None
    if end is not None and end != {"tries": len(entries), "digest": digest}:
        raise _make_damaged_error(path, f"{len(entries)} tries, but {end['tries']} at its end")
    if cases is None:
        cases = _read_table(rows[0,].arrays[CASES].tobytes(), identity["evidence"])
        if cases.fingerprint != parse_json(parse_json(rows[0,].note or "")[0])["fingerprint"]:
            raise _make_damaged_error(path, "other cases")
    return _Content(
        identity=identity,
        cases=cases,
        halves=Guides.of_text(identity["halves"], "").halves,
        agents=tuple(parse_json(identity["agents"])),
        entries=tuple(entries),
        finished=end is not None,
        digest=digest,
    )


def _make_damaged_error(path: Path, got: str) -> FormatError:
    return FormatError(
        f"the ledger {str(path)!r} was changed or damaged",
        needs="all rows, in the order in which they were appended",
        got=got,
        cure="Restore it from a backup.",
    )
