"""Named things: registered where they are defined, found by name or nearest name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Generic, TypeVar

from earnest.core.base.check import nearest, show
from earnest.core.base.errors import UnknownNameError

T = TypeVar("T")


class Registry(Generic[T]):
    """A table of named things of one kind that refuses a name given twice.

    A name may be written with capitals, blanks or hyphens, or without its underscores.

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

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._things: dict[str, T] = {}
        self._aliases: dict[str, str] = {}
        self._loose: dict[str, str] = {}

    def add(self, name: str, thing: T, aliases: tuple[str, ...] = ()) -> T:
        """Register `thing` under `name` and `aliases`, and return it."""
        for word in (name, *aliases):
            if word in self._things or word in self._aliases:
                raise ValueError(f"{self.kind} {word!r} is registered twice")
            other = self._loose.get(_squeezed(word), name)
            if other != name:  # a user who writes it otherwise would get the other one
                raise ValueError(f"{self.kind} {word!r} is read as {other!r}")
        self._things = dict(sorted([*self._things.items(), (name, thing)], key=_order))
        self._aliases.update(dict.fromkeys(aliases, name))
        for word in (name, *aliases):
            self._loose.setdefault(_squeezed(word), name)
        return thing

    def canonical(self, name: str) -> str:
        """Return the name that an alias stands for, however it is written."""
        if name in self._things:
            return name
        return self._aliases.get(name) or self._loose.get(_squeezed(name), name)

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
        return iter(self._things)

    def __len__(self) -> int:
        """Count the things, aliases aside."""
        return len(self._things)

    def values(self) -> list[T]:
        """Return the things in the order of their names."""
        return list(self._things.values())


def _order(entry: tuple[str, object]) -> str:
    """Sort by name, '.632' as 632: the order of imports and of plug-ins must not show."""
    return entry[0].lstrip(".")


def _squeezed(name: str) -> str:
    """Return a name without what people write in different ways."""
    return re.sub(r"[\s_-]+", "", name.casefold())
