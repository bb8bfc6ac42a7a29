"""Blocks of the documentation that need a large package run as they stand: those marked `py`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]  # the tools' own warnings


SHOWN = r"^```py\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?"  # a block, and what it printed
TOLERANCE = 0.01  # of a score, between versions of a tool and between processors


def read_blocks() -> list[tuple[str, str]]:
    """Each block of the pages, with what the page says that it printed."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    texts = [page.read_text(encoding="utf-8") for page in pages]
    return [found for text in texts for found in re.findall(SHOWN, text, flags=re.M | re.S)]


def blocks() -> list[tuple[str, str]]:
    """Each block with the import that tells its tool."""
    found = [code for code, _ in read_blocks()]
    # Blocks about clusters are not here: tests/docs/test_clusters_page.py runs them on one.
    tools = ("autogluon", "supervised", "h2o", "flaml", "mlflow", "optuna_integration")
    tools += ("xgboost", "lightgbm", "skore")
    named = [(next((tool for tool in tools if tool in code), None), code) for code in found]
    return [(tool, code) for tool, code in named if tool is not None]


@pytest.mark.parametrize(("tool", "code"), blocks(), ids=[tool for tool, _ in blocks()])
def test_a_block_runs(
    tool: str,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, f"<{tool}>", "exec"), {"__name__": "example"})
    out = capsys.readouterr().out
    shown = dict(read_blocks())[code]
    if shown:
        words, numbers = split_numbers(shown)
        printed, found = split_numbers(out.splitlines()[-1])
        assert printed == words
        assert found == pytest.approx(numbers, abs=TOLERANCE)
    elif "print(" in code:
        assert "roc_auc" in out
    else:
        assert list(tmp_path.iterdir())  # what was logged


def split_numbers(line: str) -> tuple[str, list[float]]:
    """A line without its decimals, and its decimals."""
    pattern = r"\d+\.\d+"
    return re.sub(pattern, "#", line.strip()), [float(one) for one in re.findall(pattern, line)]
