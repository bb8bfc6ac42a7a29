"""Texts that doors show, kept beside tests: `EARNEST_WRITE_GOLDEN=1 pytest ...` remakes them."""

from __future__ import annotations

import os
from pathlib import Path

WRITE = os.environ.get("EARNEST_WRITE_GOLDEN") == "1"


def read_snapshot(path: Path, text: str) -> str:
    """Return the kept text, after keeping this one where that was asked for."""
    if WRITE:
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")
