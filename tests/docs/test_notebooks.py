"""A tutorial and its notebook are one thing; test_code_blocks.py runs the notebooks."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.test_code_blocks import ROOT, generate, named, notebooks, prose

TUTORIALS: list[Path] = notebooks.TUTORIALS


def of_kind(notebook: dict[str, Any], kind: str) -> list[str]:
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == kind]


def write(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def test_there_are_tutorials() -> None:
    assert len(TUTORIALS) == 6


@pytest.mark.parametrize("page", TUTORIALS, ids=named)
def test_a_notebook_has_every_block_that_is_run_in_its_order(page: Path) -> None:
    wanted: list[str] = []
    for block in generate.blocks(page.read_text(encoding="utf-8")):
        if block.language == "python":
            wanted.append(block.body.rstrip("\n"))
        elif block.language == "console":
            wanted += [f"!{line}" for line in re.findall(r"^\$ (.+)$", block.body, re.M)]
    install, *found = of_kind(notebooks.make_notebook(page), "code")
    assert install == notebooks.FROM_WHEEL.rstrip("\n")
    assert found == wanted


@pytest.mark.parametrize("page", TUTORIALS, ids=named)
def test_a_notebook_shows_every_output_of_its_page(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = generate.blocks(text)
    nothing = generate.Block("", "", 0, 0)
    shown = ""
    for before, block in zip([nothing, *blocks], blocks, strict=False):
        if block.language == "text" and generate.is_output(text, before, block):
            shown += block.body
        elif block.language == "console":
            shown += "".join(
                line for line in block.body.splitlines(keepends=True) if line[:2] != "$ "
            )
    cells = notebooks.make_notebook(page)["cells"]
    outputs = [out for cell in cells for out in cell.get("outputs", [])]
    assert "".join(line for out in outputs for line in out["text"]) == shown


@pytest.mark.parametrize("page", TUTORIALS, ids=named)
def test_a_notebook_needs_no_file_beside_it(page: Path) -> None:
    for cell in notebooks.make_notebook(page)["cells"]:
        source = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
        for target in re.findall(r"\]\(([^)\s]+)\)", source):
            kind, _, name = target.partition(":")
            assert kind in ("https", "attachment"), target
            if kind == "attachment":
                picture = base64.b64decode(cell["attachments"][name]["image/png"])
                assert picture.startswith(b"\x89PNG")


@pytest.mark.parametrize("page", TUTORIALS, ids=named)
def test_a_notebook_says_all_that_its_page_says(page: Path) -> None:
    notebook = notebooks.make_notebook(page, notebooks.Addresses(site="https://example.org"))
    text = notebooks._PAGE_ONLY.sub("", prose(page))
    said = "\n".join(of_kind(notebook, "markdown"))
    assert re.findall(r"^#+ .+$", said, re.M) == re.findall(r"^#+ .+$", text, re.M)
    links = re.findall(r"(?<!!)\[[^]]+\]\((?!https:)", text)
    assert said.count("](https://example.org/") == len(links) > 0


def test_a_notebook_is_of_the_format_that_jupyter_reads() -> None:
    notebook = notebooks.make_notebook(TUTORIALS[0])
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    common = {"id", "cell_type", "metadata", "source"}
    more = {"markdown": set(), "code": {"execution_count", "outputs"}}
    for cell in notebook["cells"]:
        assert set(cell) - {"attachments"} == common | more[cell["cell_type"]]
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)


def test_a_link_leads_to_the_site_where_there_is_one_and_is_words_where_not(
    tmp_path: Path,
) -> None:
    words = notebooks._make_link
    page = TUTORIALS[0]
    site = "https://example.org/docs/"
    assert words("it", "../explanation/cautions.md#en001", page, site) == (
        "[it](https://example.org/docs/explanation/cautions.html#en001)"
    )
    assert words("it", "../explanation/cautions.md", page, "") == "it"
    assert words("it", "https://example.org", page, "") == "[it](https://example.org)"


def test_a_notebook_installs_from_the_repository_once_that_has_an_address() -> None:
    known = notebooks.Addresses("https://github.com/someone/earnest")
    install = of_kind(notebooks.make_notebook(TUTORIALS[0], known), "code")[0]
    assert "%pip install --quiet git+https://github.com/someone/earnest" in install


@pytest.mark.parametrize(
    ("repository", "binder"),
    [
        ("", ""),
        ("https://git.example.org/earnest", ""),
        (
            "https://github.com/someone/earnest.git",
            "https://mybinder.org/v2/gh/someone/earnest/HEAD?urlpath=lab/tree/",
        ),
    ],
)
def test_a_page_offers_its_notebook_and_binder_once_it_can_find_the_repository(
    repository: str, binder: str
) -> None:
    known = notebooks.Addresses(repository)
    assert known.binder == binder
    title, _, link, *_ = notebooks.with_link("# A\n\nB\n", Path("a.md"), known).split("\n")
    assert title == "# A"
    assert "<a.ipynb>" in link
    assert (f"({binder}docs/tutorials/a.ipynb)" in link) == bool(binder)


def test_a_wrong_output_of_a_cell_is_noticed(tmp_path: Path) -> None:
    page = write(tmp_path, "# A\n\n```python\nx = 1\nx + 1\n```\n\n```text\n3\n```\n")
    assert notebooks.run_notebook(notebooks.make_notebook(page), tmp_path) == [("3\n", "2\n")]


def test_a_command_is_a_cell_that_is_run(tmp_path: Path) -> None:
    page = write(
        tmp_path, "# A\n\n```console\n$ earnest --version\nnone\n$ earnest --version\n```\n"
    )
    notebook = notebooks.make_notebook(page)
    assert of_kind(notebook, "code")[1:] == ["!earnest --version"] * 2
    first, second = notebooks.run_notebook(notebook, tmp_path)
    assert first[0] == "none\n"
    assert second[0] == ""
    assert first[1] == second[1] != ""


def test_a_notebook_calls_no_other_program(tmp_path: Path) -> None:
    page = write(tmp_path, "# A\n\n```python\nfor _ in [1]:\n    !rm -rf run\n```\n")
    with pytest.raises(ValueError, match="rm -rf run"):
        notebooks.run_notebook(notebooks.make_notebook(page), tmp_path)


def test_every_tutorial_is_written_and_made_anew_only_where_it_changed(tmp_path: Path) -> None:
    paths = notebooks.write_notebooks(tmp_path)
    assert [path.stem for path in paths] == [page.stem for page in TUTORIALS]
    stamps = [path.stat().st_mtime_ns for path in paths]
    for path, page in zip(paths, TUTORIALS, strict=True):
        made = notebooks.make_notebook(page, notebooks.find_addresses())
        assert json.loads(path.read_text("utf-8")) == made
    assert [path.stat().st_mtime_ns for path in notebooks.write_notebooks(tmp_path)] == stamps


def test_the_tutorials_are_pages_whose_examples_are_run() -> None:
    assert set(TUTORIALS) <= set(generate.pages())
    assert (ROOT / "docs" / "tutorials" / "index.md") not in TUTORIALS
