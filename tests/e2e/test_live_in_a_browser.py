"""The live page in a browser, while a real run goes on, after it was killed, and as its report."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import make_classification

import earnest as en
from earnest.core import TaskOutcome
from earnest.core.base.writing import write_file
from earnest.reporting.live import draw_live_page
from earnest.training.search import live
from earnest.training.search.live import LivePage
from tests.e2e.test_report_in_a_browser import CONTRAST, OVERLAPS, SCALES
from tests.reporting.test_live import state
from tests.training.tune_tables import PORTFOLIO, portfolio

MOST = 120_000  # milliseconds that a slow machine may take until a page changes
DONE = "Number(document.body.dataset.done)"
SEEN = "[...document.querySelectorAll('figure svg[role=img]')].filter(e => e.checkVisibility())"
WHOLE = f"""() => document.querySelector("table.leaders td.num") && {SEEN}.length == 1
  && document.querySelectorAll("progress, [role=progressbar]").length == 1"""  # at one moment
STILL = "window.setTimeout = window.setInterval = () => 0;"  # the page does not load itself again
LATER = "const now = Date.now; Date.now = () => now() + 60000;"  # a minute after all was written


@pytest.fixture
def table(tmp_path: Path) -> Path:
    X, y = make_classification(150, 5, n_informative=2, flip_y=0.3, random_state=1)
    rows = [",".join(f"{v:.4f}" for v in row) + f",{code}" for row, code in zip(X, y, strict=True)]
    return write_file(tmp_path / "cases.csv", "\n".join(["a,b,c,d,e,y", *rows]) + "\n")


@pytest.fixture
def start(table: Path, tmp_path: Path) -> Iterator[Any]:
    """Start `earnest tune --live` as a process of its own; it is killed at the end."""
    begun: list[subprocess.Popen[bytes]] = []

    def run(*options: str) -> tuple[subprocess.Popen[bytes], Path]:
        command = [sys.executable, "-m", "earnest", "tune", str(table), "--target", "y", "--live"]
        command += ["--out", str(tmp_path / "run"), "--n-jobs", "1", "--rng", "1", *options]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        begun.append(process)
        return process, tmp_path / "run" / "report.html"

    yield run
    for process in begun:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for_file(place: Path, goes_on: Callable[[], bool]) -> None:
    over = threading.Event()
    for _ in range(MOST // 100):
        if place.exists():
            return
        assert goes_on(), "the run ended without a page"
        over.wait(0.1)
    pytest.fail("there is no page")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Serve the folder as `python -m http.server` does."""

    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Say nothing."""

    made = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(tmp_path)))
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    thread.join()
    made.server_close()


def see_it_grow(page: Any, place: Path) -> None:
    """Wait until the page shows more fits, and then leaders, without being touched.

    The file tells how many there are now: the page may load itself again at any moment.
    """
    page.wait_for_function(f"{DONE} > 0", timeout=MOST)
    now = re.search(r'data-done="(\d+)"', place.read_text(encoding="utf-8"))
    assert now is not None
    page.wait_for_function(f"{DONE} > {now[1]}", timeout=MOST)
    page.wait_for_function(WHOLE, timeout=MOST)


def follow(browser: Any, place: Path, server: str) -> list[Any]:
    """See the page grow as a file and from a server, and be there without script."""
    pages = []
    for address in (place.as_uri(), f"{server}/run/report.html"):
        page = browser.new_context().new_page()
        page.goto(address)
        pages.append(page)
    for page in pages:
        see_it_grow(page, place)
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(place.as_uri())
    assert plain.locator("meta[http-equiv=refresh]").count() == 1
    assert "Last written at" in plain.locator("section noscript p").inner_text()
    for page in pages:
        assert page.locator("#gone").is_hidden()
    return [*pages, plain]


def see_it_gone(browser: Any, place: Path) -> None:
    """See what a page says a minute after the last word of its run."""
    after = browser.new_context().new_page()
    after.add_init_script(LATER)
    after.goto(place.as_uri())
    assert after.locator("#gone").is_visible()
    assert after.locator("#gone").get_by_text("--resume").is_visible()
    assert after.locator("#state").inner_text() == "no news"
    after.context.close()


class UntilTold:
    """Progress that interrupts its run, as Ctrl-C and SIGTERM do, once it is told to.

    It leaves the processor to the browser after each fit.
    """

    def __init__(self) -> None:
        self.told = threading.Event()

    def start(self, total: int, title: str = "") -> None: ...
    def drop(self, count: int) -> None: ...
    def message(self, text: str) -> None: ...
    def finish(self) -> None: ...

    def advance(self, outcome: TaskOutcome, *, stored: bool = False) -> None:
        if self.told.wait(0.02):
            raise KeyboardInterrupt


def test_a_page_follows_its_run_and_says_when_it_was_told_to_end(
    browser: Any, table: Path, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "EVERY", 0.3)
    place = tmp_path / "run" / "report.html"
    place.parent.mkdir()
    until = UntilTold()
    many = tmp_path / "many.toml"  # each is complete after three fits, all after minutes
    costs = [0.01 + k / 10_000 for k in range(1000)]
    many.write_text(PORTFOLIO.replace("[1.0, 0.1, 0.01]", str(costs)), encoding="utf-8")

    def tune() -> None:
        with suppress(KeyboardInterrupt), LivePage(place, title="cases.csv") as shown:
            shown.change(every=0.5)  # seconds after which a page looks again
            en.tune(
                table, target="y", portfolio=many, n_configs=1000, folds=3, n_jobs=1, rng=1,
                progress=until, live=shown,
            )  # fmt: skip

    run = threading.Thread(target=tune)
    run.start()
    try:
        wait_for_file(place, run.is_alive)
        pages = follow(browser, place, server)
    finally:
        until.told.set()
        run.join()
    pages[0].wait_for_selector("#ended", timeout=MOST)
    assert pages[0].locator("body").get_attribute("data-status") == "stopped"
    for page in pages:
        page.context.close()


@pytest.mark.slow
def test_a_page_follows_a_process_and_says_when_it_was_told_to_end(
    browser: Any, start: Any, server: str
) -> None:
    """The same of a command that gets SIGTERM; tests/cli/test_terminated.py holds how it ends."""
    process, place = start("--budget", "10m", "--repeats", "2")
    wait_for_file(place, lambda: process.poll() is None)
    pages = follow(browser, place, server)
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(60) == 143
    pages[0].wait_for_selector("#ended", timeout=MOST)
    assert pages[0].locator("body").get_attribute("data-status") == "stopped"
    for page in pages:
        page.context.close()


def test_a_page_without_news_says_how_to_go_on(browser: Any, tmp_path: Path) -> None:
    page = draw_live_page(state(written=time.time()))
    see_it_gone(browser, write_file(tmp_path / "page.html", page))


@pytest.mark.slow
def test_a_page_follows_its_run_and_says_when_it_was_killed(
    browser: Any, start: Any, server: str
) -> None:
    """A run that is really killed; the two tests above hold what the page does."""
    process, place = start("--budget", "10m", "--repeats", "2")
    wait_for_file(place, lambda: process.poll() is None)
    pages = follow(browser, place, server)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    see_it_gone(browser, place)
    for page in pages:
        page.context.close()


def test_a_live_page_fits_its_window_and_can_be_read(browser: Any, tmp_path: Path) -> None:
    now = time.time()
    place = write_file(tmp_path / "page.html", draw_live_page(state(written=now)))
    page = browser.new_context().new_page()
    page.add_init_script(STILL)
    page.goto(place.as_uri())
    for width, theme in itertools.product((1280, 768, 390), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate(SCALES) == []
        assert page.evaluate(CONTRAST) == []
        assert page.evaluate(OVERLAPS) == []
    page.context.close()


@pytest.mark.slow
def test_the_page_of_a_finished_run_becomes_its_report(
    browser: Any, start: Any, tmp_path: Path
) -> None:
    """The same of a process; tests/cli/commands/test_demo.py holds that the report takes its place.

    That a page follows what is written in its place, the first test above holds.
    """
    process, place = start("--n-configs", "2", "--folds", "3", "--portfolio", portfolio(tmp_path))
    wait_for_file(place, lambda: process.poll() is None)
    page = browser.new_context().new_page()
    page.goto(place.as_uri())
    page.wait_for_selector("#answer .number", timeout=MOST)
    assert page.locator("[data-written]").count() == 0
    assert process.wait(60) == 0
    page.context.close()
