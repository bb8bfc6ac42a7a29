"""Every file that is written is whole, or the old one is still there."""

from __future__ import annotations

import ast
import errno
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import optuna
import pytest

import earnest as en
from earnest.core.base import writing
from earnest.core.base.writing import replacing, write_file
from earnest.errors import FormatError
from earnest.training.tune.folder import Folder
from tests.core.data.test_replicates import made

SOURCE = Path(en.__file__).parent
ROOM = 100  # bytes that a full disk still takes

posix = pytest.mark.skipif(os.name != "posix", reason="limits, links and pipes of POSIX")


@contextmanager
def full_disk() -> Iterator[None]:
    """Let the system itself refuse every byte of a file after the first `ROOM`.

    Python keeps no bytecode meanwhile: it would keep the first bytes of a module that is imported
    late, and every later process would fail at that.
    """
    import resource

    before, kept = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = kept


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


PI = en.Predictions.from_arrays(
    np.tile([0, 1], 30),
    np.tile([0, 1], 30)[:, None] + np.random.default_rng(0).standard_normal((60, 3)),
    np.arange(60) % 5,
)


@posix
@pytest.mark.parametrize(
    "name",
    ["pi.csv", "pi.csv.gz", "pi.tsv", "pi.parquet", "pi.arrow", "pi.feather", "pi.npz"],
)
def test_predictions_survive_a_disk_that_fills_while_they_are_written(name, tmp_path):
    path = PI.save(tmp_path / name)
    old = path.read_bytes()
    with full_disk(), pytest.raises(FormatError, match="cannot be written"):
        PI.save(path)
    assert path.read_bytes() == old
    assert names(tmp_path) == [name]


@posix
@pytest.mark.parametrize("name", ["r.html", "r.json", "r.md"])
def test_a_report_survives_a_disk_that_fills_while_it_is_written(name, tmp_path):
    made = en.report(PI, metric="roc_auc", n_resamples=20, explain=False)
    path = made.save(tmp_path / name)
    old = path.read_bytes()
    with full_disk(), pytest.raises(FormatError, match="cannot be written"):
        made.save(path)
    assert path.read_bytes() == old
    assert names(tmp_path) == [name]


@posix
def test_results_survive_a_disk_that_fills_while_they_are_written(tmp_path):
    made = en.estimate(PI, metric="roc_auc", rng=0, n_resamples=20)
    path = made.save(tmp_path / "estimate.json")
    old = path.read_bytes()
    with full_disk(), pytest.raises(FormatError, match="cannot be written"):
        made.save(path)
    assert path.read_bytes() == old
    assert names(tmp_path) == ["estimate.json"]


@posix
def test_the_files_of_a_run_survive_a_disk_that_fills_while_they_are_written(tmp_path):
    folder = Folder(tmp_path)
    writes = {
        "model.skops": lambda: write_file(tmp_path / "model.skops", bytes(10 * ROOM)),
        "estimate.json": lambda: folder.write_json("estimate.json", {"draws": [0.5] * ROOM}),
        "replicates.npz": lambda: made().save(tmp_path / "replicates.npz"),
    }
    for name, write in writes.items():
        write()
        old = (tmp_path / name).read_bytes()
        assert len(old) > ROOM
        with full_disk(), pytest.raises(FormatError, match="cannot be written"):
            write()
        assert (tmp_path / name).read_bytes() == old
    assert names(tmp_path) == sorted(writes)


@posix
def test_predictions_of_a_trial_are_kept_whole_or_not_at_all(tmp_path):
    study = optuna.create_study()
    rows = np.arange(200)
    noise = np.random.default_rng(0).random(200)
    with full_disk(), pytest.raises(FormatError, match="cannot be written"):
        en.keep_predictions(study.ask(), rows, noise, store=tmp_path)
    assert names(tmp_path) == []
    en.keep_predictions(study.ask(), rows, noise, store=tmp_path)
    assert len(names(tmp_path)) == 1


def fail_halfway(path: Path, error: BaseException) -> None:
    with replacing(path) as temporary:
        temporary.write_text("half")
        raise error


def test_whatever_ends_the_writing_leaves_the_old_file_alone(tmp_path):
    path = write_file(tmp_path / "a.txt", "old")
    for error in (OSError(errno.ENOSPC, "full"), KeyboardInterrupt(), MemoryError()):
        expected = FormatError if isinstance(error, OSError) else type(error)
        with pytest.raises(expected):
            fail_halfway(path, error)
        assert path.read_text() == "old"
        assert names(tmp_path) == ["a.txt"]


