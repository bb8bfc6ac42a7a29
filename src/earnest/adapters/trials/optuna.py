"""Trials of Optuna: studies, storages and journals, never a pickle."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import compress
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from earnest.adapters.readers import TrialsReader, TrialsRequest, is_kind, register
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.extras import tell_install
from earnest.core.space.parameters import Parameter, ParameterKind, simplify_value
from earnest.core.space.space import Space, find_inferred, infer_space
from earnest.core.space.trials import Trials, refuse_absent, refuse_few
from earnest.core.tables.formats.expanding import foreign_content
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.storages import BaseStorage, RDBStorage
    from optuna.study import StudyDirection
    from optuna.trial import FrozenTrial
    from sqlalchemy.pool import Pool

LOCAL = "sqlite:///"  # opened as a file, for reading only: SQLite would make one that is not there


def is_study(source: object) -> bool:
    """Tell whether this is a study, without importing Optuna for what is not."""
    return is_kind(source, "Study", "optuna.")


def has_study(source: object) -> bool:
    """Tell whether this is a fitted `OptunaSearchCV`, or anything else with a study of its own."""
    return is_study(getattr(source, "study_", None))


class StudyHolder(Protocol):
    """A search that is a study of Optuna inside."""

    study_: Study


def read_study_of(search: StudyHolder, ask: TrialsRequest) -> Trials:
    """Make trials from the study of a fitted `OptunaSearchCV`."""
    return read_study(search.study_, ask)


def read_study(study: Study | StudyContent, ask: TrialsRequest) -> Trials:
    """Make trials from a study.

    Trials that failed are counted and left out, and so are pruned ones that reported nothing; the
    others inform by their last intermediate value. Those that still run or wait are not there yet.
    The ranges of a parameter are the union over the trials' distributions; which parameters are
    conditional shows in where they are present.
    """
    ask.refuse("an Optuna study", "study", "standard_error", "status", "values")
    position, name = _find_objective(study, ask.objective)
    direction = ask.direction_or(study.directions[position].name.lower(), "the study")
    listed = [t for t in study.get_trials(deepcopy=False) if t.state.is_finished()]
    pruned = [t.state.name == "PRUNED" for t in listed]
    objective = [
        float(t.values[position]) if t.state.name == "COMPLETE" else np.nan for t in listed
    ]
    ended = [t.state.name != "FAIL" for t in listed]
    silent = [early and not t.intermediate_values for early, t in zip(pruned, listed, strict=True)]
    refuse_few(sum(ended) - sum(silent), len(listed) - sum(ended), sum(silent))
    configs = ask.some_of([{k: simplify_value(v) for k, v in t.params.items()} for t in listed])
    space = ask.space
    if space is None:
        telling = [end and not mute for end, mute in zip(ended, silent, strict=True)]
        space = unite_distributions(
            [t.distributions for t in compress(listed, ended)], list(compress(configs, telling))
        )
    return Trials.from_configs(
        configs,
        objective,
        direction=direction,
        space=space,
        pruned=pruned,
        intermediate=[t.intermediate_values for t in listed],
        objective_name=name,
        source=f"Optuna study {study.study_name!r}",
    )


def unite_distributions(
    distributions: Sequence[Mapping[str, BaseDistribution]], configs: Sequence[Mapping[str, object]]
) -> Space:
    """Return the union of the trials' distributions, conditional as the trials show."""
    inferred = infer_space(configs)
    parameters = []
    for guess in inferred:
        distributions_of_name = list(
            {repr(d[guess.name]): d[guess.name] for d in distributions if guess.name in d}.values()
        )
        parameter = _unite(guess, distributions_of_name)
        parameters.append(replace(parameter, condition=guess.condition))
    return Space(tuple(parameters), inferred=find_inferred(parameters, inferred.names))


