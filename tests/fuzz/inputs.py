"""Inputs of the fuzzer: a mutated or odd file, and the reader or the command that is given it.

`make_input(seed, seeds, work)` is a function of its seed alone: a finding is repeated by it.
"""

from __future__ import annotations

import random
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import earnest as en
from earnest.cli import main
from tests.fuzz import mutations as m
from tests.fuzz import questions as q
from tests.fuzz.databases import mutate_schema
from tests.fuzz.links import ChangedOutside, put_links
from tests.fuzz.objects import call_with_objects

NUMBERS = ("0.5", "0.05", "0", "1", "-1", "0.3", "nan", "inf", "1e-9", "1e300", "x")
METRICS = ("auc", "accuracy", "brier", "log_loss", "rmse", "concordance", "f1", "roc_auc_ovr", "x")
METHODS = (
    "bbc",
    "bbc_fold",
    "cv",
    "delong",
    "holdout",
    "naive",
    "tilted",
    "x",
    "bbc(",
    "corrected_t",
)
TESTS = ("bayle", "corrected_t", "delong", "mcnemar", "sign_flip", "bootstrap", "x")
COLUMNS = (
    "y",
    "fold",
    "a",
    "b",
    "c",
    "time",
    "event",
    "row_id",
    "config_id",
    "zz",
    "",
    "é",
    "a" * 5000,
)
ODD = (
    "",
    "x",
    "nan",
    "inf",
    "-1",
    "0",
    "1",
    "1e400",
    "9" * 30,
    "é",
    "😀",
    "[bold]",
    "\ud7ff",
    "%s",
    "1_0",
)
# What an option is mostly given; every other one is given names of columns and odd words.
LIKELY: dict[str, tuple[str, ...]] = {
    "metric": METRICS,
    "method": METHODS,
    "test": TESTS,
    "level": ("0.9", "0", "1", "0.9999999", "nan", "95"),
    "side": ("lower", "upper", "pessimistic", "x"),
    "n_resamples": ("20", "50", "50", "1", "0", "-5"),
    "n_points": ("20",),
    "regions": ("2", "0", "-1"),
    "suggest": ("0", "1", "-1"),
    "seed": ("1", "1", "0", "-1", "9" * 23),
    "n_jobs": ("1", "1", "1", "0", "x"),
    "task": ("binary", "multiclass", "regression", "survival", "x"),
    "response": ("probability", "decision", "label", "x"),
    "threshold": ("0.5", "nan", "inf", "1e400"),
    "positive": ("1", "0", "yes", "ape", "", "nan"),
    "delimiter": (",", ";", "tab", "xx", "\n", '"', ""),
    "decimal": (",", ".", "x"),
    "form": ("wide", "long", "x"),
    "table": ("markdown", "latex", "x"),
    "selector": ("pooled", "mean_of_folds", "x"),
    "undefined": ("redraw", "drop", "x"),
    "surrogate": ("forest", "gaussian_process", "x"),
    "direction": ("maximize", "minimize", "x"),
    "objective": ("auc", "value", "lr", "zz"),
    "study": ("s", "zz"),
    "configs": ("1", "2", "0", "x"),
    "folds": ("2", "3", "1", "50", "x"),
    "repeats": ("1", "2", "0"),
    "replicates": ("10", "0"),
    "budget": ("1s", "5x", "0", "-1s"),
    "drop": ("none", "bced", "x"),
    "model": ("ridge", "a", "x"),
    "versus": ("tree", "x"),
    "backend": ("local", "x"),
    "alternative": ("greater", "less", "x"),
    "adjust": ("holm", "none", "x"),
    "rope": ("0.01", "-1", "nan"),
    "above": NUMBERS,
    "below": NUMBERS,
    "margin": NUMBERS,
    "detect": NUMBERS,
    "width": NUMBERS,
    "power": ("0.8", "0.5", "0", "1", "2"),
    "items": ("50", "0", "-1", "1"),
    "samples": ("1", "2", "0"),
    "aggregate": ("mean", "median", "pass@2", "pass^2", "macro", "x"),
    "incomplete": ("items", "configs", "worst", "x"),
    "missing": ("0", "-9", "yes", "", "é", "1e400", "nan"),
    "by": ("model", "task", "file", "x", "y", "group"),
    "config_is": ("model", "task", "file", "x"),
}
UNSAFE = {"show", "scheduler", "trust_pickle"}  # would open a browser, a network, a pickle
PATHS = ("", "nope", "-", "/", "/dev/null", "é", "a" * 300, "a" * 5000, "~", "~nobody/x")
URLS = (
    "sqlite:///x",
    "http:///y",
    "[bold]x[/bold]",
    "<x>",
    "s3://b/k.parquet",
    "sqlite:///" + "a" * 5000,
)


