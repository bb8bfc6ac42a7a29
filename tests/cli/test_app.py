"""The program as a whole: help, version, laziness, exit codes."""

from __future__ import annotations

import errno
import inspect
import os
import re
import shlex
import signal
import subprocess
import sys
from contextvars import copy_context
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from earnest.cli.app import COMMANDS, build_program, make_app, options_of
from earnest.cli.errors import internal_error
from earnest.core import Door, arg, render
from earnest.errors import FormatError, StoreError
from tests.snapshots import read_snapshot

GOLDEN = Path(__file__).parent / "golden"
HEAVY = ("numpy", "scipy", "pyarrow", "numba", "sklearn", "pandas", "narwhals", "matplotlib")
UNUSED = ("gzip", "secrets", "tempfile", "tomllib")  # of the standard library


def words(help_text: str) -> str:
    """Return help without frames, type column and line breaks, which differ between typers."""
    bare = re.sub(r"[│╭╮╰╯─|+{}]|<bool>|<path>|<str>|-(?=-{2,})", " ", help_text)
    bare = re.sub(r"^ *\* +predictions +PATH", "* PREDICTIONS", bare, flags=re.MULTILINE)
    bare = re.sub(r"^ *([ab]) +TEXT", lambda m: m[1].upper(), bare, flags=re.MULTILINE)
    return "\n".join(line for line in (" ".join(p.split()) for p in bare.split("\n")) if line)


def invoke(args: list[str]) -> Result:
    """Run the app itself in a context of its own: only `main` forgets the command's options."""
    return copy_context().run(CliRunner().invoke, make_app(), args, prog_name="earnest")


