"""Defaults of options from a file: `earnest.toml`, or `[tool.earnest]` of a pyproject.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError

if TYPE_CHECKING:
    from typer._click.core import Command, Parameter

OWN, SHARED = "earnest.toml", "pyproject.toml"
_NEVER = {"--help", "-h"}

Value = str | int | float | bool | list[str | int | float | bool]
DefaultMap = dict[str, dict[str, Value]]  # by command and parameter, as click takes it


@dataclass(frozen=True)
class Defaults:
    """Defaults of options, and the file that they come from.

    Attributes
    ----------
    path : Path or None
        The file; None where there is none.
    by_command : dict
        For each command the values by the names of its parameters.
    """

    path: Path | None
    by_command: DefaultMap


def read_defaults(commands: Mapping[str, Command], folder: Path) -> Defaults:
    """Return the defaults that hold in a folder: of the nearest file there or above it.

    Keys at the top hold for every command that has the option, a list for those that take several
    values. Those of a table named after a command hold for that command, and before those at the
    top. What is given on the command line goes before both.

    Parameters
    ----------
    commands : mapping
        The commands by name.
    folder : Path
        Where the command line is.
    """
    nearest = _find_file(folder)
    if nearest is None:
        return Defaults(None, {})
    path, content = nearest
    options = {name: _list_options(command) for name, command in commands.items()}
    defaults: DefaultMap = {name: {} for name in commands}
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    for key, value in content.items():
        if key in tables:
            continue
        spelled = _spell(key)
        takers = [name for name in commands if spelled in options[name]]
        if not takers:
            known_options = sorted({option for named in options.values() for option in named})
            raise _refuse(path, key, "an option of a command, or a table of one", known_options)
        several = [name for name in takers if getattr(options[name][spelled], "multiple", False)]
        for name in (several or takers) if isinstance(value, list) else takers:
            _put(defaults[name], options[name][spelled], value, path, key)
    for name, table in tables.items():
        if name not in commands:
            raise _refuse(path, name, "the name of a command", list(commands))
        for key, value in table.items():
            if _spell(key) not in options[name]:
                raise _refuse(path, key, f"an option of {name}", sorted(options[name]))
            _put(defaults[name], options[name][_spell(key)], value, path, key)
    return Defaults(path, {name: table for name, table in defaults.items() if table})


def _find_file(folder: Path) -> tuple[Path, dict[str, Any]] | None:
    """Return the nearest file with defaults, and what it says."""
    for parent in (folder, *folder.parents):
        file, shared = parent / OWN, parent / SHARED
        if file.is_file():
            return file, _read(file)
        if shared.is_file():
            tool = _read(shared).get("tool", {})
            tool = tool.get("earnest") if isinstance(tool, dict) else None
            if isinstance(tool, dict):
                return shared, tool
    return None


def _read(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FormatError(
            f"{str(path)!r} cannot be read", needs="a file in TOML", got=str(error)
        ) from error


def _list_options(command: Command) -> dict[str, Parameter]:
    """Return the options of a command by their long names without dashes."""
    return {
        name.removeprefix("--"): param
        for param in command.params
        for name in param.opts
        if name.startswith("--") and name not in _NEVER
    }


def _spell(key: str) -> str:
    return key.replace("_", "-")


def _put(table: dict[str, Value], param: Parameter, value: object, path: Path, key: str) -> None:
    """Enter a default; one value for an option that takes several is a list of one."""
    several = bool(getattr(param, "multiple", False))
    entries = value if isinstance(value, list) else [value]
    values = [entry for entry in entries if isinstance(entry, (str, int, float, bool))]
    if len(values) < len(entries):
        raise _refuse_value(path, key, "text, a number, true or false", value)
    if isinstance(value, list) and not several:
        raise _refuse_value(path, key, "one value", value)
    if bool(getattr(param, "is_flag", False)) and not isinstance(value, bool):
        raise _refuse_value(path, key, "true or false", value)
    assert param.name is not None
    table[param.name] = values if several else values[0]


def _refuse(path: Path, key: str, needs: str, names: list[str]) -> InputError:
    return InputError(
        f"{path.name}: {key!r} is unknown",
        needs=needs,
        got=repr(key),
        cure=check.nearest(_spell(key), names),
    )


def _refuse_value(path: Path, key: str, needs: str, value: object) -> InputError:
    return InputError(
        f"{path.name}: {key!r} has an invalid value",
        needs=needs,
        got=check.show(value),
    )
