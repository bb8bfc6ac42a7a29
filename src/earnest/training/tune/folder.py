"""The folder of a run: its files, and checks before anything is written."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from earnest.adapters.trials.files import RUN_FILE
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError, StoreError
from earnest.core.base.writing import refuse_links, remove_abandoned, write_file
from earnest.core.text.doors import arg
from earnest.store import RunFile, list_companions, read_run
from earnest.training.tune.options import TuneOptions
from earnest.training.tune.plan import DOCUMENT, PLAN, TunePlan

RUN = RUN_FILE
PREDICTIONS, MODEL, ESTIMATE = "predictions.parquet", "model.skops", "estimate.json"
FILES = (RUN, PREDICTIONS, MODEL, ESTIMATE, PLAN)
LEARNING, LEARNING_RUN = "learning.json", "learning.db"  # of a run that was asked for its curve
EXPLANATION = "explanation.json"  # what the model does with its columns, where there was time
REPORT = "report.html"  # made from the others, at any time
NAMES = (*FILES, LEARNING, LEARNING_RUN, EXPLANATION, REPORT)  # all that earnest writes there
SPARE = 20_000_000  # bytes beside the predictions


@dataclass(frozen=True)
class Folder:
    """Where a run is kept.

    Parameters
    ----------
    path : Path
        The folder; it need not be there yet.
    plan : TunePlan, optional
        Of the run that is resumed.
    """

    path: Path
    plan: TunePlan | None = None

    @classmethod
    def of(cls, out: str | Path, *, resume: bool, options: TuneOptions) -> Folder:
        """Check a folder before any work: it can be written to, and holds no other run."""
        if not str(out).strip():
            raise InputError(f"{arg('out')} has no name", needs="a folder", got=repr(str(out)))
        path = Path(out).expanduser()
        _refuse_unwritable(path)
        runs = (path / RUN, path / LEARNING_RUN)
        refuse_links(*(path / name for name in NAMES), *chain(*map(list_companions, runs)))
        remove_abandoned(path)
        files = [name for name in FILES if (path / name).exists()]
        if resume:
            return cls(path, _plan_of(path, options))
        if files:
            raise InputError(
                f"{_show_value(path)} already holds a run",
                needs="a new or empty folder",
                got=check.some(files),
                cure=f"Use {arg('resume')} to continue that run, or choose another folder with "
                f"{arg('out')}.",
            )
        return cls(path)

    @property
    def run(self) -> Path:
        """The run file."""
        return self.path / RUN

    def make(self, expected: int) -> None:
        """Make the folder; refuse a disk that has no room for so many bytes."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            free = shutil.disk_usage(self.path).free
        except OSError as error:
            raise FormatError(
                f"the folder {_show_value(self.path)} cannot be created", got=str(error.strerror)
            ) from error
        if free < expected + SPARE:
            raise FormatError(
                f"the disk of {_show_value(self.path)} is too full",
                needs=f"about {(expected + SPARE) / 1e6:,.0f} MB",
                got=f"{free / 1e6:,.0f} MB",
                cure=f"Free some space, or choose a folder elsewhere with {arg('out')}.",
            )

    def write_json(self, name: str, data: Mapping[str, object]) -> None:
        """Write plain data atomically."""
        text = json.dumps(data, indent=2, allow_nan=False) + "\n"
        write_file(self.path / name, text, follow=False)


def _show_value(path: Path) -> str:
    return repr(f"{path}{os.sep}")


def _refuse_unwritable(path: Path) -> None:
    there = path
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        raise FormatError(f"{str(there)!r} is a file", needs=f"a folder for {arg('out')}")
    if not os.access(there, os.W_OK | os.X_OK):
        raise FormatError(
            f"the folder {_show_value(there)} is not writable",
            needs="a writable folder",
            got="no permission",
            cure=f"Choose another folder with {arg('out')}.",
        )


def _plan_of(path: Path, options: TuneOptions) -> TunePlan | None:
    """Return the plan of the run in the folder; refuse a run with other options."""
    if not (path / RUN).exists():
        raise StoreError(
            f"{_show_value(path)} has no run to resume",
            needs=f"a folder with the run file {RUN!r}",
            got=_list_content(path),
            cure=f"Give the folder of the run with {arg('out')}, or leave {arg('resume')} out "
            "to start a new run.",
        )
    run = read_run(path / RUN)
    if DOCUMENT not in run.documents:
        _forget_unplanned(run)
        return None
    plan = TunePlan.from_json(run.documents[DOCUMENT])
    other = plan.list_differences(options)
    if other:
        raise StoreError(
            f"{_show_value(path)} holds another run",
            needs="the run that started it, to resume it",
            got="; ".join(other),
            cure=f"Repeat the call that started it, or choose another folder with {arg('out')}.",
        )
    return plan


def _list_content(path: Path) -> str:
    """Return what is in a folder, in words."""
    if not path.exists():
        return "a folder that does not exist"
    return check.some(sorted(file.name for file in path.iterdir())) or "an empty folder"


def _forget_unplanned(run: RunFile) -> None:
    """Remove a run that ended before its plan was written; it has no finished fits."""
    if run.outcomes:
        raise StoreError(
            f"{str(run.path)!r} is not a run file of `tune`",
            cure=f"Choose another folder with {arg('out')}.",
        )
    run.path.unlink()
