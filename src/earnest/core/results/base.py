"""What every result is: plain data that are saved and loaded, a table, and something to show.

A result and its parts are dataclasses. Their plain data, for JSON, are a dict of their fields, and
are read back by the types of the fields.
"""

from __future__ import annotations

import json
import math
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import MISSING, Field, dataclass, fields
from enum import Enum
from functools import cache, partial
from numbers import Integral, Real
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Self,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.provenance import JsonObject, finite
from earnest.core.base.writing import write_file
from earnest.core.text.cleaning import clean_line

if TYPE_CHECKING:
    from earnest.core.results.estimate import Scale
    from earnest.core.text.paper import PaperTable

# How a field is written, as the `metadata` of a dataclass field.
FLAT = {"flat": True}  # the parts of its value stand among the others
HIDDEN = {"hidden": True}  # not at all
OPTIONAL = {"optional": True}  # not where it is None
DRAWN = {"drawn": True, **OPTIONAL}  # nor without the resampled values, which it holds
LOW_END, HIGH_END = {"none": -math.inf}, {"none": math.inf}  # None stands for an open end

Reader: TypeAlias = Callable[[Any], Any]
# How to read the types that are not `Plain` themselves.
READERS: dict[object, Reader] = {}
Sheet: TypeAlias = Annotated[NDArray[np.float64], "two dimensions"]


class Plain:
    """The base of dataclasses that are written and read as a dict of their fields.

    Numbers that JSON cannot hold are written as None. Arrays are resampled values: without `draws`
    they are None.

    Attributes
    ----------
    derived : tuple of str
        The properties that plain data hold beside the fields.

    Examples
    --------
    >>> from earnest.core.results.interval import Interval
    >>> Interval(0.8, float("inf"), 0.95, "lower").to_dict()
    {'low': 0.8, 'high': None, 'confidence_level': 0.95, 'side': 'lower'}
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    derived: ClassVar[tuple[str, ...]] = ()

    def to_dict(self, *, draws: bool = True) -> dict[str, Any]:
        """Return plain data, with or without the resampled values."""
        data: dict[str, Any] = {}
        for field in fields(self):
            if "hidden" in field.metadata or ("drawn" in field.metadata and not draws):
                continue
            written = write_plain(getattr(self, field.name), draws=draws)
            if written is None and "optional" in field.metadata:
                continue
            data |= written if "flat" in field.metadata else {_key(field): written}
        return data | {name: write_plain(getattr(self, name)) for name in self.derived}

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Make it from the plain data of `to_dict`.

        A missing part is a KeyError, and one of another type is a TypeError.
        """
        parts = {}
        for reader in _find_parts(cast(Any, cls)):
            if reader.flat:
                parts[reader.name] = reader.read(data)
            elif reader.required or reader.key in data:
                value = data[reader.key]
                if value is None and reader.none is not None:
                    parts[reader.name] = reader.none
                    continue
                try:
                    parts[reader.name] = reader.read(value)
                except OtherTypeError as error:
                    raise TypeError(
                        f"{reader.name} is {check.show(value)}, which is not {reader.kind}"
                    ) from error
        return cls(**parts)


class OtherTypeError(TypeError):
    """A value of plain data is of another type than that of its field."""


@dataclass(frozen=True)
class _Part:
    """How a field is read: its key, its type in words, and what reads it."""

    name: str
    key: str
    kind: str
    read: Reader
    required: bool
    flat: bool
    none: float | None


