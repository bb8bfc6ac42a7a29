"""The helper that keeps sentences beside tests, and the files that it keeps them in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests import snapshots
from tests.snapshots import Golden

TESTS = Path(__file__).parents[1]
PAGE = """A line that is wrapped over
two lines. Eq. (4) of Doe, J. R. says so: 0.5 at most.

svm    0.91
"""


def golden(folder: Path) -> Golden:
    """The sentences of a test in a folder, none kept yet."""
    return Golden(folder / "test_it.py", "test_this", folder)


def write(folder: Path, *texts: str) -> None:
    (folder / "golden").mkdir(exist_ok=True)
    (folder / "golden" / "test_it.json").write_text(json.dumps({"test_this": texts}), "utf-8")


@pytest.fixture(autouse=True)
def read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare also where the texts of other tests are written."""
    monkeypatch.setattr(snapshots, "WRITE", False)


def test_a_text_that_is_not_the_kept_one_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "this", "that")
    texts = golden(tmp_path)
    texts.check("this")
    with pytest.raises(AssertionError):
        texts.check("That")


def test_a_kept_text_that_is_not_checked_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "this", "that")
    texts = golden(tmp_path)
    texts.check("this")
    with pytest.raises(AssertionError):
        texts.close()
    texts.check("that")
    texts.close()


def test_an_error_is_checked_by_its_class_and_its_words(tmp_path: Path) -> None:
    write(tmp_path, "no such thing")
    with golden(tmp_path).raises(ValueError):
        raise ValueError("no such thing")
    with pytest.raises(AssertionError), golden(tmp_path).raises(ValueError):
        raise ValueError("another")
    with pytest.raises(TypeError), golden(tmp_path).raises(ValueError):
        raise TypeError("no such thing")


def test_sentences_and_lines_are_found_by_a_sign(tmp_path: Path) -> None:
    wrapped, cited, row = (
        "A line that is wrapped over two lines.",
        "Eq. (4) of Doe, J. R. says",
        "svm",
    )
    write(tmp_path, wrapped, f"{cited} so: 0.5 at most.", f"{row}    0.91")
    texts = golden(tmp_path)
    texts.check_sentence(PAGE, "wrapped")
    texts.check_sentence(f"<p>{PAGE}</p>", "Doe")
    texts.check_line(PAGE, "svm")
    texts.close()
    for look in (texts.check_sentence, texts.check_line):
        with pytest.raises(AssertionError, match="holds 'none'"):
            look(PAGE, "none")


def test_folders_and_what_is_hidden_do_not_count(tmp_path: Path) -> None:
    write(tmp_path, "'FOLDER/run.db' took … s", "EARNEST/src")
    texts = golden(tmp_path)
    texts.check(f"'{tmp_path}/of_this_test/run.db' took 0.25 s", hide="[0-9]+[.][0-9]+")
    texts.check(f"{TESTS.parent}/src")


def test_every_kept_sentence_is_that_of_a_test() -> None:
    for path in TESTS.rglob("golden/test_*.json"):
        source = (path.parents[1] / f"{path.stem}.py").read_text("utf-8")
        tests = set(re.findall(r"^def (test_\w+)", source, re.MULTILINE))
        kept: dict[str, list[str]] = json.loads(path.read_text("utf-8"))
        for name, texts in kept.items():
            assert name.partition("[")[0] in tests, (path, name)
            assert texts, (path, name)
