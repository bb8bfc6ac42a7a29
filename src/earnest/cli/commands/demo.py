"""`earnest demo`: the whole job on real data, in about a minute."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.text import Text

from earnest.cli.show.terminal import ACCENT, GREY, WARN, emit, write
from earnest.cli.writing import refuse_linked_folders
from earnest.core.arguments.base import Argument
from earnest.core.base.errors import FormatError
from earnest.core.text.doors import enter

if TYPE_CHECKING:
    from earnest.core.results.estimate import Estimate
    from earnest.training.tune.model import Forecast


HELP = (
    "See the whole job on [bold]real data[/bold], in about a minute.\n\n"
    "Tunes a model that tells bad from good credit risks on 150 applicants, says what to expect of "
    "it, and then looks at 850 others that the search never saw: which number was right? "
    "Everything stays in a folder. German credit data: Hofmann 1994, UCI, CC BY 4.0."
)
CASES = 150  # applicants of the study; the others tell the truth about it
TARGET, POSITIVE, SEED = "risk", "bad", 7
PREDICTED = "predicted.csv"
OUT = Path("demo")


@dataclass(frozen=True, kw_only=True)
class DemoOptions:
    """Where the demo stands, and how long it searches."""

    out: Annotated[
        Path, Argument("Folder for the files of the demo.", "FOLDER", usual=True, short="-o")
    ] = OUT
    budget: Annotated[str, Argument("Time budget of the search.", "TIME", usual=True)] = "60s"
    n_configs: Annotated[
        int | None, Argument("Try only the first N configurations.", "N", usual=True, low=1)
    ] = None
    n_jobs: Annotated[int, Argument("Parallel fits; -1 uses all cores.", "N", usual=True)] = -1


def command(*, options: DemoOptions) -> None:
    """Write the data, tune, and hold what was expected against the truth."""
    out, budget, n_configs = options.out, options.budget, options.n_configs
    run = out / "run"
    refuse_linked_folders(run, *((out,) if out == OUT else ()))
    data, new, truth = _write_data(out)
    from earnest.cli.commands.model.predict import save_predicted
    from earnest.cli.commands.tune import RunFiles, run_job
    from earnest.core.base.writing import refuse_links
    from earnest.engine.limits import read_seconds
    from earnest.training.tune.folder import FILES, REPORT
    from earnest.training.tune.options import TuneOptions

    job_options = TuneOptions(
        target=TARGET,
        positive=POSITIVE,
        budget=read_seconds(budget),
        n_configs=n_configs,
        seed=SEED,
        n_jobs=options.n_jobs,
    )
    from earnest.cli.app import options_of

    enter(options_of("tune"))  # what is advised on the way is for that command
    words = "" if n_configs is None else f" --n-configs {n_configs}"
    refuse_links(out / PREDICTED)
    for name in (*FILES, REPORT):  # of an earlier demo
        (run / name).unlink(missing_ok=True)
    _say(
        f"1. Tune on {CASES} applicants: try many models, and say what to expect of the best.",
        f"earnest tune {quote(data)} --target {TARGET} --positive {POSITIVE} --budget "
        f"{quote(budget)}{words} --rng {SEED} --live --out {quote(run)}",
    )
    tuned = run_job(data, job_options, RunFiles(out=run, live=True))
    _say(
        f"2. Predict for {len(truth)} applicants that the search never saw.",
        f"earnest predict {quote(run)} {quote(new)} -o {quote(out / PREDICTED)}",
    )
    forecast = tuned.model.predict(new)
    refuse_links(out / PREDICTED)
    save_predicted(forecast.to_dict(), out / PREDICTED)
    _show_truth(tuned.estimate, forecast, truth)
    _say("3. Go on with your own table.", "earnest tune your-table.csv --target your-column")
    write(f"\nThe page: {(run / REPORT).resolve().as_uri()}\n")  # an address in one piece


def _write_data(out: Path) -> tuple[Path, Path, list[str]]:
    """Write the table to tune on and the applicants kept apart; return their true risks too."""
    import gzip
    from importlib.resources import files

    from earnest.core.base.writing import refuse_links, write_file

    packed = files("earnest").joinpath("data", "german_credit.csv.gz").read_bytes()
    head, *rows = gzip.decompress(packed).decode().splitlines()
    data, held = out / "credit.csv", out / "new-applicants.csv"
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(
            f"the folder {str(out)!r} is not writable",
            got=str(error.strerror),
            cure="Use another folder with --out.",
        ) from error
    apart = [row.rpartition(",") for row in rows[CASES:]]
    others = [head.rpartition(",")[0], *(row[0] for row in apart)]
    refuse_links(data, held)
    write_file(data, "\n".join([head, *rows[:CASES]]) + "\n", follow=False)
    write_file(held, "\n".join(others) + "\n", follow=False)
    return data, held, [row[2] for row in apart]


def quote(word: Path | str) -> str:
    """Return a word of a command as a shell reads it."""
    return shlex.quote(str(word))


def _say(text: str, command: str) -> None:
    emit(Text(), Text(text, style="bold"), Text(f"$ {command}", style=GREY))


def _show_truth(expected: Estimate, forecast: Forecast, truth: list[str]) -> None:
    """Write what was reported, what was expected, and what it is on new cases."""
    from sklearn.metrics import roc_auc_score

    from earnest.cli.show.estimate import grid, indented
    from earnest.core.text.estimate import places_of, print_numbers
    from earnest.core.text.numbers import prose

    column = next(name for name in forecast.columns if name.endswith(POSITIVE))
    scores = [float(str(score)) for score in forecast.to_dict()[column]]
    area = roc_auc_score([label == POSITIVE for label in truth], scores)
    shown = print_numbers(expected)
    table = grid(2)
    for words, number, style in (
        ("what the search reported", str(shown.naive or shown.value), WARN),
        ("what earnest said to expect", shown.value.words, ACCENT),
        (f"what it is, on {len(truth)} new applicants", prose(area, places_of([expected])), "bold"),
    ):
        table.add_row(Text(words, style=GREY), Text(number, style=style))
    emit(Text(), indented(table))