@cache
def _find_parts(kind: Any) -> tuple[_Part, ...]:
    """Return how the fields of a class are read, kept: a table has thousands of the same."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        _Part(
            name=part.name,
            key=_key(part),
            kind=str(part.type),
            read=_make_reader(hints[part.name]),
            required=part.default is MISSING and part.default_factory is MISSING,
            flat="flat" in part.metadata,
            none=part.metadata.get("none"),
        )
        for part in fields(kind)
        if part.init and "hidden" not in part.metadata
    )


def _key(field: Field[Any]) -> str:
    key: str = field.metadata.get("key", field.name)
    return key


def write_plain(value: Any, *, draws: bool = True) -> Any:
    """Return a value as JSON can hold it."""
    if isinstance(value, Enum):
        return str(value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Plain):
        return value.to_dict(draws=draws)
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, np.ndarray):
        return _write_array(value) if draws else None
    if isinstance(value, Mapping):
        return {key: write_plain(item, draws=draws) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [write_plain(item, draws=draws) for item in value]
    return value.to_dict(draws=draws) if hasattr(value, "to_dict") else value


def _write_array(values: NDArray[Any]) -> list[Any]:
    if values.ndim > 1:
        return [_write_array(row) for row in values]
    return [finite(number) for number in values.tolist()]


@cache
def _make_reader(kind: Any) -> Reader:
    """Return what reads a value of plain data as a type says, and refuses one of another type."""
    if kind in READERS:
        return READERS[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if hasattr(
        origin, "__value__"
    ):  # an alias of `type X[T] = ...`, as NDArray is from NumPy 2.5 on
        return _make_reader(origin.__value__[inner])
    if origin in (Union, types.UnionType):
        (present,) = (member for member in inner if member is not type(None))
        if present is float:
            return _read_optional_float
        read = _make_reader(present)
        return lambda value: None if value is None else read(value)
    if origin is np.ndarray:
        (number,) = get_args(inner[-1])
        return _read_counts if issubclass(number, np.integer) else read_array
    if origin is tuple:
        readers = tuple(_make_reader(member) for member in inner if member is not Ellipsis)
        return partial(_read_tuple, readers=readers, any_length=inner[-1] is Ellipsis)
    if origin is Mapping:
        return partial(_read_mapping, read=_make_reader(inner[1]))
    if isinstance(kind, type) and issubclass(kind, Plain):
        return kind.from_dict
    return kind if isinstance(kind, type) and issubclass(kind, Enum) else _keep


def read_value(kind: Any, value: Any) -> Any:
    """Return a value of plain data as a type says; one of another type is a TypeError."""
    return _make_reader(kind)(value)


def _keep(value: Any) -> Any:
    return value


def _read_float(value: Any) -> Any:
    if type(value) is float and math.isfinite(value):  # nearly all
        return value
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise OtherTypeError  # what is not finite is written as None
    return value


def _read_optional_float(value: Any) -> Any:
    if type(value) is float and math.isfinite(value):  # nearly all
        return value
    return None if value is None else _read_float(value)


def _read_int(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise OtherTypeError
    float(value)  # an OverflowError beyond the range of floats, in which sizes are compared
    return value


def _read_bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise OtherTypeError
    return value


def _read_str(value: Any) -> str:
    if not isinstance(value, str):
        raise OtherTypeError
    return value


def read_array(value: Any) -> NDArray[np.float64]:
    """Return a list of numbers as an array, with NaN for None."""
    if not isinstance(value, list | tuple):
        raise OtherTypeError
    values = np.array(value, dtype=np.float64)  # None is NaN
    if values.ndim != 1 or np.isinf(values).any():
        raise OtherTypeError
    return values


def _read_counts(value: Any) -> NDArray[np.intp]:
    numbers = read_array(value)
    if not (numbers == np.floor(numbers)).all():  # nor NaN
        raise OtherTypeError
    return numbers.astype(np.intp)


def read_sheet(value: Any) -> NDArray[np.float64]:
    """Return a list of rows of numbers as a table, with NaN for None."""
    if not isinstance(value, list | tuple) or not value:
        raise OtherTypeError
    return np.stack([read_array(row) for row in value])


def _read_tuple(value: Any, *, readers: tuple[Reader, ...], any_length: bool) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple) or not (any_length or len(value) == len(readers)):
        raise OtherTypeError
    if any_length:
        return tuple(map(readers[0], value))
    return tuple(read(item) for read, item in zip(readers, value, strict=True))


def _read_mapping(value: Any, *, read: Reader) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise OtherTypeError
    return {str(key): read(item) for key, item in value.items()}


READERS.update({float: _read_float, int: _read_int, bool: _read_bool, str: _read_str})
READERS[Sheet] = read_sheet


def parse_json(text: str | bytes, *, strict: bool = False) -> Any:
    """Return the value of a JSON text; anything else is a ValueError.

    Python's parser has an error of its own for brackets within brackets by the thousand. With
    `strict`, NaN and Infinity are refused, which Python's parser takes although JSON has neither,
    and so are numbers that it would round to infinity, such as 1e400.

    Examples
    --------
    >>> from earnest.core.results.base import parse_json
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
        ...
    ValueError: the JSON is nested too deeply
    """
    try:
        if strict:
            return json.loads(text, parse_constant=_refuse_constant, parse_float=_read_finite)
        return json.loads(text)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number of JSON")


def _read_finite(word: str) -> float:
    number = float(word)
    if math.isinf(number):
        raise ValueError(f"{word} is too large for a number")
    return number


def write_result(data: Mapping[str, object], path: str | Path) -> Path:
    """Write the plain data of a result, and return where to."""
    return write_file(path, json.dumps(data, indent=2, allow_nan=False) + "\n")


def is_page(path: str | Path) -> bool:
    """Tell whether a file is to be a page, by its name."""
    return Path(path).suffix.lower() in (".html", ".htm")


def read_result(path: str | Path) -> Any:
    """Read the plain data of a result."""
    path = check.read_path(path)
    check.refuse_stream(path)
    try:
        # UTF-16 too, which PowerShell makes of --json
        return parse_json(path.read_bytes(), strict=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise FormatError(f"{str(path)!r} cannot be read", got=why) from error
    except ValueError as error:
        raise FormatError(
            f"{str(path)!r} is not a JSON file",
            needs="a file that `save` or --json wrote",
            got=str(error),
        ) from error


T = TypeVar("T")
_CLASSES = {
    f"earnest/{name}/1": reader
    for name, reader in (
        ("estimate", "Estimate"),
        ("estimates", "Estimates"),
        ("comparison", "Comparison"),
        ("comparisons", "Comparisons"),
        ("explanation", "Explanation"),
        ("gain", "Gain"),
        ("learning_curve", "LearningCurve"),
        ("model_explanation", "ModelExplanation"),
        ("subgroups", "Subgroups"),
        ("thresholds", "Thresholds"),
        ("statistic", "StatisticResult"),
        ("verdict", "Verdict"),
        ("plan", "Plan"),
        ("model_plan", "ModelPlan"),
        ("validation", "Validation"),
        ("inclusions", "Inclusions"),
    )
}


class Document(Plain):
    """The base of plain data that say what they are, and are checked as they are read.

    Attributes
    ----------
    schema : str
        The kind and the version of its plain data.
    called : str
        What it is, in words with an article.

    Examples
    --------
    >>> import earnest as en
    >>> en.results.EffectCurve.schema, en.results.EffectCurve.called
    ('earnest/effect/1', 'an effect')
    """

    schema: ClassVar[str]
    called: ClassVar[str]

    def to_dict(self, *, draws: bool = False) -> dict[str, Any]:
        """Return plain data with a schema version, ready for JSON.

        Parameters
        ----------
        draws : bool
            Whether to keep the resampled values, so that `at` works after `from_dict`.
        """
        return {"schema": self.schema, **super().to_dict(draws=draws)}

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Make it from the plain data of `to_dict`."""
        check_schema(data, cls.schema, cls.called)
        return read_result_parts(cls._from_checked_parts, data)

    @classmethod
    def _from_checked_parts(cls, data: JsonObject) -> Self:
        result = cls._from_parts(data)
        result._check_parts()
        return result

    @classmethod
    def _from_parts(cls, data: JsonObject) -> Self:
        """Make it from the plain data of `to_dict`; what is missing is a KeyError."""
        return super().from_dict(data)

    def _check_parts(self) -> None:
        """Raise a ValueError where parts that were read do not belong together."""
        level = getattr(self, "confidence_level", None)
        if level is not None and not 0.0 < level < 1.0:
            raise ValueError(f"{level} is not a confidence level")


