"""What identifies a run, as short texts, so that a different run can be told apart and explained.

`describe` gives a text that is the same in every process for values that are the same: of arrays
and tables their content, of an estimator its class and parameters, of a function its name and
code; never an address in memory. A long one ends in a digest.

No version tells of a change in the user's own code, so whatever can be seen of it counts. What
cannot be seen is what is looked up by name while it runs, and objects that hold a state.

Simpler descriptions of a function were tried on 19 changes that users make between a search and its
continuation (a constant, a helper, an array of costs, a comment, a base class), each in processes
of its own. This one is right about all. The hash of the source text takes 8 changed ones for the
same and refuses 2 equal ones; cloudpickle's bytes 6 and 3, since they hold a module of the user's
own by its name and the lines of a script; name, code and constants 8 and 1. With all names of a
function in place of its byte code (`_find_names`) 2 equal ones are refused: a function that counts
its calls in a global, and a global that is called as an attribute is.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import site
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from pickle import PicklingError
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame
    from scipy.sparse import csr_matrix


PLAIN = (type(None), bool, int, float, complex, str, bytes, range, type(Ellipsis))
GROUPS = (list, tuple, set, frozenset)
_LOADS, _STORES = ("LOAD_GLOBAL", "LOAD_NAME"), ("STORE_GLOBAL", "DELETE_GLOBAL")
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
_OF_THE_INTERPRETER = ("_abc_impl",)  # a cache of isinstance


def members(kind: type) -> dict[str, object]:
    """Return what a class is made of: methods, properties and constants, as plain functions."""
    return {
        name: _unwrap(member)
        for name, member in vars(kind).items()
        if isinstance(member, types.FunctionType)
        or not (_is_dunder(name) or name in _OF_THE_INTERPRETER or isinstance(member, _SLOTS))
    }


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _unwrap(member: object) -> object:
    if isinstance(member, property):
        return ["property", member.fget, member.fset, member.fdel]
    if isinstance(member, staticmethod | classmethod):
        return [type(member).__name__, member.__func__]
    if isinstance(member, functools.cached_property):
        return ["cached_property", member.func]
    return _undecorate(member)


def _undecorate(value: object) -> object:
    """Return the function that a cache or a compiler has wrapped; their state does not count."""
    inside = getattr(value, "__dict__", {}).get("__wrapped__")
    plain = isinstance(inside, types.FunctionType) and not isinstance(value, types.FunctionType)
    return inside if plain else value


def find_globals(function: types.FunctionType) -> dict[str, object]:
    """Return the globals that a function reads and whose content can be described.

    These are functions and classes of the user's own, and plain values; also where they are read
    as attributes of a module of the user's own. A global that the function itself sets is a state,
    not a part of it.
    """
    loaded, stored, names = _find_names(function.__code__)
    content: dict[str, object] = {}
    for name in loaded - stored:
        value = _undecorate(function.__globals__.get(name))
        if isinstance(value, types.ModuleType) and not is_installed(value.__name__):
            inside = {f"{name}.{held}": _undecorate(vars(value).get(held)) for held in names}
            content |= {path: held for path, held in inside.items() if _is_counted(held)}
        elif name in function.__globals__ and _is_counted(value):
            content[name] = value
    return dict(sorted(content.items()))


def _find_names(code: types.CodeType) -> tuple[set[str], set[str], set[str]]:
    """Return the globals that are read and set, and all names, in a function and those in it.

    `co_names` alone would count attributes that are called as a global, and globals that it sets.
    """
    loaded: set[str] = set()
    stored: set[str] = set()
    names: set[str] = set()
    for inner in _walk_codes(code):
        names.update(inner.co_names)
        for step in dis.get_instructions(inner):
            if step.opname in _LOADS:
                loaded.add(step.argval)
            elif step.opname in _STORES:
                stored.add(step.argval)
    return loaded, stored, names


def _walk_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _walk_codes(constant)


def _is_counted(value: object) -> bool:
    if isinstance(value, types.FunctionType | type):
        return not is_installed(value.__module__)
    if isinstance(value, functools.partial):
        return True
    return value is not None and _is_plain(value)


def _is_plain(value: object, depth: int = 5) -> bool:
    """Tell whether a value is numbers and text all through, not too deep."""
    if type(value) in PLAIN or isinstance(value, np.generic):
        return True
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject
    if depth and isinstance(value, (list, tuple, set, frozenset)) and type(value) in GROUPS:
        return all(_is_plain(entry, depth - 1) for entry in value)
    if depth and type(value) is dict:
        return all(_is_plain(k) and _is_plain(v, depth - 1) for k, v in value.items())
    return False


@functools.cache
def _find_homes() -> tuple[Path, ...]:
    """Return where installed code lives: its version tells of a change."""
    paths = sysconfig.get_paths()
    homes = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return tuple(Path(path).resolve() for path in {*homes, *site.getsitepackages()})


@functools.cache
def is_installed(name: str | None) -> bool:
    """Tell whether a module belongs to Python or a package, so that a version stands for it."""
    if name is None or name == "__main__" or name not in sys.modules:
        return False
    file = getattr(sys.modules[name], "__file__", None)
    if file is None or name.split(".")[0] == "earnest":
        return True  # part of the interpreter, or of this package
    return any(home in Path(file).resolve().parents for home in _find_homes())


Function: TypeAlias = types.FunctionType | types.BuiltinFunctionType | types.MethodType | np.ufunc
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, np.ufunc)
SCALARS = (str, bytes, int, float, complex)
LAW = ("name", "a", "b", "shapes", "xk", "pk", "badvalue")  # what tells distributions apart
RANDOM = (np.random.RandomState, np.random.Generator, np.random.SeedSequence)


class HasParams(Protocol):
    """A learner with hyperparameters, as scikit-learn has them."""

    def get_params(self, deep: bool = True) -> Mapping[str, object]:
        """Return the hyperparameters."""


class FrozenEstimator(Protocol):
    """A fitted learner that is never fitted again."""

    estimator: HasParams


class FrozenDistribution(Protocol):
    """A distribution of scipy with its parameters."""

    dist: object
    args: tuple[object, ...]
    kwds: dict[str, object]


class SparseMatrix(Protocol):
    """A sparse matrix of scipy, in any format."""

    format: str
    shape: tuple[int, ...]

    def tocsr(self) -> csr_matrix:
        """Return it row by row."""


class CanonicalWriter:
    """Writes values as text, and remembers from which libraries their classes are."""

    def __init__(self) -> None:
        self.libraries: set[str] = set()
        self._within: list[int] = []
        self._met: dict[int, object] = {}
        self._known: dict[
            int, tuple[object, str]
        ] = {}  # the value too, or its number may be reused

    def text(self, value: object) -> str:
        """Return the text of a value."""
        if isinstance(value, np.generic) and value.dtype.kind in "biufcSU":
            value = value.item()
        if type(value) in PLAIN:
            return repr(value)
        if id(value) in self._within:
            return f"<{len(self._within) - self._within.index(id(value))} up>"
        if id(value) not in self._known:
            with self._inside(value):
                self._known[id(value)] = value, self._compound(value)
        return self._known[id(value)][1]

    @contextmanager
    def _inside(self, value: object) -> Iterator[None]:
        self._within.append(id(value))
        try:
            yield
        finally:
            self._within.pop()

    def _compound(self, value: object) -> str:
        for holds, write in _WRITERS:
            if holds(value):
                return write(self, value)
        return self._object(value)

    # ---- containers

    def _scalar(self, value: object) -> str:
        kind = next(kind for kind in SCALARS if isinstance(value, kind))
        return f"{self.text(type(value))} {kind.__repr__(value)}"

    def _list(self, value: list[object] | tuple[object, ...]) -> str:
        open_, close = "[]" if isinstance(value, list) else "()"
        return f"{self._named(value)}{open_}{', '.join(map(self.text, value))}{close}"

    def _set(self, value: set[object] | frozenset[object]) -> str:
        return f"{self._named(value)}{{{', '.join(sorted(map(self.text, value)))}}}"

    def _dict(self, value: Mapping[str, object]) -> str:
        pairs = (f"{self.text(k)}: {self.text(v)}" for k, v in value.items())
        return f"{self._named(value)}{{{', '.join(pairs)}}}"

    def _named(self, value: object) -> str:
        """Write the class of a container that is not one of Python's own."""
        return "" if type(value).__module__ == "builtins" else f"{self.text(type(value))} "

    # ---- data

    def _array(self, value: object) -> str:
        array = np.asarray(value)
        head = f"array{array.shape} {array.dtype.descr if array.dtype.names else array.dtype}"
        if array.dtype.hasobject:
            return f"{head} {self._list(array.ravel().tolist())}"
        return f"{head} {_hash(np.ascontiguousarray(array))}"

    def _sparse(self, value: SparseMatrix) -> str:
        rows = value.tocsr().copy()
        rows.sum_duplicates()
        parts = (self._array(array) for array in (rows.data, rows.indices.astype(np.int64)))
        return f"{value.format} {value.shape} {' '.join(parts)} {self._array(rows.indptr)}"

    def _table(self, value: IntoDataFrame) -> str:
        import narwhals as nw

        frame: nw.DataFrame[Any] | nw.Series[Any] = nw.from_native(
            value, eager_only=True, allow_series=True
        )
        series = [frame] if isinstance(frame, nw.Series) else list(frame.iter_columns())
        columns = (f"{s.name!r} {s.dtype} {self.text(s.to_numpy())}" for s in series)
        library = type(value).__module__.split(".")[0]
        return f"{library} [{'; '.join(columns)}]{self._index(value)}"

    def _index(self, value: object) -> str:
        """Write the row names of pandas, unless they only count."""
        index = getattr(value, "index", None)
        if index is None or callable(index) or type(index).__name__ == "RangeIndex":
            return ""
        return f" index {self.text(np.asarray(index))}"

    def _random(
        self, value: np.random.RandomState | np.random.Generator | np.random.SeedSequence
    ) -> str:
        if isinstance(value, np.random.RandomState):
            state: object = value.get_state(legacy=False)
        elif isinstance(value, np.random.Generator):
            state = value.bit_generator.state
        else:
            state = {"entropy": value.entropy, "spawn_key": value.spawn_key}
        return f"{type(value).__name__} {self.text(state)}"

    # ---- code

    def _function(self, value: Function) -> str:
        if isinstance(value, types.MethodType):
            return f"{self.text(value.__self__)}.{value.__func__.__name__}"
        name = getattr(value, "__qualname__", value.__name__)
        head = f"{getattr(value, '__module__', None)}.{name}"
        if not isinstance(value, types.FunctionType) or is_installed(value.__module__):
            self._seen(getattr(value, "__module__", None))
            return head
        cells = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
        parts = (value.__code__, value.__defaults__, value.__kwdefaults__, cells)
        return f"{head} {' '.join(map(self.text, parts))}{self._globals(value)}"

    def _globals(self, value: types.FunctionType) -> str:
        """Write the globals that a function of the user reads, each once."""
        content = find_globals(value).items()
        return "".join(f" {name}={self._once(held)}" for name, held in content)

    def _once(self, value: object) -> str:
        """Write shared code only at its first use, so that the text stays short."""
        if not isinstance(value, (types.FunctionType, type)):
            return self.text(value)
        if id(value) in self._met:
            return f"{value.__module__}.{value.__qualname__}"
        self._met[id(value)] = value
        return self.text(value)

    def _code(self, value: types.CodeType) -> str:
        return f"code {value.co_code.hex()} {self.text(value.co_consts)} {value.co_names}"

    def _partial(self, value: functools.partial[object]) -> str:
        return f"partial {self.text((value.func, value.args, value.keywords))}"

    def _class(self, value: type) -> str:
        head = f"{value.__module__}.{value.__qualname__}"
        if is_installed(value.__module__):
            self._seen(value.__module__)
            return head
        bases = [base for base in value.__bases__ if base is not object]
        return f"{head} {self.text(bases)} {self._dict(members(value))}"

    # ---- objects

    def _estimator(self, value: HasParams) -> str:
        return f"{self.text(type(value))} {self._dict(value.get_params(deep=False))}"

    def _frozen(self, value: FrozenEstimator) -> str:
        """Write an estimator that is used as it was fitted, so that its state counts."""
        return f"{self.text(type(value))} {self.text(value.estimator)} {_hash(value.estimator)}"

    def _distribution(self, value: FrozenDistribution) -> str:
        return f"frozen {self.text((value.dist, value.args, value.kwds))}"

    def _law(self, value: object) -> str:
        """Write a distribution of scipy without its random state."""
        state = {name: setting for name, setting in vars(value).items() if name in LAW}
        return f"{self.text(type(value))} {self._dict(state)}"

    def _object(self, value: object) -> str:
        state = getattr(value, "__dict__", None)
        if isinstance(state, dict) and not hasattr(type(value), "__slots__"):
            return f"{self.text(type(value))} {self._dict(state)}"
        try:
            return f"{self.text(type(value))} {_hash(value)}"
        except (PicklingError, TypeError, AttributeError):
            return self.text(type(value))  # nothing to tell it by but its class

    def _seen(self, module: str | None) -> None:
        self.libraries.add((module or "").split(".")[0])


