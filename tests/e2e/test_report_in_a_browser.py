"""The report as people meet it: in a browser, on a phone, by keyboard, without script, on paper."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import earnest as en
from earnest.reporting import content_of_explanation
from earnest.results import Report
from tests.core.results.caution_samples import sample_cautions
from tests.e2e.conftest import long_names, print_outline, ten_classes, with_flat_effects
from tests.explanation.scenes import mixed_trials
from tests.reporting.scenes import SCENES, scene
from tests.reporting.test_report import hostile

WIDE, LAPTOP, PHONE, TABLET = (1280, 980), (1280, 800), (390, 844), (768, 1024)
BUDGET = 1_500_000  # bytes of a report

# Every visible text with the colour it has and the colour it stands on.
CONTRAST = """() => {
  const parse = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const line = v => v / 255 <= .03928 ? v / 255 / 12.92 : ((v / 255 + .055) / 1.055) ** 2.4;
  const lum = ([r, g, b]) => .2126 * line(r) + .7152 * line(g) + .0722 * line(b);
  const under = e => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    return [255, 255, 255]; };
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walk.nextNode());) {
    const e = n.parentElement;
    const silent = ["SCRIPT", "STYLE"].includes(e.tagName) || !n.textContent.trim();
    if (silent || !e.checkVisibility()) continue;
    const style = getComputedStyle(e);
    const ink = parse(e.closest("svg") ? style.fill : style.color);
    const a = lum(ink), b = lum(under(e)), ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) bad.push([n.textContent.trim().slice(0, 40), ratio.toFixed(2)]);
  }
  return bad; }"""
SCALES = """() => [...document.querySelectorAll("svg[role=img]")].filter(s => s.checkVisibility())
  .map(s => [s.getBoundingClientRect().width / s.viewBox.baseVal.width, s.ariaLabel])
  .filter(([scale]) => scale < 0.9)"""

OVERLAPS = """() => [...document.querySelectorAll("svg[role=img]")].flatMap(s => {
  if (!s.checkVisibility()) return [];
  const box = t => t.getBoundingClientRect();
  const words = [...s.querySelectorAll("text")].map(t => [t.textContent, box(t)]);
  const paper = box(s), bad = [];
  words.forEach(([a, p], i) => {
    if (p.left < paper.left - 7 || p.right > paper.right + 7) bad.push([s.ariaLabel, a, "cut"]);
    words.slice(i + 1).forEach(([b, q]) => {
      const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (wide > 1 && high > 5) bad.push([s.ariaLabel, a, b]);
    }); });
  return bad; })"""  # of words in a figure; a line of text has some air above and below
BROKEN = """() => [...document.querySelectorAll("th, td")].filter(e => e.checkVisibility())
  .filter(e => e.getBoundingClientRect().height > 200).map(e => e.textContent.slice(0, 40))"""

ZOOM = 0.8  # of a page on paper
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def kept(browser: Any) -> Iterator[dict[str, Any]]:
    """Keep a page of each kind of window for the next test, which opens its own file in it.

    A window costs as much as opening the file. None of these tests changes the file.
    """
    pages: dict[str, Any] = {}
    yield pages
    for page in pages.values():
        page.context.close()


@pytest.fixture
def opened(browser: Any, kept: dict[str, Any]) -> Iterator[Open]:
    """Open a file, and note every complaint and every request beside it.

    Nothing moves unless asked for: a click that first scrolls smoothly takes seconds.
    """
    used: list[tuple[str, Any, dict[str, Any]]] = []

    def visit(path: Path, size: tuple[int, int] = WIDE, **options: Any) -> Any:
        width, height = size
        options = {"reduced_motion": "reduce", **options}
        kind = str(sorted(options.items()))
        page = kept.pop(kind, None)
        if page is None:
            page = browser.new_context(**options).new_page()
            page.complaints, page.requests = [], []
            page.on("console", lambda message: page.complaints.append(message.text))
            page.on("pageerror", lambda error: page.complaints.append(str(error)))
            page.on("dialog", lambda dialog: (page.complaints.append("dialog"), dialog.dismiss()))
            page.on("request", lambda request: page.requests.append(request.url))
        used.append((kind, page, options))
        page.set_viewport_size({"width": width, "height": height})
        page.goto(path.resolve().as_uri())
        return page

    yield visit
    for kind, page, options in used:
        if kind in kept:
            page.context.close()
            continue
        if options.get("java_script_enabled", True):
            page.evaluate("localStorage.clear()")
        page.emulate_media(
            media="null",
            color_scheme=options.get("color_scheme", "null"),
            reduced_motion=options["reduced_motion"],
        )
        page.mouse.move(0, 0)
        page.complaints.clear()
        page.requests.clear()
        kept[kind] = page


@pytest.fixture(scope="module")
def whole_page(browser: Any, page_file: Path) -> Iterator[Any]:
    page = browser.new_context(reduced_motion="reduce", color_scheme="light").new_page()
    page.goto(page_file.resolve().as_uri())
    yield page
    page.context.close()


@pytest.fixture
def seen(whole_page: Any) -> Iterator[Any]:
    """Show the whole report to tests that only look: of any size, in any colours, on paper."""
    whole_page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    yield whole_page
    whole_page.emulate_media(media="null", color_scheme="light", reduced_motion="reduce")


def test_the_page_asks_for_nothing_and_complains_of_nothing(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    page.wait_for_load_state("networkidle")
    assert page.requests == [page_file.resolve().as_uri()]
    assert page.complaints == []
    assert page_file.stat().st_size < BUDGET


def test_nothing_scrolls_sideways_is_too_small_or_too_pale(seen: Any) -> None:
    for width, height in (WIDE, TABLET, PHONE):
        seen.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            seen.emulate_media(color_scheme=theme)
            assert seen.evaluate("document.documentElement.scrollWidth") == width
            assert seen.evaluate(SCALES) == []
            assert seen.evaluate(CONTRAST) == []


# At some width: what leaves the page, words that touch others, and cells that hold no whole word.
CRAMPED = """() => {
  const wide = document.documentElement.clientWidth, bad = [], boxes = [];
  if (document.documentElement.scrollWidth > wide)
    bad.push(["overflow", document.documentElement.scrollWidth]);
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let n; (n = walk.nextNode());) {
    const e = n.parentElement, words = n.textContent.trim();
    const unseen = !words || ["SCRIPT", "STYLE"].includes(e.tagName) || !e.checkVisibility();
    if (unseen || e.closest(".vh, .skip, option")) continue;
    range.selectNodeContents(n);
    const room = e.closest(".scroll, pre, details.data > div, .source, td.id");
    const inside = room && room.getBoundingClientRect();
    for (const r of range.getClientRects()) {
      if (r.width < 1 || (inside && (r.left > inside.right - 2 || r.top > inside.bottom))) continue;
      const right = inside ? Math.min(r.right, inside.right) : r.right;
      boxes.push({left: r.left, right, top: r.top, bottom: r.bottom, n, words,
                  cell: e.closest("td, th"), bar: !!e.closest(".bar")});
      if (right > wide + 1) bad.push(["cut", words.slice(0, 40)]);
    } }
  boxes.sort((a, b) => a.top - b.top);
  boxes.forEach((a, i) => {
    for (let j = i + 1; j < boxes.length && boxes[j].top < a.bottom; j++) {
      const b = boxes[j];
      if (a.n === b.n || a.bar !== b.bar) continue;
      const over = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const cells = a.cell && b.cell && a.cell !== b.cell;
      if (high > 5 && over > (cells ? -3 : 1))
        bad.push(["touch", a.words.slice(0, 30), b.words.slice(0, 30)]);
    } });
  for (const e of document.querySelectorAll("th, td, dd, h2, h3")) {
    const words = e.textContent.trim(), width = e.getBoundingClientRect().width;
    if (!words || !e.checkVisibility() || width < 3) continue;
    const longest = Math.max(...words.split(/\\s+/).map(w => w.length));
    if (width < 4 * Math.min(longest, 8)) bad.push(["squeezed", words.slice(0, 30), width]);
  }
  return bad; }"""
WIDTHS = (360, 390, 480, 600, 700, 721, 768, 820, 900, 901, 1000, 1041, 1180, 1280, 1920)


@pytest.mark.parametrize(
    "name",
    [
        "whole",
        "names",
        "binary",
        # like those above in all but a figure or two, which every kind has on a phone below
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("multiclass", "regression")),
    ],
)
def test_no_two_words_touch_and_nothing_leaves_the_page_at_any_width(
    opened: Open, seen: Any, tmp_path: Path, name: str
) -> None:
    page = seen
    if name != "whole":
        made = long_names() if name == "names" else scene(name)
        page = opened(made.save(tmp_path / "report.html"))
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if bad := page.evaluate(CRAMPED):
            found[width] = bad[:3]
    assert found == {}


def scores(page: Any) -> list[float]:
    rows = page.locator("table.audit tbody tr:visible td.score")
    told = rows.evaluate_all("all => all.map(cell => cell.dataset.v)")
    return [float(value) for value in told if value]  # one was never evaluated in full


def show_all(page: Any) -> None:
    page.locator("#audit").get_by_role("button", name="Show all").click()


def test_the_table_sorts_by_a_button_and_tells_how_and_what_has_no_value_is_last(
    opened: Open, page_file: Path
) -> None:
    page = opened(page_file)
    button = page.get_by_role("button", name="Score", exact=True)
    head = page.locator("table.audit thead th.num").first
    show_all(page)
    button.click()
    assert head.get_attribute("aria-sort") == "descending"
    down = scores(page)
    assert len(down) > 50
    assert down == sorted(down, reverse=True)
    button.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert scores(page) == sorted(down)
    assert page.locator("table.audit th[aria-sort]").count() == 1

    button = page.get_by_role("button", name="Won", exact=True)
    for way in ("descending", "ascending"):
        button.click()
        assert page.locator("th[aria-sort]").get_attribute("aria-sort") == way
        told = page.locator("table.audit tbody td.won").all_inner_texts()
        assert told[-1] == "–"
        shares = [float(each.split()[0]) for each in told[:-1]]
        assert shares == sorted(shares, reverse=way == "descending")


def test_the_table_is_filtered_by_state_and_by_words(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    whole = page.locator("table.audit tbody tr").count()
    count = page.locator("[data-count]")
    assert count.is_visible()
    assert count.inner_text() == f"25 of {whole} shown"
    page.get_by_role("button", name="Incomplete 1").click()
    assert page.locator("table.audit tbody tr:visible").count() == 1
    assert page.locator("[data-all]").is_hidden()
    page.get_by_role("button", name=f"All {whole}", exact=True).click()
    page.get_by_label("Filter by model or setting").fill("c17")
    assert page.locator("table.audit tbody tr:visible td.id").all_inner_texts() == ["c17"]
    assert count.inner_text() == f"1 of {whole} shown"


def test_the_audit_shows_its_best_25_rows_first_and_all_when_asked(
    opened: Open, page_file: Path
) -> None:
    page = opened(page_file)
    rows = page.locator("table.audit tbody tr:visible")
    assert rows.count() == 25
    page.get_by_role("button", name="Won", exact=True).click()  # those that won most, of all
    page.get_by_role("button", name="Won", exact=True).click()
    assert page.locator("table.audit tbody tr:visible td.won").first.inner_text() == "0.0\u00a0%"
    show_all(page)
    assert rows.count() == 72
    page.get_by_role("button", name="Show fewer").click()
    assert rows.count() == 25


NAMELESS = """() => [...document.querySelectorAll("button, select, input, a, summary")]
  .filter(e => e.checkVisibility() && !(e.ariaLabel || e.innerText).trim()).length"""


def test_everything_has_a_name_and_its_place_and_headings_skip_no_level(seen: Any) -> None:
    sections = seen.evaluate("[...document.querySelectorAll('main > section[id]')].map(s => s.id)")
    assert sections.index("audit") == sections.index("learned") + 1
    links = seen.evaluate("[...document.querySelectorAll('.bar nav a')].map(a => a.hash.slice(1))")
    assert links == sections
    assert seen.evaluate(NAMELESS) == 0
    levels = seen.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])")
    assert levels.count(1) == 1
    steps = [after - before for before, after in itertools.pairwise(levels)]
    assert max(steps) <= 1
    assert seen.locator("main").count() == seen.locator("header").count() == 1
    assert seen.locator("th:not([scope])").count() == 0


def unfold(page: Any) -> None:
    """Open what is for statisticians, by the keyboard."""
    for summary in page.locator("details.stat > summary").all():
        summary.press("Enter")


def test_what_is_for_statisticians_is_folded_opens_by_keyboard_and_stands_on_paper(
    opened: Open, page_file: Path
) -> None:
    page = opened(page_file)
    table = page.locator("table.methods")
    assert table.is_hidden()
    unfold(page)
    assert table.is_visible()
    for script in (True, False):
        paper = opened(page_file, java_script_enabled=script)
        paper.emulate_media(media="print")
        assert paper.locator("table.methods").is_visible()


def test_regions_open_and_shut_and_those_of_every_tree_show_their_curves(
    opened: Open, page_file: Path
) -> None:
    page = opened(page_file)
    unfold(page)
    node = page.locator("details.node").first
    curve = node.locator("svg").first
    assert curve.is_visible()
    node.locator("summary").first.click()
    assert not curve.is_visible()
    node.locator("summary").first.press("Enter")
    assert curve.is_visible()
    node.get_by_text("All curves in this region").click()
    assert node.locator(".more-curves svg").first.is_visible()

    for summary in page.locator("details.treebox > summary").all():
        summary.press("Enter")
    trees = page.locator(".treebox")
    assert trees.count() > 1
    for tree in trees.all():
        nodes = tree.locator("details.node")
        assert nodes.count() == tree.locator("details.more-curves").count() > 1
        last = tree.locator("details.more-curves").last
        last.locator("> summary").press("Enter")
        assert last.locator("svg").first.is_visible()


def test_on_a_phone_only_the_way_to_the_winner_is_open(opened: Open, page_file: Path) -> None:
    page = opened(page_file, PHONE)
    nodes = page.locator(".treebox").first.locator("details.node")
    told = [
        (n.get_attribute("open") is not None, "onpath" in n.get_attribute("class"))
        for n in nodes.all()
    ]
    assert any(on_path for _, on_path in told)
    assert all(is_open == on_path for is_open, on_path in told)


def test_the_slider_tells_the_row_of_its_threshold_and_moves_by_keyboard(
    opened: Open, page_file: Path
) -> None:
    page = opened(page_file)
    slider, now = page.locator("#cut-at"), page.locator("#cut-now")
    assert now.inner_text() == "0.5"
    line = page.locator("#thresholds .cutfig i").first
    before = line.bounding_box()["x"]
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    assert now.inner_text() == "0.45"
    assert line.bounding_box()["x"] < before
    row = page.locator("#cuts tbody tr", has=page.locator("th", has_text=re.compile(r"^0\.45$")))
    cells = row.locator("td b").all_text_contents()  # in a table that is shut
    shown = [cell.inner_text() for cell in page.locator(".cutnow dd b").all()]
    assert shown == cells
    assert slider.get_attribute("aria-valuetext").startswith("0.45: Sensitivity ")
    page.keyboard.press("Home")
    assert page.locator(".cutnow dd b").first.inner_text() == "1.00"
    page.reload()
    assert now.inner_text() == "0.5"
    page.emulate_media(media="print")
    assert page.locator(".cut").is_hidden()
    assert page.locator("table.onpaper tbody tr:visible").count() == 9
    bare = opened(page_file, java_script_enabled=False)
    assert bare.locator(".cut").is_hidden()
    bare.locator("#thresholds details.data summary").click()
    assert bare.locator("#cuts tbody tr:visible").count() > 90


def test_all_comparisons_show_when_asked_for(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    rows = page.locator("#rivals tbody tr:visible")
    assert rows.count() <= 10
    page.locator("#rivals").get_by_role("button", name="Show all").click()
    assert rows.count() == page.locator("#rivals tbody tr").count() > 10


def test_without_script_everything_is_there(opened: Open, page_file: Path) -> None:
    page = opened(page_file, java_script_enabled=False)
    assert page.locator(".tools").is_hidden()
    assert page.locator("#rivals tbody tr:visible").count() > 10
    assert page.locator("table.audit tbody tr:visible").count() == 72
    for summary in page.locator("details.stat > summary").all():
        summary.click()
    assert page.locator("details.node svg").first.is_visible()


def test_the_keyboard_finds_the_skip_link_first_and_sees_where_it_is(
    opened: Open, page_file: Path
) -> None:
    page = opened(page_file)
    page.keyboard.press("Tab")
    focused = page.locator(":focus")
    assert focused.inner_text() == "Skip to the answer"
    assert focused.evaluate("e => getComputedStyle(e).outlineWidth") == "2px"
    page.keyboard.press("Enter")
    page.wait_for_function("location.hash === '#answer'")  # it follows a moment later


def test_nothing_moves_where_that_is_not_wanted(seen: Any) -> None:
    behaviour = "getComputedStyle(document.documentElement).scrollBehavior"
    for wish, way in (("reduce", "auto"), ("no-preference", "smooth")):
        seen.emulate_media(reduced_motion=wish)
        assert seen.evaluate(behaviour) == way


CLIPPED = """() => [...document.querySelectorAll(".scroll, .panel, table")]
  .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).length"""


def test_on_paper_panels_stand_side_by_side_and_nothing_is_broken_or_clipped(
    opened: Open, page_file: Path
) -> None:
    page = opened(page_file, (703, 980))  # A4 without its margins
    page.emulate_media(media="print")
    tops = [box.bounding_box()["y"] for box in page.locator("#curves .three .panel").all()]
    assert tops[0] == tops[1]
    assert page.evaluate(SCALES.replace("0.9", str(0.9 * ZOOM))) == []
    verdict = page.locator("#rivals td.verdict").first
    assert verdict.evaluate("e => e.getClientRects().length") == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 703
    assert page.evaluate(CRAMPED) == []
    assert page.evaluate(CLIPPED) == 0


def test_on_a_tablet_curves_stand_two_in_a_row(seen: Any) -> None:
    seen.set_viewport_size({"width": TABLET[0], "height": TABLET[1]})
    boxes = [box.bounding_box() for box in seen.locator("#curves .three .panel").all()]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] < boxes[1]["x"]


def test_what_is_filtered_is_what_is_printed(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    page.get_by_role("button", name="Incomplete 1").click()
    page.emulate_media(media="print")
    assert page.locator("table.audit tbody tr:visible").count() == 1


def test_on_paper_the_light_colours_hold_and_controls_are_gone(
    opened: Open, page_file: Path
) -> None:
    page = opened(page_file, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(253, 253, 251)"
    assert page.locator(".bar").is_hidden()
    assert page.locator(".tools").is_hidden()
    assert page.locator("table.audit tbody tr:visible").count() == 25
    assert page.locator("th button:visible").count() == 0  # or a head would not be repeated
    heads = page.locator("table.audit thead th:visible").all_inner_texts()
    assert [text.strip() for text in heads if text.strip()][-1] == "Status and reason"
    assert page.locator(".printed").is_visible()
    assert page.pdf()[:5] == b"%PDF-"


def test_hostile_words_do_nothing(opened: Open, tmp_path: Path) -> None:
    path = en.report(hostile(), metric="roc_auc").save(tmp_path / "report.html")
    page = opened(path)
    page.wait_for_load_state("networkidle")
    assert page.complaints == []
    assert page.locator("script").count() == 1
    for size in (PHONE, WIDE):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        assert page.evaluate("document.documentElement.scrollWidth") == size[0]


@pytest.mark.parametrize("name", SCENES)
def test_every_kind_of_run_fits_a_phone_and_no_words_of_its_figures_touch(
    opened: Open, tmp_path: Path, name: str
) -> None:
    page = opened(scene(name).save(tmp_path / "report.html"), PHONE)
    assert page.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
    assert page.evaluate(SCALES) == []
    assert page.evaluate(BROKEN) == []
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.evaluate(OVERLAPS) == []
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    assert page.evaluate(OVERLAPS) == []


def test_a_code_opens_by_keyboard_to_say_what_it_means_and_takes_no_room_before(
    opened: Open, tmp_path: Path
) -> None:
    page = opened(scene("binary").save(tmp_path / "report.html"))
    caution = page.locator(".caution").first
    assert caution.locator(".why").bounding_box()["height"] == 0
    assert not caution.get_by_text("What to do.").is_visible()
    caution.locator("summary").focus()
    page.keyboard.press("Enter")
    assert caution.get_by_text("What to do.").is_visible()
    assert page.evaluate(CONTRAST) == []


# ---- five questions on the first two screens


@pytest.mark.parametrize("name", ["folder", "names"])
def test_the_first_two_screens_answer_what_people_ask(
    opened: Open, tmp_path: Path, name: str
) -> None:
    """How good, how sure, was the tuning worth it, which one to use, what to do next."""
    made = scene("folder") if name == "folder" else long_names()
    answer, gain = made.content.answer, made.content.gain
    assert answer is not None
    page = opened(made.save(tmp_path / "report.html"), LAPTOP)

    def bottom(locator: Any) -> float:
        box = locator.bounding_box()
        assert box is not None
        return float(box["y"] + box["height"])

    good = page.locator("#answer .number")
    assert good.inner_text() == answer.value
    sure = page.locator("#answer .pair")
    assert answer.interval in sure.inner_text()
    worth = page.locator("#advice-worth")
    assert gain is not None
    assert gain.heading in worth.inner_text()
    use, to_do = page.locator("#advice-use"), page.locator("#advice-next")
    assert "Which one to use" in use.inner_text()
    label = next(row.label for row in made.content.audit.rows if row.status == "winner")
    assert label in use.inner_text()
    assert "What to do next" in to_do.inner_text()
    assert f"Report {answer.value}" in to_do.inner_text()
    for width, height in (LAPTOP, PHONE):
        page.set_viewport_size({"width": width, "height": height})
        assert max(map(bottom, (good, sure))) < height
        assert max(map(bottom, (worth, use, to_do))) < 2 * height
    worth.get_by_role("link").click()
    page.wait_for_function("location.hash === '#gain'")


# ---- small things that save work


def test_what_is_copied_is_what_stands_there(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    field = page.get_by_label("Filter by model or setting")
    expected = {
        "Copy sentence": page.locator("h1").evaluate("e => e.textContent"),
        "Copy paragraph": page.locator("#paper").evaluate("e => e.textContent"),
        "Copy BibTeX": page.locator("#bibtex").evaluate("e => e.textContent").split("\n")[0],
        "Copy parameters": '"model__rate"',
    }
    for words, text in expected.items():
        page.get_by_role("button", name=words).click()
        page.locator("button.copy:focus", has_text="Copied").wait_for()
        field.fill("")
        field.focus()
        page.keyboard.press("Control+V")
        assert text.strip()[:60] in field.input_value()
    assert page.complaints == []


def test_a_section_has_a_link_to_itself(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    for name in ("gain", "methods", "rivals", "curves", "learned", "audit", "computed"):
        link = page.locator(f"#{name}-h a.anchor")
        link.focus()
        assert link.evaluate("e => getComputedStyle(e).opacity") == "1"
        page.keyboard.press("Enter")
        page.wait_for_function(f"location.hash === '#{name}'")


def test_the_colours_can_be_chosen_and_are_kept(opened: Open, page_file: Path) -> None:
    page = opened(page_file, color_scheme="dark")
    back = "getComputedStyle(document.body).backgroundColor"
    dark, light = "rgb(20, 23, 26)", "rgb(253, 253, 251)"
    switch = page.locator("button.theme")
    assert page.evaluate(back) == dark
    for name, colour in (("light", light), ("dark", dark)):
        switch.click()
        assert switch.get_attribute("aria-label") == f"Colours: {name}"
        assert page.evaluate(back) == colour
        assert page.evaluate(CONTRAST) == []
    page.reload()
    assert switch.get_attribute("aria-label") == "Colours: dark"
    page.emulate_media(media="print")
    assert page.evaluate(back) == light
    switch.evaluate("e => e.click()")
    assert switch.get_attribute("aria-label") == "Colours: as the system"


def test_the_files_of_a_run_are_linked_from_wherever_the_page_stands(
    opened: Open, tmp_path: Path
) -> None:
    run = tmp_path / "a run"
    run.mkdir()
    SCENES["folder"](run)
    folder = run / "tuned"
    made = en.report(folder, explain=False)
    for place in (folder / "report.html", tmp_path / "pages" / "report.html"):
        place.parent.mkdir(exist_ok=True)
        page = opened(made.save(place))
        ways = page.locator("#computed dd a").evaluate_all("all => all.map(a => a.href)")
        assert [Path(unquote(way.removeprefix("file://"))) for way in ways] == [
            folder / name for name in made.content.files
        ]
    assert 'href="run.db"' not in made.to_html()


def test_ten_classes_have_the_whole_width(opened: Open, tmp_path: Path) -> None:
    page = opened(ten_classes().save(tmp_path / "report.html"))
    table = page.locator("table.confusion")
    assert table.locator("tbody tr").count() == 10
    box = page.locator("#curves").bounding_box()
    assert table.bounding_box()["width"] > 0.95 * box["width"]
    room = page.locator(".scroll:has(table.confusion)")
    assert room.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_the_page_of_an_explanation_is_a_report_with_its_colours_and_navigation(
    opened: Open, tmp_path: Path
) -> None:
    found = en.explain(mixed_trials(40), n_points=60, grid_size=5, rng=1, regions=2)
    page = opened(found.save(tmp_path / "page.html"), color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 26)"
    page.locator(".bar nav").get_by_text("How computed").click()
    page.wait_for_function("location.hash === '#computed'")
    page.locator("button.theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(253, 253, 251)"


def test_one_box_of_cautions_stands_before_the_first_curve(opened: Open, tmp_path: Path) -> None:
    found = en.explain(mixed_trials(18), n_points=60, grid_size=5, rng=1, regions=2)
    every = {each.code: each for each in sample_cautions()}
    found = replace(found, cautions=tuple(every.values())[:6])
    page = opened(found.save(tmp_path / "page.html"))
    assert page.locator("#learned .caution:visible").count() == 1
    page.locator("#learned .others > summary").click()
    assert page.locator("#learned .caution:visible").count() == len(found.cautions)


def test_effects_that_cannot_be_seen_are_folded_and_level_names_are_level(
    opened: Open, tmp_path: Path
) -> None:
    content = content_of_explanation(with_flat_effects())
    assert content.learned is not None
    flat = {panel.heading for panel in content.learned.flat}
    seen = {panel.heading for panel in content.learned.effects}
    assert "idle" in flat
    assert "model" in seen
    page = opened(Report(content).save(tmp_path / "page.html"))
    assert page.locator(".effects .panel:visible").count() == len(seen)
    assert "idle" in page.locator("details.flat > summary").inner_text()
    assert page.locator(".effects text[transform*=rotate]").count() == 0
    names = page.locator(".effects text").all_text_contents()
    assert "histogram gradient boosting" in names
    assert page.evaluate(OVERLAPS) == []


# ---- paper


def test_on_paper_a_report_has_few_pages_and_no_head_stands_alone(seen: Any) -> None:
    count, heads = print_outline(seen)
    assert count <= 8
    assert len(heads) > 20
    lowest = min(heads, key=lambda head: head.above)
    assert lowest.above > 80  # points: a head, and two lines of what it is about


def test_on_paper_the_head_of_the_curves_goes_with_the_first_of_them(
    opened: Open, tmp_path: Path
) -> None:
    page = opened(scene("grouped").save(tmp_path / "grouped.html"))  # there it had a page's end
    pages = {head.words: head.page for head in print_outline(page)[1]}
    head = next(words for words in pages if "ranks cases" in words)
    assert pages[head] == pages["ROC"]
