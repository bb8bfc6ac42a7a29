"""Named things: registered where they are defined or installed, found by name or nearest name.

A name may come with knobs, as `delong(variant='logit')`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from earnest.core.base.check import nearest, show
from earnest.core.base.errors import InputError, PluginWarning, UnknownNameError
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry(Generic[T]):
    """A table of named things of one kind that refuses a name given twice.

    A name may be written with capitals, blanks or hyphens, or without its underscores.

    With a `group`, what installed packages offer under that group of entry points is added when
    the registry is first asked, never when earnest is imported. An entry point names the thing
    itself, or a module that registers what it has. One that cannot be used is left out with a
    `PluginWarning`.

    Parameters
    ----------
    kind : str
        What the things are called in messages.
    group : str, optional
        The group of entry points whose things are added.
    adopt : callable, optional
        Registers a thing that an entry point names, and raises if it cannot be used.

    Examples
    --------
    >>> from earnest.core.base.registry import Registry
    >>> fruits = Registry("fruit")
    >>> _ = fruits.add("pear", 1, aliases=("pyrus",))
    >>> fruits["pyrus"]
    1
    >>> fruits["Pear"], fruits.canonical("py-rus")
    (1, 'pear')
    >>> list(fruits)
    ['pear']
    """

    def __init__(
        self, kind: str, *, group: str = "", adopt: Callable[[T], object] | None = None
    ) -> None:
        self.kind = kind
        self._things: dict[str, T] = {}
        self._aliases: dict[str, str] = {}
        self._loose: dict[str, str] = {}
        self._group, self._adopt = group, adopt
        self._lock, self._loading, self._loaded = RLock(), False, not group

    def add(self, name: str, thing: T, aliases: tuple[str, ...] = ()) -> T:
        """Register `thing` under `name` and `aliases`, and return it."""
        for word in (name, *aliases):
            if word in self._things or word in self._aliases:
                raise ValueError(f"{self.kind} {word!r} is registered twice")
            other = self._loose.get(_squeeze(word), name)
            if other != name:  # a user who writes it otherwise would get the other one
                raise ValueError(f"{self.kind} {word!r} already stands for {other!r}")
        self._things = dict(sorted([*self._things.items(), (name, thing)], key=_order))
        self._aliases.update(dict.fromkeys(aliases, name))
        for word in (name, *aliases):
            self._loose.setdefault(_squeeze(word), name)
        return thing

    def remove(self, name: str) -> T:
        """Take a thing out again with its aliases, and return it."""
        thing = self[name]
        name = self.canonical(name)
        del self._things[name]
        self._aliases = {word: of for word, of in self._aliases.items() if of != name}
        self._loose = {word: of for word, of in self._loose.items() if of != name}
        return thing

    def canonical(self, name: str) -> str:
        """Return the name that an alias stands for, however it is written."""
        self._load()
        if name in self._things:
            return name
        return self._aliases.get(name) or self._loose.get(_squeeze(name), name)

    def __getitem__(self, name: str) -> T:
        """Return the thing of that name or alias."""
        if name not in self:
            raise UnknownNameError(
                f"{self.kind} {show(name)} is unknown",
                needs=", ".join(self._things),
                cure=nearest(str(name), [*self._things, *self._aliases]),
            )
        return self._things[self.canonical(name)]

    def __contains__(self, name: object) -> bool:
        """Tell whether a name or alias is known."""
        return isinstance(name, str) and self.canonical(name) in self._things

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in alphabetical order."""
        self._load()
        return iter(self._things)

    def __len__(self) -> int:
        """Count the things, aliases aside."""
        self._load()
        return len(self._things)

    def values(self) -> list[T]:
        """Return the things in the order of their names."""
        self._load()
        return list(self._things.values())

    def _load(self) -> None:
        """Add what installed packages offer, the first time that anything is asked."""
        if self._loaded:
            return
        with self._lock:
            if self._loading:  # another thread has loaded them, or a plug-in asks meanwhile
                return
            self._loading = True
            try:
                for entry in _find_entry_points(self._group):
                    self._load_plug_in(entry)
            finally:
                self._loaded = True

    def _load_plug_in(self, entry: EntryPoint) -> None:
        try:
            thing = entry.load()
            is_registered = any(thing is registered for registered in self._things.values())
            if self._adopt is not None and not is_registered and not isinstance(thing, ModuleType):
                self._adopt(thing)
        except Exception as error:  # noqa: BLE001  # whatever a package does, earnest goes on
            _warn_once(self.kind, entry, error)


def _find_entry_points(group: str) -> list[EntryPoint]:
    """Return the entry points of a group in an order that does not depend on the machine."""
    from importlib.metadata import entry_points

    return sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value))


_TOLD: set[str] = set()  # entry points that were warned of: two registries may share a group


def _warn_once(kind: str, entry: EntryPoint, error: Exception) -> None:
    package = "An unknown package" if entry.dist is None else f"Package {entry.dist.name!r}"
    if entry.value in _TOLD:
        return
    _TOLD.add(entry.value)
    warnings.warn(
        f"{package} offers the {kind} {entry.name!r}, which cannot be used: "
        f"{type(error).__name__}: {error}. Update or uninstall the package.",
        PluginWarning,
        stacklevel=6,
    )


