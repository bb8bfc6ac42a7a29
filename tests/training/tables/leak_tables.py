"""Tables with a planted leak, one of each kind, and clean tables: what a screening is tried on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets

TARGET = "outcome"
Plant = Callable[[pd.DataFrame, NDArray[np.float64], np.random.Generator], list[str]]


def make_credit(rng: np.random.Generator, n: int = 800) -> pd.DataFrame:
    """Return rows of a real table of credits: 30 % are bad, and AUCs of about .78 are usual."""
    source = files("earnest") / "data" / "german_credit.csv.gz"
    with source.open("rb") as file:
        table = pd.read_csv(file, compression="gzip")
    table = table.iloc[rng.permutation(len(table))[:n]].reset_index(drop=True)
    table.insert(0, TARGET, (table.pop("risk") == "bad").astype(int))
    return table


def make_two_classes(rng: np.random.Generator, n: int = 600, rate: float = 0.2) -> pd.DataFrame:
    """Return a table of two classes in which several columns help, to an AUC of about .8."""
    X = rng.standard_normal((n, 8))
    score = X @ np.array([0.8, 0.6, 0.5, 0.4, 0.3, 0, 0, 0]) + 0.4 * X[:, 0] * X[:, 1]
    odds = score + np.log(rate / (1 - rate)) - 0.5
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(8)])
    table.insert(0, TARGET, (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(int))
    return table


def make_numbers(rng: np.random.Generator, n: int = 500) -> pd.DataFrame:
    """Return a table with a number as outcome, and an R² of about .6."""
    X = rng.standard_normal((n, 6))
    y = X[:, 0] + np.sin(2 * X[:, 1]) + 0.5 * X[:, 2] + 1.1 * rng.standard_normal(n)
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(6)])
    table.insert(0, TARGET, 50 + 10 * y)
    return table


def plant_nonzero(
    table: pd.DataFrame, y: NDArray[np.float64], rng: np.random.Generator
) -> list[str]:
    """Add money that was recovered, from six of ten bad debtors and from nobody else."""
    paid = (y == 1) & (rng.random(len(y)) < 0.6)
    table["recoveries"] = np.where(paid, rng.gamma(2.0, 300.0, len(y)).round(2), 0.0)
    return ["recoveries"]


def plant_missing(
    table: pd.DataFrame, y: NDArray[np.float64], rng: np.random.Generator
) -> list[str]:
    """Add a finding that is only known of most cases with the event."""
    known = (y == 1) & (rng.random(len(y)) < 0.7)
    table["autopsy_weight"] = np.where(known, rng.normal(300, 40, len(y)), np.nan)
    return ["autopsy_weight"]


def plant_copy(table: pd.DataFrame, y: NDArray[np.float64], rng: np.random.Generator) -> list[str]:
    """Add the outcome with noise."""
    table["later_value"] = y + 0.25 * y.std() * rng.standard_normal(len(y))
    return ["later_value"]


def plant_code(table: pd.DataFrame, y: NDArray[np.float64], rng: np.random.Generator) -> list[str]:
    """Add codes of the outcome, several for each class, one in a hundred of them wrong."""
    right = np.where(rng.random(len(y)) < 0.01, 1 - y, y)
    codes = np.where(right == 1, rng.choice([3, 5, 8], len(y)), rng.choice([1, 2, 4, 9], len(y)))
    table["closing_code"] = [f"K{code}" for code in codes]
    return ["closing_code"]


def plant_order(table: pd.DataFrame, y: NDArray[np.float64], rng: np.random.Generator) -> list[str]:
    """Sort the rows by outcome, and add a reading that drifts from row to row."""
    order = np.argsort(y + 0.8 * rng.standard_normal(len(y)), kind="stable")
    sorted_rows = table.iloc[order].reset_index(drop=True)
    for name in table.columns:
        table[name] = sorted_rows[name].to_numpy()
    table["baseline"] = 20 + 0.01 * np.arange(len(y)) + 0.1 * rng.standard_normal(len(y))
    return ["baseline"]


def plant_sum(table: pd.DataFrame, y: NDArray[np.float64], rng: np.random.Generator) -> list[str]:
    """Add what was paid in all, which stops with the event."""
    owed = rng.gamma(4.0, 500.0, len(y))
    table["total_paid"] = owed * np.where(y == 1, 0.25 * rng.random(len(y)), 1.0)
    return ["total_paid"]


def plant_number(
    table: pd.DataFrame, y: NDArray[np.float64], rng: np.random.Generator
) -> list[str]:
    """Add numbers of files, of which those with the event were opened later."""
    numbers = rng.choice(np.arange(10_000, 90_000), len(y), replace=False)
    numbers.sort()
    places = np.argsort(np.argsort(y + 0.3 * rng.random(len(y))))
    table["file_number"] = numbers[places]
    return ["file_number"]


def plant_pair(table: pd.DataFrame, y: NDArray[np.float64], rng: np.random.Generator) -> list[str]:
    """Add two columns of the same leak, so that either can do without the other."""
    dose = y + 0.3 * y.std() * rng.standard_normal(len(y))
    table["dose_given"] = dose.round(3)
    table["dose_billed"] = (40 * dose + 2 * rng.standard_normal(len(y))).round(1)
    return ["dose_given", "dose_billed"]


def plant_date(table: pd.DataFrame, y: NDArray[np.float64], rng: np.random.Generator) -> list[str]:
    """Add the day of the last visit, which follows the event by weeks."""
    day = 18_000 + rng.integers(0, 200, len(y))
    table["last_visit"] = day + np.where(y == 1, rng.integers(150, 500, len(y)), 0)
    return ["last_visit"]


def plant_text(table: pd.DataFrame, y: NDArray[np.float64], rng: np.random.Generator) -> list[str]:
    """Add notes of a few kinds, which were written after the event."""
    bad = ["charged off", "sent to collection", "legal action", "charged off, sold"]
    good = ["paid in full", "on schedule", "closed by client", "refinanced", "no remark"]
    wrong = rng.random(len(y)) < 0.03
    event = (y == 1) ^ wrong
    table["note"] = np.where(event, rng.choice(bad, len(y)), rng.choice(good, len(y)))
    return ["note"]


def list_leaks(seed: int) -> Iterator[tuple[str, pd.DataFrame, list[str]]]:
    """Yield ten kinds of leaks: a name, the table, and the columns that leak."""
    plants: list[tuple[Plant, Callable[[np.random.Generator], pd.DataFrame]]] = [
        (plant_nonzero, make_credit),
        (plant_missing, make_two_classes),
        (plant_copy, make_numbers),
        (plant_code, make_two_classes),
        (plant_order, make_credit),
        (plant_sum, make_credit),
        (plant_number, make_two_classes),
        (plant_pair, make_credit),
        (plant_date, make_two_classes),
        (plant_text, make_credit),
    ]
    for index, (plant, make) in enumerate(plants):
        rng = np.random.default_rng([seed, index])
        table = make(rng)
        columns = plant(table, table[TARGET].to_numpy(dtype=float), rng)
        yield plant.__name__.removeprefix("plant_"), table, columns


def list_clean(seed: int) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield twenty tables without a leak: real ones, and simulated ones that look suspicious."""
    yield from list_real()
    for index, make in enumerate(SIMULATED):
        yield make.__name__.removeprefix("make_"), make(np.random.default_rng([seed, 100 + index]))


