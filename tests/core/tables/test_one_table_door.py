"""One list of suffixes and one sniffer: what one door reads of a table, every door reads."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import earnest as en
from earnest.core import TABLES, guess_suffix
from earnest.training import open_training_table
from tests.snapshots import Golden

ROWS = [
    {"y": i % 2, "fold": i // 4, "a": 0.25 + 0.5 * (i % 2), "b": 0.5 + 0.125 * (i % 3)}
    for i in range(12)
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def write(path: Path) -> Path:
    """Write the rows as a table of the format that the suffix names."""
    suffix = next(s for s in sorted(TABLES, key=len, reverse=True) if path.name.endswith(s))
    table = pa.Table.from_pylist(ROWS)
    if suffix in (".jsonl", ".ndjson", ".jsonl.gz"):
        path.write_bytes(gzip.compress(LINES) if suffix.endswith(".gz") else LINES)
    elif suffix == ".parquet":
        pq.write_table(table, path)
    elif suffix in (".arrow", ".feather"):
        with pa.ipc.new_file(str(path), table.schema) as file:
            file.write_table(table)
    else:
        mark = "\t" if suffix == ".tsv" else ","
        lines = [[*ROWS[0]], *(row.values() for row in ROWS)]
        data = "".join(mark.join(map(str, line)) + "\n" for line in lines).encode()
        path.write_bytes(gzip.compress(data) if suffix.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("suffix", [s for s in TABLES if not s.startswith(".xls")])
def test_every_door_reads_every_table(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"table{suffix}")
    pi = en.Predictions.load(path)
    np.testing.assert_allclose(pi.responses[:, 0, 0], [row["a"] for row in ROWS])
    assert en.Scores.load(path).n_cases == len(ROWS)
    columns = open_training_table(path)
    assert columns.source == path.name
    assert list(columns.names) == ["y", "fold", "a", "b"]
    trials = en.Trials.load(path, objective="y", direction="maximize", params=["a", "b"])
    assert len(trials) == len(ROWS)
    same = en.trials_from(path, objective="y", direction="maximize", params=["a", "b"])
    np.testing.assert_array_equal(same.objective, trials.objective)


@pytest.mark.parametrize(
    ("content", "suffix"),
    [
        (LINES, ".jsonl"),
        (b"\xef\xbb\xbf" + LINES, ".jsonl"),
        (gzip.compress(LINES, mtime=0), ".jsonl.gz"),
        (gzip.compress(b"y,a\n1,0.5\n", mtime=0), ".csv.gz"),
        (b"y,a\n1,0.5\n", ".csv"),
        (b"\x1f\x8bdamaged", ".csv.gz"),
        (b"PAR1", ".parquet"),
        (b"ARROW1", ".arrow"),
        (b"\x93NUMPY\x01", ".npy"),
        (b"PK\x03\x04", ".npz"),
    ],
)
def test_the_first_bytes_tell_the_format(content: bytes, suffix: str) -> None:
    assert guess_suffix(content) == suffix


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".arrow", ".npz"])
def test_the_first_bytes_of_what_earnest_wrote_tell_the_format(tmp_path: Path, suffix: str) -> None:
    made = en.Predictions.from_arrays([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.1], configs=["svm"])
    assert guess_suffix(made.save(tmp_path / f"pi{suffix}").read_bytes()) == suffix


def test_json_lines_of_another_encoding_are_refused_with_the_line(
    tmp_path: Path, golden: Golden
) -> None:
    path = tmp_path / "table.jsonl"
    path.write_bytes(b'{"y": "yes"}\n{"y": "n\xf6"}\n')
    with pytest.raises(en.errors.FormatError) as refusal:
        open_training_table(path)
    golden.check(str(refusal.value))


def test_json_lines_without_end_are_refused_with_the_line(tmp_path: Path, golden: Golden) -> None:
    path, deep = tmp_path / "table.jsonl", 100_000
    path.write_text('{"y": "[["}\n' + '{"y":' * deep + "1" + "}" * deep + "\n")
    with pytest.raises(en.errors.FormatError) as refusal:
        open_training_table(path)
    golden.check(str(refusal.value))
    many = [{"y": ["[" * 150], "x": [[1]] * 150}]  # many, but not within each other
    path.write_text(json.dumps(many[0]) + "\n")
    assert open_training_table(path) is not None


def test_scores_whose_head_was_cut_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("# earnest/scores/1\na,b\n1,0\n0,1\n")
    with pytest.raises(en.errors.FormatError):
        en.Scores.load(path)
