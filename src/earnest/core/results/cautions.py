"""Cautions: coded remarks that travel with a result as facts, and are put in words when shown.

A caution holds its code, its kind and its facts. The catalogue, `earnest.core.cautions`, holds the
words: a function per kind writes from the facts what was seen, what follows and what to do, for the
door by which the reader came. What other rooms need to know of a caution are properties of its
kind, so that none of them looks at a code.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Generic, NamedTuple, ParamSpec, Self, get_type_hints

import numpy as np

from earnest.core.base.provenance import JsonObject
from earnest.core.results.base import OPTIONAL, Plain, read_value
from earnest.core.text.cleaning import clean_line
from earnest.core.text.doors import current_door, render

CATALOGUE = "earnest.core.cautions"

P = ParamSpec("P")


class Severity(StrEnum):
    """How much a remark matters: a caution bears on the number, a note explains it."""

    CAUTION = "caution"
    NOTE = "note"


class Scope(StrEnum):
    """What a caution is about, as far as it decides where the caution is shown or carried on."""

    EVIDENCE = "evidence"  # the data and all else
    SEARCH = "search"  # all configurations together
    SCORING = "scoring"  # by what the search chose
    SELECTION = "selection"  # whether anything was selected, and corrected for
    OPTIMISM = "optimism"  # how far the winner's own score flatters
    WINNER = "winner"  # the configuration that won
    FOLDS = "folds"  # scores of single folds
    UNTESTED = "untested"  # cases that no fold tests
    OVERLAP = "overlap"  # test sets that overlap
    PAIR = "pair"  # two configurations that predict the same
    TABLE = "table"  # a pair as one of all pairs of its table
    SPREAD = "spread"  # cases or draws that do not vary
    AREA = "area"  # an AUC whose scores do not vary
    ORDER = "order"  # the order in which configurations were tried
    LEARNING = "learning"  # models of fewer training cases
    THRESHOLD = "threshold"  # thresholds of scores
    EDGE = "edge"  # ends of the ranges that were searched


class Verb(StrEnum):
    """What the user called, where the advice depends on it."""

    SEARCH = "search"
    TUNE = "tune"


class Words(NamedTuple):
    """What was seen, what follows from it, and what to do; each a sentence or more."""

    what: str
    consequence: str
    cure: str = ""


@dataclass(frozen=True)
class Caution(Plain):
    """A coded remark on a result.

    Kinds of the catalogue make it from their facts; its words are written when they are read.

    Parameters
    ----------
    kind : str
        What was seen: the name of its function in the catalogue.
    facts : mapping
        Numbers and names that the words are written from.
    severity : Severity
        Caution or note.
    verb : Verb, optional
        What was called, if the advice depends on it.
    against : tuple of str, optional
        The configurations whose comparisons with the best have it, if not all have.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 100)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((200, 50))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(200) // 2 % 10)
    >>> caution = en.estimate(pi, metric="roc_auc", rng=7).cautions[0]
    >>> caution.code
    'EN001'
    >>> caution.cure
    'Report the corrected value with its interval.'
    >>> caution.facts["level"]
    0.95
    """

    code: str = field(init=False)  # stable, and shared by kinds that users treat alike
    kind: str
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)
    severity: Severity = Severity.CAUTION
    verb: Verb | None = field(default=None, metadata=OPTIONAL)
    against: tuple[str, ...] | None = field(default=None, metadata=OPTIONAL)

    def __post_init__(self) -> None:
        """Look up the code; a kind that the catalogue does not have is refused."""
        object.__setattr__(self, "code", find_caution_kind(self.kind).code)

    @property
    def what(self) -> str:
        """What was seen."""
        seen = render(self._write().what)
        if not self.against:
            return seen
        others = f" and {len(self.against) - 1} more" if len(self.against) > 1 else ""
        return f"Against {self.against[0]}{others}: {seen}"

    @property
    def consequence(self) -> str:
        """What follows from it."""
        return render(self._write().consequence)

    @property
    def cure(self) -> str:
        """What to do; empty where there is nothing to do."""
        cure = self._write().cure
        return render(find_caution_kind(self.kind).advise(self.verb) or cure) if cure else ""

    @property
    def about(self) -> Scope:
        """What it is about."""
        return find_caution_kind(self.kind).about

    @property
    def changes_with_level(self) -> bool:
        """Whether another level or side of the interval may not deserve it."""
        return find_caution_kind(self.kind).changes_with_level

    def for_verb(self, verb: Verb) -> Caution:
        """Return the same remark with the advice for those who called a verb, if it has some."""
        return replace(self, verb=verb) if find_caution_kind(self.kind).advise(verb) else self

    def graded(self, severity: Severity) -> Caution:
        """Return the same remark with another severity."""
        return replace(self, severity=severity)

    def _write(self) -> Words:
        return find_caution_kind(self.kind).write(**self.facts)

    def __str__(self) -> str:
        """Return the remark as one line."""
        parts = (self.code, self.what, self.consequence, self.cure)
        return clean_line(" ".join(words for words in parts if words))

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Make it from the plain data of `to_dict`, whose facts are read by the kind's types."""
        plain = super().from_dict(data)
        return replace(plain, facts=find_caution_kind(plain.kind).read(plain.facts))


