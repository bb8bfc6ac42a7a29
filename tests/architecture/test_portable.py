"""The settings of `make test-portable` are known to NumPy, and failures are passed on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "portable.py"
ASK = """
import numpy as np
found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
print("found:", *found)
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False
    )


def test_numpy_takes_the_settings_without_a_warning_and_chooses_less() -> None:
    made = run("-W", "error", "-c", ASK)
    assert made.returncode == 0, made.stderr
    first, second = (line for line in made.stdout.splitlines() if line.startswith("found:"))
    assert "AVX512" not in first
    assert "X86_V4" not in first
    assert second.split() == ["found:"]
    assert [line.split(":")[0] for line in made.stdout.splitlines() if line.startswith("==")] == [
        "== no-avx512",
        "== baseline",
    ]


def test_a_failure_is_the_exit_code() -> None:
    assert run("-c", "raise SystemExit(3)").returncode == 3
