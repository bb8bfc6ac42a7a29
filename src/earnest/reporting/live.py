"""The page of a search that is under way: from its state to HTML, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from earnest.core.text.numbers import prose, write_count
from earnest.engine.progress import ProgressState, describe_time, split_done
from earnest.metrics import METRICS
from earnest.plotting.svg import gain as svg_gain
from earnest.plotting.svg import strips as svg_strips
from earnest.plotting.svg.canvas import Figure
from earnest.reporting.model import Span
from earnest.reporting.page import environment
from earnest.training.search.live import LEVEL, Leader, LiveStanding, LiveState, Status

PLACES = 3
STRIP, WIDE, NARROW = 240, 560, 350  # pixels of a strip, and of the curve
WORDS = {
    Status.RUNNING: "running",
    Status.FINISHED: "finished",
    Status.STOPPED: "stopped",
    Status.FAILED: "failed",
}


@dataclass(frozen=True)
class LeaderRow:
    """A row of the table of leaders."""

    name: str
    score: str
    ends: str
    strip: Figure | None


@dataclass(frozen=True)
class FailureRow:
    """A row of the table of failures."""

    config: str
    fold: str
    error: str


@dataclass(frozen=True, kw_only=True)
class LiveContent:
    """What the template shows, in words and figures."""

    title: str
    source: str
    status: str
    state_words: str
    kicker: str
    headline: tuple[Span, ...]
    lede: str
    percent: int | None
    counts: tuple[tuple[str, str, str], ...]
    ended: str
    again: str
    reloads: bool
    written: str
    written_words: str
    every: str
    stale: str
    done: int
    footer: str
    metric: str = ""
    curve: Figure | None = None
    narrow: Figure | None = None
    halves: Figure | None = None
    narrow_halves: Figure | None = None
    naive_words: str = ""
    corrected_words: str = ""
    leaders: tuple[LeaderRow, ...] = ()
    leaders_words: str = ""
    axis: Figure | None = None
    failures: tuple[FailureRow, ...] = ()
    failures_words: str = ""


def draw_live_page(state: LiveState) -> str:
    """Return the page of a search that is under way, or that has ended.

    It needs nothing else, and while the search runs it loads itself again every few seconds: by a
    script, or without scripts by the browser.
    """
    template = environment().get_template("live.html")
    return str(template.render(p=show_state(state), footer="earnest"))


def show_state(state: LiveState) -> LiveContent:
    """Return the words and figures of a state."""
    standing, running = state.standing, state.status is Status.RUNNING
    headline = tuple(_headline(state))
    parts = LiveContent(
        title="".join(span.text for span in headline),
        source=state.title,
        status=str(state.status),
        state_words=WORDS[state.status],
        kicker=_kicker(state),
        headline=headline,
        lede=_lede(state),
        percent=_find_percent(state.progress),
        counts=tuple(_counts(state)),
        ended=_ending(state),
        again=state.again,
        reloads=running,
        written=f"{state.written:.3f}",
        written_words=_moment(state.written),
        every=f"{max(1, round(state.every))}",
        stale=f"{round(state.stale)}",
        done=state.progress.fits,
        footer="This page reloads itself while the run goes on." if running else "",
        failures=tuple(
            FailureRow(failure.config, _fold(failure.repeat, failure.fold), failure.error)
            for failure in reversed(state.failures)
        ),
        failures_words=_failures_words(state),
    )
    return parts if standing is None else _with_standing(parts, standing)


def _with_standing(parts: LiveContent, standing: LiveStanding) -> LiveContent:
    title = _title(standing)
    scale = axis = None
    if any(math.isfinite(leader.low) for leader in standing.leaders):
        ends = [v for leader in standing.leaders for v in (leader.low, leader.high, leader.score)]
        scale = svg_strips.scale_over(ends, width=STRIP, limits=standing.limits)
        axis = svg_strips.strip_axis(scale, name="leaders-axis")
    rows = []
    for i, leader in enumerate(standing.leaders):
        strip = None
        if scale is not None:
            ends_of = (leader.low, leader.high) if math.isfinite(leader.low) else None
            strip = svg_strips.score_strip(
                leader.score, scale, name=f"leader-{i}", interval=ends_of, winner=i == 0
            )
        rows.append(
            LeaderRow(leader.name, _number(leader.score, standing), _ends(leader, standing), strip)
        )
    words = "Scores as searched: the best of many is too good."
    if axis is not None:
        words = (
            f"Scores as searched, with the {100 * LEVEL:.0f} % interval of each alone; the best "
        )
        words += "of many is too good."
    return replace(
        parts,
        metric=title,
        curve=_draw_curve(standing, "curve", WIDE),
        narrow=_draw_curve(standing, "narrow", NARROW),
        halves=_draw_halves(standing, "halves", WIDE),
        narrow_halves=_draw_halves(standing, "halves-narrow", NARROW),
        naive_words="what the search would report",
        corrected_words="" if standing.corrected is None else "what to expect on new data",
        leaders=tuple(rows),
        leaders_words=words,
        axis=axis,
    )


def _draw_curve(standing: LiveStanding, name: str, width: float) -> Figure:
    ends = (standing.low, standing.high)
    return svg_gain.best_so_far(
        standing.naive.tolist(),
        name=name,
        metric=_title(standing),
        limits=standing.limits,
        corrected=None if standing.corrected is None else standing.corrected.tolist(),
        limits_of_last=ends if all(map(math.isfinite, ends)) else None,
        width=width,
    )


def _draw_halves(standing: LiveStanding, name: str, width: float) -> Figure | None:
    if standing.halves is None:
        return None
    return svg_gain.both_halves(
        standing.halves,
        name=name,
        metric=_title(standing),
        limits=standing.limits,
        width=width,
    )


def _headline(state: LiveState) -> Iterator[Span]:
    standing = state.standing
    if standing is None:
        doing = state.progress.doing
        words = {
            Status.RUNNING: f"{doing} …" if doing else "The first configuration is under way.",
            Status.FINISHED: "The search is finished.",
            Status.STOPPED: "The search was stopped before a configuration was complete.",
            Status.FAILED: "The search failed.",
        }
        yield Span(words[state.status])
        return
    best, planned = _number(standing.leaders[0].score, standing), state.progress.counts.planned
    tried = write_count(standing.n_configs, "configuration")
    if planned is not None and planned > standing.n_configs:
        tried = f"{standing.n_configs:,} of {planned:,} configurations"
    who = f"the best of {tried}" + (" so far" if state.status is Status.RUNNING else "")
    expect = (
        None if standing.corrected is None else _number(float(standing.corrected[-1]), standing)
    )
    if expect is None or expect == best:
        yield Span(f"{who[:1].upper()}{who[1:]} has {_article(standing)} {_title(standing)} of ")
        yield Span(best, "naive" if expect is None else "honest")
        yield Span(".")
        return
    yield Span(f"Expect {_article(standing)} {_title(standing)} of ")
    yield Span(expect, "honest")
    yield Span(f" from {who}, not its ")
    yield Span(best, "naive")
    yield Span(".")


def _article(standing: LiveStanding) -> str:
    return "an" if _title(standing)[:1].lower() in "aeiou" else "a"


def _lede(state: LiveState) -> str:
    standing = state.standing
    if standing is None:
        return ""
    if standing.corrected is None:
        words = "This is the score that the search chooses by, so it is too good."
    else:
        words = f"{100 * LEVEL:.0f} % interval: {_number(standing.low, standing)} to "
        words += f"{_number(standing.high, standing)}. The rest of the best score is luck."
    return words if state.status is not Status.RUNNING else f"{words} The run goes on."


def _kicker(state: LiveState) -> str:
    if state.status is not Status.RUNNING:
        return f"Search {WORDS[state.status]}"
    return state.progress.doing or "Search under way"


def _ending(state: LiveState) -> str:
    if state.status is Status.STOPPED:
        return f"The run was stopped at {_moment(state.written)}. {state.again}".strip()
    if state.status is Status.FAILED:
        return f"The run ended with an error: {state.error}"
    return ""


def _counts(state: LiveState) -> Iterator[tuple[str, str, str]]:
    """Yield words, number and kind of what is counted; what is zero is left out."""
    progress, running = state.progress, state.status is Status.RUNNING
    if progress.fits_planned or progress.fits:
        number, words = split_done(progress)
        yield words, number, ""
    for word, count in (
        ("from an earlier run", progress.fits_stored),
        ("not needed", progress.fits_skipped),
    ):
        if count:
            yield word, f"{count:,}", ""
    if progress.fits_failed:
        yield "failed", f"{progress.fits_failed:,}", "failed"
    yield "so far" if running else "in all", describe_time(progress.elapsed), ""
    if running and progress.seconds_left is not None:
        yield "left", describe_time(progress.seconds_left), ""


def _find_percent(progress: ProgressState) -> int | None:
    """Return how much is done, None where that is unknown."""
    if progress.budget is None and not progress.fits_planned:
        return None
    return int(100 * progress.fraction + 1e-9)


def _failures_words(state: LiveState) -> str:
    shown = len(state.failures)
    failed = state.progress.fits_failed
    words = f"{write_count(failed, 'fit')} failed"
    return words if failed <= shown else f"{words}; the last {shown}"


def _fold(repeat: int, fold: int) -> str:
    return f"{fold + 1}" if repeat == 0 else f"{fold + 1} of repeat {repeat + 1}"


def _title(standing: LiveStanding) -> str:
    return METRICS[standing.metric].title if standing.metric in METRICS else standing.metric


def _number(value: float, standing: LiveStanding) -> str:
    return prose(value, PLACES, standing.limits)


def _ends(leader: Leader, standing: LiveStanding) -> str:
    if not math.isfinite(leader.low):
        return ""
    return f"{_number(leader.low, standing)} to {_number(leader.high, standing)}"


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%H:%M:%S} UTC"
