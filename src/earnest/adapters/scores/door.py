"""The door for scores: what tools for evaluations wrote, recognised file by file and joined."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.predictions.door import kind_of
from earnest.adapters.readers import SCORES_READERS, find_reader, list_sources
from earnest.adapters.scores import (
    coco,
    dspy,
    helm,
    inspect,
    lm_eval,
    openai_evals,
    plain,
    promptfoo,
    trec,
)
from earnest.adapters.scores.runs import EvaluationRun, ItemScore, name_item
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.cautions import of_tables
from earnest.core.data.predictions import Configs
from earnest.core.data.scores import Scores
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg

# Each registers its readers.
TOOLS = (coco, dspy, helm, inspect, lm_eval, openai_evals, plain, promptfoo, trec)
MOST = 100_000  # files of a folder that are looked at
MOST_SEEN = 500_000  # files and folders, of any kind, until a folder is no folder of logs
TEXTS = (".txt", ".trec", ".out", ".res")  # mostly no logs, and passed over then
LOGS = (".eval", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".bin", *TEXTS)
# Files that tools write beside their logs, which hold no score of an item.
BESIDE = (
    "results_", "run_spec", "stats.json", "scenario", "display_", "instances", "config",
    "logs.json", "eval-set", "promptfooconfig", "README", "candidates", "run_log",
)  # fmt: skip


def scores_from(
    source: str | Path,
    *,
    score: str | None = None,
    config_is: str = "model",
    aggregate: str | None = None,
    limits: tuple[float, float] | None = None,
    greater_is_better: bool | None = None,
    incomplete: str | None = None,
) -> Scores:
    r"""Return the scores that evaluation tools wrote of every item, as one table.

    Reads samples of lm-evaluation-harness, logs of Inspect, results of promptfoo, DSPy and GEPA,
    logs of OpenAI's evals, statistics of HELM, queries of trec_eval, images of pycocotools, and
    plain tables with the columns item and score.
    Nothing is dropped in silence: half-written logs, double and missing items are cautions of
    every result made of the scores, and a format that is not known is refused.

    Parameters
    ----------
    source : path
        A log, or a folder that is searched for logs, with all folders in it.
    score : str, optional
        Which score to read; needed where the logs hold several, such as `acc` and `acc_norm`.
    config_is : {'model', 'task', 'file'}
        What makes a configuration: the model with its settings (tasks are then sets of items); the
        task, where prompts are tasks on the same items; or the file.
    aggregate, limits, incomplete
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
    rows = read_score_logs(source, score=score, config_is=config_is)
    items = {name: at for at, name in enumerate(dict.fromkeys(rows.item))}
    configs = {name: at for at, name in enumerate(dict.fromkeys(rows.config))}
    values = np.full((len(items), len(configs), 1 + max(rows.repeat)), np.nan)
    groups, tasks = np.empty(len(items), dtype=object), np.empty(len(items), dtype=object)
    for item, config, repeat, value, group, task in zip(
        rows.item, rows.config, rows.repeat, rows.score, rows.group, rows.task, strict=True
    ):
        at = items[item]
        values[at, configs[config], repeat] = np.nan if value is None else value
        groups[at], tasks[at] = group, task
    scores = Scores(
        values,
        id=np.asarray(list(items)),
        groups=groups.astype(str) if rows.has_groups else None,
        tasks=tasks.astype(str) if rows.has_tasks else None,
        configs=Configs(ids=tuple(configs), static=rows.static),
        aggregate=aggregate,
        limits=limits,
        greater_is_better=rows.greater_is_better
        if greater_is_better is None
        else greater_is_better,
        name=_name_measure(rows.name, values),
        incomplete=incomplete,
    )
    parts = replace(scores.parts, remarks=(*scores.parts.remarks, *rows.cautions))
    return scores._with(parts)


def _name_measure(column: str, values: NDArray[np.float64]) -> str | None:
    """Return what people call the mean of a column: that of right (1) and wrong (0) is accuracy."""
    name = column.casefold()
    if name in ("score", "val_score"):
        return None
    if name in ("correct", "is_correct") and np.isin(values[~np.isnan(values)], (0, 1)).all():
        return "accuracy"
    return column


def is_evaluation(source: object) -> bool:
    """Tell whether this is a log of an evaluation tool, or a folder of logs or of plain tables.

    A single table with items and scores is not: it is read as any other table of scores. Nor is
    what a tool for training wrote.
    """
    if not isinstance(source, str | Path) or kind_of(source) is not None:
        return False
    path = Path(source)
    if path.is_dir():
        return any(find_reader(SCORES_READERS, file) is not None for file in _list_files(path))
    reader = find_reader(SCORES_READERS, path) if path.is_file() else None
    return reader is not None and reader.tool != plain.TOOL