@dataclass(frozen=True)
class Input:
    """What is done: a call, and words by which it can be repeated by hand.

    What is asked of the statistics is only known when it is asked; the call adds it to the notes.
    """

    seed: int
    kind: str
    notes: list[str]
    call: Callable[[], int | None]

    @property
    def words(self) -> str:
        """The notes as one text."""
        return "\n".join(self.notes)


def make_input(seed: int, seeds: Path, work: Path, only: str = "") -> Input:
    """Make the input of a seed; its files stand in `work`, which is emptied first.

    `only` is how the kind of input begins: 'load' for the readers of the library alone.
    """
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    r = random.Random(seed)
    kind = choose_kind(r, only)
    words, call = KINDS[kind][1](r, seeds, work)
    return Input(seed, kind, [words] if isinstance(words, str) else words, call)


def choose_kind(r: random.Random | int, only: str = "") -> str:
    """Draw the kind of an input, the first thing that its seed decides."""
    r = random.Random(r) if isinstance(r, int) else r
    kinds = {kind: weight for kind, (weight, _) in KINDS.items() if kind.startswith(only)}
    return r.choices(list(kinds), list(kinds.values()))[0]


Made = tuple[str | list[str], Callable[[], int | None]]
PREDICTIONS = (
    *("own.csv", "own.tsv", "own.csv.gz", "own.parquet", "own.arrow", "own.npz", "wide.csv"),
    *("wide.parquet", "long.csv", "arrays.npz", "labels.npz", "multiclass.csv", "survival.csv"),
)

SCORES = (
    *("scores_wide.csv", "scores_wide.parquet", "scores_wide.jsonl", "scores_wide.xlsx"),
    *("scores_long.csv", "scores_long.parquet", "scores_long.jsonl", "scores_arrays.npz"),
    *("scores_own.csv", "scores_own.csv.gz", "scores_own.parquet", "scores_own.arrow"),
    *("scores_own.npz", "scores_samples.csv", "scores_samples.parquet", "scores_samples.npz"),
)
LOGS = ("inspect", "lm_eval", "promptfoo", "dspy", "gepa", "openai_evals", "helm", "plain")
LOG_SCORES = {"inspect": "match", "lm_eval": "acc", "helm": "exact_match"}
TABLES = ("table.csv", "table.parquet", "table.jsonl", "table.xlsx")
TRIALS = ("trials.csv", "trials.parquet", "study.db", "study.log", "runhistory.json")


def _read(words: str, read: Callable[[], Any]) -> Made:
    """Return a call of a reader of the library."""

    def call() -> int | None:
        read()
        return None

    return words, call


def _command(args: list[str]) -> Made:
    """Return a run of the command line."""
    return shlex.join(["earnest", *args]), lambda: main(args)


