"""`earnest demo`: the whole job on real data, in about a minute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from earnest.cli.show.terminal import GREY, emit
from earnest.core.base.errors import FormatError
from earnest.core.base.writing import write_file

if TYPE_CHECKING:
    from earnest.training.tune.model import Forecast


HELP = (
    "See the whole job on [bold]real data[/bold], in about a minute.\n\nTunes a model that "
    "tells malignant from benign breast tumours (569 patients, from scikit-learn), shows what "
    "to expect of it, and uses it on five patients it has never seen. Everything stays in one "
    "folder."
)
HELD_OUT = 5

Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the files of the demo.")
]
Budget = Annotated[str, typer.Option("--budget", metavar="TIME", help="Time budget of the search.")]
Configs = Annotated[
    int | None,
    typer.Option("--configs", metavar="N", help="Try only the first N configurations."),
]
Jobs = Annotated[
    int, typer.Option("--n-jobs", metavar="N", help="Parallel fits; -1 uses all cores.")
]


def command(
    out: Out = Path("demo"), budget: Budget = "60s", configs: Configs = None, n_jobs: Jobs = -1
) -> None:
    """Write the data, tune, and predict."""
    data, new, truth = _write_data(out)
    from earnest.cli.commands.tune import run_job
    from earnest.training.tune.folder import FILES, REPORT
    from earnest.training.tune.options import TuneOptions, read_seconds

    asked = TuneOptions(
        target="diagnosis", budget=read_seconds(budget), n_configs=configs, seed=7, n_jobs=n_jobs
    )
    for name in (*FILES, REPORT):  # of an earlier demo
        (out / "run" / name).unlink(missing_ok=True)
    told = "" if configs is None else f" --configs {configs}"
    _say(
        "1. Tune: try many models by cross-validation and correct the winner's score.",
        f"earnest tune {data} --target diagnosis --budget {budget}{told} --seed 7 --out {out}/run",
    )
    tuned = run_job(data, asked, out=out / "run", resume=False)
    _say(
        f"2. Predict {HELD_OUT} patients that the search never saw.",
        f"earnest predict {out}/run {new}",
    )
    _show_predictions(tuned.model.predict(new), truth)
    _say(
        f"3. Look at {out}/run/{REPORT} in a browser, or make it again from the run.",
        f"earnest report {out}/run --open",
    )
    _say("4. Continue with your own table.", "earnest tune your-table.csv --target your-column")


def _write_data(out: Path) -> tuple[Path, Path, list[str]]:
    """Write the table to tune on and the rows kept apart; return their true diagnoses too."""
    from sklearn.datasets import load_breast_cancer

    found = load_breast_cancer()
    names = [str(name).replace(" ", "_") for name in found.feature_names]
    labels = [str(found.target_names[code]) for code in found.target]
    rows = [",".join(f"{value:.6g}" for value in row) for row in found.data]
    apart = set(range(0, len(rows), len(rows) // HELD_OUT)[:HELD_OUT])
    head = ",".join(names)
    kept = [f"{row},{labels[i]}" for i, row in enumerate(rows) if i not in apart]
    new = [row for i, row in enumerate(rows) if i in apart]
    data, held = out / "breast-cancer.csv", out / "new-patients.csv"
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(
            f"the folder {str(out)!r} is not writable",
            got=str(error.strerror),
            cure="Use another folder with --out.",
        ) from error
    write_file(data, "\n".join([f"{head},diagnosis", *kept]) + "\n")
    write_file(held, "\n".join([head, *new]) + "\n")
    return data, held, [labels[i] for i in sorted(apart)]


def _say(text: str, command: str) -> None:
    from rich.text import Text

    emit(Text(), Text(text, style="bold"), Text(f"$ {command}", style=GREY))


def _show_predictions(found: Forecast, truth: list[str]) -> None:
    from rich.text import Text

    from earnest.cli.show.estimate import grid, indented

    columns = found.to_dict()
    heads = ["row", "prediction", *found.columns, "in truth"]
    table = grid(len(heads))
    table.add_row(*(Text(head, style=GREY) for head in heads))
    for row, true in enumerate(truth):
        cells = [columns[head][row] for head in heads[:-1]]
        shown = [f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells]
        table.add_row(*shown, true)
    emit(Text(), indented(table))
