"""Texts that doors show, kept beside tests: `EARNEST_WRITE_GOLDEN=1 pytest ...` remakes them.

A whole output has a file of its own. Sentences of many tests share one, `golden/<module>.json`, by
the name of the test: ask for the fixture `golden`. Remake those in one process (`-p no:xdist`).
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PARAGRAPH = re.compile(
    r"\n\s*\n|</?(?:aside|d[dlt]|details|div|figure|h\d|li|p|section|style|svg|t[dhr])\b[^>]*>"
)
SENTENCE_END = re.compile(r"(?<=[\w)'`%]{2}[.?!]) (?=[A-Z])")
WRITE = os.environ.get("EARNEST_WRITE_GOLDEN") == "1"


def read_snapshot(path: Path, text: str) -> str:
    """Return the kept text, after keeping this one where that was asked for."""
    if WRITE:
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


class Golden:
    """The sentences of one test, in the order in which it checks them.

    A folder that was made for a test reads `FOLDER` in them, that of the checkout `EARNEST`. What
    differs between versions and machines, such as the words of another library, is to be hidden.
    """

    def __init__(self, test_file: Path, test: str, folders: Path) -> None:
        self.path = test_file.parent / "golden" / f"{test_file.stem}.json"
        self.test = test
        roots = "|".join(map(re.escape, (str(folders), tempfile.gettempdir())))
        self.folder = re.compile(rf"(?:{roots})/[^/'\"\s]+")
        self.texts: list[str] = []

    def check(self, text: object, hide: str = "(?!)") -> None:
        """Refuse a text that does not read as the one that is kept, matches of `hide` aside."""
        words = self.folder.sub("FOLDER", str(text).replace(str(ROOT), "EARNEST"))
        self.texts.append(re.sub(hide, "…", words))
        if not WRITE:
            kept = self._read().get(self.test, [])
            assert kept[len(self.texts) - 1 : len(self.texts)] == self.texts[-1:]

    def check_sentence(self, text: object, sign: str, hide: str = "(?!)") -> None:
        """Check the sentences of a text that hold a sign, of which there must be one at least.

        The text may be a page of HTML.
        """
        paragraphs = [" ".join(lines.split()) for lines in PARAGRAPH.split(str(text))]
        sentences = [each for lines in paragraphs for each in SENTENCE_END.split(lines)]
        holding = [sentence for sentence in sentences if sign in sentence]
        assert holding, f"no sentence holds {sign!r}"
        self.check(" ".join(holding), hide)

    def check_line(self, text: object, sign: str, hide: str = "(?!)") -> None:
        """Check the lines of a text that hold a sign, of which there must be one at least."""
        lines = [line.strip() for line in str(text).splitlines() if sign in line]
        assert lines, f"no line holds {sign!r}"
        self.check("\n".join(lines), hide)

    @contextmanager
    def raises(
        self, error: type[BaseException] | tuple[type[BaseException], ...], hide: str = "(?!)"
    ) -> Iterator[pytest.ExceptionInfo[BaseException]]:
        """Expect an error within the block, and check what it says."""
        with pytest.raises(error) as refusal:
            yield refusal
        self.check(refusal.value, hide)

    def close(self) -> None:
        """Keep what was checked where that was asked for, else refuse what was not checked."""
        kept = self._read()
        if WRITE and (self.texts or self.test in kept):
            self.path.parent.mkdir(exist_ok=True)
            sentences = {
                name: texts for name, texts in {**kept, self.test: self.texts}.items() if texts
            }
            words = json.dumps(sentences, indent=2, ensure_ascii=False)
            self.path.write_text(words + "\n", encoding="utf-8")
        else:
            assert kept.get(self.test, []) == self.texts

    def _read(self) -> dict[str, list[str]]:
        if not self.path.is_file():
            return {}
        content: dict[str, list[str]] = json.loads(self.path.read_text(encoding="utf-8"))
        return content
