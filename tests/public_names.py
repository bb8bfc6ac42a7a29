"""The public names: those of `earnest`, and of its namespaces."""

from __future__ import annotations

import earnest
from earnest.core import Registry


def public_names() -> dict[str, object]:
    """Return what each public name stands for, by the name after `earnest.`, each thing once."""
    names = {name: getattr(earnest, name) for name in earnest.__all__}
    for space in earnest.NAMESPACES:
        module = getattr(earnest, space)
        for name in module.__all__:
            thing = getattr(module, name)
            if not isinstance(thing, Registry) and id(thing) not in map(id, names.values()):
                names[f"{space}.{name}"] = thing
    return names