@posix
def test_a_link_stays_and_permissions_stay(tmp_path):
    (tmp_path / "there").mkdir()
    real = write_file(tmp_path / "there" / "real.txt", "old")
    real.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(real)
    write_file(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert names(tmp_path / "there") == ["real.txt"]


@posix
def test_a_new_file_has_the_permissions_that_the_user_gives_new_files(tmp_path):
    before = os.umask(0o027)
    try:
        path = write_file(tmp_path / "a.txt", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@posix
def test_a_file_that_may_only_be_read_is_refused(tmp_path, monkeypatch):
    path = write_file(tmp_path / "a.txt", "old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # the superuser may write everything
    with pytest.raises(FormatError) as caught:
        write_file(path, "new")
    assert caught.value.got == "a read-only file"
    assert path.read_text() == "old"


@posix
def test_a_pipe_is_given_the_bytes(tmp_path):
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_file(pipe, "content")
    reader.join(30)
    assert got == [b"content"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(tmp_path) == ["pipe.json"]


@posix
def test_a_pipe_that_nobody_reads_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("earnest.core.base.writing.PATIENCE", 0.0)
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(FormatError) as caught:
        write_file(tmp_path / "pipe.json", "content")
    assert caught.value.got == "a pipe without one"


@posix
def test_standard_output_is_written_to_and_never_replaced(tmp_path):
    code = "from earnest.core.base.writing import write_file; write_file('/dev/stdout', 'content')"
    command = [sys.executable, "-c", code]
    piped = subprocess.run(command, capture_output=True, check=True)
    assert piped.stdout == b"content"
    path = tmp_path / "out.txt"
    path.write_text("before ")
    with path.open("a") as sink:
        subprocess.run(command, stdout=sink, check=True)
        sink.write(" after")
    assert path.read_text() == "before content after"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_device_that_takes_nothing_is_told():
    with pytest.raises(FormatError, match="cannot be written") as caught:
        write_file("/dev/full", "content")
    assert caught.value.got == os.strerror(errno.ENOSPC)


@pytest.mark.parametrize("name", ["", "no/such/a.txt"])
def test_a_folder_and_a_name_in_none_are_refused(name, tmp_path):
    with pytest.raises(FormatError, match="cannot be written"):
        write_file(tmp_path / name, "content")


# Functions that write to paths themselves: what they write is given to `replacing`, lies in a
# temporary folder or in memory, or is a lock or a mark of a running process.
WRITERS = {
    ("core/base/writing.py", "write_file"),
    ("core/base/writing.py", "_sync"),
    ("core/base/writing.py", "_make_temporary"),
    ("core/base/writing.py", "_remove_unlocked"),
    ("core/base/writing.py", "_open_stream"),
    ("core/tables/formats/text.py", "write_csv"),
    ("core/tables/files.py", "write_own_table"),
    ("core/tables/formats/npz.py", "write_npz"),
    ("core/tables/formats/npz.py", "write_member"),
    ("core/tables/score_files.py", "save_scores"),  # all into the file of `replacing`
    ("cli/commands/model/predict.py", "save_predicted"),
    ("cli/reading.py", "keep_standard_input"),  # in a folder of its own
    ("cli/show/terminal.py", "_lost"),
    ("adapters/predictions/epochs.py", "write_answer"),
    ("adapters/predictions/epochs.py", "write"),
    ("adapters/predictions/optuna.py", "keep_part"),  # into memory
    ("adapters/predictions/optuna.py", "_upload"),
    ("training/harvest/harvest.py", "_keep"),
    ("training/tune/model_checks.py", "normalize_archive"),
    ("engine/parcels.py", "_is_abandoned"),
    ("engine/parcels.py", "_make_folder"),
    ("engine/parcels.py", "_dump"),
    ("engine/worker.py", "_open_marks"),
    ("store/sqlite.py", "_take"),
    ("adapters/ledger.py", "_read_table"),  # in a folder of its own
}
WRITING = {
    "write_text", "write_bytes", "savefig", "to_csv", "to_parquet", "savez",
    "savez_compressed", "savetxt", "tofile", "write_table", "ParquetWriter", "new_file", "OSFile",
    "CSVWriter",
}  # fmt: skip


def writers() -> set[tuple[str, str]]:
    """Return the functions of the package that write to a path themselves."""
    found = set()
    called = re.compile(rf"\b(open|ZipFile|np\.save|{'|'.join(WRITING)})\(")
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for function in ast.walk(ast.parse(text)) if called.search(text) else ():
            if isinstance(function, ast.FunctionDef) and any(map(_writes, ast.walk(function))):
                found.add((path.relative_to(SOURCE).as_posix(), function.name))
    return found


def _writes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return False
    name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
    if name in ("open", "ZipFile"):
        said = [*node.args, *(word.value for word in node.keywords)]
        modes = [one.value for one in said if isinstance(one, ast.Constant)]
        flags = {
            sub.attr for one in said for sub in ast.walk(one) if isinstance(sub, ast.Attribute)
        }
        plain = any(isinstance(m, str) and set(m) & set("wax+") and len(m) < 4 for m in modes)
        return plain or bool(flags & {"O_WRONLY", "O_RDWR", "O_CREAT"})
    numpy = isinstance(node.func, ast.Attribute) and ast.unparse(node.func) == "np.save"
    return name in WRITING or numpy


def test_nothing_in_the_package_writes_under_a_name_but_through_one_function():
    assert writers() == WRITERS


@pytest.mark.parametrize("suffix", ["parquet", "csv", "arrow", "jsonl"])
def test_a_name_that_no_file_can_hold_is_refused_and_the_old_file_stays(
    suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"scores.{suffix}"
    good = en.Scores(np.random.default_rng(0).random((4, 2)), id=["a", "b", "c", "d"])
    good.save(path)
    before = path.read_bytes()
    with pytest.raises(FormatError, match="surrogate"):
        en.Scores(good.values, id=["a", "b", "c", "\ud800"]).save(path)
    assert path.read_bytes() == before


HALF = """
import sys
from earnest.core.base.writing import replacing
with replacing(sys.argv[1]) as temporary:
    temporary.write_text("half")
    print(temporary.name, flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_writer(path: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that is writing a file until its input ends, and the file that it writes."""
    command = [sys.executable, "-c", HALF, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        yield process, path.parent / process.stdout.readline().strip()


def forget_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for what killed processes left as a new process does."""
    monkeypatch.setattr(writing, "_SWEPT", set())


@posix
def test_what_a_killed_writer_left_is_removed_by_the_next_one(tmp_path, monkeypatch):
    with another_writer(tmp_path / "a.txt") as (process, temporary):
        assert temporary.read_text() == "half"
        process.kill()
        process.wait()
    assert names(tmp_path) == [temporary.name]
    forget_folders(monkeypatch)
    write_file(tmp_path / "b.txt", "new")
    assert names(tmp_path) == ["b.txt"]


@posix
def test_what_a_living_writer_writes_is_left_to_it(tmp_path, monkeypatch):
    with another_writer(tmp_path / "a.txt") as (process, temporary):
        forget_folders(monkeypatch)
        write_file(tmp_path / "b.txt", "new")
        writing.remove_abandoned(tmp_path)
        assert temporary.exists()
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 0
    assert (tmp_path / "a.txt").read_text() == "half"
    assert names(tmp_path) == ["a.txt", "b.txt"]


@posix
def test_only_files_with_the_name_of_a_temporary_one_are_removed(tmp_path, monkeypatch):
    kept = [".earnest-notes.tmp", ".earnest-0123456789abcdef.tmp.bak", "x.tmp"]
    for name in kept:
        (tmp_path / name).touch()
    (tmp_path / ".earnest-0123456789abcdef.tmp").symlink_to(tmp_path / "x.tmp")
    forget_folders(monkeypatch)
    write_file(tmp_path / "b.txt", "new")
    assert set(names(tmp_path)) == {*kept, "b.txt", ".earnest-0123456789abcdef.tmp"}


@posix
@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe", "folder"])
def test_a_name_that_the_user_did_not_choose_must_be_a_regular_file(tmp_path, kind):
    path, victim = tmp_path / "name", tmp_path / "victim"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(victim)
    if kind == "link":
        victim.write_text("old")
    with pytest.raises(FormatError) as caught:
        write_file(path, "new", follow=False)
    assert caught.value.got in ("a link", "a folder", "a pipe or a device")
    assert not victim.exists() or victim.read_text() == "old"
