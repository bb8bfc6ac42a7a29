"""Run the fuzzer: `make fuzz MINUTES=10`, or `python -m tests.fuzz.run --minutes 10 --processes 2`.

Every lane makes and runs its inputs in a process that is forked off and begun anew every two
thousand of them. A timer within it ends an input that takes too long; where that is in code that
never returns to Python, the process around it does. What is found is stored: the files of the
input, the command or call, and the traceback. At the end a table counts the inputs of each kind.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DONE, REFUSED = "done", "refused"
FAULT, HANG, CRASH, SILENT, BROKEN = "fault", "hang", "crash", "silent", "broken"
GOOD = (DONE, REFUSED)
# What is counted in each column of the table at the end.
COLUMNS = {
    "answered": (DONE,),
    "refused": (REFUSED,),
    "uncaught": (FAULT, CRASH),
    "hangs": (HANG,),
    "silent NaN": (SILENT,),
    "broken": (BROKEN,),
}
PATIENCE = 60.0  # seconds for one input
BATCH = 2000  # inputs of a process
SPACE = 12 << 30  # bytes of addresses: what asks for more is told so, and the machine lives
EVERY = 30.0  # seconds from one line of progress to the next


class TooLong(BaseException):
    """An input takes too long; no `except Exception` may catch this."""


@dataclass(frozen=True)
class Result:
    """How an input ended: one of the words above, and the traceback of a fault."""

    outcome: str
    detail: str = ""


@dataclass(frozen=True)
class Lane:
    """What one process works on: every n-th batch of seeds, in a folder of its own."""

    number: int
    lanes: int
    out: Path
    seeds: Path
    start: int
    last: int | None
    ends: float
    only: str
    patience: float
    batch: int

    @property
    def log(self) -> Path:
        """The file with a line for every input."""
        return self.out / f"log-{self.number}.jsonl"

    @property
    def work(self) -> Path:
        """The folder with the files of an input, which is emptied for every input."""
        return self.out / f"work-{self.number}"

    def run(self) -> None:
        """Run batch after batch until the time or the seeds end."""
        self.log.unlink(missing_ok=True)
        first = self.start + self.batch * self.number
        while time.monotonic() < self.ends and (self.last is None or first < self.last):
            stop = first + self.batch
            stop = stop if self.last is None else min(self.last, stop)
            seed = first
            while seed < stop and time.monotonic() < self.ends:
                seed = _run_batch(range(seed, stop), self)
            first += self.batch * self.lanes


def run_input(call: Callable[[], int | None], patience: float = PATIENCE) -> Result:
    """Run an input here, with a timer; needs the main thread."""
    from earnest.errors import EarnestError
    from tests.fuzz.checks import BrokenPromise, SilentNaN
    from tests.fuzz.links import ChangedOutside

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    hook = sys.excepthook
    signal.setitimer(signal.ITIMER_REAL, patience)
    out, err = io.StringIO(), io.StringIO()
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            code = call()
    except EarnestError:
        return Result(REFUSED)
    except TooLong:
        return Result(HANG, traceback.format_exc())
    except SilentNaN:
        return Result(SILENT, traceback.format_exc())
    except (BrokenPromise, ChangedOutside):
        return Result(BROKEN, traceback.format_exc())
    except BaseException:  # noqa: BLE001  # also SystemExit: nothing may get here
        return Result(FAULT, traceback.format_exc())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.excepthook = hook
    if code not in (None, 0, 2):
        return Result(FAULT, f"exit code {code}\n{err.getvalue()}")
    if "Traceback" in err.getvalue():
        return Result(FAULT, err.getvalue())
    return Result(REFUSED if code == 2 else DONE)


def main() -> int:
    """Run for some minutes, print a table of the outcomes, and return 1 if anything was found."""
    parser = argparse.ArgumentParser(
        description="Fuzz the readers, the commands and the statistics of earnest."
    )
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--inputs", type=int, default=None, help="how many at most")
    parser.add_argument("--only", default="", help="how the kinds of inputs begin: load, ask ...")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds for one input")
    parser.add_argument("--batch", type=int, default=BATCH, help="inputs of one process")
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"))
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    for log in out.glob("log-*.jsonl"):
        log.unlink()
    _preload()
    begun = time.monotonic()
    seeds = out / "seeds"
    if not seeds.exists() and _wait_for(_fork(lambda: _write_seeds(seeds)), 600.0) != 0:
        print("The seed files cannot be made.", file=sys.stderr)
        return 1
    lanes = [
        Lane(
            number=number,
            lanes=options.processes,
            out=out,
            seeds=seeds,
            start=options.start,
            last=None if options.inputs is None else options.start + options.inputs,
            ends=begun + 60 * options.minutes,
            only=options.only,
            patience=options.patience,
            batch=options.batch,
        )
        for number in range(options.processes)
    ]
    _wait_for_lanes([_fork(lane.run) for lane in lanes], lanes)
    records = [record for lane in lanes for record in _read_records(lane.log)]
    print(format_table(records, time.monotonic() - begun))
    return 1 if any(record["outcome"] not in GOOD for record in records) else 0


def _wait_for_lanes(pids: list[int], lanes: list[Lane]) -> None:
    waiting, shown = set(pids), time.monotonic()
    while waiting:
        for pid in list(waiting):
            if os.waitpid(pid, os.WNOHANG)[0]:
                waiting.discard(pid)
        if time.monotonic() - shown > EVERY:
            shown = time.monotonic()
            counts = Counter(r["outcome"] for lane in lanes for r in _read_records(lane.log))
            listed = ", ".join(f"{count:,} {word}" for word, count in sorted(counts.items()))
            print(f"{sum(counts.values()):,} inputs: {listed}", flush=True)
        time.sleep(0.2)


def format_table(records: list[dict[str, Any]], seconds: float) -> str:
    """Return how the inputs of each kind ended, and how many of them got an answer."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    spent: dict[str, float] = defaultdict(float)
    for record in records:
        for kind in (record["kind"] or "(ended its process)", "all"):
            counts[kind][record["outcome"]] += 1
            spent[kind] += record["seconds"]
    width = max(map(len, counts), default=4)
    head = f"{'kind':{width}} {'inputs':>9} " + " ".join(f"{name:>10}" for name in COLUMNS)
    lines = [f"{head} {'share':>7} {'ms':>7}"]
    for kind in [*sorted(counts.keys() - {"all"}), "all"]:
        total = sum(counts[kind].values())
        cells = [sum(counts[kind][word] for word in words) for words in COLUMNS.values()]
        share = f"{100 * cells[0] / total if total else 0:.0f} %"
        each = 1000 * spent[kind] / total if total else 0
        columns = " ".join(f"{cell:>10,}" for cell in cells)
        lines.append(f"{kind:{width}} {total:>9,} {columns} {share:>7} {each:>7.1f}")
    lines.append(
        f"{seconds / 60:.1f} minutes, {len(records) / max(seconds, 1e-9):.0f} inputs a second"
    )
    return "\n".join(lines)


