"""When this process was started, as the user who waits for it counts."""

from __future__ import annotations

import os
import time
from pathlib import Path

LONGEST = 60.0  # seconds that starting may take: an older process was started for something else


def find_process_start(root: Path = Path("/")) -> float:
    """Return when this process was created, on the clock of `time.monotonic`.

    Linux tells. Elsewhere it is the time of the processor that the process has used so far, which
    is nearly all that it did while it started. A process that is older than a minute was started
    for something else: then it is this moment.

    Parameters
    ----------
    root : Path
        What /proc is below.
    """
    age = _read_age(root)
    if age is None:
        age = time.process_time()
    return time.monotonic() - (age if 0.0 <= age <= LONGEST else 0.0)


def _read_age(root: Path) -> float | None:
    """Return the seconds since the process was created, None where the system does not tell."""
    try:
        text = (root / "proc/self/stat").read_text(encoding="ascii", errors="replace")
        # The name of the program stands in parentheses and may hold anything, blanks too.
        ticks = int(text.rpartition(")")[2].split()[19])
        since_boot = time.clock_gettime(time.CLOCK_BOOTTIME)
        return since_boot - ticks / os.sysconf("SC_CLK_TCK")
    except (AttributeError, OSError, ValueError, IndexError):  # not Linux, or no /proc
        return None
