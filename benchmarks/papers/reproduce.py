"""Run the experiments of a paper again, and write our numbers beside the published ones.

    python -m benchmarks.papers.reproduce paraschakis2024 --scale small --jobs 2

Replications are kept in `build/papers` as they finish, so that the same command goes on where it
was stopped, and a larger scale adds to a smaller one. They are kept apart by the fingerprint of the
code that they depend on: other code never adds to them.

The tables of a run and their figures are written there, too. A table replaces the one beside the
study unless that one is of a larger run: a small run never undoes a full one.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import importlib
import io
import json
import math
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from benchmarks.papers.agreement import DIFFERS, Verdict, judge, read_published
from benchmarks.papers.study import (
    PAPERS,
    Cell,
    Done,
    Finding,
    Floats,
    Kind,
    Scale,
    Study,
    seed_words,
)

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "src" / "earnest"
ROOMS = ("core", "metrics", "resampling", "kernels", "inference", "methods", "comparison")
KEPT = Path("build") / "papers"
BLOCK_SECONDS = 20.0  # replications between two savings take about as long
SIX_DIGITS = 1e-5  # within which numbers are the same that were written with six digits
SMALL_HEAD = ("table", "row", "quantity", "ours")
HEAD = (
    *("row", "quantity", "kind", "runs", "ours", "spread"),
    *("published", "published_runs", "agrees_from", "agrees_to"),
    *("p", "p_adjusted", "verdict", "reason"),
)


def load_study(paper: str) -> Study:
    """Return the module that knows how to run a paper."""
    return cast("Study", importlib.import_module(f"benchmarks.papers.{paper}.study"))


def find_results(paper: str) -> Path:
    """Return the folder of the committed tables of a paper."""
    return HERE / paper / "results"


def fingerprint(paper: str) -> str:
    """Return a hash of the code that can change the results of a paper; drawing cannot."""
    rooms = (*ROOMS, *getattr(load_study(paper), "MORE_ROOMS", ()))
    files = [path for room in rooms for path in (SOURCES / room).rglob("*.py")]
    files += [path for path in (HERE / paper).glob("*.py") if path.name != "figures.py"]
    made = hashlib.sha256()
    for path in sorted(files):
        made.update(str(path.relative_to(HERE.parents[1])).encode())
        made.update(path.read_bytes())
    return made.hexdigest()[:16]


# ---------------------------------------------------------------------------- replications


def run_block(paper: str, cell: Cell, first: int, count: int) -> Done:
    """Return some replications of a cell."""
    study, begun = load_study(paper), time.perf_counter()
    stream = getattr(study, "stream", Cell.rng)
    rows = [study.run(cell, stream(cell, k)) for k in range(first, first + count)]
    names = tuple(rows[0])
    values = np.array([[row[name] for name in names] for row in rows], dtype=np.float64)
    return Done(cell, names, values, time.perf_counter() - begun)


def run_cells(
    paper: str,
    cells: Sequence[Cell],
    *,
    jobs: int = 1,
    kept: Path | None = None,
    begun: Mapping[Cell, Done] | None = None,
) -> list[Done]:
    """Run what is missing, keep it, and return the replications of all cells.

    Parameters
    ----------
    kept : Path, optional
        The folder in which replications are kept as they finish.
    begun : mapping of Cell to Done, optional
        Replications to go on from where none are kept.
    """
    from joblib import Parallel, delayed

    folder = None if kept is None else kept / paper / fingerprint(paper)
    done = {cell: longer(read_kept(folder, cell), (begun or {}).get(cell)) for cell in cells}
    with Parallel(n_jobs=jobs, return_as="generator_unordered") as pool:
        while True:
            blocks = list(missing(done))
            if not blocks:
                break
            tasks = [delayed(run_block)(paper, *block) for block in blocks]
            for one in pool(tasks):  # one block of a cell at a time
                whole = joined(done[one.cell], one)
                done[one.cell] = whole
                write_kept(folder, whole)
                if folder is not None:
                    print(f"{one.cell.table} {one.cell.name}: {len(whole.values)}", flush=True)
    return [replace(cast("Done", done[cell]), cell=cell) for cell in cells]


def read_cells(paper: str, cells: Sequence[Cell], kept: Path) -> list[Done]:
    """Return the replications that are kept or committed, of the cells that have any."""
    folder, begun = kept / paper / fingerprint(paper), read_committed(paper, cells)
    found = (longer(read_kept(folder, cell), begun.get(cell)) for cell in cells)
    return [one for one in found if one is not None]


def longer(one: Done | None, other: Done | None) -> Done | None:
    """Return what has more replications of a cell, which are the same as far as both go."""
    return max((one, other), key=lambda done: 0 if done is None else len(done.values))


def missing(done: dict[Cell, Done | None]) -> Iterator[tuple[Cell, int, int]]:
    """Yield one block for each cell that lacks replications, of about the same time each."""
    for cell, so_far in done.items():
        have = 0 if so_far is None else len(so_far.values)
        if have < cell.runs:
            each = 0.0 if so_far is None else so_far.seconds / have
            count = 2 if so_far is None else max(1, round(BLOCK_SECONDS / max(each, 1e-3)))
            yield cell, have, min(cell.runs - have, count)


def joined(before: Done | None, more: Done) -> Done:
    """Return replications with those that were done earlier."""
    if before is None:
        return more
    assert before.names == more.names
    values = np.vstack([before.values, more.values])
    return Done(more.cell, more.names, values, before.seconds + more.seconds)


def read_kept(folder: Path | None, cell: Cell) -> Done | None:
    """Return the replications of a cell that are kept, no more than it asks for."""
    path = None if folder is None else place(folder, cell)
    if path is None or not path.is_file():
        return None
    with np.load(path) as file:
        names = tuple(str(name) for name in file["names"])
        values, seconds = file["values"], float(file["seconds"])
    some = values[: cell.runs]
    return Done(cell, names, some, seconds * len(some) / len(values))


def read_committed(
    paper: str, cells: Sequence[Cell], folder: Path | None = None
) -> dict[Cell, Done]:
    """Return the replications of expensive cells that are committed with the results.

    They are those of older code, and go on being used while its smoke replications agree.
    """
    tables = [table for table in name_committed(paper) if any(c.table == table for c in cells)]
    place = folder or find_results(paper)
    known = {table: place / f"{table}_replications.csv" for table in tables}
    rows = {table: read_rows(path) for table, path in known.items() if path.is_file()}
    smoke = [c for c in load_study(paper).grid(Scale.SMOKE, None) if c.table in rows]
    if not rows or find_stale(paper, run_cells(paper, smoke), folder, tables=list(rows)):
        return {}
    out = {}
    for cell in cells:
        mine = [row for row in rows.get(cell.table, ()) if row["cell"] == cell.name][: cell.runs]
        if mine:
            names = tuple(name for name in mine[0] if name not in ("cell", "seconds"))
            values = np.array([[float(row[name]) for name in names] for row in mine])
            out[cell] = Done(cell, names, values, sum(float(row["seconds"]) for row in mine))
    return out


def name_committed(paper: str) -> tuple[str, ...]:
    """Return the tables whose replications are committed, as they take many hours."""
    return tuple(getattr(load_study(paper), "COMMITTED", ()))


def write_replications(path: Path, done: Sequence[Done]) -> None:
    """Write the replications of a table one below the other, with the seconds of each."""
    with io.StringIO() as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["cell", "seconds", *done[0].names])
        for one in done:
            each = f"{one.seconds / len(one.values):.1f}"
            writer.writerows([one.cell.name, each, *row] for row in one.values.tolist())
        write_text(path, out.getvalue())


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the lines of a table by the names of its columns."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_kept(folder: Path | None, done: Done) -> None:
    """Write the replications of a cell, all or nothing; never fewer than there are."""
    if folder is None:
        return
    path = place(folder, done.cell)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    with part.open("wb") as file:
        np.savez(file, names=np.array(done.names), values=done.values, seconds=done.seconds)
    part.replace(path)


def place(folder: Path, cell: Cell) -> Path:
    """Return the file of a cell."""
    name = cell.name.replace(" ", ",").replace("/", "-") or "all"
    return folder / cell.table / f"{name}.npz"


# ---------------------------------------------------------------------------- results


def write_results(paper: str, scale: Scale, done: Sequence[Done], folder: Path) -> list[str]:
    """Write a table of numbers and the record of how it was made; return the names of tables."""
    study = load_study(paper)
    by_table: dict[str, list[Done]] = {}
    for one in done:
        by_table.setdefault(one.cell.table, []).append(one)
    published = read_published(HERE / paper / "expected.csv")
    found = study.find(by_table)
    folder.mkdir(parents=True, exist_ok=True)
    smoke = study.grid(Scale.SMOKE, None)
    for table, exact in found.items():
        findings = [as_written(one) for one in exact]
        verdicts = judge(table, findings, published, study.REASONS)
        write_text(folder / f"{table}.csv", as_csv(verdicts))
        sources = getattr(study, "MADE_FROM", {}).get(table, (table,))
        mine = [one for one in done if one.cell.table in sources]
        record = {
            "paper": paper,
            "table": table,
            "scale": str(scale),
            "fingerprint": fingerprint(paper),
            "versions": versions(),
            "seconds": round(sum(one.seconds for one in mine), 1),
            "seeds": {
                f"{one.cell.table} {one.cell.name}": name_seed(paper, one.cell) for one in mine
            },
            "cells": {f"{one.cell.table} {one.cell.name}": len(one.values) for one in mine},
            "smoke": smoke_values(smoke, mine),
        }
        write_text(folder / f"{table}.json", json.dumps(record, indent=1) + "\n")
    for table in name_committed(paper):
        if table in by_table:
            write_replications(folder / f"{table}_replications.csv", by_table[table])
    return list(found)


def name_seed(paper: str, cell: Cell) -> str:
    """Return the seed of replication k of a cell, k counting from 0: '1837465, k'."""
    stream = getattr(load_study(paper), "stream", Cell.rng)
    first, second = (seed_words(stream(cell, k)) for k in (0, 1))
    words = ["k" if (a, b) == (0, 1) else f"{a}" for a, b in zip(first, second, strict=True)]
    assert words.count("k") == 1
    return ", ".join(words)


def smoke_values(smoke: Sequence[Cell], done: Sequence[Done]) -> dict[str, Any]:
    """Return the replications that a smoke run repeats, by cell."""
    counts = {(cell.table, cell.name): cell.runs for cell in smoke if cell.exact}
    out = {}
    for one in done:
        count = counts.get((one.cell.table, one.cell.name))
        if count is not None:
            rows = [
                [None if math.isnan(x) else float(f"{x:.12g}") for x in row]
                for row in one.values[:count]
            ]
            out[f"{one.cell.table} {one.cell.name}"] = {"names": list(one.names), "rows": rows}
    return out


def as_csv(verdicts: Sequence[Verdict]) -> str:
    """Return a table of numbers beside the published ones."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for one in verdicts:
        ours, theirs = one.finding, one.published
        writer.writerow(
            [
                ours.row,
                ours.quantity,
                str(ours.kind),
                ours.runs,
                _text(ours.value),
                _text(ours.spread),
                "" if theirs is None else _text(theirs.value),
                "" if theirs is None or not theirs.runs else theirs.runs,
                _text(one.low),
                _text(one.high),
                _text(one.p, 3),
                _text(one.p_adjusted, 3),
                one.verdict,
                one.reason,
            ]
        )
    return out.getvalue()


