"""The door for scores: what tools for evaluations wrote, recognised file by file and joined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.predictions.paths import kind_of
from earnest.adapters.readers import SCORES_READERS, ScoresReader, order_readers
from earnest.adapters.scores import dspy, helm, inspect, lm_eval, openai_evals, plain, promptfoo
from earnest.adapters.scores.joining import ScoreRows, join_runs
from earnest.adapters.scores.runs import Run
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.data.predictions import Configs
from earnest.core.data.scores import Scores
from earnest.core.results.cautions import Caution, Severity

TOOLS = (dspy, helm, inspect, lm_eval, openai_evals, plain, promptfoo)  # each registers its readers
MOST = 100_000  # files of a folder that are looked at
MOST_SEEN = 500_000  # files and folders, of any kind, until a folder is no folder of logs
LOGS = (".eval", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".bin")
# Files that tools write beside their logs, which hold no score of an item.
BESIDE = (
    "results_", "run_spec", "stats.json", "scenario", "display_", "instances", "config",
    "logs.json", "eval-set", "promptfooconfig", "README", "candidates", "run_log",
)  # fmt: skip


def scores_from(
    source: str | Path,
    *,
    score: str | None = None,
    by: str = "model",
    aggregate: str | None = None,
    limits: tuple[float, float] | None = None,
    greater_is_better: bool | None = None,
    missing: str | None = None,
) -> Scores:
    r"""Return the scores that evaluation tools wrote of every item, as one table.

    Reads samples of lm-evaluation-harness, logs of Inspect, results of promptfoo, DSPy and GEPA,
    logs of OpenAI's evals, statistics of HELM, and plain tables with the columns item and score.
    Nothing is dropped in silence: half-written logs, double and missing items are cautions of
    every result made of the scores, and a format that is not known is refused.

    Parameters
    ----------
    source : path
        A log, or a folder that is searched for logs, with all folders in it.
    score : str, optional
        Which score to read; needed where the logs hold several, such as `acc` and `acc_norm`.
    by : {'model', 'task', 'file'}
        What makes a configuration: the model with its settings (tasks are then sets of items); the
        task, where prompts are tasks on the same items; or the file.
    aggregate, limits, missing
        As for `Scores`.
    greater_is_better : bool, optional
        Whether more is better; by default what the logs say, else that it is.

    Returns
    -------
    Scores
        Items, configurations and repeats.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import earnest as en
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name, right in (("short", "0110"), ("polite", "0111")):
    ...     rows = [f"q{at},{one}" for at, one in enumerate(right)]
    ...     _ = (folder / f"{name}.csv").write_text("\n".join(["item,score", *rows]))
    >>> en.scores_from(folder)
    Scores(items=4, configs=2, samples=1, mean score, limits=(0, 1))
    """
    rows = read_scores(source, score=score, by=by)
    return make_scores(
        rows,
        aggregate=aggregate,
        limits=limits,
        greater_is_better=greater_is_better,
        missing=missing,
    )


def make_scores(
    rows: ScoreRows,
    *,
    aggregate: str | None = None,
    limits: tuple[float, float] | None = None,
    greater_is_better: bool | None = None,
    missing: str | None = None,
) -> Scores:
    """Return the scores of a long table."""
    items, configs = list(dict.fromkeys(rows.item)), list(dict.fromkeys(rows.config))
    place = {name: at for at, name in enumerate(items)}
    column = {name: at for at, name in enumerate(configs)}
    values = np.full((len(items), len(configs), 1 + max(rows.repeat)), np.nan)
    groups, tasks = np.empty(len(items), dtype=object), np.empty(len(items), dtype=object)
    for item, config, repeat, score, group, task in zip(
        rows.item, rows.config, rows.repeat, rows.score, rows.group, rows.task, strict=True
    ):
        at = place[item]
        values[at, column[config], repeat] = np.nan if score is None else score
        groups[at], tasks[at] = group, task
    made = Scores(
        values,
        id=np.asarray(items),
        groups=groups.astype(str) if rows.has_groups else None,
        tasks=tasks.astype(str) if rows.has_tasks else None,
        configs=Configs(ids=tuple(configs), static=rows.static),
        aggregate=aggregate,
        limits=limits,
        greater_is_better=rows.greater_is_better
        if greater_is_better is None
        else greater_is_better,
        name=_name_measure(rows.name, values),
        missing=missing,
    )
    parts = replace(made.parts, remarks=(*made.parts.remarks, *rows.cautions))
    return made._with(parts)


def _name_measure(column: str, values: NDArray[np.float64]) -> str | None:
    """Return what people call the mean of a column: that of right (1) and wrong (0) is accuracy."""
    name = column.casefold()
    if name in ("score", "val_score"):
        return None
    if name in ("correct", "is_correct") and np.isin(values[~np.isnan(values)], (0, 1)).all():
        return "accuracy"
    return column


def find_reader(path: Path) -> ScoresReader | None:
    """Return the reader of one file, None where no tool is known that wrote it."""
    return next((one for one in order_readers(SCORES_READERS) if one.takes(path)), None)


def holds_logs(source: str | Path) -> bool:
    """Tell whether this is a log of an evaluation, or a folder with one."""
    path = Path(source)
    if path.is_dir():
        return any(find_reader(file) is not None for file in _list_files(path))
    return path.is_file() and find_reader(path) is not None


def is_evaluation(source: object) -> bool:
    """Tell whether this is a log of an evaluation tool, or a folder of logs or of plain tables.

    A single table with items and scores is not: it is read as any other table of scores. Nor is
    what a tool for training wrote.
    """
    if not isinstance(source, str | Path) or kind_of(source) is not None:
        return False
    path = Path(source)
    if path.is_dir():
        return holds_logs(path)
    reader = find_reader(path) if path.is_file() else None
    return reader is not None and reader.tool != plain.TOOL


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
        for path in _walk(folder)
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


def _walk(folder: Path) -> Iterator[Path]:
    """Yield all that is below a folder; refuse one that has no end, such as a whole disk."""
    for count, path in enumerate(folder.rglob("*")):
        if count >= MOST_SEEN:
            raise InputError(
                f"{str(folder)!r} has more than {MOST_SEEN:,} files and folders",
                needs="a folder of logs",
                cure="Name the folder with the logs.",
            )
        yield path


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
