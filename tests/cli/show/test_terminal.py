"""Encodings, colours, pipes: what leaves the program fits where it goes."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys

import pytest
from rich.text import Text

from earnest.cli.show.terminal import CLOSED_PIPE, clean, emit, write, write_json
from tests.cli.conftest import write_table

COLOUR = re.compile(r"\x1b\[[0-9;]*38;")


def redirected(monkeypatch: pytest.MonkeyPatch, encoding: str) -> io.TextIOWrapper:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    monkeypatch.setattr(sys, "stdout", stream)
    return stream


def written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue()


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("ascii", b"|--o-> x 0.9 - 1.0 >= -1 95 % \\u03b2 \\U0001f600\n"),
        ("latin-1", b"|--o-> x 0.9 - 1.0 >= -1 95 % \\u03b2 \\U0001f600\n"),
    ],
)
def test_what_an_encoding_lacks_is_replaced_by_a_look_alike(monkeypatch, encoding, expected):
    stream = redirected(monkeypatch, encoding)
    write("├──●─▶ ◇ 0.9 – 1.0 ≥ −1 95 % β 😀\n")
    assert written(stream) == expected


def test_latin_1_keeps_what_it_has(monkeypatch):
    stream = redirected(monkeypatch, "latin-1")
    write("R² é ●\n")
    assert written(stream) == "R² é o\n".encode("latin-1")


def test_lines_have_no_trailing_blanks(monkeypatch):
    stream = redirected(monkeypatch, "utf-8")
    emit(Text("a   "), Text("b"))
    assert written(stream) == b"a\nb\n"


def test_control_characters_are_shown_not_sent():
    assert clean("a\x1b]0;title\x07\r\n\u202eb") == r"a\x1b]0;title\x07\r\n\u202eb"


def test_a_no_break_space_does_not_break(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    stream = redirected(monkeypatch, "utf-8")
    emit(Text(clean("seventeen letter 95\u00a0% sure")))
    assert written(stream).decode() == "seventeen letter\n95 % sure\n"


def test_json_is_strict(monkeypatch):
    stream = redirected(monkeypatch, "ascii")
    write_json({"a": float("nan"), "b": [float("inf"), (1.5,)], "name": "β"})
    text = written(stream).decode("ascii")
    assert json.loads(text, parse_constant=pytest.fail) == {
        "a": None,
        "b": [None, [1.5]],
        "name": "β",
    }


ESTIMATE = ("-m", "roc_auc", "--rng", "1", "--n-resamples", "100")


def test_colours_come_with_a_terminal_and_go_with_no_color(run, table, monkeypatch):
    args = ("estimate", table, *ESTIMATE, "--method", "bbc", "--method", "tibshirani")
    plain = run(*args)
    assert plain.code == 0
    assert "\x1b" not in plain.out  # without a terminal there are no control codes
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    forced = run(*args).out
    assert COLOUR.search(forced)
    bare = re.sub(r"\x1b\[[0-9;]*m", "", forced)
    assert [line.rstrip() for line in bare.splitlines()] == plain.out.splitlines()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not COLOUR.search(run(*args).out)


def test_a_process_without_a_terminal_writes_what_a_run_here_writes(spawn, run, table):
    args = ("estimate", table, *ESTIMATE)
    assert spawn(*args) == run(*args)


@pytest.mark.parametrize(
    ("term", "grey"), [("xterm-256color", "\x1b[38;5;244m"), ("xterm", "\x1b[90m")]
)
def test_grey_is_seen_on_white_with_sixteen_colours_too(run, table, monkeypatch, term, grey):
    for name, value in (("FORCE_COLOR", "1"), ("TERM", term), ("COLORTERM", "")):
        monkeypatch.setenv(name, value)
    out = run("estimate", table, *ESTIMATE).out
    assert grey in out
    assert "\x1b[37m" not in out


@pytest.mark.parametrize(
    "args",
    [
        ["estimate", "{table}", *ESTIMATE],
        ["estimate", "{table}", *ESTIMATE, "--method", "bbc", "--method", "tibshirani"],
        ["estimate", "{table}", *ESTIMATE, "--json"],
        ["methods"],
        ["metrics"],
        ["--help"],
        ["estimate", "--help"],
    ],
)
def test_ascii_terminals_are_served(run_in_ascii, tmp_path, args):
    table = write_table(tmp_path / "preds.csv", ["naïve β", "模型 2", "c"])
    done = run_in_ascii(*(arg.format(table=table) for arg in args))
    assert (done.code, done.err) == (0, "")
    assert len(done.out) > 100


def test_an_ascii_process_is_served(spawn):
    done = spawn("methods", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.code, done.err) == (0, "")
    assert done.out.isascii()


@pytest.mark.parametrize("args", [["methods"], ["--version"]])
def test_a_full_disk_is_one_line(tmp_path, args):
    # A read-only descriptor refuses to be written to, as a full disk does.
    path = tmp_path / "out"
    path.touch()
    with path.open("rb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "earnest", *args],
            stdout=out,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: the result cannot be written: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "args",
    [
        ["methods", "--json"],
        ["--help"],
    ],
)
def test_a_closed_pipe_is_silent(args):
    process = subprocess.Popen(
        [sys.executable, "-m", "earnest", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()  # before anything is written
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=120), said) == (CLOSED_PIPE, b"")
