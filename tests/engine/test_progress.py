"""One meter counts a run; whatever shows it shows the meter's numbers."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from earnest.core import Counts, TaskOutcome
from earnest.engine import Meter, ProgressBar, ProgressDisplay, ProgressState, describe_progress
from earnest.engine.progress import NEARLY
from tests.snapshots import Golden


@dataclass
class Hands:
    """A clock that only moves when told."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Recorder(ProgressDisplay):
    """Keeps every state that it is shown."""

    states: list[ProgressState] = field(default_factory=list)

    def show(self, state: ProgressState) -> None:
        self.states.append(state)


CONFIGS, SPLITS = 6, 4
steps = st.lists(
    st.tuples(
        st.sampled_from(["fit", "fit", "fit", "failed", "stored", "drop", "say"]),
        st.floats(0.0, 30.0),
    ),
    max_size=60,
)


def play(steps: list[tuple[str, float]], budget: float | None) -> list[ProgressState]:
    """Run a search of made-up steps to its end, and return all states that were shown."""
    hands, recorder = Hands(), Recorder()
    meter = Meter([recorder], budget=budget, began=998.0, lasts=True, clock=hands)
    meter.expect(n_configs=CONFIGS, n_splits=SPLITS)
    left = [(config, 0, split) for split in range(SPLITS) for config in range(CONFIGS)]
    with meter:
        meter.start(len(left))
        for kind, seconds in steps:
            hands.now += seconds
            if kind == "say":
                meter.say("Estimating")
            elif kind == "drop" and left:
                worst = max(config for config, _, _ in left)
                gone = [key for key in left if key[0] == worst]
                left = [key for key in left if key[0] != worst]
                meter.drop(len(gone))
            elif left:
                error = "no" if kind == "failed" else None
                meter.advance(TaskOutcome(left.pop(0), error=error), stored=kind == "stored")
        meter.finish()  # of the fits: more follows
        hands.now += 1.0
        meter.say("Writing the report")
    return recorder.states


@given(steps, st.one_of(st.none(), st.floats(1.0, 300.0)))
def test_the_fraction_never_falls_and_ends_at_one(
    steps: list[tuple[str, float]], budget: float | None
) -> None:
    fractions = [state.fraction for state in play(steps, budget)]
    assert fractions == sorted(fractions)
    assert fractions[0] >= 0.0
    assert fractions[-1] == 1.0


@given(steps, st.floats(1.0, 300.0))
def test_under_a_budget_the_time_left_is_what_is_left_of_it_and_never_rises(
    steps: list[tuple[str, float]], budget: float
) -> None:
    *states, last = play(steps, budget)
    left = [state.seconds_left for state in states]
    assert left == sorted(left, key=lambda seconds: -(seconds or 0.0))
    for state in states:
        left_over = budget - state.elapsed
        assert state.seconds_left == (left_over if left_over > 0 else None)
        assert state.fraction == pytest.approx(min(state.elapsed / budget, NEARLY))
    assert last.ended
    assert last.seconds_left is None


def test_a_run_that_is_late_says_how_long_it_still_takes():
    now = [0.0]
    meter = Meter(budget=60.0, lasts=True, clock=lambda: now[0])
    with meter:
        meter.start(4)
        now[0] = 54.0
        meter.need(5.0)  # it is not late
        assert (meter.read().seconds_left, meter.read().fraction) == (6.0, 0.9)
        meter.need(16.0)
        assert meter.read().seconds_left == 16.0
        assert meter.read().fraction == 0.9  # which never falls
        now[0] = 71.0  # later than that: nobody knows
        assert meter.read().seconds_left is None
        assert meter.read().fraction == NEARLY
    assert meter.read().fraction == 1.0


def test_what_follows_the_fits_is_left_too():
    now = [0.0]
    plain, more = (Meter(clock=lambda: now[0]) for _ in range(2))
    more.expect(after=7.0)
    for meter in (plain, more):
        meter.start(10)
    for number in range(5):
        now[0] += 2.0
        for meter in (plain, more):
            meter.advance(TaskOutcome((number,)))
    assert plain.read().seconds_left == 10.0
    assert more.read().seconds_left == 17.0


def test_without_a_budget_the_fraction_is_that_of_the_fits() -> None:
    meter = Meter()
    meter.start(10)
    for number in range(4):
        meter.advance(TaskOutcome((number,), error="no" if number else None), stored=number == 3)
    assert meter.read().fraction == 0.4
    meter.drop(2)
    state = meter.read()
    assert (state.fraction, state.fits, state.fits_planned) == (0.5, 4, 8)
    assert (state.fits_stored, state.fits_skipped, state.fits_failed) == (1, 2, 3)


def test_a_run_that_was_stopped_is_not_complete() -> None:
    meter = Meter(lasts=True)
    meter.start(4)
    meter.advance(TaskOutcome((0,)))
    with pytest.raises(KeyboardInterrupt), meter:
        raise KeyboardInterrupt
    state = meter.read()
    assert state.ended
    assert state.fraction == 0.25


def test_a_search_that_asks_for_fewer_fits_than_it_might_ends_at_one() -> None:
    meter = Meter()
    meter.start(10)
    meter.advance(TaskOutcome((0,)))
    meter.settle()
    meter.finish()
    assert meter.read().fraction == 1.0


