"""Count how many files you open to follow four journeys through the package.

`python scripts/journeys.py` runs an estimate, a search, an explanation and a tuning on small data,
each in its own process, and prints a table. `--journey explain` runs one
of them and lists its hops. Nothing here depends on a clock: the same tree gives the same table.

A hop is a call from one file of the package into another whose function calls on into a third.
Calls into leaves, properties, what runs during an import, and `core/base` are left out, and every
pair of files counts once. The last column also follows the function through the helpers of its own
file, so that a call moved into a helper shortens nothing there.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "earnest"
IMPORTING = ("", "<import>", 0)
SHARED = "core/base/"  # errors, checks, registries: known to every reader
ATTRIBUTES = {"property", "cached_property"}

Function = tuple[str, str, int]  # file, qualified name, first line
Edge = tuple[Function, Function]


class Tracer:
    """A profile function that keeps which function of the package called which.

    Frames of other packages are passed through: who hands NumPy a callback calls it.
    """

    def __init__(self, package: Path) -> None:
        self.edges: set[Edge] = set()
        self._package = f"{package}{os.sep}"
        self._files: dict[CodeType, str] = {}
        self._local = threading.local()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Follow one call or return."""
        stack: list[Function | None] = self._local.__dict__.setdefault("stack", [None])
        if event == "call":
            stack.append(self._enter(frame.f_code, stack[-1]))
        elif event == "return" and len(stack) > 1:
            stack.pop()

    def _enter(self, code: CodeType, caller: Function | None) -> Function | None:
        """Return the function of the package that runs now, and keep who called it."""
        if caller == IMPORTING or code.co_name == "<module>":
            return IMPORTING
        if code not in self._files:
            inside = code.co_filename.startswith(self._package)
            path = code.co_filename[len(self._package) :] if inside else ""
            self._files[code] = path.replace(os.sep, "/")
        if not self._files[code]:
            return caller
        called = (self._files[code], code.co_qualname, code.co_firstlineno)
        if caller is not None:
            self.edges.add((caller, called))
        return called


def find_attributes(package: Path) -> set[tuple[str, int]]:
    """Return where the properties of the package begin: file and first line."""
    found = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                names = {ast.unparse(one).rsplit(".", 1)[-1] for one in node.decorator_list}
                if names & ATTRIBUTES:
                    line = min(one.lineno for one in node.decorator_list)
                    found.add((path.relative_to(package).as_posix(), line))
    return found


def find_hops(
    edges: Iterable[Edge], attributes: set[tuple[str, int]], through_helpers: bool = False
) -> set[tuple[str, str]]:
    """Return the pairs of files that a reader follows: who calls, and what goes on from there."""
    called: dict[Function, set[Function]] = {}
    for caller, function in edges:
        told = function[0].startswith(SHARED) or (function[0], function[2]) in attributes
        if not told and not caller[0].startswith(SHARED):
            called.setdefault(caller, set()).add(function)

    def find_next(function: Function) -> set[str]:
        seen, todo, files = {function}, [function], set()
        while todo:
            for one in called.get(todo.pop(), set()) - seen:
                if one[0] != function[0]:
                    files.add(one[0])
                elif through_helpers:
                    seen.add(one)
                    todo.append(one)
        return files

    return {
        (caller[0], function[0])
        for caller, functions in called.items()
        for function in functions
        if caller[0] != function[0] and find_next(function) - {caller[0]}
    }


def ask(*args: str) -> None:
    """Run a command of earnest."""
    from earnest.cli import main

    with redirect_stdout(open(os.devnull, "w", encoding="utf-8")):
        code = main(list(args))
    if code:
        raise SystemExit(f"earnest {' '.join(args)} ended with {code}")


def prepare_estimate() -> Callable[[], object]:
    """Ask the command line about a CSV file of predictions."""
    table = PACKAGE / "data" / "demo_predictions.csv"
    return lambda: ask("estimate", str(table), "--metric", "roc_auc")


def prepare_search() -> Callable[[], object]:
    """Search a tree, and ask for its estimate."""
    from sklearn.datasets import make_classification
    from sklearn.tree import DecisionTreeClassifier

    import earnest as en

    cases, outcome = make_classification(60, 5, random_state=0)
    tried = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5]}
    search = en.SearchCV(DecisionTreeClassifier(random_state=0), tried, random_state=0)
    return lambda: search.fit(cases, outcome).estimate_


def prepare_explain() -> Callable[[], object]:
    """Explain a study of Optuna, and save its page."""
    import optuna

    import earnest as en

    def objective(trial: optuna.Trial) -> float:
        worse = trial.suggest_categorical("c", ["x", "y"]) == "x"
        near = (trial.suggest_float("a", 0, 1) - 0.3) ** 2
        return near + trial.suggest_float("b", 1e-3, 1, log=True) + worse

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))
    study.optimize(objective, n_trials=40)
    return lambda: en.explain(study).save("page.html")


def prepare_tune() -> Callable[[], object]:
    """Tune four configurations for a table, to the report."""
    from sklearn.datasets import make_classification

    cases, outcome = make_classification(60, 5, random_state=0)
    lines = [
        f"{a:.4f},{b:.4f},{c:.4f},{'uvw'[i % 3]},{'bad' if outcome[i] else 'good'}"
        for i, (a, b, c, *_) in enumerate(cases)
    ]
    Path("data.csv").write_text("\n".join(["a,b,c,kind,y", *lines, ""]), encoding="utf-8")
    table = ("tune", "data.csv", "--target", "y", "--positive", "bad")
    return lambda: ask(*table, "--n-configs", "4", "--n-jobs", "1", "--rng", "0", "--quiet")


JOURNEYS: dict[str, tuple[str, Callable[[], Callable[[], object]]]] = {
    "estimate": ("`earnest estimate` on a CSV file", prepare_estimate),
    "search": ("`SearchCV.fit` to `estimate_`", prepare_search),
    "explain": ("`explain` to its page", prepare_explain),
    "tune": ("`earnest tune` to the report", prepare_tune),
}


def trace(name: str) -> set[Edge]:
    """Run a journey in a folder of its own, and return who called whom."""
    tracer = Tracer(PACKAGE)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        travel = JOURNEYS[name][1]()
        threading.setprofile(tracer)
        sys.setprofile(tracer)
        try:
            travel()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            os.chdir(ROOT)
    return tracer.edges


def describe(name: str, edges: set[Edge], listed: bool) -> str:
    """Return the row of a journey, or all its hops."""
    attributes = find_attributes(PACKAGE)
    hops = find_hops(edges, attributes)
    if listed:
        return "\n".join(f"{caller} -> {file}" for caller, file in sorted(hops))
    files = {file for pair in hops for file in pair}
    strict = find_hops(edges, attributes, through_helpers=True)
    return f"| {JOURNEYS[name][0]} | {len(hops)} | {len(files)} | {len(strict)} |"


def main() -> None:
    """Print the table, or the hops of one journey."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--journey", choices=JOURNEYS, help="list the hops of this one")
    parser.add_argument("--row", action="store_true", help="print its row of the table instead")
    chosen = parser.parse_args()
    if chosen.journey is not None:
        sys.path.insert(0, str(ROOT / "src"))
        print(describe(chosen.journey, trace(chosen.journey), listed=not chosen.row))
        return
    print("| Journey | Hops | Files to open | Hops, helpers too |\n| --- | --- | --- | --- |")
    for name in JOURNEYS:  # what one has imported or kept would shorten the next
        command = [sys.executable, __file__, "--journey", name, "--row"]
        row = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        print(row.strip().splitlines()[-1])


if __name__ == "__main__":
    main()
