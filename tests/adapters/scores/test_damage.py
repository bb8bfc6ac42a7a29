"""Damaged logs of any tool end in a table or in an error that says what is wrong."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from earnest.adapters import read_score_logs
from earnest.errors import EarnestError

FILES = Path(__file__).parents[1] / "files" / "scores"
SCORES = {
    "inspect": "match",
    "lm_eval": "acc",
    "helm": "exact_match",
    "trec": "map",
    "trec_ir_measures": "AP",
    "trec_ir_measures_json": "AP",
    "coco": "AP",
}
TOOLS = (*SCORES, "promptfoo", "dspy", "gepa", "openai_evals", "plain")


def list_logs(tool: str) -> list[Path]:
    found = [path for path in sorted((FILES / tool).rglob("*")) if path.is_file()]
    return found[:3] if tool != "lm_eval" else found[:2]


def try_to_read(folder: Path, tool: str) -> None:
    with suppress(EarnestError):  # anything else is a fault of the reader
        read_score_logs(folder, score=SCORES.get(tool))


@pytest.mark.parametrize("tool", TOOLS)
def test_a_log_that_is_cut_anywhere_is_read_or_refused(tool: str, tmp_path: Path) -> None:
    for path in list_logs(tool):
        whole = path.read_bytes()
        folder = Path(shutil.copytree(path.parent, tmp_path / path.stem))
        for at in np.linspace(0, len(whole) - 1, 12).astype(int):
            (folder / path.name).write_bytes(whole[:at])
            try_to_read(folder, tool)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_log_with_other_bytes_is_read_or_refused(tool: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for path in list_logs(tool):
        whole = path.read_bytes()
        folder = Path(shutil.copytree(path.parent, tmp_path / path.stem))
        for _ in range(12):
            changed = np.frombuffer(whole, dtype=np.uint8).copy()
            places = rng.integers(len(changed), size=3)
            changed[places] = rng.integers(256, size=3)
            (folder / path.name).write_bytes(changed.tobytes())
            try_to_read(folder, tool)


def _replace(value: object, odd: object, rng: np.random.Generator) -> object:
    """Return JSON with one value in fifty replaced."""
    if rng.random() < 0.02:
        return odd
    if isinstance(value, dict):
        return {name: _replace(part, odd, rng) for name, part in value.items()}
    if isinstance(value, list):
        return [_replace(part, odd, rng) for part in value]
    return value


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool != "plain"])
@pytest.mark.parametrize("odd", [None, "x", -1, [], {}, 1e999, {"a": [None]}, 10**30], ids=repr)
def test_a_log_with_other_values_is_read_or_refused(tool: str, odd: object, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for path in list_logs(tool):
        if path.suffix not in (".json", ".jsonl"):
            continue
        folder = Path(shutil.copytree(path.parent, tmp_path / path.stem))
        lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
        for _ in range(8):
            made = [json.dumps(_replace(json.loads(line), odd, rng)) for line in lines]
            (folder / path.name).write_text("\n".join(made))
            try_to_read(folder, tool)