class Result(Document, ABC):
    """The base of results.

    A result is a frozen dataclass that says what its rows are, and how it is a table of a paper.
    The rest is here: its plain data are its fields and its derived properties.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.core.results.base import Result
    >>> issubclass(en.results.Estimate, Result), en.results.Estimate.schema
    (True, 'earnest/estimate/1')
    """

    @abstractmethod
    def rows(self) -> list[dict[str, object]]:
        """Return the main numbers as flat dicts."""

    def _to_table(self) -> PaperTable:
        """Return it as a table of words."""
        from earnest.core.text.paper import make_paper_table

        return make_paper_table(self)

    def save(self, path: str | Path, *, draws: bool = True) -> Path:
        """Write it as JSON, with the draws that `at` reads, and return where to."""
        if is_page(path):
            raise InputError(
                f"{self.called} cannot be saved as a page",
                needs="a name that ends in .json",
                got=Path(path).name,
                cure="Use earnest.report(...).save('report.html') for a page on the whole search.",
            )
        return write_result(self.to_dict(draws=draws), path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` or `earnest --json` wrote."""
        return cls.from_dict(read_result(path))

    def to_frame(self) -> Any:
        """Return the main numbers as a pyarrow table."""
        import pyarrow as pa

        return pa.Table.from_pylist(self.rows())

    def to_markdown(self) -> str:
        """Return a Markdown table, with the decimals that the numbers deserve."""
        return self._to_table().to_markdown()

    def to_latex(self) -> str:
        """Return a LaTeX table for the package booktabs."""
        return self._to_table().to_latex()

    def _repr_html_(self) -> str:
        from earnest.reporting.fragments import show_result

        return show_result(self)

    def _print_more(self) -> Iterator[str]:
        """Yield the lines that are printed between the first line and the cautions."""
        return iter(())

    def __str__(self) -> str:
        """Return the line for pasting, and under it the code and the finding of each caution."""
        cautions = (f"{caution.code} {caution.what}" for caution in getattr(self, "cautions", ()))
        return "\n".join([repr(self), *map(clean_line, (*self._print_more(), *cautions))])

    def __rich__(self) -> object:
        """Return what a console of rich prints: the page of the command line."""
        from earnest.cli.show.results import ShownResult

        return ShownResult(self)


class MetricResult(Result):
    """The base of results in one metric, whose scale says which way is better."""

    if TYPE_CHECKING:
        scale: Scale

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.scale.name


def find_longest_run(
    thresholds: Sequence[float], true_there: Sequence[bool]
) -> tuple[float, float] | None:
    """Return the ends of the longest run of thresholds at which something is true."""
    runs: list[list[float]] = [[]]
    for threshold, true in zip(thresholds, true_there, strict=True):
        if true:
            runs[-1].append(threshold)
        elif runs[-1]:
            runs.append([])
    longest = max(runs, key=len)
    return (longest[0], longest[-1]) if longest else None


def check_schema(data: object, schema: str, what: str) -> None:
    """Refuse plain data of another kind or version."""
    written = data.get("schema") if isinstance(data, Mapping) else type(data).__name__
    if written != schema:
        reader = _CLASSES.get(str(written))
        raise FormatError(
            f"this cannot be read as {what}",
            needs=f"schema {schema!r}",
            got=repr(written),
            cure=f"Read it as {reader}." if reader else _newer(str(written)),
        )


def _newer(schema: str) -> str:
    """Return what to do about a later version of a kind that is known."""
    name, _, version = schema.rpartition("/")
    names = {schema_read.rpartition("/")[0] for schema_read in _CLASSES}
    return "Update earnest: a newer version wrote it." if name in names and version > "1" else ""


def check_lengths(*parts: Sized | int) -> None:
    """Raise a ValueError where parts that stand side by side are not of one length."""
    if len({part if isinstance(part, int) else len(part) for part in parts}) > 1:
        raise ValueError("parts that belong together have different lengths")


def read_result_parts(read: Callable[[JsonObject], T], data: JsonObject) -> T:
    """Read plain data, and refuse it where a part is missing or of the wrong kind."""
    try:
        return read(data)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        kind = "is missing" if isinstance(error, KeyError) else "cannot be read"
        raise FormatError(
            f"a part of the result {kind}",
            got=str(error),
            cure="The file was changed or cut short. Write it again with to_dict.",
        ) from error
