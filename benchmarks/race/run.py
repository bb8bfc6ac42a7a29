"""Run the race: every tool on every table and split, each in a process of its own.

python -m benchmarks.race.run --data FOLDER --tools earnest,flaml --budget 60 --splits 1
    --python flaml=/path/to/python --out results.csv

A row is written as soon as a run is finished, and a run that has its row is not made again. What
fails or does not end is a row too, with its reason. Rows go table by table, so that a race that is
stopped has all tools on the tables it came to.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from benchmarks import rows
from benchmarks.race.simulated import list_simulated
from benchmarks.race.tables import (
    METRIC,
    TARGET,
    Table,
    let_train_on,
    make_split,
    read_tables,
)
from benchmarks.race.tools import Tool, list_tools

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results.csv"
MOST_TIMES, MORE_SECONDS = 2.0, 60.0  # a run is ended after twice its budget and a minute
IMPORTS = {
    "earnest": ["earnest", "sklearn.pipeline"],
    "flaml": ["flaml"],
    "autogluon": ["autogluon.tabular"],
    "mljar": ["supervised"],
    "sklearn": ["sklearn.pipeline"],
    "catboost": ["catboost"],
    "lightgbm": ["lightgbm"],
}
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)


@dataclass(frozen=True)
class Row:
    """What came of one run. Scores are those of `metric`; a run that failed has only `error`."""

    data: str
    task: str
    split: int
    tool: str
    version: str
    budget: float
    n_train: int
    n_test: int
    metric: str
    held_out: float = math.nan
    second: float = math.nan  # accuracy of classes, root mean squared error of numbers
    claim: float = math.nan
    low: float = math.nan
    high: float = math.nan
    naive: float = math.nan
    seconds: float = math.nan
    predict_seconds: float = math.nan
    detail: str = ""
    error: str = ""

    @property
    def key(self) -> tuple[str, int, str, float]:
        """What tells a run from all others."""
        return (self.data, self.split, self.tool, self.budget)


@dataclass(frozen=True)
class Machine:
    """Where runs go: interpreters by family, and the cores, none for any one."""

    interpreters: dict[str, str]
    cores: tuple[int, ...] = ()

    @property
    def n_cores(self) -> int:
        """How many cores each tool is told to use."""
        return max(1, len(self.cores))

    def find_interpreter(self, tool: Tool) -> str:
        """Return the interpreter of a tool, by its name or its family."""
        named = self.interpreters.get(tool.name) or self.interpreters.get(tool.family)
        return named or sys.executable


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is not there yet."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.race.run", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--only", default="", help="tables, in the order in which they run")
    parser.add_argument("--tools", default=",".join(list_tools()), help="names or families")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds")
    parser.add_argument("--splits", type=int, default=1, help="how many")
    parser.add_argument("--first-split", type=int, default=0, help="the number of the first")
    parser.add_argument("--python", action="append", default=[], metavar="TOOL=PATH")
    parser.add_argument(
        "--core", default="", help="the cores that all runs share, such as 0 or 0,1"
    )
    parser.add_argument("--rows", default="", help="rows to train on, such as 1000,15000")
    parser.add_argument("--simulated", action="store_true", help="simulated tables too")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the child ends too
    tools = choose_tools(asked.tools)
    interpreters = dict(pair.split("=", 1) for pair in asked.python)
    found = read_tables(asked.data)
    larger: dict[str, Table] = {}
    for size in map(int, filter(None, asked.rows.split(","))):
        longer = (table for table in found.values() if len(table.outcome) >= 1.3 * size)
        larger |= {table.name: table for table in (let_train_on(t, size) for t in longer)}
    found |= larger
    if asked.simulated:
        found |= {table.name: table for table in list_simulated()}
    tables = choose_tables(found, asked.only)
    splits = range(asked.first_split, asked.first_split + asked.splits)
    cores = tuple(int(core) for core in asked.core.split(",") if core)
    machine = Machine(interpreters, cores)
    for row in run_race(tables, tools, splits, asked.budget, machine, asked.out):
        said = row.error or f"{row.held_out:.4f}, claims {row.claim:.4f}, {row.seconds:.0f} s"
        print(f"{row.data} {row.split} {row.tool}: {said}", flush=True)
    return 0


def choose_tools(names: str) -> list[Tool]:
    """Return tools by their names; a family stands for all of its tools."""
    known = list_tools()
    chosen = {}
    for name in names.split(","):
        found = [tool for tool in known.values() if name in (tool.name, tool.family)]
        if not found:
            raise SystemExit(f"--tools: {name!r} is unknown. Choose from {', '.join(known)}.")
        chosen.update({tool.name: tool for tool in found})
    return list(chosen.values())


def choose_tables(tables: dict[str, Table], names: str) -> list[Table]:
    """Return tables by their names, all where none is named."""
    wanted = names.split(",") if names else list(tables)
    lost = [name for name in wanted if name not in tables]
    if lost:
        raise SystemExit(f"--only: no table {lost[0]!r}. There are {', '.join(tables)}.")
    return [tables[name] for name in wanted]


def run_race(
    tables: Sequence[Table],
    tools: Sequence[Tool],
    splits: Sequence[int],
    budget: float,
    machine: Machine,
    out: Path,
) -> Iterator[Row]:
    """Yield the rows that were not there, each after it is written."""
    done = {row.key for row in read_rows(out)}
    for split in splits:
        for table in tables:
            for tool in tools:
                if (table.name, split, tool.name, budget) not in done:
                    row = run_one(table, split, tool, budget, machine)
                    append(row, out)
                    yield row


def run_one(table: Table, split: int, tool: Tool, budget: float, machine: Machine) -> Row:
    """Run a tool on a split, and score what it predicts."""
    made, metric = make_split(table, split), METRIC[table.task]
    train, test = table.features.iloc[made.train], table.features.iloc[made.test]
    about = (table.name, table.task, split, tool.name)
    sizes = (budget, len(made.train), len(made.test), metric)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        outcome = table.outcome.iloc[made.train].to_numpy()
        train.assign(**{TARGET: outcome}).reset_index(drop=True).to_parquet(
            folder / "train.parquet"
        )
        test.reset_index(drop=True).to_parquet(folder / "test.parquet")
        job = {"task": table.task, "metric": metric, "budget": budget, "options": tool.options}
        job |= {"cores": machine.n_cores}
        job |= {"function": tool.function, "imports": IMPORTS.get(tool.family, [])}
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        error = start(folder, machine.find_interpreter(tool), machine.cores, budget)
        if error:
            return Row(*about, "", *sizes, error=error)
        answer = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
        predictions = np.load(folder / "predictions.npy")
    truth = table.outcome.iloc[made.test].to_numpy()
    try:
        held_out, second = score(table.task, truth, predictions)
    except ValueError as wrong:
        return Row(*about, answer["version"], *sizes, error=f"predictions: {wrong}")
    return Row(
        *about,
        answer["version"],
        *sizes,
        held_out=held_out,
        second=second,
        claim=_read_number(answer["claim"]),
        low=_read_number(answer["low"]),
        high=_read_number(answer["high"]),
        naive=_read_number(answer["naive"]),
        seconds=_read_number(answer["seconds"]),
        predict_seconds=_read_number(answer["predict_seconds"]),
        detail=answer["detail"],
    )


def _read_number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def start(folder: Path, interpreter: str, cores: Sequence[int], budget: float) -> str:
    """Run a child to its end or to that of its time; return what went wrong, if anything."""
    threads = str(max(1, len(cores)))
    environment = os.environ | dict.fromkeys(THREADS, threads) | {"TMPDIR": str(folder)}
    limit = MOST_TIMES * budget + MORE_SECONDS
    began = monotonic()
    with (folder / "said.txt").open("w", encoding="utf-8") as said:
        child = subprocess.Popen(
            [interpreter, "-m", "benchmarks.race.child", str(folder)],
            cwd=ROOT,
            env=environment,
            stdout=said,
            stderr=said,
            process_group=0,  # not a session: it keeps its share of the processor
            preexec_fn=(lambda: os.sched_setaffinity(0, cores)) if cores else None,
        )
        try:
            code = child.wait(limit)
        except subprocess.TimeoutExpired:
            return f"ended after {monotonic() - began:.0f} s"
        finally:
            _end_group(child)
    if code == 0:
        return ""
    lines = (folder / "said.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    last = next((line.strip() for line in reversed(lines) if line.strip()), "said nothing")
    return f"exit code {code}: {last.replace(str(folder), 'FOLDER')[:200]}"


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """End what a child has started and left, and the child."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    child.wait()


