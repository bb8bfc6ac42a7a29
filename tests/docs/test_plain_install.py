"""The first examples of the documentation need nothing beside what a plain install brings."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest

from tests.docs.test_code_blocks import ROOT

FIRST = ["README.md", "docs/index.md", "docs/how-to/tune-a-table.md"]
GUIDES = [
    f"docs/how-to/{name}.md" for name in ("tune-honestly", "predict-new-rows", "own-predictions")
]
TUTORIALS = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs/tutorials").glob("?-*"))]

RUN_PAGES = """
import importlib.util, json, sys, tempfile
from pathlib import Path

root, lacking, pages = json.loads(sys.argv[1])


class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in lacking:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Lacking())
spec = importlib.util.spec_from_file_location("docs_generate", Path(root, "docs/_generate.py"))
generate = importlib.util.module_from_spec(spec)
sys.modules["docs_generate"] = generate
spec.loader.exec_module(generate)
for page in pages:
    with tempfile.TemporaryDirectory() as folder:
        generate.run_page(Path(root, page).read_text("utf-8"), Path(folder))
"""


def list_brought() -> set[str]:
    """The distributions that a plain install brings, by their requirements without extras."""
    brought, waiting = set(), ["earnest"]
    while waiting:
        name = waiting.pop()
        if name in brought:
            continue
        brought.add(name)
        try:
            needs = requires(name) or []
        except PackageNotFoundError:  # of another platform or version of Python
            continue
        plain = [need for need in needs if "extra ==" not in need]
        waiting += [normalize(re.match(r"[\w.-]+", need)[0]) for need in plain]
    return brought


def normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def list_lacking() -> list[str]:
    """The modules that are installed here and that a plain install does not bring."""
    brought = list_brought()
    return sorted(
        module
        for module, owners in packages_distributions().items()
        if not brought & {normalize(owner) for owner in owners}
    )


def run_pages(pages: list[str]) -> subprocess.CompletedProcess[str]:
    job = json.dumps([str(ROOT), list_lacking(), pages])
    return subprocess.run(
        [sys.executable, "-c", RUN_PAGES, job], capture_output=True, text=True, check=False
    )


def test_pandas_is_lacking_and_what_the_examples_use_is_not() -> None:
    lacking = set(list_lacking())
    assert {"pandas", "polars", "optuna"} <= lacking
    assert not {"earnest", "numpy", "sklearn", "pyarrow", "matplotlib", "numba"} & lacking


def test_an_example_that_needs_more_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nimport pandas\n```\n", encoding="utf-8")
    done = run_pages([str(page)])
    assert "No module named 'pandas'" in done.stderr


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(FIRST, id="first"),
        pytest.param(GUIDES, id="guides", marks=pytest.mark.slow),
        pytest.param(TUTORIALS, id="tutorials", marks=pytest.mark.slow),
    ],
)
def test_the_first_examples_run_with_what_a_plain_install_brings(pages: list[str]) -> None:
    done = run_pages(pages)
    assert done.returncode == 0, done.stderr
