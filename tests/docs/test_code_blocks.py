"""What the documentation shows is what the package does."""

from __future__ import annotations

import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from urllib.parse import unquote

import pytest

import earnest
from earnest.cli.app import build_program
from earnest.core import MEANINGS
from earnest.methods import METHODS
from tests.public_names import public_names
from tests.scripts import load_script

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "earnest"


generate = load_script("docs/_generate.py", "docs_generate")
notebooks = load_script("docs/notebooks.py", "docs_notebooks")
PAGES = generate.pages()
MADE = {"_build", "api", "examples"}  # folders that `make docs` makes
EVERY_MARKDOWN = sorted(  # sorted: every test process must collect the same list
    [
        *ROOT.glob("*.md"),
        *(p for p in (ROOT / "docs").rglob("*.md") if not MADE & set(p.parts)),
    ]
)


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


# ---- examples


def has_example(page: Path) -> bool:
    found = generate.blocks(page.read_text(encoding="utf-8"))
    return any(block.language in ("python", "console") for block in found)


WITH_EXAMPLES = [page for page in PAGES if has_example(page)]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=named)
def test_every_example_runs_and_prints_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    if page in notebooks.TUTORIALS:  # run as a notebook, which has the same blocks: see below
        found = notebooks.run_notebook(notebooks.make_notebook(page), tmp_path)
    else:
        text = page.read_text(encoding="utf-8")
        found = [(out.shown, out.printed) for out in generate.run_page(text, tmp_path)]
    for shown, printed in found:
        assert printed == shown, "run docs/_generate.py and read what changed"


def test_tables_that_pages_link_to_are_those_of_the_results() -> None:
    for path, text in generate.tables.evidence_files():
        assert path.read_text(encoding="utf-8") == text, "run docs/_generate.py"


def test_readme_shows_python_and_the_command_line() -> None:
    languages = [b.language for b in generate.blocks((ROOT / "README.md").read_text("utf-8"))]
    assert {"python", "text", "console"} <= set(languages)


def test_a_wrong_output_is_noticed(tmp_path: Path) -> None:
    page = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    (output,) = generate.run_page(page, tmp_path)
    assert (output.shown, output.printed) == ("3\n", "2\n")
    assert generate.with_outputs(page, tmp_path) == page.replace("3", "2")


def test_a_text_block_after_prose_is_no_output(tmp_path: Path) -> None:
    page = "```python\nprint(1)\n```\n\nA diagram:\n\n```text\na -> b\n```\n"
    assert generate.run_page(page, tmp_path) == []


def test_every_make_target_that_a_page_names_is_in_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        wanted = set(re.findall(r"(?:^|`)make ([a-z][a-z-]*)", text, re.M))
        assert wanted <= targets, named(page)


# ---- tables and lists that follow from the registries


def test_generated_tables_equal_the_registries() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert generate.tables.with_tables(text) == text, f"run docs/_generate.py {named(page)}"


def test_a_page_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["_generate.py", "docs/methods/no_such.md"])
    with pytest.raises(SystemExit):
        generate.main()
    assert "no_such.md" in capsys.readouterr().err


def test_every_kind_of_table_is_used_somewhere() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    asked = re.findall(r"<!-- (?:generated|made): ([\w -]+?) -->", text)
    used = {name.split()[0] for name in asked}
    used |= {name for name, *_ in generate.tables.EVIDENCE.values()}  # files that pages link to
    assert used == set(generate.tables.TABLES)


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_has_a_page_with_every_part_and_knob(name: str) -> None:
    stem = METHODS[name].__module__.rpartition(".")[2]  # that of '.632' is b632
    text = (ROOT / "docs" / "methods" / f"{stem}.md").read_text(encoding="utf-8")
    parts = ["The idea", "The formula", "What is estimated", "What it assumes", "When it fails"]
    parts += ["Knobs", "Example", "How it behaved in simulation", "Source"]
    assert [p for p in re.findall(r"^## (.+)$", text, re.M) if p in parts] == parts
    assert f"<!-- made: facts {stem} -->" in text
    knobs = text.split("## Knobs")[1].split("## Example")[0]
    for field in fields(METHODS[name]):
        assert f"`{field.name}`" in knobs


def test_every_method_page_is_of_a_method() -> None:
    pages = {page.stem for page in (ROOT / "docs" / "methods").glob("*.md")} - {"index"}
    assert pages == {method.__module__.rpartition(".")[2] for method in METHODS.values()}


def test_every_caution_has_a_section_under_its_own_words() -> None:
    text = (ROOT / "docs" / "explanation" / "cautions.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (EN\d{3}): (.+)$", text, re.M))
    assert sections == {code: each.title for code, each in MEANINGS.items()}
    bodies = re.split(r"^## EN\d{3}: .+$", text, flags=re.M)[1:]
    for code, body in zip(sections, bodies, strict=True):
        assert f"({code.lower()})=\n## {code}" in text
        assert "**What follows.**" in body, code
        assert "**What to do.**" in body, code


def test_every_code_that_a_page_names_exists() -> None:
    for page in EVERY_MARKDOWN:
        assert set(re.findall(r"\bEN\d{3}\b", page.read_text(encoding="utf-8"))) <= set(MEANINGS)


