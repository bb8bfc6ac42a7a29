"""Count what single sentences about `near_winner` claim, where no grid has it.

python -m benchmarks.calibration.claims [--runs 1000]

Four questions: what bounds are worth after early dropping if the dropped configurations are not
counted; what the factor for the kurtosis of groups does; how often the upper end of a two-sided
interval, which is not corrected for the choice, lies below the truth; and whether bounds of one
configuration near the best score hold in more runs than `extensions.py` has. Rows go to
`claims.csv`, and the page on the method cites them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import earnest as en
from benchmarks.calibration import extensions
from benchmarks.rows import write_rows
from earnest.inference.limits.winner_law import WinnerLaw

RESULTS = Path(__file__).with_name("claims.csv")
RESAMPLES = 300
SEED = 51
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """A claim: how many of so many intervals held the truth."""

    claim: str
    cell: str
    runs: int
    held: int

    @property
    def share(self) -> float:
        """The share of intervals that held."""
        return self.held / self.runs


def ask(pi: en.Predictions, metric: str, side: str, run: int) -> en.results.Interval:
    """Return the interval of `near_winner` at 95 %."""
    method = en.methods.NearWinner(n_resamples=RESAMPLES)
    made = en.estimate(pi, metric=metric, method=method, side=side, rng=run)
    assert made.interval is not None
    return made.interval


def make_right(right: NDArray[np.bool_], **more: object) -> en.Predictions:
    """Return predictions of two balanced classes that are right where they should be."""
    y = np.arange(len(right)) % 2
    return en.Predictions.from_arrays(y, np.where(right, y[:, None], 1 - y[:, None]), **more)


# Early dropping


def drop_early(run: int, rng: np.random.Generator, *, counted: bool) -> bool:
    """Hold a bound after 90 of 100 equally good configurations were dropped at half the cases."""
    truth, n, kept = 0.8, 100, 10
    right = rng.random((n, 100)) < truth
    order = np.argsort(-right[: n // 2].sum(axis=0), kind="stable")
    y = np.arange(n) % 2
    said = np.where(right, y[:, None], 1 - y[:, None]).astype(float)
    if counted:
        said[n // 2 :, order[kept:]] = np.nan
    else:
        said = said[:, order[:kept]]
    pi = en.Predictions.from_arrays(y, said, np.arange(n) // (n // 2))
    return ask(pi, "accuracy", "lower", run).low <= truth


# Groups


def draw_groups(run: int, rng: np.random.Generator, *, n: int, alike: float, factor: bool) -> bool:
    """Hold a bound of one model that is right in 95 % of n cases in 20 groups.

    `alike` is the correlation of two cases of a group, by a Beta law of the groups' shares.
    """
    truth, groups = 0.95, 20
    sum_of_both = (1 - alike) / alike if alike else None
    shares = (
        np.full(groups, truth)
        if sum_of_both is None
        else rng.beta(truth * sum_of_both, (1 - truth) * sum_of_both, groups)
    )
    group = np.repeat(np.arange(groups), n // groups)
    pi = make_right((rng.random(n) < shares[group])[:, None], groups=group)
    without: AbstractContextManager[object] = (
        nullcontext() if factor else patch.object(WinnerLaw, "error_of_variance", lambda *_: 0.0)
    )
    with without:
        return ask(pi, "accuracy", "lower", run).low <= truth


# The upper end


def reach_up(run: int, rng: np.random.Generator, *, n: int, configs: int, truth: float) -> bool:
    """Hold the upper end of a two-sided interval for the winner of equally good configurations."""
    return (
        ask(make_right(rng.random((n, configs)) < truth), "accuracy", "two-sided", run).high
        >= truth
    )


# One configuration near the best score


NEAR_BEST = ("concordance", "roc_auc_ovr, 3 classes", "roc_auc, groups of 5")


def come_near(run: int, rng: np.random.Generator, *, kind: str) -> bool:
    """Hold the bound of one configuration with 400 cases, in runs that `extensions.py` lacks."""
    cell = extensions.Cell(700_400, kind, 400, 1, "equal", 0.5, hard=True)
    return extensions.replicate(cell, run)[0]["near_winner"].held


def list_cells() -> list[tuple[str, str, Callable[[int, np.random.Generator], bool]]]:
    """Return every cell: its claim, its name, and what one run of it does."""
    cells: list[tuple[str, str, Callable[[int, np.random.Generator], bool]]] = [
        ("dropped", "survivors alone", partial(drop_early, counted=False)),
        ("dropped", "all counted", partial(drop_early, counted=True)),
    ]
    for n, alike in ((100, 0.0), (400, 0.3)):
        for factor in (False, True):
            name = f"n {n}, correlation {alike:g}, {'with' if factor else 'without'} the factor"
            cells.append(("groups", name, partial(draw_groups, n=n, alike=alike, factor=factor)))
    for n in (50, 200):
        for configs in (1, 10, 40):
            for truth in (0.7, 0.9):
                name = f"n {n}, {configs} configurations, accuracy {truth:g}"
                cells.append(("upper", name, partial(reach_up, n=n, configs=configs, truth=truth)))
    cells += [
        ("near best", f"{kind}, n 400, 1 configuration", partial(come_near, kind=kind))
        for kind in NEAR_BEST
    ]
    return cells


def count(number: int, runs: int) -> Row:
    """Run a cell so many times; each run has its own seed."""
    claim, name, one = list_cells()[number]
    held = sum(one(run, np.random.default_rng([SEED, number, run])) for run in range(runs))
    return Row(claim, name, runs, held)


def main() -> None:
    """Run all cells and write them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    made = []
    for number in range(len(list_cells())):
        made.append(count(number, args.runs))
        row = made[-1]
        print(f"{row.claim}: {row.cell}: {row.share:.3f} of {row.runs}", flush=True)
    write_rows(made, args.out)


if __name__ == "__main__":
    main()
