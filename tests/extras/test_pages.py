"""Blocks of the documentation that need a large package run as they stand: those marked `py`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]  # the tools' own warnings


def blocks() -> list[tuple[str, str]]:
    """Each block with the import that tells its tool."""
    found = []
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        found += re.findall(r"^```py\n(.*?)^```$", text, flags=re.M | re.S)
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
    if "print(" in code:
        assert "roc_auc" in capsys.readouterr().out
    else:
        assert list(tmp_path.iterdir())  # what was logged