def list_real() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables that come with scikit-learn, and two choices of classes of digits."""
    for name in ("iris", "wine", "breast_cancer", "diabetes", "digits"):
        bunch = getattr(datasets, f"load_{name}")(as_frame=True)
        table = bunch.frame.rename(columns={"target": TARGET})
        yield name, table
        if name == "digits":
            chosen = table[table[TARGET].isin([3, 8])].copy()
            yield "digits, 3 or 8", chosen.assign(**{TARGET: chosen[TARGET] == 3})
            yield "digits, 0 or not", table.assign(**{TARGET: table[TARGET] == 0})
        if name == "breast_cancer":
            yield "breast cancer, ten columns", table[[*table.columns[:10], TARGET]]
        if name == "wine":
            yield "wine, first class", table.assign(**{TARGET: table[TARGET] == 0})


def make_noise(rng: np.random.Generator) -> pd.DataFrame:
    """Return noise."""
    return pd.DataFrame(rng.standard_normal((150, 30))).add_prefix("x").assign(
        **{TARGET: rng.integers(0, 2, 150)}
    )  # fmt: skip


def make_one_strong(rng: np.random.Generator) -> pd.DataFrame:
    """Return a table in which one column is honestly strong, with an AUC of about .92."""
    table = make_two_classes(rng)
    y = table[TARGET].to_numpy()
    return table.assign(marker=2.0 * y + rng.standard_normal(len(y)))


def make_dominated(rng: np.random.Generator) -> pd.DataFrame:
    """Return numbers that one column explains to two thirds, and nothing else does."""
    X = rng.standard_normal((400, 5))
    y = 1.4 * X[:, 0] + rng.standard_normal(400)
    return pd.DataFrame(X).add_prefix("x").assign(**{TARGET: y})


def make_sparse(rng: np.random.Generator) -> pd.DataFrame:
    """Return counts that are mostly zero, and seldom so in one class."""
    y = rng.integers(0, 2, 500)
    counts = rng.poisson(np.where(y[:, None] == 1, 0.8, 0.15), (500, 12))
    return pd.DataFrame(counts).add_prefix("word_").assign(**{TARGET: y})


def make_gaps(rng: np.random.Generator) -> pd.DataFrame:
    """Return tests that were ordered for the ill more often than for the healthy."""
    table = make_two_classes(rng)
    y = table[TARGET].to_numpy()
    for name in ("x0", "x3", "x6"):
        asked = rng.random(len(y)) < np.where(y == 1, 0.8, 0.3)
        table[name] = table[name].where(asked)
    return table


def make_sorted(rng: np.random.Generator) -> pd.DataFrame:
    """Return rows that are sorted by outcome, as files often are, with no column that knows."""
    return make_credit(rng).sort_values(TARGET, ignore_index=True)


def make_drift(rng: np.random.Generator) -> pd.DataFrame:
    """Return a reading that drifts from row to row, and outcomes that do not."""
    table = make_two_classes(rng)
    return table.assign(reading=np.arange(len(table)) + rng.standard_normal(len(table)))


def make_easy(rng: np.random.Generator) -> pd.DataFrame:
    """Return two classes that many columns tell apart together."""
    y = rng.integers(0, 2, 400)
    X = rng.standard_normal((400, 20)) + 0.7 * y[:, None]
    return pd.DataFrame(X).add_prefix("x").assign(**{TARGET: y})


def make_genes(rng: np.random.Generator) -> pd.DataFrame:
    """Return few cases and many columns, of which some are strong."""
    y = rng.integers(0, 2, 80)
    X = rng.standard_normal((80, 600))
    X[:, :15] += 2.2 * y[:, None]
    return pd.DataFrame(X).add_prefix("g").assign(**{TARGET: y})


def make_rare(rng: np.random.Generator) -> pd.DataFrame:
    """Return a class of one in twenty."""
    return make_two_classes(rng, n=1500, rate=0.06)


def make_groups(rng: np.random.Generator) -> pd.DataFrame:
    """Return a category that tells much: rates from .05 to .9 by level."""
    rates = np.array([0.05, 0.1, 0.3, 0.6, 0.9])
    level = rng.integers(0, 5, 700)
    y = (rng.random(700) < rates[level]).astype(int)
    table = pd.DataFrame(rng.standard_normal((700, 4))).add_prefix("x")
    table["stage"] = np.array(list("ABCDE"))[level]
    table["x0"] += 0.7 * y
    return table.assign(**{TARGET: y})


SIMULATED = (
    make_noise,
    make_one_strong,
    make_dominated,
    make_sparse,
    make_gaps,
    make_sorted,
    make_drift,
    make_easy,
    make_genes,
    make_rare,
    make_groups,
)
