"""What is declared of an argument: its help, its limits, and who needs it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, get_type_hints

from earnest.core.base import check


@dataclass(frozen=True)
class Argument:
    """An argument of a verb, as an annotation of its type.

    Parameters
    ----------
    help : str
        What it is, in a line of help.
    metavar : str
        What stands for a value in help; none for a switch.
    panel : str, optional
        The part of the help page in which it stands.
    usual : bool
        Whether most people need it: `--help` shows it, `--help-all` shows all.
    short : str
        Its short option, such as '-m'.
    low, high : int, optional
        The least and the largest whole number.
    is_share : bool
        Whether it is a number between 0 and 1.
    choices : tuple of str
        The only values.
    opposite : str
        The option that turns a switch off.
    """

    help: str
    metavar: str = ""
    panel: str | None = None
    usual: bool = False
    short: str = ""
    low: int | None = None
    high: int | None = None
    is_share: bool = False
    choices: tuple[str, ...] = ()
    opposite: str = ""

    def check(self, name: str, value: object) -> None:
        """Refuse a value beyond the limits."""
        if self.is_share:
            check.check_share(name, value)
        elif self.choices:
            check.one_of(name, value, self.choices)
        elif self.low is not None:
            check.whole_number(name, value, low=self.low, high=self.high)


def name_option(argument: str) -> str:
    """Return the option of an argument.

    Examples
    --------
    >>> from earnest.core.arguments.base import name_option
    >>> name_option("confidence_level")
    '--confidence-level'
    """
    return f"--{argument.replace('_', '-')}"


@cache
def list_arguments(verb: type) -> dict[str, Argument]:
    """Return the arguments of a verb by their names.

    Examples
    --------
    >>> from earnest.core.arguments.base import list_arguments
    >>> from earnest.core.arguments.gain import GainArguments
    >>> list_arguments(GainArguments)["n_resamples"].low
    2
    """
    hints = get_type_hints(verb, include_extras=True)
    return {
        field.name: declared
        for field in fields(verb)
        if (declared := find_argument(hints[field.name])) is not None
    }


def find_argument(hint: object) -> Argument | None:
    """Return what is declared of an argument in the annotation of its type."""
    declared = (each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Argument))
    return next(declared, None)


def check_arguments(verb: type, **values: object) -> None:
    """Refuse values beyond the limits that are declared for a verb; None passes as a default.

    Examples
    --------
    >>> from earnest.core.arguments.base import check_arguments
    >>> from earnest.core.arguments.gain import GainArguments
    >>> check_arguments(GainArguments, n_resamples=1)
    Traceback (most recent call last):
        ...
    earnest.core.base.errors.InputError: `n_resamples` is out of range. Expected an integer from 2
    to 10000000, got 1.
    """
    declared = list_arguments(verb)
    defaults = {field.name: field.default for field in fields(verb)}
    for name, value in values.items():
        if value is not None or defaults[name] is not None:
            declared[name].check(name, value)


def pass_arguments(values: Any, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the fields of a dataclass of arguments by name, as a verb takes them."""
    return dict(_list_values(values, without))


def _list_values(values: Any, without: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for field in fields(values):
        if field.name not in without:
            yield field.name, getattr(values, field.name)
