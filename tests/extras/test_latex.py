"""pdfLaTeX itself, on tables of every kind of result with awkward names."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import earnest as en
from earnest.core import find_unknown_letters, latex
from tests.core.text.test_latex import pi, tables

pytestmark = pytest.mark.extra
__all__ = ["pi"]  # a fixture

SIGNS = [chr(code) for code in (*range(0x20, 0x180), *range(0x370, 0x400), *range(0x2010, 0x2270))]


@pytest.fixture(scope="module")
def pdflatex() -> str:
    found = shutil.which("pdflatex")
    if found is None:
        pytest.skip("no pdflatex on this machine")
    return found


def compiled(pdflatex: str, folder: Path, body: str, encoding: str = "T1", needs: str = "") -> str:
    """Compile a document, and return what the log complains about."""
    head = f"\\documentclass{{article}}\\usepackage[{encoding}]{{fontenc}}\\usepackage{{booktabs}}"
    text = f"{head}{needs}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (folder / "paper.tex").write_text(text, encoding="utf-8")
    command = [pdflatex, "-interaction=nonstopmode", "paper.tex"]
    subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert (folder / "paper.pdf").exists()
    bad = ("!", "Missing character")
    return "\n".join(line for line in log.splitlines() if line.startswith(bad))


def test_a_checklist_compiles(pdflatex: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a_b & %#$": rng.standard_normal(60), "{x}~^": rng.standard_normal(60)})
    table["died"] = np.where(table.iloc[:, 0] + rng.standard_normal(60) > 0, "yes", "no")
    found = en.tune(table, target="died", n_configs=1, folds=3, rng=0, n_jobs=1)
    body = en.report(found, explain=False).to_checklist().to_latex()
    needs = "\\usepackage{longtable,array}"
    assert compiled(pdflatex, tmp_path, body, needs=needs) == ""


@pytest.mark.parametrize("encoding", ["T1", "OT1"])
def test_every_kind_of_table_compiles(
    pdflatex: str,
    tmp_path: Path,
    pi: en.Predictions,
    encoding: str,
) -> None:
    body = "\n\n".join(tables(pi).values())
    assert compiled(pdflatex, tmp_path, body, encoding) == ""


def test_every_letter_that_is_said_to_be_known_compiles(pdflatex: str, tmp_path: Path) -> None:
    known = [sign for sign in SIGNS if not find_unknown_letters([sign])]
    assert len(known) > 400
    body = "\\par\n".join(f"x{latex(sign)}x" for sign in known)
    assert compiled(pdflatex, tmp_path, body) == ""
