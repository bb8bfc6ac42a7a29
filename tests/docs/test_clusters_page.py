"""The blocks of the page on clusters run as they stand, on clusters of this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.docs.test_code_blocks import ROOT, generate

PAGE = ROOT / "docs" / "how-to" / "clusters.md"
PATIENCE = 300.0  # seconds, for a machine that has other work; nothing is measured


def block(kind: str, word: str) -> str:
    """The block of a kind that has a word in it."""
    text = PAGE.read_text(encoding="utf-8")
    (body,) = [b.body for b in generate.blocks(text) if b.language == kind and word in b.body]
    return str(body)


def search_of_the_page() -> str:
    """What the first block of the page makes before it opens a cluster: `search`, `X` and `y`."""
    return block("python", "joblib").partition("with (")[0]


@pytest.mark.slow  # a scheduler, a worker and a search, each a process that imports everything
def test_the_job_of_slurm_runs_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for name, line in {
        "srun": 'exec "$@"',  # one worker of the sixteen
        "dask": f'exec "{sys.executable}" -c "from dask.cli import run_cli; run_cli()" "$@"',
        "python": f'exec "{sys.executable}" "$@"',
    }.items():
        stub = tmp_path / "bin" / name
        stub.write_text(f"#!/bin/bash\n{line}\n", encoding="utf-8")
        stub.chmod(0o755)
    end = "print(search.estimate_)\n"
    code = search_of_the_page() + block("py", "scheduler_file") + end
    (tmp_path / "search.py").write_text(code, encoding="utf-8")
    (tmp_path / "job.sh").write_text(block("sh", "srun"), encoding="utf-8")
    environment = os.environ | {
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "SLURM_SUBMIT_DIR": str(tmp_path),
        "SLURM_JOB_ID": "7",
        "DASK_TEMPORARY_DIRECTORY": str(tmp_path),
    }
    with (tmp_path / "out").open("w") as out, (tmp_path / "err").open("w") as err:
        job = subprocess.Popen(
            ["bash", "-e", "job.sh"],
            cwd=tmp_path,
            env=environment,
            stdout=out,
            stderr=err,
            start_new_session=True,  # scheduler and worker are ended with it, as by SLURM
        )
    try:
        job.wait(PATIENCE)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGKILL)
        job.wait()
    assert (tmp_path / "out").read_text().startswith("roc_auc 0.9"), (tmp_path / "err").read_text()


@pytest.mark.extra
@pytest.mark.filterwarnings("default")  # ray's own
def test_the_block_of_ray_runs_as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "RAY_ADDRESS": "local",  # "auto" then starts one here
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "disabled",
    }.items():
        monkeypatch.setenv(name, value)
    import ray

    names: dict[str, object] = {}
    try:
        exec(compile(search_of_the_page() + block("py", "ray"), "<page>", "exec"), names)
    finally:
        ray.shutdown()
    assert repr(names["search"].estimate_).startswith("roc_auc 0.9")  # type: ignore[attr-defined]