def _unite(guess: Parameter, distributions: list[Any]) -> Parameter:
    """Return one parameter for all distributions of a name; the guess where they do not agree."""
    kinds = {type(d).__name__ for d in distributions}
    if kinds == {"CategoricalDistribution"}:
        levels = list(dict.fromkeys(simplify_value(c) for d in distributions for c in d.choices))
        kind = ParameterKind.CATEGORICAL if len(levels) > 1 else ParameterKind.FIXED
        return Parameter(name=guess.name, kind=kind, choices=tuple(levels))
    if not kinds or not kinds <= {"FloatDistribution", "IntDistribution"}:
        return guess
    # A trial that was enqueued may lie outside its distribution: its value counts too.
    seen = [guess.low, guess.high] if guess.numeric else list(guess.choices)
    if not all(isinstance(value, Real) for value in seen):
        return guess  # a damaged study
    low, high = (
        min(*(d.low for d in distributions), *seen),
        max(*(d.high for d in distributions), *seen),
    )
    if low == high:
        return Parameter(name=guess.name, kind=ParameterKind.FIXED, choices=(low,))
    steps = {d.step for d in distributions}
    whole = kinds == {"IntDistribution"} and guess.kind != ParameterKind.FLOAT
    step = steps.pop() if len(steps) == 1 and len(distributions) == 1 else None
    return Parameter(
        name=guess.name,
        kind=ParameterKind.INT if whole else ParameterKind.FLOAT,
        low=float(low),
        high=float(high),
        log=all(d.log for d in distributions) and low > 0,
        step=None if step in (None, 1) and whole else step,
    )


def _find_objective(study: Study | StudyContent, objective: str | int | None) -> tuple[int, str]:
    """Return the place and the name of the objective that is asked for."""
    count = len(study.directions)
    names = list(study.metric_names or [])
    if objective is None and count > 1:
        raise InputError(
            "the study has several objectives",
            needs=f"{arg('objective')}, the position of one of them" + " or name" * bool(names),
            got=check.some(map(repr, names)) if names else f"{count} without names",
        )
    if isinstance(objective, str):
        if not names and count == 1:
            return 0, objective
        return names.index(check.one_of("objective", objective, names)), objective
    position = check.whole_number(
        "objective", 0 if objective is None else objective, low=0, high=count - 1
    )
    usual = "value" if count == 1 else f"objective {position}"
    return position, names[position] if names else usual


def read_url(url: str, ask: TrialsRequest) -> Trials:
    """Read a study from a storage URL such as `sqlite:///study.db`."""
    return read_study(open_study_url(url, ask.study), replace(ask, study=None))


def read_sqlite(path: Path, ask: TrialsRequest) -> Trials:
    """Read a study from a SQLite file, which is opened for reading only."""
    return read_study(open_study_sqlite(path, ask.study), replace(ask, study=None))


def read_journal(path: Path, ask: TrialsRequest) -> Trials:
    """Read a study from a journal file."""
    return read_study(open_study_journal(path, ask.study), replace(ask, study=None))


@dataclass(frozen=True)
class StudyContent:
    """What a storage held of a study, with the names that a study has: nothing is read later."""

    study_name: str
    directions: Sequence[StudyDirection]
    metric_names: Sequence[str]
    trials: Sequence[FrozenTrial]

    def get_trials(self, deepcopy: bool = False) -> list[FrozenTrial]:
        """Return the trials."""
        return list(self.trials)


def open_study_url(url: str, name: str | None) -> StudyContent:
    """Return the study of a storage URL."""
    if url.startswith(LOCAL) and not url.startswith(LOCAL + "file:"):
        path = Path(url.removeprefix(LOCAL).partition("?")[0])
        refuse_absent(path, "a SQLite file of Optuna")
        return open_study_sqlite(path, name)
    with _open_storage(url) as storage:
        return _load_study(storage, name, url.rpartition("@")[2])


def open_study_sqlite(path: Path, name: str | None) -> StudyContent:
    """Return the study of a SQLite file, which is opened for reading only."""
    # Late: a study that is in memory needs no stores.
    from earnest.store.guard import connect_guarded, distrust, refuse_large, refuse_programs

    real = path.resolve()
    needs = "a SQLite file as Optuna writes it: plain tables"
    with foreign_content(path, needs=needs), closing(connect_guarded(real)) as base:
        refuse_programs(base)
        refuse_large(base)
        longest = base.getlimit(sqlite3.SQLITE_LIMIT_LENGTH)

    def opened() -> sqlite3.Connection:
        base = sqlite3.connect(f"{real.as_uri()}?mode=ro", uri=True, check_same_thread=False)
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
        distrust(base)
        return base

    # Connected by hand: a path within a URL of SQLAlchemy may not have every sign.
    with _open_storage("sqlite://", {"creator": opened, "poolclass": _find_pool()}) as storage:
        return _load_study(storage, name, path.name)