def _mutated(name: str, r: random.Random, seeds: Path, work: Path) -> Path:
    """Write a mutated copy of a seed, as fits its suffix."""
    source, out = seeds / name, work / Path(name).name
    if name.endswith(".gz"):
        out.write_bytes(m.mutate_gzip(source.read_bytes(), r))
    elif source.suffix in (".csv", ".tsv", ".toml"):
        change = m.mutate_text if r.random() < 0.8 else m.mutate_bytes
        out.write_bytes(change(source.read_bytes(), r))
    elif source.suffix in (".parquet", ".arrow"):
        m.mutate_table(source, out, r)
    elif source.suffix == ".npz":
        m.mutate_arrays(source, out, r)
    elif source.suffix == ".json":
        out.write_bytes(m.mutate_json(source.read_bytes(), r))
    elif source.suffix in (".xlsx", ".eval"):
        out.write_bytes(m.mutate_archive(source.read_bytes(), r))
    elif source.suffix in (".log", ".jsonl"):
        out.write_bytes(m.mutate_json_lines(source.read_bytes(), r))
    elif source.suffix == ".db":
        shutil.copy(source, out)
        m.mutate_database(out, r)
    else:
        m.mutate_model(source, out, r)
    return out


def _load_predictions(r: random.Random, seeds: Path, work: Path) -> Made:
    path = _mutated(r.choice(PREDICTIONS), r, seeds, work)
    options: dict[str, Any] = {}
    if r.random() < 0.2:
        options[r.choice(["fold", "target", "group", "id", "repeat"])] = r.choice(["a", "y", None])
    if r.random() < 0.1:
        options["task"] = r.choice(["binary", "multiclass", "regression", "survival"])
    if r.random() < 0.05 and path.suffix == ".npz":
        options["mmap"] = True
    return _read(f"Predictions.load({path.name!r}, **{options})", lambda: _used(path, options))


def _used(path: Path, options: dict[str, Any]) -> None:
    pi = en.Predictions.load(path, **options)
    repr(pi.usable())
    pi.save(path.with_name("again.npz"))


def _load_odd(r: random.Random, seeds: Path, work: Path) -> Made:
    """Load a valid file of odd content: what is behind the reader is tried."""
    path = _odd_file(r, work)
    return _read(f"Predictions.load({path.name!r})", lambda: _used(path, {}))


def _odd_file(r: random.Random, work: Path) -> Path:
    """Write predictions whose form is right, and whose content is odd."""
    g = np.random.default_rng(r.getrandbits(32))
    n, width = r.choice([1, 2, 3, 6, 20, 37]), r.choice([1, 2, 5])
    y: Any = r.choice(
        [
            g.integers(0, 2, n),
            g.integers(0, 3, n),
            g.normal(size=n) * r.choice([1e-300, 1, 1e300]),
            np.array(["no", "yes"])[g.integers(0, 2, n)],
            np.array(["", "yes"])[g.integers(0, 2, n)],
            np.array(["é", "😀", "\u202e"])[g.integers(0, 3, n)],
            np.full(n, 1),
            np.arange(n) * 10**15,
            g.random(n) < 0.5,
        ]
    )
    fold: Any = r.choice(
        [
            np.arange(n) % 2,
            np.arange(n),
            g.random(n),
            np.full(n, "f"),
            np.full(n, np.nan),
            g.integers(0, 2, n) * 1e18,
        ]
    )
    scores = r.choice([1, 1e-320, 1e308, -1]) * g.random((n, width))
    if r.random() < 0.4:
        odd = r.choice([np.nan, np.inf, -np.inf, 0.0])
        scores[g.random((n, width)) < r.random()] = odd
    if r.random() < 0.3:
        path = work / "odd.npz"
        more = {r.choice(["groups", "strata", "ids", "classes", "configs"]): m.odd_array(n, r)}
        np.savez(path, y=y, scores=scores, fold=fold, **(more if r.random() < 0.6 else {}))
        return path
    frame = pd.DataFrame({"y": y, "fold": fold})
    for place in range(width):
        frame[f"{r.choice(m.NAMES)}{place if r.random() < 0.9 else ''}"] = scores[:, place]
    path = work / r.choice(["odd.csv", "odd.parquet"])
    frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)
    return path