class Kind(Generic[P]):
    """A kind of caution: called with facts it makes a caution, and it writes the words from them.

    Parameters
    ----------
    write : callable
        Writes the words; its parameters are the facts, its name is that of the kind.
    code : str
        The code of its cautions.
    severity : Severity
        How much they matter, unless a producer grades them.
    about : Scope
        What they are about.
    changes_with_level : bool
        Whether another level or side may not deserve them.
    advice : mapping
        What to do for those who called a verb, instead of the written advice.
    """

    def __init__(
        self,
        write: Callable[P, Words],
        code: str,
        severity: Severity,
        about: Scope,
        *,
        changes_with_level: bool,
        advice: Mapping[Verb, str],
    ) -> None:
        self.write: Callable[..., Words] = write
        self.name = write.__name__
        self.__doc__ = write.__doc__
        self.code, self.severity, self.about = code, severity, about
        self.changes_with_level, self.advice = changes_with_level, advice
        if self.name in _KINDS:
            raise ValueError(f"there are two kinds of caution {self.name!r}")
        _KINDS[self.name] = self

    def __call__(self, *args: P.args, **facts: P.kwargs) -> Caution:
        """Make a caution from its facts."""
        bound = self._signature.bind(*args, **facts)
        bound.apply_defaults()
        plain = {name: _make_plain(value) for name, value in bound.arguments.items()}
        return Caution(self.name, plain, self.severity)

    def advise(self, verb: Verb | None) -> str:
        """Return what to do for those who called a verb; `tune` searches, as `SearchCV` does."""
        search = "" if verb is None else self.advice.get(Verb.SEARCH, "")
        return self.advice.get(verb, search) if verb is not None else ""

    def read(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Read plain facts by the types of the parameters."""
        if set(facts) != set(self.types):
            raise KeyError(f"facts of {self.name!r}: {', '.join(self.types)}")
        return {name: read_value(kind, facts[name]) for name, kind in self.types.items()}

    @cached_property
    def types(self) -> dict[str, Any]:
        """The facts and their types."""
        hints = get_type_hints(self.write)
        return {name: hints[name] for name in self._signature.parameters}

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.write)


_KINDS: dict[str, Kind[...]] = {}


def caution(
    code: str,
    *,
    about: Scope = Scope.EVIDENCE,
    changes_with_level: bool = False,
    advice: Mapping[Verb, str] | None = None,
) -> Callable[[Callable[P, Words]], Kind[P]]:
    """Return what makes a function of the catalogue a kind of caution; see `Kind`."""
    return lambda write: Kind(
        write,
        code,
        Severity.CAUTION,
        about,
        changes_with_level=changes_with_level,
        advice=advice or {},
    )


def note(
    code: str, *, about: Scope = Scope.EVIDENCE, advice: Mapping[Verb, str] | None = None
) -> Callable[[Callable[P, Words]], Kind[P]]:
    """Return what makes a function of the catalogue a kind of note; see `Kind`."""
    return lambda write: Kind(
        write, code, Severity.NOTE, about, changes_with_level=False, advice=advice or {}
    )


def find_caution_kind(name: str) -> Kind[...]:
    """Return a kind of caution by its name."""
    if name not in _KINDS:
        list_kinds()
    if name not in _KINDS:
        raise ValueError(f"caution of kind {name!r} is not in the catalogue")
    return _KINDS[name]


def list_kinds() -> dict[str, Kind[...]]:
    """Return all kinds of caution by name."""
    catalogue = importlib.import_module(CATALOGUE)
    for module in pkgutil.iter_modules(catalogue.__path__):
        importlib.import_module(f"{CATALOGUE}.{module.name}")
    return _KINDS


def write_for(*, python: str, command: str) -> str:
    """Return the words for the door of the reader: Python, or the command line."""
    return python if current_door().is_python else command


def _make_plain(value: Any) -> Any:
    """Return a fact without types of NumPy, lists or enumerations."""
    if isinstance(value, np.generic):
        return _make_plain(value.item())
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): _make_plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return tuple(_make_plain(item) for item in value)
    return value
