"""The door for scores: what tools for evaluations wrote, recognised file by file and joined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from earnest.adapters.readers import SCORES_READERS, ScoresReader, order_readers
from earnest.adapters.scores import dspy, helm, inspect, lm_eval, openai_evals, plain, promptfoo
from earnest.adapters.scores.joining import ScoreRows, join_runs
from earnest.adapters.scores.runs import Run
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.results.cautions import Caution, Severity

TOOLS = (dspy, helm, inspect, lm_eval, openai_evals, plain, promptfoo)  # each registers its readers
MOST = 100_000  # files of a folder that are looked at
LOGS = (".eval", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".bin")
# Files that tools write beside their logs, which hold no score of an item.
BESIDE = (
    "results_", "run_spec", "stats.json", "scenario", "display_", "instances", "config",
    "logs.json", "eval-set", "promptfooconfig", "README", "candidates", "run_log",
)  # fmt: skip


def find_reader(path: Path) -> ScoresReader | None:
    """Return the reader of one file, None where no tool is known that wrote it."""
    return next((one for one in order_readers(SCORES_READERS) if one.takes(path)), None)


def holds_logs(source: str | Path) -> bool:
    """Tell whether this is a log of an evaluation, or a folder with one."""
    path = Path(source)
    if path.is_dir():
        return any(find_reader(file) is not None for file in _list_files(path))
    return path.is_file() and find_reader(path) is not None


def read_scores(source: str | Path, *, score: str | None = None, by: str = "model") -> ScoreRows:
    """Read the logs of a file or folder into one long table, with what was not whole.

    Parameters
    ----------
    source : path
        A log, or a folder that is searched for logs, with all folders in it.
    score, by
        As for `scores_from`.
    """
    path = Path(source)
    check.refuse_stream(path)
    runs, strange = _read_all(path)
    if not runs:
        names = "; ".join(reader.words for reader in order_readers(SCORES_READERS))
        if not path.exists():
            raise InputError(f"there is nothing at {str(path)!r}", needs=names)
        raise InputError(
            f"there is no log of an evaluation in {str(path)!r}",
            needs=names,
            got=check.some(sorted(strange)) or "no file of such a kind",
        )
    made = join_runs(_shorten_paths(runs, path), score=score, by=by)
    made.cautions += tuple(_list_strange(strange))
    return made


def list_tools(source: str | Path) -> list[str]:
    """Return the tools whose logs are in a file or folder."""
    path = Path(source)
    files = _list_files(path) if path.is_dir() else [path]
    found = (find_reader(file) for file in files)
    return list(dict.fromkeys(reader.tool for reader in found if reader is not None))


def _read_all(path: Path) -> tuple[list[Run], list[str]]:
    runs: list[Run] = []
    strange: list[str] = []
    for file in _list_files(path) if path.is_dir() else [path] if path.exists() else []:
        reader = find_reader(file)
        if reader is not None:
            runs += reader.read(file)
        elif not file.name.startswith(BESIDE):
            strange.append(file.name)
    return runs, strange


def _list_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that may be logs, in the order of their names."""
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.casefold() in LOGS
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    if len(found) > MOST:
        raise InputError(
            f"{str(folder)!r} has {len(found):,} files",
            needs=f"a folder with at most {MOST:,}",
            cure="Name the folder with the logs.",
        )
    return (path for path in found if path.is_file())


def _shorten_paths(runs: list[Run], root: Path) -> list[Run]:
    """Return the runs with paths that begin at the folder, which messages name."""
    if not root.is_dir():
        return runs
    return [replace(run, path=run.path.relative_to(root)) for run in runs]


def _list_strange(strange: list[str]) -> Iterator[Caution]:
    if strange:
        yield Caution(
            "EN144",
            f"{len(strange)} files are of no form that is known: {check.some(sorted(strange))}.",
            "Nothing of them is read.",
            "Move them elsewhere, or write them as a table with the columns item and score.",
            Severity.NOTE,
        )