def _load_trials(r: random.Random, seeds: Path, work: Path) -> Made:
    names = (
        "trials.csv",
        "trials.parquet",
        "study.db",
        "study.log",
        "runhistory.json",
        "search.db",
    )
    path = _mutated(r.choice(names), r, seeds, work)
    options = {"objective": "auc", "direction": "maximize"} if path.stem == "trials" else {}
    if r.random() < 0.3 and path.stem != "trials":
        return _read(
            f"predictions_from({path.name!r})", lambda: en.predictions_from(path, [0, 1] * 20)
        )
    return _read(
        f"trials_from({path.name!r}, **{options})", lambda: en.trials_from(path, **options)
    )


def _load_run(r: random.Random, seeds: Path, work: Path) -> Made:
    path = _mutated("run/run.db", r, seeds, work)
    return _read(f"read_run({path.name!r})", lambda: en.read_run(path))


def _load_schema(r: random.Random, seeds: Path, work: Path) -> Made:
    """Read a run or a study whose tables are others than earnest or Optuna wrote."""
    name = r.choice(["run/run.db", "search.db", "search.db", "study.db", "study.db"])
    path = Path(shutil.copy(seeds / name, work / Path(name).name))
    mutate_schema(path, r)
    readers: dict[str, Callable[[], Any]] = {
        f"read_run({path.name!r})": lambda: en.read_run(path),
        f"trials_from({path.name!r})": lambda: en.trials_from(path),
        f"predictions_from({path.name!r})": lambda: en.predictions_from(path, [0, 1] * 20),
    }
    words = r.choice(list(readers)[1:] if name == "study.db" else list(readers))
    return _read(words, readers[words])


def _ask_schema(r: random.Random, seeds: Path, work: Path) -> Made:
    """Give a command a run or a study whose tables are others."""
    if r.random() < 0.3:
        path = Path(shutil.copy(seeds / "study.db", work / "study.db"))
        mutate_schema(path, r)
        return _command(["explain", str(path), "--n-points", "20", "--regions", "2"])
    folder = Path(shutil.copytree(seeds / "run", work / "run"))
    mutate_schema(folder / "run.db", r)
    report = ["-o", str(work / "o.html"), "--n-resamples", "20", "--no-explain"]
    resume = ["--target", "y", "--n-configs", "2", "--folds", "3", "--rng", "0", "--n-jobs", "1"]
    table = str(seeds / "table.csv")
    return _command(
        r.choice(
            [
                ["report", str(folder), *report],
                ["gather", str(folder), "-o", str(work / "o.csv")],
                ["estimate", str(folder), "-m", "auc", "--n-resamples", "20"],
                ["explain", str(folder / "run.db"), "--n-points", "20", "--suggest", "0"],
                ["tune", table, *resume, "--resume", "-q", "--no-report", "-o", str(folder)],
            ]
        )
    )


def _ask_links(r: random.Random, seeds: Path, work: Path) -> Made:
    """Give a command a run folder with links in it: inside, outside, dangling, in a circle."""
    folder = Path(shutil.copytree(seeds / "run", work / "run"))
    outside = work / "outside"
    links = put_links(folder, outside, seeds, r)
    page = str(work / "o.html")  # a link that a user names is followed
    report = ["-o", page, "--n-resamples", "20", "--no-explain"]
    resume = ["--target", "y", "--n-configs", "2", "--folds", "3", "--rng", "0", "--n-jobs", "1"]
    table = str(seeds / "table.csv")
    words, call = _command(
        r.choice(
            [
                ["report", str(folder), *report],
                ["gather", str(folder), "-o", str(work / "o.csv")],
                ["estimate", str(folder), "-m", "auc", "--n-resamples", "20"],
                ["predict", str(folder), str(seeds / "new.csv"), "--out", str(work / "o.csv")],
                ["explain", str(folder / "run.db"), "--n-points", "20", "--suggest", "0"],
                ["tune", table, *resume, "--resume", "-q", "--no-report", "-o", str(folder)],
            ]
        )
    )

    def ask() -> int | None:
        before = {path: path.read_bytes() for path in outside.iterdir() if path.is_file()}
        code = call()
        after = {path: path.read_bytes() for path in outside.iterdir() if path.is_file()}
        changed = [p.name for p in before.keys() | after if before.get(p) != after.get(p)]
        if changed:
            raise ChangedOutside(", ".join(sorted(changed)))
        return code

    return f"{words} with links {links}", ask