@pytest.mark.parametrize(
    ("args", "name"),
    [
        (["--help"], "help.txt"),
        (["estimate", "--help"], "help-estimate.txt"),
        (["compare", "--help"], "help-compare.txt"),
    ],
)
def test_help_reads_as_recorded(args, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = invoke(args)
    assert shown.exit_code == 0
    said = words(shown.output)
    assert said.split() == read_snapshot(GOLDEN / name, said + "\n").split()


@pytest.mark.parametrize("command", [name for name, *_ in COMMANDS])
def test_help_fits_a_screen_and_names_the_page_that_has_every_option(run, command):
    brief = run(command, "--help").out
    assert len(brief.splitlines()) <= 45
    assert max(map(len, brief.splitlines())) <= 80
    options = {name for name in options_of(command) if name.startswith("--")} - {"--help-all"}
    shown = {name for name in options if re.search(rf"{name}(?![\w-])", brief)}
    assert ("--help-all" in brief) == (shown < options)  # not named where there is nothing more
    whole = run(command, "--help-all")
    assert whole.code == 0
    assert max(map(len, whole.out.splitlines())) <= 80
    assert all(re.search(rf"{name}(?![\w-])", whole.out) for name in options)
    assert run(command, "--help").out == brief  # the whole page leaves no trace


def test_the_table_of_contents_fits_eighty_columns(run):
    assert max(map(len, run("--help").out.splitlines())) <= 80


def test_no_command_shows_the_table_of_contents(run):
    alone, asked = run(), run("--help")
    assert alone.code == asked.code == 0
    assert alone.out.strip() == asked.out.strip()


def test_the_table_of_contents_is_that_of_all_commands_but_reads_no_option_of_theirs(
    run, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "80")
    build_program.cache_clear()
    whole = invoke(["--help"])
    own = {command for *_, command in COMMANDS}
    read = []
    real = typer.main.get_params_from_function
    monkeypatch.setattr(
        typer.main,
        "get_params_from_function",
        lambda func: [read.append(inspect.unwrap(func)), real(func)][1],
    )
    assert words(run("--help").out).split() == words(whole.output).split()
    assert read
    assert not own & set(read)
    run("estimate", "--help")
    assert own & set(read)
    read.clear()
    run("compare", "--help")
    assert not read  # the options of all commands are read once


def test_short_help_is_help(run):
    assert run("estimate", "-h").out == run("estimate", "--help").out


def test_version_is_that_of_the_package(run):
    from importlib.metadata import version

    assert run("--version").out == f"earnest {version('earnest')}\n"


def test_help_and_version_import_nothing_heavy():
    program = (
        "import sys\n"
        "from earnest.cli import main\n"
        "main(['--help'])\n"
        f"found = set(sys.modules) & set({HEAVY + UNUSED!r})\n"
        "for more in (['--version'], ['estimate', '--help'], ['compare', '--help']):\n"
        "    main(more)\n"  # which have more to look up
        f"    found |= set(sys.modules) & set({HEAVY!r})\n"
        "sys.exit(' '.join(found))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stderr.strip() == ""


def test_the_module_and_the_script_are_the_same_program(spawn):
    assert spawn("--version").out.startswith("earnest ")


def test_an_unexpected_fault_is_one_line_and_exit_code_1():
    done = _broken()
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("internal error: ZeroDivisionError: boom. ")
    assert "EARNEST_TRACEBACK=1" in done.stderr


def test_the_traceback_is_shown_on_demand():
    done = _broken(EARNEST_TRACEBACK="1")
    assert done.returncode == 1
    assert "Traceback (most" in done.stderr


def _broken(**environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command that divides by zero, one that is quick to load."""
    import os

    program = (
        "import sys\n"
        "import earnest.cli.commands.lookup as lookup\n"
        "from earnest.cli import main\n"
        "def fault(*args, **options):\n"
        "    raise ZeroDivisionError('boom')\n"
        "lookup.write_specs = fault\n"
        "sys.exit(main(['methods', '--json']))\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "EARNEST_TRACEBACK": "0", **environment},
        timeout=120,
        check=False,
    )


def test_the_hook_for_faults_collapses_lines(capsys, golden):
    internal_error(ValueError, ValueError("first\nsecond \x1b[31m"), None)
    said = capsys.readouterr().err
    golden.check(said)
    assert said.count("\n") == 1


def _fail_within(error, cause):
    def fail(*args, **options):
        raise error from cause

    return fail


@pytest.mark.parametrize(
    ("error", "cause", "got"),
    [
        (MemoryError("Unable to allocate 7 GiB for an array"), None, "7 GiB"),
        (MemoryError(), None, ""),
        (FormatError("'x' cannot be read"), OSError(errno.ENOMEM, "Cannot allocate memory"), "emo"),
        (RuntimeError("can't start new thread"), None, "thread"),
        (SystemError("std::bad_alloc"), None, "bad_alloc"),
        (ImportError("x.so: failed to map segment from shared object"), None, "map segment"),
    ],
)
def test_what_finds_no_memory_says_how_much_it_wanted_and_what_needs_less(
    run, table, monkeypatch, error, cause, got, golden
):
    monkeypatch.setattr("earnest.methods.run.estimate", _fail_within(error, cause))
    done = run("estimate", table, "-m", "roc_auc")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    golden.check(done.err)
    assert got in done.err
    assert "--n-jobs 1" in done.err


def test_another_writer_is_not_taken_for_too_little_memory(run, table, monkeypatch):
    error = StoreError("another run is writing")
    cause = BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
    monkeypatch.setattr("earnest.methods.run.estimate", _fail_within(error, cause))
    assert "another run" in run("estimate", table, "-m", "roc_auc").err


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_too_few_addresses_are_refused_before_any_library_aborts(table):
    ask = f"ulimit -v 700000; exec {shlex.quote(sys.executable)} -m earnest "
    for words, code in ((f"estimate {shlex.quote(str(table))} -m roc_auc", 2), ("--help", 0)):
        done = subprocess.run(
            ["sh", "-c", ask + words], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == code, done.stderr
        assert ("ulimit -v" in done.stderr) == (code == 2)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", [KeyboardInterrupt, typer.Abort])
def test_an_interrupt_gives_130(run, table, monkeypatch, kind):
    def interrupted(*args, **options):
        raise kind

    monkeypatch.setattr("earnest.methods.run.estimate", interrupted)
    done = run("estimate", table, "-m", "roc_auc")
    assert (done.code, done.out, done.err) == (130, "", "interrupted\n")


def test_a_request_to_end_gives_143_and_the_old_handler_comes_back(run, table, monkeypatch):
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(
        "earnest.methods.run.estimate", lambda *_, **__: signal.raise_signal(signal.SIGTERM)
    )
    done = run("estimate", table, "-m", "roc_auc")
    assert (done.code, done.out, done.err) == (143, "", "terminated\n")
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_end_of_a_file_is_no_interrupt(run, table, monkeypatch):
    def ended(*args, **options):
        raise EOFError("no data left")

    monkeypatch.setattr("earnest.methods.run.estimate", ended)
    with pytest.raises(EOFError, match="no data left"):  # told as a fault by the hook
        run("estimate", table, "-m", "roc_auc")


@pytest.mark.parametrize(
    "module", ["typer", "earnest.cli.commands.estimate", "earnest.cli.show.terminal"]
)
def test_an_interrupt_while_the_program_loads_gives_130(module):
    program = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *rest):\n"
        f"        if name == {module!r}:\n"
        "            raise KeyboardInterrupt\n"
        "from earnest.cli import main\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "sys.exit(main(['--version']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.parametrize(
    ("message", "command_line"),
    [
        (f"name them with {arg('configs', ...)}.", "name them with --configs NAME."),
        (
            f"Pass {arg('delimiter', ';')} or {arg('decimal', ',')}.",
            "Pass --delimiter ';' or --decimal ,.",
        ),
        (f"Pass {arg('positive', 'good one')}.", "Pass --positive 'good one'."),
        (
            f"Use {arg('over', 'cases')}, or {arg('method', 'bbc')}.",
            "Use over='cases' in Python, or --method bbc.",
        ),
        (f"{arg('n_resamples')} is out of range", "--n-resamples is out of range"),
        (
            f"Use {arg('selector', 'pooled')}, or {arg('method', 'bbc_fold')}.",
            "Use --selector pooled, or --method bbc_fold.",
        ),
        (f"Use {arg('n_resamples', 4000)} or more.", "Use --n-resamples 4000 or more."),
        (f"pass {arg('fold', None)}.", "pass --fold ''."),
        (f"{arg('positive', 'a')} or 'b'", "--positive a or 'b'"),
        ("`y` has missing values, penalty='l2'", "`y` has missing values, penalty='l2'"),
    ],
)
def test_arguments_of_the_library_are_named_as_options(message, command_line):
    assert render(message, Door(frozenset(options_of("estimate")))) == command_line