def test_configurations_are_complete_failed_or_dropped() -> None:
    meter = Meter()
    meter.expect(n_configs=4, n_splits=3)
    meter.start(12)
    for split in range(2):
        for config in range(4):
            error = "no" if (config, split) == (1, 0) else None
            meter.advance(TaskOutcome((config, 0, split), error=error))
    meter.drop(2)  # two configurations on the split that is left
    for config in range(2):
        meter.advance(TaskOutcome((config, 0, 2)))
    state = meter.read()
    assert state.counts == Counts(planned=4, tried=4, complete=1, failed=1, dropped=2)
    assert state.fraction == 1.0


def test_where_splits_are_left_out_configurations_are_complete_on_the_others() -> None:
    meter = Meter()
    meter.expect(n_configs=2, n_splits=5)
    meter.start(10)
    for config in range(2):
        meter.advance(TaskOutcome((config, 0, 0)))
    meter.drop(8)
    state = meter.read()
    assert (state.counts.complete, state.counts.dropped, state.fraction) == (2, 0, 1.0)


def test_what_is_planned_stays_what_was_told_first() -> None:
    meter = Meter()
    meter.expect(n_configs=106)
    meter.expect(n_configs=250, n_splits=10)
    assert (meter.n_configs, meter.n_splits) == (106, 10)


def test_a_display_is_shown_the_time_though_no_fit_is_finished() -> None:
    class Patient(Recorder):
        def show(self, state: ProgressState) -> None:
            super().show(state)
            if len(self.states) == 3:
                told.set()

    import threading

    told = threading.Event()
    with Meter([Patient()], budget=60.0, lasts=True, every=0.001) as meter:
        meter.start(2)
        assert told.wait(60.0)


def test_listeners_that_are_handed_over_hear_of_one_meter_at_a_time() -> None:
    recorder = Recorder()
    meter = Meter([recorder], lasts=True)
    with meter:
        meter.start(2, "Search")
        with meter.handed_over() as listeners:
            meter.say("Waiting")
            other = Meter(listeners)
            other.start(5, "Splits")
            other.finish()
        meter.say("Writing")
    titles = [state.title for state in recorder.states]
    assert titles == ["Search", "Splits", "Splits", "Search", "Search"]


def test_what_never_began_is_not_shown() -> None:
    recorder = Recorder()
    with Meter([recorder], lasts=True) as meter:
        meter.say("Timing")
    assert recorder.states == []


def in_budget(complete: int) -> ProgressState:
    counts = Counts(planned=106, tried=complete, complete=complete)
    return ProgressState(budget=60.0, counts=counts)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (in_budget(84), "84 of 106 planned configurations"),
        (in_budget(112), "112 configurations, 106 were planned"),
        (ProgressState(fits=3, fits_planned=6, counts=Counts(planned=2)), "3 of 6 fits"),
        (ProgressState(fits=1), "1 fit"),
    ],
)
def test_the_text_counts_what_is_planned(state: ProgressState, words: str) -> None:
    assert describe_progress(state)[0] == words


def recorded(width: int = 100, *, terminal: bool = True) -> tuple[Meter, io.StringIO]:
    out = io.StringIO()
    return Meter([ProgressBar(Console(file=out, width=width, force_terminal=terminal))]), out


def test_the_bar_shows_every_count(golden: Golden) -> None:
    meter, out = recorded()
    meter.start(10, "searching")
    meter.advance(TaskOutcome((0,)), stored=True)
    meter.advance(TaskOutcome((1,)))
    meter.advance(TaskOutcome((2,), error="ValueError"))
    meter.drop(4)
    meter.message("dropped [svm] after fold 3")
    meter.finish()
    text = out.getvalue()
    assert "searching" in text
    golden.check(text[text.index("3 of 6") :], hide=r", in .*\s.*")
    assert "dropped [svm] after fold 3" in text


def test_the_time_left_goes_by_what_was_run_here_after_the_first_fit() -> None:
    hands = Hands()
    meter = Meter(clock=hands)
    meter.start(100)
    assert meter.read().seconds_left is None
    for number in range(50):
        meter.advance(TaskOutcome((number,)), stored=True)
    assert meter.read().seconds_left is None  # stored ones tell nothing
    hands.now += 100.0
    meter.advance(TaskOutcome((50,)))  # nor does the first, in which workers start
    assert meter.read().seconds_left is None
    hands.now += 20.0
    meter.advance(TaskOutcome((51,)))
    meter.advance(TaskOutcome((52,)))
    assert meter.read().seconds_left == pytest.approx(47 * 10.0)
    meter.drop(23)
    assert meter.read().seconds_left == pytest.approx(24 * 10.0)
    assert describe_progress(meter.read())[-1] == "4:00 left"


def test_no_time_is_left_before_three_per_cent() -> None:
    meter = Meter()
    meter.start(100)
    known = []
    for number in range(6):
        meter.advance(TaskOutcome((number,)))
        known.append(meter.read().seconds_left is not None)
    assert known == [False, False, True, True, True, True]


def test_a_pipe_gets_the_last_state_and_no_control_characters() -> None:
    meter, out = recorded(terminal=False)
    meter.start(2)
    for number in range(2):
        meter.advance(TaskOutcome((number,)))
    meter.finish()
    assert "\x1b" not in out.getvalue()
    assert out.getvalue().count("2 of 2 fits") == 1


def test_finishing_and_starting_again() -> None:
    meter, out = recorded()
    meter.finish()
    meter.start(1)
    meter.advance(TaskOutcome((0,), error="no"))
    meter.start(5)
    assert describe_progress(meter.read())[0] == "0 of 5 fits"
    meter.finish()
    meter.finish()
    assert out.getvalue()


def test_rich_is_loaded_when_a_bar_is_shown() -> None:
    script = "import earnest.engine.run, earnest.engine.progress, sys; print('rich' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