def as_written(finding: Finding) -> Finding:
    """Return a number with the digits of its table, so that its verdict is the same ever after."""
    value, spread = (float(_text(x) or "nan") for x in (finding.value, finding.spread))
    return replace(finding, value=value, spread=spread)


def _text(value: float, digits: int = 6) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}g}"


def write_text(path: Path, text: str) -> None:
    """Write a file, all or nothing."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def versions() -> dict[str, str]:
    """Return the versions that a number may depend on."""
    import platform
    from importlib.metadata import version

    names = ("earnest", "numpy", "scipy", "scikit-learn", "numba")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


# ---------------------------------------------------------------------------- is it current


def judge_results(paper: str) -> None:
    """Give the verdicts of committed tables anew, after a change of what was published or why."""
    published = read_published(HERE / paper / "expected.csv")
    for record in read_records(paper):
        table = record["table"]
        findings = [read_finding(line) for line in read_results(paper, table)]
        verdicts = judge(table, findings, published, load_study(paper).REASONS)
        write_text(find_results(paper) / f"{table}.csv", as_csv(verdicts))


def read_finding(line: Mapping[str, str]) -> Finding:
    """Return the number of ours in a line of a committed table."""
    return Finding(
        line["row"],
        line["quantity"],
        Kind(line["kind"]),
        float(line["ours"]),
        int(line["runs"]),
        float(line["spread"] or "nan"),
    )


def read_results(paper: str, table: str, folder: Path | None = None) -> list[dict[str, str]]:
    """Return the lines of a committed table."""
    return read_rows((folder or find_results(paper)) / f"{table}.csv")


def read_records(paper: str, folder: Path | None = None) -> list[dict[str, Any]]:
    """Return how the committed tables of a paper were made."""
    paths = sorted((folder or find_results(paper)).glob("*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def find_stale(
    paper: str,
    done: Sequence[Done],
    folder: Path | None = None,
    tables: Sequence[str] | None = None,
) -> list[str]:
    """Return what is wrong with committed tables, all or some, given the smoke run of today's code.

    A table is stale if it is older than the code that it depends on, and a replication that both
    have in common has changed. With the same code, a replication that changes is not reproducible.
    """
    today, tolerance = fingerprint(paper), load_study(paper).TOLERANCE
    fresh = {f"{one.cell.table} {one.cell.name}": one for one in done if one.cell.exact}
    wrong = []
    for record in read_records(paper, folder):
        if tables is not None and record["table"] not in tables:
            continue
        older = record["fingerprint"] != today
        for name, kept in record["smoke"].items():
            away = distance(kept, fresh.get(name))
            if away > tolerance:
                why = "is stale" if older else "is not reproducible"
                wrong.append(
                    f"{paper} {record['table']} {why}: '{name}' is off by {away:.3g}. Run make "
                    f"reproduce PAPER={paper} SCALE={record['scale']}."
                )
    return wrong


def find_changed(paper: str, tables: Sequence[str], made: Path) -> list[str]:
    """Return which tables of a small run are not those of the last one.

    Smoke replications are few, and may not see a change that other cells show.
    """
    known, tolerance = read_small(paper), max(load_study(paper).TOLERANCE, SIX_DIGITS)
    wrong = []
    for table in tables:
        fresh = read_numbers(paper, table, made)
        both = [(value, known[key]) for key, value in fresh.items() if key in known]
        away = [abs(now - was) / max(1.0, abs(was)) for now, was in both]
        off = [one for one in away if not one <= tolerance]  # NaN is off, too
        if off:
            wrong.append(
                f"{paper} {table} is stale: {len(off)} of {len(away)} numbers of a small run are "
                f"not those of small.csv, by {max(off):.3g} at most. Make the tables of the paper "
                "again, and run this with --accept."
            )
    return wrong


def accept_small(paper: str, tables: Sequence[str], made: Path) -> None:
    """Write the numbers of a small run, in the place of older ones of the same cells."""
    known = read_small(paper)
    for table in tables:
        known.update(read_numbers(paper, table, made))
    with io.StringIO() as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(SMALL_HEAD)
        writer.writerows([*key, _text(value)] for key, value in sorted(known.items()))
        write_text(find_small(paper), out.getvalue())


def find_small(paper: str) -> Path:
    """Return the file with the numbers of the last small run that was accepted."""
    return find_results(paper).parent / "small.csv"


def list_timed(paper: str) -> set[str]:
    """Return the tables of measured times, which are no function of seeds."""
    return {cell.table for cell in load_study(paper).grid(Scale.SMALL, None) if not cell.exact}


def read_small(paper: str) -> dict[tuple[str, ...], float]:
    """Return the numbers of the last small run by table, row and quantity."""
    path = find_small(paper)
    rows = read_rows(path) if path.is_file() else []
    return {tuple(row[name] for name in SMALL_HEAD[:3]): float(row["ours"]) for row in rows}


def read_numbers(paper: str, table: str, folder: Path) -> dict[tuple[str, ...], float]:
    """Return the numbers of a table by table, row and quantity; measured times are none."""
    if table in list_timed(paper):
        return {}
    lines = read_results(paper, table, folder)
    return {(table, line["row"], line["quantity"]): float(line["ours"] or "nan") for line in lines}


def distance(kept: dict[str, Any], fresh: Done | None) -> float:
    """Return by how much replications differ, infinite where they cannot be compared."""
    if fresh is None or list(fresh.names) != kept["names"]:
        return math.inf
    was = np.array([[math.nan if x is None else x for x in row] for row in kept["rows"]])
    now: Floats = fresh.values[: len(was)]
    if now.shape != was.shape or (np.isnan(was) != np.isnan(now)).any():
        return math.inf
    scale = np.maximum(1.0, np.abs(was))
    return float(np.nan_to_num(np.abs(now - was) / scale).max(initial=0.0))


# ---------------------------------------------------------------------------- what it costs


def measure_cost(paper: str, cells: Sequence[Cell]) -> Iterator[tuple[str, int, float]]:
    """Yield the replications of every table, and about how many seconds of one core they take.

    One replication of the first and of the last cell of a table stand for all, by processor time,
    so that other work on the machine does not count.
    """
    by_table: dict[str, list[Cell]] = {}
    for cell in cells:
        by_table.setdefault(cell.table, []).append(cell)
    for table, mine in by_table.items():
        each = []
        for cell in dict.fromkeys((mine[0], mine[-1])):
            begun = time.process_time()
            run_block(paper, cell, 0, 1)
            each.append(time.process_time() - begun)
        runs = sum(cell.runs for cell in mine)
        yield table, runs, runs * sum(each) / len(each)


# ---------------------------------------------------------------------------- the command


def main() -> None:
    """Run one paper, or all of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paper", nargs="?", default="all", choices=(*PAPERS, "all"))
    parser.add_argument("--scale", choices=list(Scale), default=Scale.SMALL, type=Scale)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tables", nargs="*", help="only these tables; all by default")
    parser.add_argument("--cells", help="only cells whose facts match this regular expression")
    parser.add_argument("--data", type=Path, help="a folder with data sets as Parquet files")
    parser.add_argument(
        "--judge",
        action="store_true",
        help="give verdicts and draw anew from the results, run nothing",
    )
    parser.add_argument(
        "--kept", action="store_true", help="write the tables of what is kept so far, run nothing"
    )
    parser.add_argument("--cost", action="store_true", help="run nothing whole; say what it costs")
    parser.add_argument(
        "--accept", action="store_true", help="keep the numbers of this small run for the next ones"
    )
    asked = parser.parse_args()
    papers = list(PAPERS) if asked.paper == "all" else [asked.paper]
    if asked.data is not None and not asked.data.is_dir():
        parser.error(f"--data: there is no folder {str(asked.data)!r}")
    known = {
        cell.table for paper in papers for cell in load_study(paper).grid(asked.scale, asked.data)
    }
    for table in asked.tables or ():
        if table not in known:
            parser.error(f"--tables: no table {table!r} at this scale. There are {sorted(known)}")
    wrong: list[str] = []
    for paper in papers:
        if asked.judge:
            judge_results(paper)
            draw_results(paper, find_results(paper))
            continue
        chosen = Chosen(asked.tables, asked.cells, asked.data)
        if asked.cost:
            cells = chosen.of(load_study(paper).grid(asked.scale, asked.data))
            for table, runs, seconds in measure_cost(paper, cells):
                print(f"{paper} {table}: {runs} replications, {seconds:.0f} s", flush=True)
            continue
        if asked.kept:
            cells = chosen.of(load_study(paper).grid(asked.scale, asked.data))
            show_results(paper, asked.scale, read_cells(paper, cells, KEPT))
            continue
        wrong += reproduce(paper, asked.scale, asked.jobs, chosen, asked.accept)
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


