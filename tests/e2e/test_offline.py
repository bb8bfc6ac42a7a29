"""earnest opens no connection that you did not name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import json
import sys

seen = []


def listen(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.bind"):
        seen.append([event, str(arguments[-1])])
        raise ConnectionRefusedError(event)


sys.addaudithook(listen)

import numpy as np

import earnest as en
from earnest.cli import main

folder = sys.argv[1]
rng = np.random.default_rng(0)
y = np.tile([0, 1], 30)
features = y[:, None] + rng.standard_normal((60, 3))
rows = [",".join(map(str, (*row, label))) for row, label in zip(features, y)]
with open(f"{folder}/table.csv", "w") as file:
    file.write("\\n".join(["a,b,c,y", *rows]))
pi = en.Predictions.from_arrays(y, features, np.arange(60) % 5)
en.estimate(pi, metric="roc_auc", n_resamples=50, rng=0)
en.compare(pi, 0, 1, metric="roc_auc")
run = f"{folder}/run"
tuned = en.tune(f"{folder}/table.csv", target="y", n_configs=2, folds=3, rng=0, n_jobs=1, out=run,
    ensemble="none")
en.report(run).save(f"{folder}/page.html")
en.explain(
    [{"x": float(k)} for k in range(12)],
    objective_values=rng.random(12),
    direction="maximize",
    n_points=30,
)
codes = [
    main(["estimate", run, "--metric", "roc_auc"]),
    main(["predict", run, f"{folder}/table.csv", "--out", f"{folder}/new.csv"]),
    main(["report", run, "--out", f"{folder}/again.html"]),
]
before = len(seen)

import socket

try:
    socket.create_connection(("127.0.0.1", 9), timeout=1)
except OSError:
    pass
print("\\n" + json.dumps({"codes": codes, "seen": seen[:before], "heard": len(seen) > before}))
"""


def test_no_command_and_no_function_opens_a_connection(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout.splitlines()[-1])
    assert answer["codes"] == [0, 0, 0], ended.stderr
    assert answer["seen"] == []
    assert answer["heard"]  # the listener hears what is opened
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")
