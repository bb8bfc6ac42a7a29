"""How often the bands of thresholds hold, and how far off chosen thresholds are, where one knows.

Scores of the classes are normal and one standard deviation wide, so that sensitivity, specificity
and all that follows from them are known at every threshold. A tenth of the cases is positive.
`python -m benchmarks.calibration.thresholds [SAMPLES]` writes thresholds.csv, one row per cell, and
goes on where it ended.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

import earnest as en
from benchmarks.calibration.grid import write_rows
from earnest.core.results.thresholds import ThresholdRow, Thresholds

Floats = NDArray[np.float64]
RESULTS = Path(__file__).with_name("thresholds.csv")
SAMPLES, RESAMPLES = 200, 200
SHARE, SKILL, LESS = 0.1, 1.5, 1.2  # of positives; how far the classes are apart, and of the others
BANDS = ("sensitivity", "specificity", "ppv", "npv", "balanced_accuracy", "net_benefit")


@dataclass(frozen=True)
class Cell:
    """One cell: cases, configurations, and whether they are equal or one leads."""

    n: int
    configs: int
    truth: str = "equal"


@dataclass(frozen=True)
class Row:
    """What a cell gave.

    `all_*` is how often a band holds at all thresholds at once. `youden_*` and `found_*` are of the
    threshold with the largest balanced accuracy, and of the highest with a sensitivity of 0.9: how
    often the limits hold the true value at that threshold, and how far the corrected, the naive,
    and for the latter the value on the cases left out alone are above it on average, with the
    standard error of the corrected one's.
    """

    n: int
    configs: int
    truth: str
    samples: int
    all_sensitivity: float
    all_specificity: float
    all_ppv: float
    all_npv: float
    all_balanced_accuracy: float
    all_net_benefit: float
    youden_holds: float
    youden_bias: float
    youden_error: float
    youden_naive: float
    found_holds: float
    found_bias: float
    found_error: float
    found_naive: float
    found_left_out: float


def grid() -> list[Cell]:
    """Return the cells."""
    equal = [Cell(n, configs) for n in (100, 400) for configs in (1, 20, 100)]
    return [*equal, Cell(100, 20, "lead"), Cell(400, 20, "lead")]


def draw(cell: Cell, rng: np.random.Generator) -> tuple[en.Predictions, Floats]:
    """Return predictions of a sample, and how far each configuration sets the classes apart."""
    y = (np.arange(cell.n) < round(SHARE * cell.n)).astype(int)
    skill = np.full(cell.configs, SKILL)
    if cell.truth == "lead":
        skill[1:] = LESS
    raw = rng.standard_normal((cell.n, cell.configs)) + skill * y[:, None]
    scores = 1.0 / (1.0 + np.exp(-(_shift() + SKILL * raw)))
    return en.Predictions.from_arrays(y, scores, np.arange(cell.n) % 5), skill


def _shift() -> float:
    return float(np.log(SHARE / (1.0 - SHARE)) - SKILL**2 / 2.0)


def find_truth(made: Thresholds, skill: float) -> dict[str, Floats]:
    """Return the true measures of a configuration at every threshold of a table."""
    cuts = np.array(made.thresholds)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (np.log(cuts / (1.0 - cuts)) - _shift()) / SKILL
        found, kept = ndtr(skill - z), ndtr(z)
        hits, alarms = SHARE * found, (1.0 - SHARE) * (1.0 - kept)
        return {
            "sensitivity": found,
            "specificity": kept,
            "ppv": hits / (hits + alarms),
            "npv": (1.0 - SHARE) * kept / (1.0 - hits - alarms),
            "balanced_accuracy": 0.5 * (found + kept),
            "net_benefit": hits - cuts / (1.0 - cuts) * alarms,
        }


def _holds(made: Thresholds, truth: dict[str, Floats], measure: str) -> bool:
    low, high = (
        np.array(part, dtype=float)
        for part in (made.curves[measure].low, made.curves[measure].high)
    )
    known = ~np.isnan(low)
    there = truth[measure][known]
    return bool(((low[known] <= there + 1e-12) & (there <= high[known] + 1e-12)).all())


def _judge(row: ThresholdRow, measure: str, truth: float) -> list[float]:
    rate = row.rate(measure)
    assert rate is not None
    assert rate.value is not None
    assert rate.naive is not None
    assert rate.low is not None
    assert rate.high is not None
    holds = rate.low - 1e-12 <= truth <= rate.high + 1e-12
    return [float(holds), rate.value - truth, rate.naive - truth]


def _left_out(made: Thresholds) -> float:
    """Return the sensitivity on the cases left out alone, of thresholds chosen in-bag."""
    draws = made.draws
    assert draws is not None
    good = draws.hits_in >= 0.9 * draws.totals[:, :1] - 1e-9
    last = good.shape[1] - 1 - np.argmax(good[:, ::-1], axis=1)
    rows = np.arange(len(last))
    return float(draws.hits_out[rows, last].sum() / draws.totals[:, 2].sum())


def simulate(cell: Cell, samples: int, seed: int = 19) -> Row:
    """Return one row: so many samples of a cell."""
    bands, youden, found, alone = [], [], [], []
    for turn in range(samples):
        pi, skill = draw(cell, np.random.default_rng([seed, cell.n, cell.configs, turn]))
        made = en.thresholds(pi, metric="roc_auc", n_resamples=RESAMPLES, rng=turn)
        truth = find_truth(made, float(skill[pi.configs.ids.index(made.winner)]))
        bands.append([_holds(made, truth, one) for one in BANDS])
        for rule, measure, into in (
            (made.choose("youden"), "balanced_accuracy", youden),
            (made.choose(sensitivity=0.9), "sensitivity", found),
        ):
            there = float(truth[measure][made.thresholds.index(rule.threshold)])
            into.append(_judge(rule, measure, there))
        alone.append(_left_out(made) - there)
    return Row(
        **asdict(cell),
        samples=samples,
        **{
            f"all_{one}": float(share)
            for one, share in zip(BANDS, np.mean(bands, axis=0), strict=True)
        },
        **_sum_up("youden", np.array(youden)),
        **_sum_up("found", np.array(found)),
        found_left_out=float(np.mean(alone)),
    )


def _sum_up(rule: str, found: Floats) -> dict[str, float]:
    holds, bias, naive = found.mean(axis=0)
    error = found[:, 1].std(ddof=1) / np.sqrt(len(found))
    values = {"holds": holds, "bias": bias, "error": error, "naive": naive}
    return {f"{rule}_{name}": float(value) for name, value in values.items()}


def main() -> None:
    """Run the grid, and write one row per cell as it comes; rows that are there already stay."""
    write_rows(RESULTS, Row, grid(), simulate, SAMPLES)


if __name__ == "__main__":
    main()