def open_study_journal(path: Path, name: str | None) -> StudyContent:
    """Return the study of a journal file."""
    _require_optuna()
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    with foreign_content(path, needs="a complete Optuna journal"):
        storage = JournalStorage(JournalFileBackend(str(path)))
    return _load_study(storage, name, path.name)


def _load_study(storage: BaseStorage, name: str | None, where: str) -> StudyContent:
    """Read all of a study through the door for what other libraries read."""
    with foreign_content(where, needs="a complete Optuna storage"):
        names = [str(entry.study_name) for entry in storage.get_all_studies()]
    study_name = _find_study(names, name, where)
    with foreign_content(where, needs="a complete Optuna storage"):
        import optuna

        study = optuna.load_study(study_name=study_name, storage=storage)
        read = StudyContent(
            study_name,
            list(study.directions),
            [str(entry) for entry in study.metric_names or []],
            study.get_trials(deepcopy=False),
        )
    _refuse_damaged(read, where)
    return read


def _refuse_damaged(study: StudyContent, where: str) -> None:
    """Refuse a storage that lacks rows which Optuna writes together, and reads apart."""
    count = len(study.directions)
    lacking = [
        trial.number
        for trial in study.trials
        if trial.state.name == "COMPLETE"
        and [_is_number(value) for value in trial.values or ()] != [True] * count
    ]
    if lacking or not count or len(study.metric_names) not in (0, count):
        raise FormatError(
            f"{where!r} cannot be read",
            needs="a complete Optuna storage, with a value for every objective of each trial",
            got=f"no value of trial {check.some(lacking)}" if lacking else f"{count} objectives",
        )


def _is_number(value: object) -> bool:
    """Tell whether a value is a number that a float can be."""
    return isinstance(value, float) or (isinstance(value, int) and abs(value) < 1 << 1000)


def _find_study(names: list[str], name: str | None, where: str) -> str:
    """Return the name of the study that is meant."""
    if name is None and len(names) == 1:
        name = names[0]
    if name is None or name not in names:
        raise InputError(
            f"{where!r} has no studies"
            if not names
            else f"study {name!r} is not in {where!r}"
            if name
            else f"{where!r} has several studies",
            needs=f"{arg('study')}, one of {check.some(map(repr, names), limit=10)}"
            if names
            else "",
            cure=check.nearest(name, names) if name else "",
        )
    return name


@contextmanager
def _open_storage(url: str, engine: dict[str, object] | None = None) -> Iterator[RDBStorage]:
    _require_optuna()
    from alembic.util.exc import CommandError  # of the tool by which Optuna numbers its tables
    from optuna.exceptions import OptunaError
    from optuna.storages import RDBStorage
    from sqlalchemy.exc import SQLAlchemyError

    errors = (OptunaError, SQLAlchemyError, CommandError, ImportError, RuntimeError, ValueError)
    try:
        storage = RDBStorage(url, engine_kwargs=engine, skip_table_creation=True)
    except errors as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise FormatError(
            "the storage cannot be read",
            needs="an existing Optuna storage of this version",
            got=reason[0],
            cure="Use `optuna storage upgrade` for an older one.",
        ) from error
    try:
        yield storage
    finally:
        storage.remove_session()
        storage.engine.dispose()


def _require_optuna() -> None:
    try:
        import optuna  # noqa: F401  # only whether it is there
    except ModuleNotFoundError as error:
        raise InputError(
            "Optuna is not installed",
            needs="the library that wrote the study",
            cure=tell_install("optuna"),
        ) from error


def _find_pool() -> type[Pool]:
    """Return the pool that closes each connection when it is given back."""
    _require_optuna()
    from sqlalchemy.pool import NullPool

    return NullPool


register(TrialsReader(name="optuna", words="an Optuna study", takes=is_study, read=read_study))
register(
    TrialsReader(
        name="optuna_search",
        words="a fitted OptunaSearchCV",
        takes=has_study,
        read=read_study_of,
    )
)
register(
    TrialsReader(
        name="optuna_url",
        words="the URL of an Optuna storage",
        takes=lambda source: isinstance(source, str) and "://" in source,
        read=read_url,
    )
)