def score(
    task: str, truth: NDArray[np.generic], predictions: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the score of the race, and accuracy or root mean squared error beside it."""
    from sklearn.metrics import accuracy_score, log_loss, r2_score, roc_auc_score

    if len(predictions) != len(truth) or not np.isfinite(predictions).all():
        raise ValueError(f"{len(predictions)} for {len(truth)} rows, or not all are numbers")
    if task == "binary":
        right = accuracy_score(truth, predictions > 0.5)
        return float(roc_auc_score(truth, predictions)), float(right)
    if task == "multiclass":
        chances = np.clip(predictions, 1e-15, None)
        chances = chances / chances.sum(axis=1, keepdims=True)
        labels = np.arange(chances.shape[1])
        right = accuracy_score(truth, chances.argmax(axis=1))
        return float(log_loss(truth, chances, labels=labels)), float(right)
    error = float(np.sqrt(np.mean((truth.astype(float) - predictions) ** 2)))
    return float(r2_score(truth, predictions)), error


# The file of results


def read_rows(path: Path) -> list[Row]:
    """Return what was run so far."""
    return rows.read_rows(Row, path) if path.exists() else []


def append(row: Row, path: Path) -> None:
    """Add a row, with a head where the file is new."""
    new = not path.exists() or path.stat().st_size == 0
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow({name: _text(value) for name, value in asdict(row).items()})


def _text(value: str | float) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return " ".join(str(value).split())


if __name__ == "__main__":
    sys.exit(main())