def _preload() -> None:
    """Import once what every process would import; nothing may start a thread before a fork."""
    importlib.import_module("tests.public_names").public_names()
    for name in ("optuna", "sqlalchemy", "skops.io", "sklearn.ensemble", "sklearn.svm"):
        importlib.import_module(name)
    importlib.import_module("tests.fuzz.inputs")


def _write_seeds(folder: Path) -> None:
    from tests.fuzz.seeds import write_seeds

    beside = folder.with_name("seeds-part")
    shutil.rmtree(beside, ignore_errors=True)
    write_seeds(beside)
    beside.rename(folder)


def _run_batch(batch: range, lane: Lane) -> int:
    """Run seeds in a process of their own; return the seed that comes next."""
    current = lane.out / f"current-{lane.number}"
    beside = lane.out / f"current-part-{lane.number}"

    def child() -> None:
        from tests.fuzz.inputs import make_input

        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
        warnings.simplefilter("ignore")
        here = Path.cwd()
        for seed in batch:
            if time.monotonic() > lane.ends:
                break
            beside.write_text(str(seed))
            beside.replace(current)  # a process that is killed meanwhile leaves the last one
            begun = time.monotonic()
            fuzzed = make_input(seed, lane.seeds, lane.work, lane.only)
            os.chdir(lane.work)
            result = run_input(fuzzed.call, lane.patience)
            os.chdir(here)
            seconds = round(time.monotonic() - begun, 3)
            _note(lane, seed, fuzzed.kind, fuzzed.words, result, seconds)

    current.write_text(str(batch.start))
    status = _wait_for(_fork(child), 2 * lane.patience, current)
    seed = int(current.read_text())
    if status != 0:
        outcome = HANG if status == -signal.SIGKILL else CRASH
        result = Result(outcome, f"the process ended with {status}")
        _note(lane, seed, _find_kind(seed, lane), f"seed {seed}", result, 0.0)
    return seed + 1


def _find_kind(seed: int, lane: Lane) -> str:
    """Return the kind of an input that ended its process."""
    from tests.fuzz.inputs import choose_kind

    return choose_kind(seed, lane.only)


def _fork(work: Callable[[], None]) -> int:
    """Run a function in a child process, and return its id."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work()
        code = 0
    except BaseException:  # noqa: BLE001  # the process ends here, whatever it was
        traceback.print_exc()
    finally:
        os._exit(code)


def _wait_for(pid: int, patience: float, beat: Path | None = None) -> int:
    """Wait for a child; 0 if it ended well, minus a signal if it was killed.

    A child that has not written to `beat`, or not ended, for `patience` seconds is killed.
    """
    begun = time.time()
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        last = beat.stat().st_mtime if beat is not None and beat.exists() else begun
        if time.time() - max(last, begun) > patience:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return -signal.SIGKILL
        time.sleep(0.05)


def _note(lane: Lane, seed: int, kind: str, words: str, result: Result, seconds: float) -> None:
    record: dict[str, Any] = {"seed": seed, "kind": kind, "outcome": result.outcome}
    record["seconds"] = seconds
    if result.outcome not in GOOD:
        folder = lane.out / f"{result.outcome}-{seed}"
        shutil.rmtree(folder, ignore_errors=True)
        unneeded = shutil.ignore_patterns("again.npz")
        with contextlib.suppress(shutil.Error, OSError):  # a link in a circle is not copied
            shutil.copytree(lane.work, folder, symlinks=True, ignore=unneeded)
        folder.mkdir(exist_ok=True)
        text = f"{words}\n\n{result.detail}"
        (folder / "what.txt").write_text(text, errors="backslashreplace")
        record |= {"words": words[:300], "detail": result.detail[-1500:]}
    with lane.log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def _read_records(log: Path) -> Iterator[dict[str, Any]]:
    if log.exists():
        with log.open(encoding="utf-8") as file:
            yield from (json.loads(line) for line in file if line.endswith("\n"))


if __name__ == "__main__":
    sys.exit(main())
