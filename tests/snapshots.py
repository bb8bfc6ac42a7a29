"""Texts that doors show, kept beside tests: `EARNEST_WRITE_GOLDEN=1 pytest ...` remakes them.

A whole output has a file of its own. Sentences of many tests share one, `golden/<module>.json`, by
the name of the test: ask for the fixture `golden`. Remake those in one process (`-p no:xdist`).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

WRITE = os.environ.get("EARNEST_WRITE_GOLDEN") == "1"


def read_snapshot(path: Path, text: str) -> str:
    """Return the kept text, after keeping this one where that was asked for."""
    if WRITE:
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


class Golden:
    """The sentences of one test, in the order in which it checks them."""

    def __init__(self, test_file: Path, test: str) -> None:
        self.path = test_file.parent / "golden" / f"{test_file.stem}.json"
        self.test = test
        self.texts: list[str] = []

    def check(self, text: str) -> None:
        """Refuse a text that does not read as the one that is kept."""
        self.texts.append(str(text))
        if not WRITE:
            kept = self._read().get(self.test, [])
            assert kept[len(self.texts) - 1 : len(self.texts)] == [str(text)]

    def close(self) -> None:
        """Keep what was checked where that was asked for, else refuse what was not checked."""
        kept = self._read()
        if WRITE:
            self.path.parent.mkdir(exist_ok=True)
            words = json.dumps({**kept, self.test: self.texts}, indent=2, ensure_ascii=False)
            self.path.write_text(words + "\n", encoding="utf-8")
        else:
            assert kept.get(self.test, []) == self.texts

    def _read(self) -> dict[str, list[str]]:
        if not self.path.is_file():
            return {}
        content: dict[str, list[str]] = json.loads(self.path.read_text(encoding="utf-8"))
        return content
