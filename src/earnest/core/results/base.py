"""What every result can do: save and load, become a table, and show itself."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sized
from dataclasses import fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.provenance import JsonObject
from earnest.core.base.writing import write_file
from earnest.core.results.plain import Plain, write_plain

if TYPE_CHECKING:
    from earnest.core.results.estimate import Scale
    from earnest.core.text.paper import PaperTable


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
    check.refuse_stream(Path(path))
    try:
        # UTF-16 too, which PowerShell makes of --json
        return parse_json(Path(path).read_bytes(), strict=True)
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
_READERS = {
    f"earnest/{name}/1": reader
    for name, reader in (
        ("estimate", "Estimate"),
        ("estimates", "Estimates"),
        ("comparison", "Comparison"),
        ("comparisons", "Comparisons"),
        ("explanation", "Explanation"),
        ("gain", "Gain"),
        ("learning_curve", "LearningCurve"),
        ("thresholds", "Thresholds"),
        ("statistic", "StatisticResult"),
        ("verdict", "Verdict"),
        ("plan", "Plan"),
    )
}


class Result(Plain, ABC):
    """The base of results.

    A result is a frozen dataclass that says what its rows are, and how it is a table of a paper.
    The rest is here: its plain data are its fields and its derived properties.

    Attributes
    ----------
    schema : str
        The kind and the version of its plain data.
    called : str
        What it is, in words with an article.
    derived : tuple of str
        The properties that its plain data hold beside its fields.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.core.results.base import Result
    >>> issubclass(en.Estimate, Result), en.Estimate.schema
    (True, 'earnest/estimate/1')
    """

    schema: ClassVar[str]
    called: ClassVar[str]
    derived: ClassVar[tuple[str, ...]] = ()

    def to_dict(self, *, draws: bool = False) -> dict[str, Any]:
        """Return plain data with a schema version, ready for JSON.

        Parameters
        ----------
        draws : bool
            Whether to keep the resampled values, so that `at` works after `from_dict`.
        """
        derived = {name: write_plain(getattr(self, name)) for name in self.derived}
        return {"schema": self.schema, **super().to_dict(draws=draws), **derived}

    @classmethod
    def _from_parts(cls, data: JsonObject) -> Self:
        """Make it from the plain data of `to_dict`; what is missing is a KeyError."""
        return super().from_dict(data)

    @abstractmethod
    def rows(self) -> list[dict[str, object]]:
        """Return the main numbers as flat dicts."""

    def _to_table(self) -> PaperTable:
        """Return it as a table of words."""
        from earnest.core.text.paper import make_table

        return make_table(self)

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Make it from the plain data of `to_dict`."""
        check_schema(data, cls.schema, cls.called)
        return read_parts(cls._from_checked_parts, data)

    @classmethod
    def _from_checked_parts(cls, data: JsonObject) -> Self:
        made = cls._from_parts(data)
        made._check_parts()
        return made

    def _check_parts(self) -> None:
        """Raise a ValueError where parts that were read do not belong together."""
        level = getattr(self, "confidence_level", None)
        if level is not None and not 0.0 < level < 1.0:
            raise ValueError(f"{level} is not a confidence level")

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


def check_schema(data: object, schema: str, what: str) -> None:
    """Refuse plain data of another kind or version."""
    found = data.get("schema") if isinstance(data, Mapping) else type(data).__name__
    if found != schema:
        reader = _READERS.get(str(found))
        raise FormatError(
            f"this cannot be read as {what}",
            needs=f"schema {schema!r}",
            got=repr(found),
            cure=f"Read it as {reader}." if reader else _newer(str(found)),
        )


def _newer(found: str) -> str:
    """Return what to do about a later version of a kind that is known."""
    name, _, version = found.rpartition("/")
    known = {one.rpartition("/")[0] for one in _READERS}
    return "Update earnest: a newer version wrote it." if name in known and version > "1" else ""


def check_lengths(*parts: Sized | int) -> None:
    """Raise a ValueError where parts that stand side by side are not of one length."""
    if len({part if isinstance(part, int) else len(part) for part in parts}) > 1:
        raise ValueError("parts that belong together have different lengths")


def read_parts(read: Callable[[JsonObject], T], data: JsonObject) -> T:
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


# Of results that are not read field by field, as `Plain` does.
_PLAIN: dict[str, type] = {"float": Real, "int": Integral, "str": str, "bool": bool}


def refuse_other_types(made: T) -> T:
    """Return a result, or a part of one; refuse numbers or words of another type."""
    for name, kind in _find_kinds(cast(Any, type(made))):
        value = getattr(made, name)
        word = kind.removesuffix(" | None")
        inner = word.removeprefix("tuple[").split(",")[0]
        parts = value if word != inner and isinstance(value, tuple) else (value,)
        if inner not in _PLAIN:
            for part in value.values() if isinstance(value, Mapping) else parts:
                if is_dataclass(part) and not hasattr(part, "_from_parts"):
                    refuse_other_types(part)  # the others were checked as they were read
        elif value is None and word != kind:
            continue
        elif not all(_is_plain(part, inner) for part in parts):
            raise TypeError(f"{name} is {check.show(value)}, which is not {kind}")
    return made


@cache
def _find_kinds(kind: type) -> tuple[tuple[str, str], ...]:
    """Return the fields of a dataclass with their types in words; none of any other class."""
    return tuple((one.name, str(one.type)) for one in fields(kind)) if is_dataclass(kind) else ()


def _is_plain(value: object, word: str) -> bool:
    """Tell whether a value is of a plain type, and a number within the range of floats."""
    if isinstance(value, bool):
        return word == "bool"
    if word in ("float", "int") and isinstance(value, Real):
        float(value)
    return isinstance(value, _PLAIN[word])