def _load_model(r: random.Random, seeds: Path, work: Path) -> Made:
    path = _mutated("run/model.skops", r, seeds, work)
    return _read(f"load_model({path.name!r})", lambda: en.load_model(path))


def _load_result(r: random.Random, seeds: Path, work: Path) -> Made:
    kind: Any = r.choice([en.results.Estimate, en.results.Estimates, en.results.Comparison])
    name = {"Estimate": "estimate", "Estimates": "estimates", "Comparison": "comparison"}
    own = name[kind.__name__] if r.random() < 0.9 else r.choice(list(name.values()))
    path = _mutated(f"{own}.json", r, seeds, work)
    return _read(f"{kind.__name__}.load({path.name!r})", lambda: repr(kind.load(path)))


def _load_portfolio(r: random.Random, seeds: Path, work: Path) -> Made:
    path = _mutated("portfolio.toml", r, seeds, work)
    return _read(f"load_portfolio({path.name!r})", lambda: en.learners.load_portfolio(path))


def _load_data(r: random.Random, seeds: Path, work: Path) -> Made:
    from earnest.training import read_training_table

    path = _mutated(r.choice(TABLES), r, seeds, work)
    target = r.choice(["y", "y", "y", "a", "c"])
    return _read(
        f"read_table({path.name!r}, {target!r})", lambda: read_training_table(path, target=target)
    )


def _load_scores(r: random.Random, seeds: Path, work: Path) -> Made:
    """Load scores of items, wide or long, with what may be said of them."""
    if r.random() < 0.1:
        path = _mutated("judgements.csv", r, seeds, work)

        def judge() -> None:
            en.estimate(en.Scores.from_judgements(pd.read_csv(path)), n_resamples=10, rng=0)

        return _read(f"Scores.from_judgements(read_csv({path.name!r}))", lambda: _tidily(judge))
    path = _mutated(r.choice(SCORES), r, seeds, work) if r.random() < 0.8 else _odd_scores(r, work)
    options: dict[str, Any] = {}
    if r.random() < 0.3:
        said = {
            "id": ("item", "a", "zz"),
            "groups": ("group", "item", "a"),
            "tasks": ("group", "b"),
            "config": ("prompt", "item"),
            "score": ("score", "group"),
            "repeat": ("group", "score"),
            "configs": (["a", "b"], ["zz"], []),
            "aggregate": ("median", "macro", "pass@1", "pass@9", "ratio", "quantile(0.9)", "x"),
            "limits": ((0, 1), (0, 5), (1, 0), "x"),
            "greater_is_better": (False,),
            "incomplete": ("items", "configs", "worst", "x"),
            "batches": (100, 0, -1),
            "format": ("wide", "long"),
        }
        for name in r.sample(list(said), r.choice([1, 1, 2, 3])):
            options[name] = r.choice(said[name])

    def use() -> None:
        scores = en.Scores.load(path, **options)
        repr(scores)
        scores.save(path.with_name("again.npz"))
        if scores.values.size < 1e5:
            en.estimate(scores, n_resamples=10, rng=0)

    return _read(f"Scores.load({path.name!r}, **{options})", use)


def _tidily(call: Callable[[], None]) -> None:
    """Run a call whose table another library reads: what that refuses is no fault of ours."""
    try:
        call()
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise en.errors.InputError(str(error)) from error


