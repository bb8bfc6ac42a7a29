"""What a run is begun with, as short texts, so that another one is told by what differs.

`describe` gives a text that is the same in every process for values that are the same: of arrays
and tables their content, of an estimator its class and parameters, of a function its name and
code; never an address in memory. A long one ends in a digest.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping

import numpy as np

from earnest.engine.identity.canonical import CanonicalWriter, Estimator
from earnest.engine.identity.user_code import is_installed

LONGEST = 60  # characters up to which a value is shown as it is
LIBRARIES = ("numpy", "scipy", "sklearn")


def describe(value: object) -> str:
    """Return what a value is, in a line: itself if that is short, else its kind and a digest.

    Equal values give equal texts, in this process and in any other. The content of arrays and
    tables counts, not how they lie in memory; of estimators the class and the parameters; of
    functions and classes of the user's own the code too, since no version tells of a change.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.engine.identity.identity import describe
    >>> describe({"C": [0.1, 1.0]})
    "{'C': [0.1, 1.0]}"
    >>> describe(np.zeros((3, 2)))
    'ndarray 3x2 float64 ...'
    """
    text = CanonicalWriter().text(value)
    if len(text) <= LONGEST and text.isprintable() and not getattr(value, "shape", ()):
        return text
    return f"{_name_kind(value)} {digest(text)}"


def with_parts(name: str, value: object, parts: Mapping[str, object]) -> dict[str, str]:
    """Return the description of a value and those of its parts, which tell what differs in it.

    Examples
    --------
    >>> from earnest.engine.identity.identity import with_parts
    >>> with_parts("candidates", {"C": [1, 2]}, {"C": [1, 2]})
    {'candidates': "{'C': [1, 2]}", 'candidates: C': '[1, 2]'}
    """
    own = {f"{name}: {part}": describe(held) for part, held in parts.items()}
    return {name: describe(value), **own}


def parameters_of(estimator: Estimator) -> dict[str, object]:
    """Return the class and the deep parameters of an estimator; of one within it the class."""
    deep = estimator.get_params(deep=True)
    made = {
        name: type(value) if _is_estimator(value) else value
        for name, value in sorted(deep.items())
        if not _lists_estimators(value)  # their own parameters are listed too
    }
    return {"class": type(estimator), **made}


def _is_estimator(value: object) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _lists_estimators(value: object) -> bool:
    pairs = value if isinstance(value, list | tuple) else ()
    return any(isinstance(pair, tuple) and any(map(_is_estimator, pair)) for pair in pairs)


def digest(text: str) -> str:
    """Return sixteen hexadecimal digits that stand for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def versions(*values: object) -> Mapping[str, str]:
    """Return the versions of Python, earnest and the libraries whose classes are in the values.

    Examples
    --------
    >>> from earnest.engine.identity.identity import versions
    >>> sorted(versions())[:2]
    ['version of earnest', 'version of numpy']
    """
    from importlib.metadata import version

    walk = CanonicalWriter()
    for value in values:
        walk.text(value)
    found = {"earnest": version("earnest"), "python": "{}.{}".format(*sys.version_info)}
    for name in sorted({*LIBRARIES, *walk.libraries}):
        module = sys.modules.get(name)
        said = getattr(module, "__version__", None)
        if isinstance(said, str):
            found[name] = said
    return {f"version of {name}": said for name, said in sorted(found.items())}


def _name_kind(value: object) -> str:
    """Return how a value is called where it is too long to be shown."""
    if isinstance(value, type):
        return f"class {value.__name__}{'' if is_installed(value.__module__) else ' with code'}"
    name = type(value).__name__
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and all(isinstance(part, (int, np.integer)) for part in shape):
        size = "x".join(map(str, shape))
        dtype = getattr(value, "dtype", None)
        plain = isinstance(dtype, np.dtype) and dtype.names is None
        return f"{name} {size} {dtype}" if plain else f"{name} {size}"
    steps = getattr(value, "steps", None)
    if isinstance(steps, list):
        return f"{name} of {', '.join(type(step[-1]).__name__ for step in steps)}"
    if isinstance(value, (list, tuple, dict, set, frozenset)):
        return f"{name} of {len(value)}"
    return name