def read_score_logs(
    source: str | Path, *, score: str | None = None, config_is: str = "model"
) -> ScoreRows:
    """Read the logs of a file or folder into one long table, with what was not whole.

    Parameters
    ----------
    source : path
        A log, or a folder that is searched for logs, with all folders in it.
    score, config_is
        As for `scores_from`.
    """
    path = check.read_path(source, list_sources(SCORES_READERS), "source")
    check.refuse_stream(path)
    runs, strange = _read_all(path)
    if not runs:
        names = list_sources(SCORES_READERS)
        if not path.exists():
            raise InputError(f"there is nothing at {str(path)!r}", needs=names)
        raise InputError(
            f"there is no log of an evaluation in {str(path)!r}",
            needs=names,
            got=check.some(sorted(strange)) or "no file of such a kind",
        )
    rows = join_runs(_shorten_paths(runs, path), score=score, config_is=config_is)
    rows.cautions += tuple(_list_strange(strange))
    return rows


def list_tools(source: str | Path) -> list[str]:
    """Return the tools whose logs are in a file or folder."""
    path = Path(source)
    files = _list_files(path) if path.is_dir() else [path]
    readers = (find_reader(SCORES_READERS, file) for file in files)
    return list(dict.fromkeys(reader.tool for reader in readers if reader is not None))


def _read_all(path: Path) -> tuple[list[EvaluationRun], list[str]]:
    runs: list[EvaluationRun] = []
    strange: list[str] = []
    for file in _list_files(path) if path.is_dir() else [path] if path.exists() else []:
        reader = find_reader(SCORES_READERS, file)
        if reader is not None:
            runs += reader.read(file)
        elif not file.name.startswith(BESIDE) and file.suffix.casefold() not in TEXTS:
            strange.append(file.name)
    return runs, strange