def test_the_reference_lists_every_public_name_once() -> None:
    text = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\.\. auto(?:class|function|exception):: earnest\.(\S+)$", text, re.M)
    public = [name for name in listed if not name.startswith("core.")]  # what these load and save
    assert sorted(public) == sorted(public_names())
    assert listed[0] == "SearchCV"


def test_every_public_name_has_an_example_that_the_doctests_run() -> None:
    for name, thing in public_names().items():
        assert ">>> " in (thing.__doc__ or ""), name


def test_headings_of_docstrings_stand_on_lines_of_their_own() -> None:
    for name, public in public_names().items():
        parts = vars(public).values() if isinstance(public, type) else ()
        for one in (public, *parts):
            for line in (inspect.getdoc(one) or "").splitlines():
                assert "---" not in line or set(line) == {"-"}, f"{name}: {line}"


def test_the_reference_describes_every_option_of_every_command_once() -> None:
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    titles = {
        anchor: text.split(f"### {anchor.replace('-', ' ').capitalize()}\n")[1]
        for _, anchor in generate.tables.SHARED_OPTIONS.values()
    }
    shared = {
        anchor: list_rows(generate.tables.fill(part.split("\n#")[0]))
        for anchor, part in titles.items()
    }
    program = build_program()
    commands = re.findall(r"<!-- made: options (\S+) -->", text)
    assert {*program.commands} - {*commands} == {"methods", "tests", "metrics"}
    for command in commands:
        part = generate.tables.fill(f"<!-- made: options {command} -->")
        links = re.findall(r"\]\(#([a-z-]+)\)", part)
        shown = [*list_rows(part), *(option for link in links for option in shared[link])]
        wanted = [param.opts[0] for param in program.commands[command].params]
        wanted = [word for word in wanted if word.startswith("-") and word != "--help-all"]
        assert sorted(shown) == sorted(wanted), command


def list_rows(text: str) -> list[str]:
    """Return the options that the rows of a table describe."""
    return re.findall(r"^\| `(--[a-z0-9-]+)`", text, re.M)


def test_the_reference_lists_every_key_of_the_json() -> None:
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    rows = text.split("### The JSON")[1].split("Several methods")[0]
    listed = [key for row in re.findall(r"^\| (`.+?) \|", rows, re.M) for key in row.split(", ")]
    made = earnest.estimate(
        earnest.Predictions.from_arrays([0, 1, 0, 1], [0.2, 0.7, 0.4, 0.6]),
        method="naive",
        metric="accuracy",
    )
    assert sorted(key.strip("`") for key in listed) == sorted(made.to_dict())


# ---- the map of the code


def test_architecture_shows_every_room_in_the_order_of_the_linter() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = config["tool"]["importlinter"]["contracts"][0]["layers"]
    wanted = [re.findall(r"\w+", layer) for layer in layers]
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    diagram = text.split("## Rooms")[1].split("```text\n")[1].split("```")[0]
    shown = [re.findall(r"\w+", re.split(r"\s{2,}|\s\(", line)[0]) for line in diagram.splitlines()]
    assert shown == wanted


def test_architecture_marks_as_planned_only_rooms_that_are_not_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    diagram = text.split("## Rooms")[1].split("```text\n")[1].split("```")[0]
    for line in diagram.splitlines():
        rooms = re.findall(r"\w+", re.split(r"\s{2,}|\s\(", line)[0])
        there = [(SRC / room).is_dir() for room in rooms]
        there += [(SRC / f"{room}.py").is_file() for room in rooms]
        assert any(there) != ("(planned)" in line), line


def test_every_path_that_architecture_names_exists() -> None:
    text = prose(ROOT / "ARCHITECTURE.md")
    for path in re.findall(r"`([\w/.]+(?:\.py|\.md|/))`", text):
        assert any((base / path).exists() for base in (ROOT, SRC, SRC / "kernels")), path


# ---- links and words


def links(page: Path) -> Iterator[tuple[str, str]]:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield unquote(path), anchor


def test_every_link_between_pages_leads_somewhere() -> None:
    for page in EVERY_MARKDOWN:
        for path, _ in links(page):
            is_made = bool(MADE & set(Path(path).parts))
            assert not path or is_made or (page.parent / path).exists(), (named(page), path)


def test_readme_says_what_it_is_in_three_sentences() -> None:
    first = (ROOT / "README.md").read_text(encoding="utf-8").split("\n\n")[1]
    assert len(re.findall(r"[.?](?:\s|$)", first)) == 3


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_words_have_the_numbers_of_the_first_example(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    first, printed = text.split("\n\n")[1], text.split("```text\n")[1].split("```")[0]
    value, low, high, naive = re.findall(r"\b0\.\d+", first)
    assert f" {value}, 95 % interval [{low}, {high}]" in printed
    assert f"best_score_: {naive}\n" in printed


def test_pages_do_not_shout() -> None:
    for page in EVERY_MARKDOWN:
        text = re.sub(r"`[^`]*`|\$[^$]*\$|<!--.*?-->|!\[", "", prose(page), flags=re.S)
        assert "!" not in text, named(page)