def _is_table(value: object) -> bool:
    import narwhals as nw

    frame = nw.from_native(value, eager_only=True, allow_series=True, pass_through=True)
    return frame is not value


def _is_frozen(value: object) -> bool:
    return type(value).__module__.split(".")[:2] == ["sklearn", "frozen"]


def _has_parameters(value: object) -> bool:
    return hasattr(type(value), "get_params")


def _is_sparse(value: object) -> bool:
    return hasattr(value, "tocsr") and hasattr(value, "format") and getattr(value, "ndim", 0) == 2


def _is_distribution(value: object) -> bool:
    return all(hasattr(value, name) for name in ("dist", "args", "kwds", "rvs"))


def _is_law(value: object) -> bool:
    return all(hasattr(value, name) for name in ("name", "shapes", "rvs", "ppf"))


def _is_instance_of(*kinds: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kinds)


_WRITERS: tuple[tuple[Callable[[object], bool], Callable[[CanonicalWriter, Any], str]], ...] = (
    (_is_instance_of(Enum), lambda walk, value: f"{walk.text(type(value))}.{value.name}"),
    (_is_instance_of(np.ndarray, np.generic), CanonicalWriter._array),
    (_is_instance_of(*SCALARS), CanonicalWriter._scalar),
    (_is_instance_of(list, tuple), CanonicalWriter._list),
    (_is_instance_of(set, frozenset), CanonicalWriter._set),
    (_is_instance_of(dict), CanonicalWriter._dict),
    (_is_instance_of(*RANDOM), CanonicalWriter._random),
    (_is_instance_of(types.ModuleType), lambda walk, value: f"module {value.__name__}"),
    (_is_instance_of(type), CanonicalWriter._class),
    (_is_instance_of(*FUNCTIONS), CanonicalWriter._function),
    (_is_instance_of(types.CodeType), CanonicalWriter._code),
    (_is_instance_of(functools.partial), CanonicalWriter._partial),
    (_is_sparse, CanonicalWriter._sparse),
    (_is_table, CanonicalWriter._table),
    (_is_frozen, CanonicalWriter._frozen),
    (_has_parameters, CanonicalWriter._estimator),
    (_is_distribution, CanonicalWriter._distribution),
    (_is_law, CanonicalWriter._law),
)


