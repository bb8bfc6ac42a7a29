"""What the GitHub action runs: `earnest gate` with the action's inputs, and the outputs of the job.

Names of configurations come from files, and a file may come from anyone. So outputs have random
ends, and while earnest writes, the runner obeys no commands that it finds in the log.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

VERDICTS = {0: "pass", 3: "fail", 4: "undecided"}  # by the exit codes of `earnest gate`
BAD_INPUT = 2
OPTIONS = (
    "confidence-level",
    "markdown",
    "metric",
    "above",
    "below",
    "against",
    "margin",
    "ledger",
    "junit",
)


def main() -> int:
    """Ask the gate, write its outputs, and return the exit code of the action."""
    with unobeyed_log():
        try:
            arguments = list_arguments(os.environ)
        except ValueError as error:
            print(f"error: the input `arguments` cannot be read: {error}.", file=sys.stderr)
            return BAD_INPUT
        gate = subprocess.run(
            ["earnest", "gate", *arguments], stdout=subprocess.PIPE, encoding="utf-8", check=False
        )
        if gate.returncode not in VERDICTS:
            sys.stdout.write(gate.stdout)
            return gate.returncode
        verdict, sentence = VERDICTS[gate.returncode], json.loads(gate.stdout)["sentence"]
        print(sentence)
    write_outputs(Path(os.environ["GITHUB_OUTPUT"]), {"verdict": verdict, "sentence": sentence})
    with Path(os.environ["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as summary:
        summary.write(Path(os.environ["MARKDOWN"]).read_text(encoding="utf-8"))
    if verdict == "undecided" and os.environ["UNDECIDED"] == "pass":
        return 0
    return gate.returncode


def list_arguments(inputs: Mapping[str, str]) -> list[str]:
    """Return the arguments of `earnest gate`; those of `arguments` are quoted as in a shell."""
    arguments = [inputs["NEW"], "--json"]
    for option in OPTIONS:
        value = inputs[option.replace("-", "_").upper()]
        arguments += [f"--{option}", value] if value else []
    return arguments + shlex.split(inputs["ARGUMENTS"])


@contextmanager
def unobeyed_log() -> Iterator[None]:
    """Let the runner obey no commands in the log, until a token that nobody can guess."""
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", flush=True)
    try:
        yield
    finally:
        sys.stderr.flush()
        print(f"\n::{token}::", flush=True)


def write_outputs(path: Path, outputs: Mapping[str, str]) -> None:
    """Write outputs of the job, each between ends that no value can hold."""
    with path.open("a", encoding="utf-8") as file:
        for name, value in outputs.items():
            end = secrets.token_hex(16)
            file.write(f"{name}<<{end}\n{value}\n{end}\n")


if __name__ == "__main__":
    sys.exit(main())