@dataclass(frozen=True)
class Chosen:
    """Which cells to run: of these tables, with facts that match, on data of this folder."""

    tables: Sequence[str] | None = None
    cells: str | None = None
    data: Path | None = None

    def of(self, grid: Sequence[Cell]) -> list[Cell]:
        """Return the cells that were asked for."""
        return [
            cell
            for cell in grid
            if (self.tables is None or cell.table in self.tables)
            and (self.cells is None or re.search(self.cells, cell.name))
        ]


def is_smaller(record: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether a table has fewer replications of a cell than another, or a smaller scale."""
    counts, order = record["cells"], list(Scale)
    fewer = any(counts.get(cell, 0) < count for cell, count in other["cells"].items())
    return fewer or order.index(record["scale"]) < order.index(other["scale"])


def draw_results(paper: str, folder: Path) -> None:
    """Draw the figures of a paper from the results of a folder."""
    draw = getattr(load_study(paper), "draw_figures", None)
    if draw is not None:
        draw(folder)


def show_results(paper: str, scale: Scale, done: Sequence[Done], accept: bool = False) -> list[str]:
    """Write the tables of a paper, draw its figures, and return what is stale.

    Numbers that are not the published ones are printed.
    """
    made, home = KEPT / paper / f"{scale}-results", find_results(paper)
    tables = write_results(paper, scale, done, made)
    wrong = []
    if scale is Scale.SMALL:
        if accept:
            accept_small(paper, tables, made)
        wrong = find_changed(paper, tables, made)
    for table in tables:
        lines = read_results(paper, table, made)
        off = [line for line in lines if line["verdict"] == DIFFERS]
        print(f"{paper} {table}: {len(lines)} numbers, {len(off)} differ")
        for line in off:
            print(f"  {line['row']} {line['quantity']} {line['ours']} ({line['published']})")
        if not replace_table(table, made, home):
            print(f"  in {made} only: that in results is of a larger run")
    draw_results(paper, made)
    draw_results(paper, home)
    return wrong


def replace_table(table: str, made: Path, home: Path) -> bool:
    """Put a table in the place of an older one, unless that is of a larger run."""
    new, old = made / f"{table}.json", home / f"{table}.json"
    if old.is_file() and is_smaller(*(json.loads(path.read_text("utf-8")) for path in (new, old))):
        return False
    home.mkdir(parents=True, exist_ok=True)
    for name in (f"{table}.csv", f"{table}.json", f"{table}_replications.csv"):
        if (made / name).is_file():
            shutil.copyfile(made / name, home / name)
    return True


def reproduce(
    paper: str, scale: Scale, jobs: int, chosen: Chosen | None = None, accept: bool = False
) -> list[str]:
    """Run a paper, write its tables unless it is a smoke run, and return what is stale."""
    started, chosen = time.perf_counter(), chosen or Chosen()
    cells = chosen.of(load_study(paper).grid(scale, chosen.data))
    kept, begun = (None, {}) if scale is Scale.SMOKE else (KEPT, read_committed(paper, cells))
    done = run_cells(paper, cells, jobs=jobs, kept=kept, begun=begun)
    wrong: list[str] = []
    if scale is Scale.SMOKE:
        wrong = find_stale(paper, done)
    elif chosen.cells is None:  # parts of a table are kept, and written with the rest of it
        wrong = show_results(paper, scale, done, accept)
    print(f"{paper} {scale}: {time.perf_counter() - started:.0f} s", flush=True)
    return wrong


if __name__ == "__main__":
    main()
