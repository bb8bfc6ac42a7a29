"""What other programs leave of the processors, counted while the pilot ran."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

from earnest.core.base.threads import cores

FULL = 0.95  # of its processors in use: then a room has nothing left
SHORTEST = 0.2  # seconds that must lie between two readings, for the counters go in hundredths
SLOWED = 1.2  # times as long by the clock as by the processor: others were in the way


@dataclass(frozen=True)
class Room:
    """Processors that this process shares with others: those of the machine, or of a container.

    Attributes
    ----------
    name : str
        Which it is.
    capacity : float
        How many processors can be used at once.
    busy : float
        Seconds of processors that were used so far, by all together.
    """

    name: str
    capacity: float
    busy: float


@dataclass(frozen=True)
class Reading:
    """The counters at a moment, in seconds: the clock, what this process used, and the rooms."""

    clock: float
    own: float
    rooms: tuple[Room, ...] = ()


def read_machine(root: Path = Path("/")) -> Reading:
    """Read the counters; without /proc and control groups there are no rooms.

    Parameters
    ----------
    root : Path
        What /proc and /sys are below.
    """
    return Reading(perf_counter(), process_time(), tuple(_read_rooms(root)))


def measure_crowding(before: Reading, after: Reading, at_once: int) -> float:
    """Return how many times longer a fit takes when so many run beside what others do.

    A program that ended before counts for nothing, unlike in the load average of a minute. Where a
    room has processors to spare, the others want what they use. Where it has none they want more
    than they get, and how much is told by the share that this process got: one of N + 1 that
    want all of the time gets 1 / (N + 1) of the processors. Each fit is one more that wants.
    """
    wall, own = after.clock - before.clock, after.own - before.own
    if wall < SHORTEST:
        return max(at_once / min((room.capacity for room in after.rooms), default=cores()), 1.0)
    first = {room.name: room.busy for room in before.rooms}
    factors = [
        (_count_others(room.busy - first[room.name], own, wall, room.capacity) + at_once)
        / room.capacity
        for room in after.rooms
        if room.name in first
    ]
    return max(*factors, 1.0) if factors else _measure_by_clock(wall, own, at_once)


def _count_others(busy: float, own: float, wall: float, capacity: float) -> float:
    """Return how many processors others want of a room."""
    used = max(busy - own, 0.0) / wall
    if busy < FULL * capacity * wall:
        return used
    return max(used, capacity * wall / max(own, 0.01 * wall) - 1.0)


def _measure_by_clock(wall: float, own: float, at_once: int) -> float:
    """Return it where nobody counts: others are there if this process had to wait for them."""
    slowed = wall / max(own, 0.01 * wall)
    others = slowed * cores() - 1.0 if slowed > SLOWED else 0.0
    return max((others + at_once) / cores(), 1.0)


def _read_rooms(root: Path) -> Iterator[Room]:
    for read in (_read_machine, _read_container, _read_old_container):
        try:
            found = read(root)
        except (OSError, ValueError, LookupError):  # no such file, or not in the form expected
            continue
        if found is not None:
            yield found


def _read_machine(root: Path) -> Room:
    """Return the processors that this process may run on, and how busy they were."""
    lines = (root / "proc/stat").read_text().splitlines()
    allowed = os.sched_getaffinity(0)
    # Niced programs give way to one that is not niced itself.
    give_way = os.getpriority(os.PRIO_PROCESS, 0) <= 0
    busy, count = 0.0, 0
    for line in lines:
        name, *ticks = line.split()
        if not name.startswith("cpu") or name == "cpu":
            continue
        if int(name[3:]) not in allowed:
            continue
        user, nice, system, _, _, irq, softirq, steal = map(float, ticks[:8])
        busy += user + system + irq + softirq + steal + (0.0 if give_way else nice)
        count += 1
    if not count:
        raise ValueError("the number of processors is unknown")
    return Room("machine", count, busy / os.sysconf("SC_CLK_TCK"))


def _read_container(root: Path) -> Room | None:
    """Return what the control group (version 2) may use; None where it is not limited."""
    group = root / "sys/fs/cgroup"
    quota, period = (group / "cpu.max").read_text().split()
    if quota == "max":
        return None
    lines = (line.split() for line in (group / "cpu.stat").read_text().splitlines())
    return Room("container", int(quota) / int(period), float(dict(lines)["usage_usec"]) / 1e6)


def _read_old_container(root: Path) -> Room | None:
    """Return what the control group (version 1) may use; None where it is not limited."""
    group = root / "sys/fs/cgroup"
    quota = int((group / "cpu/cpu.cfs_quota_us").read_text())
    if quota <= 0:
        return None
    period = int((group / "cpu/cpu.cfs_period_us").read_text())
    return Room(
        "container", quota / period, int((group / "cpuacct/cpuacct.usage").read_text()) / 1e9
    )