def _odd_scores(r: random.Random, work: Path) -> Path:
    """Write scores whose form is right, and whose content is odd."""
    g = np.random.default_rng(r.getrandbits(32))
    n, width = r.choice([1, 2, 3, 7, 40]), r.choice([1, 2, 5])
    values = g.random((n, width)) * r.choice([0, 1, 1, 5, -1, 1e300, 1e-300])
    if r.random() < 0.5:
        values[g.random(values.shape) < r.random()] = r.choice([np.nan, np.inf, 0.0, 1.0])
    frame = pd.DataFrame(values, columns=[f"{r.choice(m.NAMES)}{at}" for at in range(width)])
    if r.random() < 0.6:
        frame.insert(0, "item", r.choice([np.arange(n), np.arange(n) // 2, np.full(n, "q")]))
    path = work / r.choice(["odd.csv", "odd.parquet", "odd.jsonl", "odd.xlsx"])
    frame.columns = [str(name).replace("\0", "_")[:99] for name in frame.columns]
    if path.suffix == ".jsonl" and frame.columns.has_duplicates:
        path = work / "odd.csv"
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        columns = [pa.array(frame.iloc[:, at]) for at in range(frame.shape[1])]
        pq.write_table(pa.table(columns, names=list(frame.columns)), path)  # names may repeat
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_excel(path, index=False)
    return path


def _spoiled_logs(r: random.Random, seeds: Path, work: Path) -> tuple[str, Path]:
    """Copy the logs of a tool, and damage one or two of the files."""
    tool = r.choice(LOGS)
    folder = Path(shutil.copytree(seeds / "logs" / tool, work / "logs"))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in r.sample(files, min(len(files), r.choice([1, 1, 2]))):
        name = path.relative_to(folder)
        path.unlink()
        _mutated(f"logs/{tool}/{name}", r, seeds, path.parent)
    return tool, folder


def _load_logs(r: random.Random, seeds: Path, work: Path) -> Made:
    """Read the logs of an evaluation tool, one or two of them damaged."""
    tool, folder = _spoiled_logs(r, seeds, work)
    options: dict[str, Any] = {"score": LOG_SCORES.get(tool) if r.random() < 0.9 else "zz"}
    if r.random() < 0.2:
        options["config_is"] = r.choice(["model", "task", "file", "x"])
    if r.random() < 0.3:
        options["incomplete"] = r.choice(["items", "configs", "worst"])

    def use() -> None:
        scores = en.scores_from(folder, **options)
        repr(scores)
        en.estimate(scores, n_resamples=10, rng=0)

    return _read(f"scores_from({tool!r}, **{options})", use)


def _ask_scores(r: random.Random, seeds: Path, work: Path) -> Made:
    """Ask any question of scores, of logs or of predictions, at the command line."""
    how = r.random()
    name = r.choice(["estimate", "compare", "gain", "plan", "gate", "gate", "gather", "report"])
    if how < 0.15 or name == "gather":
        tool, path = _spoiled_logs(r, seeds, work)
        more = ["--score", LOG_SCORES[tool]] if tool in LOG_SCORES else []
    elif how < 0.35:
        chosen = r.choice(PREDICTIONS)
        path = seeds / chosen if r.random() < 0.4 else _mutated(chosen, r, seeds, work)
        more = ["--metric", r.choice(METRICS)] if "--metric" in _commands()[name] else []
    else:
        chosen = r.choice(SCORES)
        odd, whole = r.random() < 0.2, r.random() < 0.5
        path = _odd_scores(r, work) if odd else seeds / chosen
        if not odd and not whole:
            path = _mutated(chosen, r, seeds, work)
        more = ["--scores"]
    args = [name, str(path), *more]
    if name == "gather":
        args += ["-o", str(work / r.choice(["o.csv", "o.parquet", "o.npz", "o.x"]))]
    elif name == "report":
        args += ["-o", str(work / "o.html"), "--n-resamples", "20", "--no-explain"]
    elif name == "gate":
        bounds = [["--above", r.choice(NUMBERS)], ["--below", r.choice(NUMBERS)]]
        against = ["--against", str(seeds / r.choice(SCORES)), "--margin", r.choice(NUMBERS)]
        args += r.choice([*bounds, against, against, []])
        if r.random() < 0.4:
            args += ["--ledger", str(work / "looks.jsonl")]
            if r.random() < 0.5:
                (work / "looks.jsonl").write_bytes(
                    r.choice([b"", b"{}", b"x", b"[]\n", b'{"cases": 5}\n', b"\xff\n"])
                )
        if r.random() < 0.3:
            args += ["--junit", str(work / "o.xml"), "--markdown", str(work / "o.md")]
    elif name == "plan":
        args += r.choice([["--detect", "0.2"], ["--width", "0.3"], ["--detect", r.choice(NUMBERS)]])
    elif name == "estimate":
        args += ["--n-resamples", "20"]
    args += _options(name, r, 0.02, set(args))
    words, call = _command(args)
    return words, (lambda: 0 if (code := call()) in (3, 4) else code) if name == "gate" else call


def _ask_predictions(r: random.Random, seeds: Path, work: Path) -> Made:
    odd = r.random() < 0.4
    path = _odd_file(r, work) if odd else _mutated(r.choice(PREDICTIONS), r, seeds, work)
    name = r.choice(["estimate", "estimate", "estimate", "compare", "report"])
    args = [name, str(path), "-m", r.choice(METRICS), "--rng", "1"]
    if name == "report":
        args += ["-o", str(work / "o.html"), "--no-explain"]
    if name != "compare":
        args += ["--n-resamples", r.choice(["20", "50"])]
    return _command([*args, *_options(name, r, 0.05, set(args))])


def _ask_run(r: random.Random, seeds: Path, work: Path) -> Made:
    folder = work / "run"
    shutil.copytree(seeds / "run", folder)
    name = r.choice(["run.db", "run.db", "estimate.json", "predictions.parquet"])
    (folder / name).unlink()
    _mutated(f"run/{name}", r, seeds, folder)
    out = str(work / "o.html")
    report = ["-o", out, "--n-resamples", "50", "--no-explain"]
    return _command(
        r.choice(
            [
                ["report", str(folder), *report],
                ["report", str(folder / "run.db"), *report],
                ["gather", str(folder), "-o", str(work / "o.csv")],
                ["estimate", str(folder), "-m", "auc", "--n-resamples", "20"],
                ["explain", str(folder / "run.db"), "--n-points", "20", "--suggest", "0"],
            ]
        )
    )


def _ask_trials(r: random.Random, seeds: Path, work: Path) -> Made:
    path = _mutated(r.choice(TRIALS), r, seeds, work)
    if r.random() < 0.3:
        table = str(seeds / "table.csv")
        args = ["gather", str(path), "-o", str(work / "o.csv"), "--data", table, "--target", "y"]
        return _command([*args, *_options("gather", r, 0.05, set(args))])
    args = ["explain", str(path), "--n-points", "20", "--regions", "2", "--rng", "1"]
    if path.stem == "trials":
        args += ["--objective", "auc", "--direction", "maximize"]
    return _command([*args, *_options("explain", r, 0.1, set(args))])


def _ask_model(r: random.Random, seeds: Path, work: Path) -> Made:
    run, new = seeds / "run", seeds / "new.csv"
    if r.random() < 0.4:
        run = _mutated("run/model.skops", r, seeds, work)
    else:
        new = _mutated("new.csv", r, seeds, work)
    args = ["predict", str(run), str(new), "--out", str(work / r.choice(["o.csv", "o.parquet"]))]
    return _command([*args, *_options("predict", r, 0.1, set(args))])


def _ask_training(r: random.Random, seeds: Path, work: Path) -> Made:
    path = _mutated(r.choice(TABLES), r, seeds, work)
    name = r.choice(["tune", "tune", "assess", "compare-learners"])
    args = [
        name,
        str(path),
        "-t",
        r.choice(["y", "y", "y", "c", "a"]),
        "--n-jobs",
        "1",
        "--rng",
        "1",
    ]
    if name == "tune":
        args += ["--n-configs", "1", "--folds", "2", "-q", "--no-report", "-o", str(work / "out")]
    elif name == "assess":
        args += ["--model", "ridge", "--method", "cv", "--cv", "2"]
    else:
        args += ["--model", "ridge", "--versus", "tree", "--cv", "2"]
    return _command([*args, *_options(name, r, 0.03, set(args))])


def _ask_anything(r: random.Random, seeds: Path, work: Path) -> Made:
    """Run a command with arguments of every kind, likely ones and odd ones."""
    name = r.choice(
        [one for one in _commands() if one not in ("demo", "tune", "assess", "compare-learners")]
    )
    known = [str(seeds / "wide.csv"), str(seeds / "run"), str(seeds / "study.db")]
    known += [str(seeds / "scores_wide.csv"), str(seeds / "logs" / "plain")]
    places = [r.choice([*known, *known, *PATHS, *URLS]) for _ in range(r.randrange(3))]
    args = [name, *places, *_options(name, r, r.choice([0.02, 0.1, 0.3]), set())]
    if "--out" in _commands()[name]:
        args += [
            "--out",
            str(work / r.choice(["o.csv", "o.html", "o.npz", "no/o.csv", "a" * 300, ""])),
        ]
    words, call = _command(args)
    return words, (lambda: 0 if (code := call()) in (3, 4) else code) if name == "gate" else call


@cache
def _commands() -> dict[str, dict[str, tuple[str, bool]]]:
    """Return the options of every command: their name in the code, and whether they are flags."""
    from earnest.cli.app import build_program

    return {
        name: {
            option: (one.name, bool(getattr(one, "is_flag", False)))
            for one in command.params
            for option in one.opts
            if option.startswith("--") and one.name not in UNSAFE
        }
        for name, command in build_program().commands.items()
    }


def _options(name: str, r: random.Random, share: float, given: set[str]) -> list[str]:
    """Return some of a command's options with values; those that stand already are left alone."""
    args: list[str] = []
    for option, (word, flag) in _commands()[name].items():
        if r.random() > share or option in given or option == "--out":
            continue
        likely = LIKELY.get(word, COLUMNS)
        args += [option] if flag else [option, r.choice(likely if r.random() < 0.8 else ODD)]
    return args


def _question(ask: Callable[[random.Random, Path], Made]) -> Callable[..., Made]:
    """Return the maker of an input that needs no file."""
    return lambda r, seeds, work: ask(r, work)


# What is tried, and how often: a reader of the library takes milliseconds, training a second.
KINDS: dict[str, tuple[int, Callable[[random.Random, Path, Path], Made]]] = {
    "load predictions": (24, _load_predictions),
    "load odd content": (12, _load_odd),
    "load trials": (8, _load_trials),
    "load run": (5, _load_run),
    "load model": (2, _load_model),
    "load result": (6, _load_result),
    "load portfolio": (4, _load_portfolio),
    "load data": (8, _load_data),
    "load scores": (14, _load_scores),
    "load logs": (10, _load_logs),
    "ask scores": (8, _ask_scores),
    "ask predictions": (12, _ask_predictions),
    "ask run": (4, _ask_run),
    "ask trials": (3, _ask_trials),
    "ask model": (1, _ask_model),
    "ask training": (1, _ask_training),
    "ask anything": (5, _ask_anything),
    "load schema": (10, _load_schema),
    "ask schema": (3, _ask_schema),
    "ask links": (2, _ask_links),
    "call with objects": (12, _question(call_with_objects)),
    "question estimate": (30, _question(q.ask_estimate)),
    "question default": (8, _question(q.ask_default)),
    "question comparison": (20, _question(q.ask_comparison)),
    "question curve": (6, _question(q.ask_curve)),
    "question decision": (4, _question(q.ask_decision)),
    "question items": (15, _question(q.ask_items)),
    "question learner": (12, _question(q.ask_learner)),
    "question statistic": (8, _question(q.ask_statistic)),
    "question explanation": (1, _question(q.ask_explanation)),
    "question training": (1, _question(q.ask_training)),
    "question report": (1, _question(q.ask_report)),
}