def _order(entry: tuple[str, object]) -> str:
    """Sort by name, '.632' as 632: the order of imports and of plug-ins must not show."""
    return entry[0].lstrip(".")


def _squeeze(name: str) -> str:
    """Return a name without what people write in different ways."""
    return re.sub(r"[\s_-]+", "", name.casefold())


def split_knobs(
    name: str, what: str = "metric", example: str = "'f_beta(beta=0.5)'"
) -> tuple[str, dict[str, object]]:
    """Split `word(knob=value, ...)` into the word and its knobs; nothing in it is executed.

    An error names `what` has the knobs, and shows an `example`.

    Examples
    --------
    >>> from earnest.core.base.registry import split_knobs
    >>> split_knobs("risk(costs=(5, 1))")
    ('risk', {'costs': (5, 1)})
    >>> split_knobs("roc_auc")
    ('roc_auc', {})
    >>> split_knobs("delong(variant='logit')")
    ('delong', {'variant': 'logit'})
    """
    word, opening, arguments = name.strip().partition("(")
    if not opening:
        return word, {}
    if not re.fullmatch(r"\.?\w+\+?", word):
        raise _make_unreadable_error(name, what, example)
    try:
        call = ast.parse(f"_({arguments}", mode="eval").body
    except (SyntaxError, ValueError):
        raise _make_unreadable_error(name, what, example) from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise _make_unreadable_error(name, what, example)
    knobs: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise _make_unreadable_error(name, what, example)
        try:
            knobs[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError, RecursionError):
            raise _make_unreadable_error(name, what, example) from None
    return word, knobs


def _make_unreadable_error(name: str, what: str, example: str) -> InputError:
    return InputError(
        f"the options of a {what} cannot be read",
        needs=f"name(option=value, ...) with plain values, such as {example}",
        got=show(name),
    )


def configure(
    kinds: Registry[type[Any]],
    name_or_object: str | T,
    knobs: Mapping[str, object],
    *,
    example: str,
    members: Iterable[str] = ("spec",),
) -> T:
    """Return a method or a test of a name with its knobs; an instance as it is.

    Knobs stand in one place: in the name, as `"delong(variant='logit')"`, among the arguments, or
    in a configured instance. Those that are None were not given.

    Parameters
    ----------
    kinds : Registry
        The methods, or the tests.
    name_or_object : str or instance
        A name, perhaps with knobs, or a configured instance.
    knobs : mapping of str to object
        What was passed beside it.
    example : str
        A name with knobs, for the error about one that cannot be read.
    members : iterable of str
        What a configured instance has.

    Examples
    --------
    >>> from earnest.methods import METHODS
    >>> from earnest.core.base.registry import configure
    >>> configure(METHODS, "bbc(limits='drawn')", {"n_resamples": 200}, example="").limits
    'drawn'
    """
    what, wanted = kinds.kind, {name: value for name, value in knobs.items() if value is not None}
    if isinstance(name_or_object, str):
        word, typed = split_knobs(name_or_object, what, example)
        kind = kinds[word]
        _refuse_unknown(what, kind, [*typed, *wanted])
        _refuse_twice(what, [name for name in typed if name in wanted])
        thing: T = kind(**{**_find_preset(kind, word), **typed, **wanted})
        return thing
    if isinstance(name_or_object, type) or not all(
        hasattr(name_or_object, name) for name in members
    ):
        raise InputError(
            f"`{what}` cannot be read",
            needs=f"a name or a configured {what}",
            got=show(name_or_object),
            cure=f"Write {name_or_object.__name__}()." if isinstance(name_or_object, type) else "",
        )
    if wanted:
        raise InputError(
            f"{_list_names(wanted)} cannot be combined with a configured {what}",
            needs="options in one place",
            cure=f"Set them on the instance: {type(name_or_object).__name__}"
            f"({_list_names(wanted)}=...).",
        )
    return name_or_object


def _find_preset(kind: type[Any], word: str) -> Mapping[str, object]:
    """Return the knobs that a name of a kind stands for; its own name and aliases set none."""
    presets: Mapping[str, Mapping[str, object]] = getattr(kind.spec, "presets", {})
    return next((knobs for name, knobs in presets.items() if _squeeze(name) == _squeeze(word)), {})


def _refuse_unknown(what: str, kind: type[Any], names: Iterable[str]) -> None:
    knob_names = {f.name for f in fields(kind)}
    unknown = [name for name in names if name not in knob_names]
    if unknown:
        raise InputError(
            f"{what} {kind.spec.name!r} has no option {_list_names(unknown)}",
            needs=", ".join(sorted(knob_names)) or "no options",
            cure="Leave it out.",
        )


def _refuse_twice(what: str, twice: list[str]) -> None:
    if twice:
        raise InputError(
            f"{_list_names(twice)} given twice, in the name of the {what} and as an argument",
            needs="options in one place",
            cure="Leave one of them out.",
        )


def _list_names(names: Iterable[str]) -> str:
    return ", ".join(arg(name) for name in names)