def _hash(value: object) -> str:
    from joblib import hash as joblib_hash

    digest: str = joblib_hash(value)
    return digest


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # not yet bound
        return False


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
    >>> from earnest.engine.identity import describe
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
    >>> from earnest.engine.identity import with_parts
    >>> with_parts("candidates", {"C": [1, 2]}, {"C": [1, 2]})
    {'candidates': "{'C': [1, 2]}", 'candidates: C': '[1, 2]'}
    """
    inner = {f"{name}: {label}": describe(held) for label, held in parts.items()}
    return {name: describe(value), **inner}


def parameters_of(estimator: HasParams) -> dict[str, object]:
    """Return the class and the deep parameters of an estimator; of one within it the class."""
    deep = estimator.get_params(deep=True)
    parameters = {
        name: type(value) if _is_estimator(value) else value
        for name, value in sorted(deep.items())
        if not _is_list_of_estimators(value)  # their own parameters are listed too
    }
    return {"class": type(estimator), **parameters}


def _is_estimator(value: object) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _is_list_of_estimators(value: object) -> bool:
    pairs = value if isinstance(value, list | tuple) else ()
    return any(isinstance(pair, tuple) and any(map(_is_estimator, pair)) for pair in pairs)


def digest(text: str) -> str:
    """Return sixteen hexadecimal digits that stand for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def find_versions(*values: object) -> Mapping[str, str]:
    """Return the versions of Python, earnest and the libraries whose classes are in the values.

    Examples
    --------
    >>> from earnest.engine.identity import find_versions
    >>> sorted(find_versions())[:2]
    ['version of earnest', 'version of numpy']
    """
    from importlib.metadata import version

    walk = CanonicalWriter()
    for value in values:
        walk.text(value)
    names = {"earnest": version("earnest"), "python": "{}.{}".format(*sys.version_info)}
    for name in {*LIBRARIES, *walk.libraries} - set(names):
        module = sys.modules.get(name)
        number = getattr(module, "__version__", None)
        if isinstance(number, str):
            names[name] = number
    return {f"version of {name}": number for name, number in sorted(names.items())}


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
