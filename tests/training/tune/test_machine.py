"""What others leave of the processors, told by counters that are put in by hand."""

from __future__ import annotations

import os

import pytest

from earnest.training.tune import pilot as tune_machine
from earnest.training.tune.pilot import MachineCounters, Room, measure_crowding, read_machine

SECONDS = 10.0


def after(own: float, busy: float, capacity: float = 2.0, name: str = "machine") -> MachineCounters:
    """Return the counters ten seconds later, where all were at one hundred before."""
    return MachineCounters(100.0 + SECONDS, 100.0 + own, (Room(name, capacity, 100.0 + busy),))


def before(capacity: float = 2.0, name: str = "machine") -> MachineCounters:
    return MachineCounters(100.0, 100.0, (Room(name, capacity, 100.0),))


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_machine_to_itself_is_not_crowded(at_once):
    assert measure_crowding(before(), after(own=10.0, busy=10.0), at_once) == 1.0


def test_what_others_use_is_added_to_the_fits_where_processors_are_idle():
    # Half a processor is used by others: two fits and a half on two processors.
    assert measure_crowding(before(), after(own=10.0, busy=15.0), 2) == pytest.approx(1.25)
    # On eight processors the same does not matter.
    assert measure_crowding(before(8.0), after(own=10.0, busy=15.0, capacity=8.0), 2) == 1.0


@pytest.mark.parametrize("rivals", [1, 3, 11])
def test_on_a_full_machine_the_share_that_was_got_tells_how_many_want_more(rivals):
    own = SECONDS * 2.0 / (rivals + 1) if rivals > 1 else SECONDS
    found = measure_crowding(before(), after(own=own, busy=2.0 * SECONDS), 2)
    assert found == pytest.approx((rivals + 2) / 2)


def test_more_fits_than_a_container_may_run_wait_for_each_other():
    alone = before(2.0, "container")
    assert measure_crowding(alone, after(10.0, 10.0, 2.0, "container"), 8) == pytest.approx(4.0)
    shortly = MachineCounters(100.01, 100.01, alone.rooms)
    assert measure_crowding(alone, shortly, 8) == pytest.approx(4.0)


def test_the_narrowest_room_counts():
    first = MachineCounters(0.0, 0.0, (Room("machine", 64.0, 0.0), Room("container", 2.0, 0.0)))
    last = MachineCounters(10.0, 10.0, (Room("machine", 64.0, 300.0), Room("container", 2.0, 20.0)))
    assert measure_crowding(first, last, 2) == pytest.approx(1.5)


def test_without_counters_waiting_tells_that_others_are_there(monkeypatch):
    monkeypatch.setattr(tune_machine, "cores", lambda: 4)
    assert measure_crowding(MachineCounters(0.0, 0.0), MachineCounters(10.0, 9.5), 4) == 1.0
    assert measure_crowding(
        MachineCounters(0.0, 0.0), MachineCounters(10.0, 5.0), 4
    ) == pytest.approx((7 + 4) / 4)


def test_a_process_that_got_nothing_at_all_gives_a_finite_factor():
    assert 1.0 < measure_crowding(before(), after(own=0.0, busy=20.0), 2) < 1000.0


def write(root, **files):
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


STAT = """cpu  900 800 700 600 500 40 30 20 0 0
cpu0 100 50 200 9999 9999 10 20 30 7 7
cpu1 400 50 0 9999 9999 0 0 0 7 7
cpu2 7777 0 0 0 0 0 0 0 0 0
intr 1 2 3
"""


@pytest.mark.parametrize(("niceness", "ticks"), [(0, 760.0), (10, 860.0)])
def test_ticks_of_the_processors_that_may_be_used_are_counted(
    tmp_path, monkeypatch, niceness, ticks
):
    write(tmp_path, proc__stat=STAT)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    monkeypatch.setattr(os, "getpriority", lambda which, who: niceness)
    monkeypatch.setattr(os, "sysconf", lambda name: 100)
    (room,) = read_machine(tmp_path).rooms
    assert (room.capacity, room.busy) == (2, pytest.approx(ticks / 100))


def test_limits_of_containers_are_read_in_both_forms(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    write(new, sys__fs__cgroup__cpu_DOT_max="150000 100000\n",
          sys__fs__cgroup__cpu_DOT_stat="usage_usec 5000000\nuser_usec 1\n")  # fmt: skip
    write(old, sys__fs__cgroup__cpu__cpu_DOT_cfs_quota_us="50000\n",
          sys__fs__cgroup__cpu__cpu_DOT_cfs_period_us="100000\n",
          sys__fs__cgroup__cpuacct__cpuacct_DOT_usage="7000000000\n")  # fmt: skip
    assert read_machine(new).rooms == (Room("container", 1.5, 5.0),)
    assert read_machine(old).rooms == (Room("container", 0.5, 7.0),)


def test_a_container_without_limits_and_a_machine_without_counters_are_no_rooms(tmp_path):
    write(tmp_path, sys__fs__cgroup__cpu_DOT_max="max 100000\n",
          sys__fs__cgroup__cpu__cpu_DOT_cfs_quota_us="-1\n",
          proc__stat="nothing here\n")  # fmt: skip
    assert read_machine(tmp_path).rooms == ()
    assert read_machine(tmp_path / "absent").rooms == ()


def test_the_counters_of_this_machine_go_on():
    first = read_machine()
    total = sum(i * i for i in range(200_000))
    last = read_machine()
    assert total > 0
    assert last.clock > first.clock
    assert [room.name for room in last.rooms] == [room.name for room in first.rooms]
    assert measure_crowding(first, last, 1) >= 1.0
