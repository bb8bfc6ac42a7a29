"""Run the fuzzer: `make fuzz MINUTES=10`, or `python -m tests.fuzz.run --minutes 10`.

Inputs are made and run in a process that is forked off and begun anew every two thousand of them. A
timer within it ends an input that takes too long; where that is in code that never returns to
Python, the process around it does. What is found is kept: the files of the input, the command or
call, and the traceback.
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
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DONE, REFUSED, FAULT, HANG, CRASH = "done", "refused", "fault", "hang", "crash"
GOOD = (DONE, REFUSED)
PATIENCE = 60  # seconds for one input
BATCH = 2000  # inputs of a process
SPACE = 12 << 30  # bytes of addresses: what asks for more is told so, and the machine lives


class TooLong(BaseException):
    """An input takes too long; no `except Exception` may catch this."""


@dataclass(frozen=True)
class Result:
    """How an input ended: one of the words above, and the traceback of a fault."""

    outcome: str
    detail: str = ""


def run_input(call: object, patience: float = PATIENCE) -> Result:
    """Run an input here, with a timer; needs the main thread."""
    from earnest import EarnestError

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
            code = call()  # type: ignore[operator]
    except EarnestError:
        return Result(REFUSED)
    except TooLong:
        return Result(HANG, traceback.format_exc())
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
    """Run for some minutes, print a count for each outcome, and return 1 if anything was found."""
    parser = argparse.ArgumentParser(description="Fuzz the readers and commands of earnest.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--inputs", type=int, default=None, help="how many at most")
    parser.add_argument("--only", default="", help="how the kinds of inputs begin: load, ask ...")
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"))
    asked = parser.parse_args()
    out = asked.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    _preload()
    ends = time.monotonic() + 60 * asked.minutes
    last = None if asked.inputs is None else asked.start + asked.inputs
    seeds, work = out / "seeds", out / "work"
    if not seeds.exists() and _forked(lambda: _write_seeds(seeds), PATIENCE * 10) != 0:
        print("The seed files cannot be made.", file=sys.stderr)
        return 1
    log = out / "log.jsonl"
    log.unlink(missing_ok=True)
    seed = asked.start
    while time.monotonic() < ends and (last is None or seed < last):
        stop = seed + BATCH if last is None else min(last, seed + BATCH)
        seed = _run_batch(range(seed, stop), seeds, work, log, ends, asked.only)
        _print_counts(log)
    return 1 if any(one["outcome"] not in GOOD for one in _records(log)) else 0


def _preload() -> None:
    """Import once what every process would import; nothing may start a thread before a fork."""
    for name in ("optuna", "sqlalchemy", "skops.io", "sklearn.ensemble", "sklearn.svm"):
        importlib.import_module(name)
    importlib.import_module("tests.fuzz.inputs")


def _write_seeds(folder: Path) -> None:
    from tests.fuzz.seeds import write_seeds

    part = folder.with_name("seeds-part")
    shutil.rmtree(part, ignore_errors=True)
    write_seeds(part)
    part.rename(folder)


def _run_batch(batch: range, seeds: Path, work: Path, log: Path, ends: float, only: str) -> int:
    """Run seeds in a process of their own; return the seed that comes next."""
    current, beside = log.with_name("current"), log.with_name("current-part")

    def child() -> None:
        from tests.fuzz.inputs import make_input

        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
        for seed in batch:
            if time.monotonic() > ends:
                break
            beside.write_text(str(seed))
            beside.replace(current)  # a process that is killed meanwhile leaves the last one
            begun = time.monotonic()
            made = make_input(seed, seeds, work, only)
            here = Path.cwd()
            os.chdir(work)
            found = run_input(made.call)
            os.chdir(here)
            seconds = round(time.monotonic() - begun, 3)
            _note(log, seed, made.kind, made.words, found, work, seconds)

    status = _forked(child, 2 * PATIENCE, current)
    at = int(current.read_text())
    if status == 0:
        return max(at, batch.start) + 1
    kind = HANG if status == -signal.SIGKILL else CRASH
    found = Result(kind, f"the process ended with {status}")
    _note(log, at, "", f"seed {at}", found, work, 0.0)
    return at + 1


def _forked(work: object, patience: float, beat: Path | None = None) -> int:
    """Run a function in a child process; 0 if it ended well, minus a signal if it was killed.

    A child that has not written to `beat`, or not ended, for `patience` seconds is killed.
    """
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()  # type: ignore[operator]
            code = 0
        except BaseException:  # noqa: BLE001  # the process ends here, whatever it was
            traceback.print_exc()
        finally:
            os._exit(code)
    begun = time.time()
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        last = beat.stat().st_mtime if beat is not None and beat.exists() else begun
        if time.time() - max(last, begun) > patience:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return -signal.SIGKILL
        time.sleep(0.2)


def _note(
    log: Path, seed: int, kind: str, words: str, found: Result, work: Path, seconds: float
) -> None:
    record = {"seed": seed, "kind": kind, "outcome": found.outcome, "seconds": seconds}
    if found.outcome not in GOOD:
        kept = log.parent / f"{found.outcome}-{seed}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(work, kept, ignore=shutil.ignore_patterns("again.npz"))
        (kept / "what.txt").write_text(f"{words}\n\n{found.detail}", errors="backslashreplace")
        record |= {"words": words[:300], "detail": found.detail[-1500:]}
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def _records(log: Path) -> Iterator[dict[str, str]]:
    if log.exists():
        with log.open(encoding="utf-8") as file:
            yield from map(json.loads, file)


def _print_counts(log: Path) -> None:
    counts = Counter(one["outcome"] for one in _records(log))
    listed = ", ".join(f"{counts[word]:,} {word}" for word in (DONE, REFUSED, FAULT, HANG, CRASH))
    print(f"{sum(counts.values()):,} inputs: {listed}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
