"""Links in a run folder: to files inside and outside, to nothing, to themselves."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

# What a run folder holds, and what earnest writes beside it.
NAMES = (
    *("run.db", "run.db", "model.skops", "estimate.json", "predictions.parquet", "report.html"),
    *("run.db-lock", "run.db-journal", "run.db-wal", "live.html", "plan.json", "notes"),
)


class ChangedOutside(AssertionError):
    """A command changed a file outside of the folder that it was given."""


def put_links(folder: Path, outside: Path, seeds: Path, r: random.Random) -> list[str]:
    """Replace some files of a run folder by links, and return them in words."""
    outside.mkdir()
    (outside / "victim").write_text("not yours\n")
    words = []
    for name in {r.choice(NAMES) for _ in range(r.choice([1, 1, 2, 3]))}:
        path = folder / name
        how = r.choice(["outside copy", "outside victim", "dangling", "itself", "circle", "inside"])
        if path.is_dir():
            continue
        target = outside / name
        if how == "outside copy" and path.exists():
            shutil.copy(path, target)
        elif how == "outside victim":
            target = outside / "victim"
        elif how == "itself":
            target = path
        elif how == "circle":
            target = folder / f"{name}-other"
            target.symlink_to(path)
        elif how == "inside":
            target = folder / r.choice(NAMES)
        path.unlink(missing_ok=True)
        path.symlink_to(
            target if r.random() < 0.5 else Path("..") / target.relative_to(folder.parent)
        )
        words.append(f"{name} -> {how}")
    if r.random() < 0.2:
        whole = folder.rename(folder.with_name("whole"))
        folder.symlink_to(whole)
        words.append("the folder itself")
    if r.random() < 0.1:
        (folder / "loop").symlink_to(folder)
        words.append("a folder in itself")
    return words