def _list_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that may be logs, in the order of their names."""
    paths = sorted(
        path
        for path in _walk(folder)
        if path.suffix.casefold() in LOGS
        and not any(name.startswith(".") for name in path.relative_to(folder).parts)
    )
    if len(paths) > MOST:
        raise InputError(
            f"{str(folder)!r} has {len(paths):,} files",
            needs=f"a folder with at most {MOST:,}",
            cure="Name the folder with the logs.",
        )
    return (path for path in paths if path.is_file())


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


def _shorten_paths(runs: list[EvaluationRun], root: Path) -> list[EvaluationRun]:
    """Return the runs with paths that begin at the folder, which messages name."""
    if not root.is_dir():
        return runs
    return [replace(run, path=run.path.relative_to(root)) for run in runs]


def _list_strange(strange: list[str]) -> Iterator[Caution]:
    if strange:
        yield of_tables.formats_unknown(tuple(sorted(strange)))


CONFIG_IS = ("model", "task", "file")
LONGEST = 60  # letters of a setting in the name of a configuration


@dataclass
class ScoreRows:
    """One long table: one row per answer.

    Attributes
    ----------
    item, config, repeat, score, group, task : list
        The columns; `score` is None where an answer has none.
    name : str
        What the score is called.
    greater_is_better : bool
        Whether more of it is better.
    static : bool
        Whether the configurations were fixed before any was evaluated.
    cautions : tuple of Caution
        What was not whole.
    """

    name: str
    greater_is_better: bool = True
    static: bool = True
    item: list[str] = field(default_factory=list)
    config: list[str] = field(default_factory=list)
    repeat: list[int] = field(default_factory=list)
    score: list[float | None] = field(default_factory=list)
    group: list[str] = field(default_factory=list)
    task: list[str] = field(default_factory=list)
    cautions: tuple[Caution, ...] = ()

    @property
    def has_groups(self) -> bool:
        """Whether a group has more than one item."""
        pairs = set(zip(self.group, self.item, strict=True))
        return len({group for group, _ in pairs}) < len(pairs)

    @property
    def has_tasks(self) -> bool:
        """Whether there is more than one task."""
        return len(set(self.task)) > 1


def join_runs(
    runs: Sequence[EvaluationRun], *, score: str | None = None, config_is: str = "model"
) -> ScoreRows:
    """Put runs side by side.

    Parameters
    ----------
    runs : sequence of Run
        What the logs say.
    score : str, optional
        Which score to read; needed where the logs hold several.
    config_is : {'model', 'task', 'file'}
        What makes a configuration: the model with its settings, so that tasks are sets of items;
        the task, where variants of a prompt are tasks on the same items; or the file.
    """
    check.one_of("config_is", config_is, CONFIG_IS)
    runs = [each for run in runs for each in _split_configs(run)]
    name, better = _choose_score(runs, score)
    without = [run for run in runs if not any(name in row.scores for row in run.rows)]
    runs = _name_configs([run for run in runs if run not in without], config_is)
    several = len({run.task for run in runs}) > 1
    joined = ScoreRows(name, better, all(run.static for run in runs))
    taken: Counter[tuple[str, str]] = Counter()  # repeats of a configuration on a task so far
    odd: Counter[str] = Counter()
    for run in runs:
        first = taken[run.config, run.task]
        numbers, twice = _number_repeats(run.rows)
        odd.update({run.config: twice} if twice else {})
        for row, number in zip(run.rows, numbers, strict=True):
            item = f"{run.task}/{row.item}" if several else row.item
            joined.item.append(item)
            joined.config.append(run.config)
            joined.repeat.append(first + number)
            joined.score.append(row.scores.get(name))
            joined.group.append(
                item if row.group is None else f"{run.task}/{row.group}" if several else row.group
            )
            joined.task.append(run.task)
        taken[run.config, run.task] += 1 + max(numbers, default=-1)
    _refuse_apart(joined, runs, config_is)
    joined.cautions = (
        *_list_unfinished(runs),
        *_list_twice(odd),
        *_list_absent(joined),
        *_list_without(without, name),
    )
    return joined


def _split_configs(run: EvaluationRun) -> list[EvaluationRun]:
    """Return a run for each configuration that a log holds."""
    parts: dict[str, list[ItemScore]] = defaultdict(list)
    for row in run.rows:
        parts[run.config if row.config is None else row.config].append(row)
    return [replace(run, config=config, rows=rows) for config, rows in parts.items()]


def _choose_score(runs: Sequence[EvaluationRun], score: str | None) -> tuple[str, bool]:
    """Return the name of the score, and whether more of it is better."""
    counts = Counter(
        name
        for run in runs
        for row in run.rows
        for name, value in row.scores.items()
        if value is not None
    )
    if not counts:
        raise FormatError(
            "these logs hold no scores",
            needs="a score for each item",
            got=f"{sum(len(run.rows) for run in runs):,} answers in {len(runs)} runs",
        )
    if score is None and len(counts) > 1 and set(counts) != {"score", "success"}:
        raise InputError(
            f"these logs hold {len(counts)} scores",
            needs=f"{arg('score')}, one of {check.some(sorted(counts), 12)}",
            cure=f"Say {arg('score', sorted(counts)[0])}.",
        )
    name = score if score is not None else "score" if "score" in counts else next(iter(counts))
    if name not in counts:
        raise InputError(
            f"these logs hold no score {check.show(name)}",
            needs=check.some(sorted(counts), 12),
            cure=check.nearest(name, counts),
        )
    directions = {run.greater_is_better[name] for run in runs if name in run.greater_is_better}
    if len(directions) > 1:
        raise FormatError(f"the logs do not agree whether more {name!r} is better")
    return name, directions.pop() if directions else True


def _name_configs(runs: Sequence[EvaluationRun], config_is: str) -> list[EvaluationRun]:
    """Return the runs under names that tell unlike configurations apart."""
    if config_is == "task":
        if not all(run.task for run in runs):
            run = next(run for run in runs if not run.task)
            raise InputError(
                f"{str(run.path)!r} names no task",
                cure=f"Say {arg('config_is', 'model')} or 'file'.",
            )
        runs = [
            replace(run, config=run.task, task="", settings={**run.settings, "model": run.config})
            for run in runs
        ]
    elif config_is == "file":
        return [replace(run, config=_name_file(run, runs)) for run in runs]
    named: list[EvaluationRun] = []
    for run in runs:
        alike = [other for other in runs if other.config == run.config]
        keys = _find_telling(alike)
        words = [f"{key}={_shorten(run.settings.get(key))}" for key in keys]
        named.append(
            replace(run, config=f"{run.config} ({', '.join(words)})" if words else run.config)
        )
    return named


def _name_file(run: EvaluationRun, runs: Sequence[EvaluationRun]) -> str:
    """Return the name of a file, with its folder and its own configurations where needed."""
    alike = {other.path for other in runs if other.path.stem == run.path.stem}
    name = run.path.as_posix() if len(alike) > 1 else run.path.stem  # the same on every system
    inside = {other.config for other in runs if other.path == run.path}
    return f"{name}: {run.config}" if len(inside) > 1 else name


def _find_telling(runs: Sequence[EvaluationRun]) -> list[str]:
    """Return the settings by which runs of one task differ: the first that tell them all apart."""

    def tell(keys: Sequence[str]) -> int:
        return len(
            {(run.task, *(name_item(run.settings.get(key)) for key in keys)) for run in runs}
        )

    keys = list(dict.fromkeys(key for run in runs for key in run.settings))
    by_task = len({run.task for run in runs})
    whole = tell(keys)
    chosen: list[str] = []
    for key in keys:
        if tell(chosen) == whole:
            break
        # A setting that follows the task tells tasks apart, not configurations.
        if tell([*chosen, key]) > tell(chosen) and tell([*chosen, key]) > by_task:
            chosen.append(key)
    return chosen


def _shorten(value: object) -> str:
    text = name_item(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _number_repeats(rows: Sequence[ItemScore]) -> tuple[list[int], int]:
    """Return the repeat of each row, and how many items have more rows than they should.

    Rows without a number that come equally often for every item are repeats, as `--repeat` makes.
    """
    repeats = sorted({row.repeat for row in rows if row.repeat is not None})
    position = {
        number: at for at, number in enumerate(repeats)
    }  # tools count from 0, from 1 or by seed
    seen: dict[str, set[int]] = defaultdict(set)
    numbers, moved = [], Counter[str]()
    for row in rows:
        used = seen[row.item]
        number = len(used) if row.repeat is None else position[row.repeat]
        if number in used:
            number = max(used) + 1
            moved[row.item] += 1
        used.add(number)
        numbers.append(number)
    counts = Counter(row.item for row in rows if row.repeat is None)
    if len(set(counts.values())) > 1:
        usual = min(counts.values())
        moved.update({item: count - usual for item, count in counts.items() if count > usual})
    return numbers, len(moved)


def _refuse_apart(joined: ScoreRows, runs: Sequence[EvaluationRun], config_is: str) -> None:
    """Refuse configurations that share no item: there is nothing to choose among them by."""
    items: dict[str, set[str]] = defaultdict(set)
    for config, item in zip(joined.config, joined.item, strict=True):
        items[config].add(item)
    sets = list(items.values())
    if len(sets) < 2 or any(a & b for at, a in enumerate(sets) for b in sets[at + 1 :]):
        return
    tasks = {run.task for run in runs}
    raise InputError(
        "no item was scored for two configurations",
        needs="configurations on the same items",
        got=f"{len(sets)} configurations ({check.some(sorted(items))}), each on items of its own",
        cure=f"If your tasks are variants on the same items, say {arg('config_is', 'task')}."
        if len(tasks) > 1 and config_is != "task"
        else "",
    )


def _list_unfinished(runs: Sequence[EvaluationRun]) -> Iterator[Caution]:
    unfinished = {run.path.name: run.unfinished for run in runs if run.unfinished}
    if unfinished:
        yield of_tables.logs_unfinished(tuple(unfinished.items()))


def _list_twice(odd: Counter[str]) -> Iterator[Caution]:
    if odd:
        yield of_tables.scored_unevenly(odd)


def _list_absent(rows: ScoreRows) -> Iterator[Caution]:
    """Yield what is missing: items that a configuration was not run on, and answers not scored."""
    configs, items = dict.fromkeys(rows.config), set(rows.item)
    scored, presented = defaultdict(set), defaultdict(set)
    for config, item, score in zip(rows.config, rows.item, rows.score, strict=True):
        presented[config].add(item)
        if score is not None:
            scored[config].add(item)
    lacking = {name: len(items - presented[name]) for name in configs}
    failed = sum(1 for score in rows.score if score is None)
    if any(lacking.values()):
        yield of_tables.items_not_run(
            len(items), {name: count for name, count in lacking.items() if count}
        )
    short = _count_short(rows)
    if short:
        yield of_tables.samples_missing(short)
    if failed:
        yield of_tables.answers_unscored(failed, len(rows.score))


def _count_short(table: ScoreRows) -> dict[str, int]:
    """Return by configuration how many items have fewer samples than most of its task have."""
    rows = Counter(zip(table.config, table.task, table.item, strict=True))
    counts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for (config, task, _), count in rows.items():
        counts[config, task].append(count)
    short: Counter[str] = Counter()
    for (config, _), samples in counts.items():
        often = Counter(samples)
        usual = max(often, key=lambda count: (often[count], count))
        short[config] += sum(count < usual for count in samples)
    return {config: count for config, count in short.items() if count}


def _list_without(runs: Sequence[EvaluationRun], name: str) -> Iterator[Caution]:
    if runs:
        yield of_tables.runs_without_score(
            len(runs),
            name,
            tuple(dict.fromkeys(run.task or run.path.name for run in runs)),
        )
