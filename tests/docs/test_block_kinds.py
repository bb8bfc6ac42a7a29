"""Every fenced block of every page is of a kind that a test looks at; there is no other kind."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import earnest
from earnest.cli.app import build_program
from earnest.cli.defaults import read_defaults
from tests.docs import shell
from tests.docs.test_code_blocks import EVERY_MARKDOWN, PAGES, ROOT, generate, named, prose
from tests.extras import test_pages

WITH_BLOCKS = sorted({*EVERY_MARKDOWN, *(ROOT / "benchmarks").rglob("*.md")})
COMMAND_LINE = ROOT / "docs" / "reference" / "command-line.md"  # a file of defaults
PLUG_IN = ROOT / "docs" / "how-to" / "plug-in.md"  # its package: tests/cli/test_plug_ins.py
CLUSTERS = ROOT / "docs" / "how-to" / "clusters.md"  # its blocks: test_clusters_page.py

# Blocks of text that no block before them printed. A new one wants a reason here.
ILLUSTRATIONS = {
    "ARCHITECTURE.md": 3,  # rooms, way of the data, tree; the rooms are held to the linter
    "docs/how-to/tune-a-table.md": 1,  # the beginning of a long run, with its times
    "docs/development/decisions/README.md": 1,  # the form of a record
}


# ---- what looks at a block of each kind


def is_run(page: Path, body: str) -> str:
    return "" if page in PAGES else "examples of this page are not run"


def is_run_with_its_package(page: Path, body: str) -> str:
    known = [code for _, code in test_pages.blocks()]
    return "" if body in known or page == CLUSTERS else "no test of tests/extras runs it"


def can_be_typed(page: Path, body: str) -> str:
    text = page.read_text(encoding="utf-8")
    found = [shell.trouble(words, text) for words in shell.commands(body)]
    return "; ".join(filter(None, found))


def is_a_portfolio(page: Path, body: str, folder: Path) -> str:
    (folder / "mine.toml").write_text(body, encoding="utf-8")
    try:
        earnest.learners.load_portfolio(folder / "mine.toml")
    except earnest.errors.EarnestError as error:
        return str(error)
    return ""


def is_a_plug_in(page: Path, body: str) -> str:
    groups = tomllib.loads(body)["project"]["entry-points"]
    known = {"earnest.methods", "earnest.metrics", "earnest.tests", "earnest.readers"}
    return "" if set(groups) <= known else "no such group"


def are_defaults(page: Path, body: str, folder: Path) -> str:
    (folder / "earnest.toml").write_text(body, encoding="utf-8")
    try:
        read_defaults(build_program().commands, folder)
    except earnest.errors.EarnestError as error:
        return str(error)
    return ""


def is_toml(page: Path, body: str, folder: Path) -> str:
    if page == PLUG_IN:
        return is_a_plug_in(page, body)
    if page == COMMAND_LINE:
        return are_defaults(page, body, folder)
    return is_a_portfolio(page, body, folder)


def is_json(page: Path, body: str) -> str:
    try:
        json.loads(body)
    except ValueError as error:
        return str(error)
    return ""


def is_yaml_with_sound_commands(page: Path, body: str) -> str:
    import yaml

    def texts(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [text for part in value.values() for text in texts(part)]
        if isinstance(value, list):
            return [text for part in value for text in texts(part)]
        return [str(value)]

    lines = [line for text in texts(yaml.safe_load(body)) for line in text.splitlines()]
    return can_be_typed(page, "\n".join(line for line in lines if line.startswith("earnest ")))


def is_checked_by_sphinx(page: Path, body: str) -> str:
    return "" if page.is_relative_to(ROOT / "docs") else "a directive outside of the site"


def is_counted_below(page: Path, body: str) -> str:
    return ""


CHECKS: dict[str, Callable[..., str]] = {
    "python": is_run,
    "console": is_run,
    "py": is_run_with_its_package,
    "text": is_counted_below,
    "sh": can_be_typed,
    "toml": is_toml,
    "json": is_json,
    "yaml": is_yaml_with_sound_commands,
}
DIRECTIVES = ("{toctree}", "{eval-rst}", "{include}", "{csv-table}")


def trouble(page: Path, kind: str, body: str, folder: Path) -> str:
    """Say what is wrong with a block, or nothing."""
    if kind.startswith(DIRECTIVES):
        return is_checked_by_sphinx(page, body)
    if kind not in CHECKS:
        return f"a block of {kind or 'no kind'!r} is looked at by no test"
    more = [folder] if kind == "toml" else []
    return CHECKS[kind](page, body, *more)


# ---- laws


def test_every_block_is_of_a_kind_that_is_looked_at_and_sound(tmp_path: Path) -> None:
    found = [
        (named(page), block.body, wrong)
        for page in WITH_BLOCKS
        for block in generate.blocks(page.read_text(encoding="utf-8"))
        if (wrong := trouble(page, block.language, block.body, tmp_path))
    ]
    assert found == []


def test_no_block_hides_in_a_list_or_is_left_open() -> None:
    for page in WITH_BLOCKS:
        text = page.read_text(encoding="utf-8")
        for block in reversed(generate.blocks(text)):
            text = text[: block.start] + text[block.stop :]
        assert not re.search(r"^[ \t>]+(```|~~~)|^~~~", text, re.M), named(page)
        assert len(re.findall(r"^```", text, re.M)) % 2 == 0, named(page)


def test_a_block_of_text_is_what_the_block_before_it_printed() -> None:
    nothing = generate.Block("", "", 0, 0)
    for page in WITH_BLOCKS:
        text = page.read_text(encoding="utf-8")
        free = [
            block.body
            for before, block in pairwise([nothing, *generate.blocks(text)])
            if block.language == "text"
            and not (
                before.language in ("python", "py") and generate._adjacent(text, before, block)
            )
        ]
        assert len(free) == ILLUSTRATIONS.get(named(page), 0), (named(page), free)


def test_every_command_that_the_text_names_exists() -> None:
    for page in WITH_BLOCKS:
        for code in re.findall(r"`(earnest [a-z][^`]*)`", prose(page)):
            for words in shell.commands(" ".join(code.replace("\\|", "|").split())):
                if words[0] == "earnest" and words[1:] and not words[1].isupper():
                    assert shell.options_trouble(words) == "", (named(page), code)


def test_every_name_of_the_package_that_the_text_names_exists() -> None:
    for page in WITH_BLOCKS:
        text = page.read_text(encoding="utf-8")
        for name, inner in re.findall(r"(?<![\w.])en\.([A-Za-z_]\w*)(?:\.(\w+))?", text):
            if name in earnest.NAMESPACES:
                assert not inner or inner in getattr(earnest, name).__all__, (named(page), inner)
            else:
                assert name in earnest.__all__, (named(page), name)


# ---- the checks notice


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("sh", "earnest tune patients.csv --target relapse --budgets 5m"),
        ("sh", "earnest tuna patients.csv"),
        ("sh", "earnest predict run/"),
        ("sh", "earnest estimate a.csv b.csv --metric roc_auc"),
        ("sh", "earnest estimate a.csv --metric roc_auc --rng seven"),
        ("sh", "make tea"),
        ("sh", "pip install 'earnest[dusk]'"),
        ("sh", "more=--resmue\nearnest tune a.csv --target y $more"),
        ("sh", "pip install somethingelse"),
        ("sh", "python -m benchmarks.nothing"),
        ("sh", "python nowhere.py"),
        ("sh", "dask worker tcp://10.0.0.5:8786 --workers 8"),
        ("sh", "srun dask scheduler --prot 8786"),
        ("sh", "rm -rf run"),
        ("sh", ". ./anything.sh"),
        ("sh", "earnest methods | head -3"),
        ("toml", "models = 7"),
        ("toml", "not toml"),
        ("json", "{'a': 1}"),
        ("yaml", "steps:\n- run: earnest estimate preds.csv --mertic roc_auc"),
        ("r", "library(boot)"),
        ("", "anything"),
        ("{math}", "x"),
        ("py", "import nothing"),
    ],
)
def test_an_unsound_block_is_noticed(kind: str, body: str, tmp_path: Path) -> None:
    assert trouble(ROOT / "docs" / "index.md", kind, body, tmp_path) != ""


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("sh", "#!/bin/bash\n#SBATCH --array=0-9\n\ni=$SLURM_ARRAY_TASK_ID\n"),
        ("sh", 'earnest tune "data/$i.parquet" --target y --n-jobs 8 --out "run-$i" --resume &'),
        ("sh", "test -e run/run.db && more=--resume\nearnest tune a.csv --target y $more"),
        ("sh", "earnest estimate a.csv --metric roc_auc --json > e.json  # a comment"),
        ("sh", "earnest estimate a.csv \\\n  --metric roc_auc"),
        ("sh", "make test ARGS='-k auc' && make docs"),
        ("sh", "pip install -e '.[optuna,dask]'"),
        ("sh", "python -m benchmarks.speed"),
        ("sh", "python3 -m venv venv && . venv/bin/activate"),
        ("json", '{"a": 1}'),
        (
            "yaml",
            "steps:\n- run: |\n    earnest estimate preds.csv --metric roc_auc\n    echo done",
        ),
    ],
)
def test_a_sound_block_is_left_in_peace(kind: str, body: str, tmp_path: Path) -> None:
    assert trouble(ROOT / "docs" / "index.md", kind, body, tmp_path) == ""


def test_a_command_that_shall_be_refused_shows_its_complaint_and_code(tmp_path: Path) -> None:
    line = "$ earnest estimate nothing.csv --metric roc_auc || echo $?\n"
    shown = generate.run_console(line, tmp_path)
    assert shown.startswith(line + "error: ")
    assert shown.endswith("\n2\n")
    with pytest.raises(RuntimeError, match="earnest metrics"):
        generate.run_console("$ earnest metrics || echo $?\n", tmp_path)
