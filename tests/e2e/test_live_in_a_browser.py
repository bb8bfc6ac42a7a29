"""The live page in a browser, while a real run goes on, after it was killed, and as its report."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import make_classification

from earnest.core.base.writing import write_file
from earnest.reporting.live import draw_live_page
from tests.e2e.test_report_in_a_browser import CONTRAST, OVERLAPS, SCALES
from tests.reporting.test_live import state

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
        command += ["--out", str(tmp_path / "run"), "--n-jobs", "1", "--seed", "1", *options]
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


def wait_for_file(place: Path, process: subprocess.Popen[bytes]) -> None:
    over = threading.Event()
    for _ in range(MOST // 100):
        if place.exists():
            return
        assert process.poll() is None, "the run ended without a page"
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


def see_it_grow(page: Any) -> None:
    """Wait until the page shows more fits, and then leaders, without being touched."""
    page.wait_for_function(f"{DONE} > 0", timeout=MOST)
    first = page.evaluate(DONE)
    page.wait_for_function(f"{DONE} > {first}", timeout=MOST)
    page.wait_for_function(WHOLE, timeout=MOST)


def test_a_page_follows_its_run_and_says_when_it_was_killed(
    browser: Any, start: Any, server: str
) -> None:
    process, place = start("--budget", "10m")
    wait_for_file(place, process)
    pages = []
    for address in (place.as_uri(), f"{server}/run/report.html"):
        page = browser.new_context().new_page()
        page.goto(address)
        see_it_grow(page)
        pages.append(page)
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(place.as_uri())
    assert plain.locator("meta[http-equiv=refresh]").count() == 1
    assert "Last written at" in plain.locator("section noscript p").inner_text()
    for page in pages:
        assert page.locator("#gone").is_hidden()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    after = browser.new_context().new_page()
    after.add_init_script(LATER)
    after.goto(place.as_uri())
    assert after.locator("#gone").is_visible()
    assert after.locator("#gone").get_by_text("--resume").is_visible()
    assert after.locator("#state").inner_text() == "no news"
    for page in [*pages, plain, after]:
        page.context.close()


@pytest.mark.parametrize("width", [1280, 768, 390])
def test_a_live_page_fits_its_window_and_can_be_read(
    browser: Any, tmp_path: Path, width: int
) -> None:
    now = time.time()
    place = write_file(tmp_path / "page.html", draw_live_page(state(written=now)))
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    page.add_init_script(STILL)
    page.goto(place.as_uri())
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate(SCALES) == []
        assert page.evaluate(CONTRAST) == []
        assert page.evaluate(OVERLAPS) == []
    page.context.close()


def test_the_page_of_a_run_that_was_told_to_end_says_so(browser: Any, start: Any) -> None:
    process, place = start("--budget", "10m")
    wait_for_file(place, process)
    page = browser.new_context().new_page()
    page.goto(place.as_uri())
    page.wait_for_function(f"{DONE} > 0", timeout=MOST)
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(60) == 143
    page.wait_for_selector("#ended", timeout=MOST)
    assert page.locator("body").get_attribute("data-status") == "stopped"
    page.context.close()


def test_the_page_of_a_finished_run_becomes_its_report(browser: Any, start: Any) -> None:
    process, place = start("--configs", "3", "--folds", "3")
    wait_for_file(place, process)
    page = browser.new_context().new_page()
    page.goto(place.as_uri())
    page.wait_for_selector("#answer .number", timeout=MOST)
    assert page.locator("[data-written]").count() == 0
    assert process.wait(60) == 0
    page.context.close()
