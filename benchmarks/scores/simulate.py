"""Evaluation matrices with known truth: items of mixed difficulty, prompts that mostly agree.

A configuration passes an item where a normal number lies below a threshold of its own. The number
is shared by all configurations to the degree of their agreement, by items of a cluster, and by the
samples of an item; what is left is luck. So the true score of every configuration is known exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

import earnest as en

OWN = 0.3  # of what configurations do not share: what samples of the same item and prompt share
LEVEL = 0.65  # the true score where nothing else is said
TOGETHER = 0.4  # of what configurations share: what items of a cluster share


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One setting of the simulation.

    Parameters
    ----------
    items, configs : int
        The size of the matrix.
    agreement : float
        The correlation between configurations of what decides an item, 0 for independent ones.
    spread : float
        The standard deviation of the true scores; 0 where all are equally good.
    cluster : int
        The number of items that belong together, 1 for none.
    samples : int
        The number of samples of an item and configuration.
    tasks : int
        The number of tasks, of unlike size and difficulty, whose mean is the score; 1 for none.
    level : float
        The true score of a configuration, or its mean where they differ.
    runs : int
        How many matrices are drawn.
    """

    items: int
    configs: int
    agreement: float
    spread: float = 0.0
    cluster: int = 1
    samples: int = 1
    tasks: int = 1
    level: float = LEVEL
    runs: int = 100

    @property
    def name(self) -> str:
        """A word for it, such as 'n200-C20-r0.8'."""
        parts = [f"n{self.items}", f"C{self.configs}", f"r{self.agreement:g}"]
        parts += [f"spread{self.spread:g}"] if self.spread else []
        parts += [f"cluster{self.cluster}"] if self.cluster > 1 else []
        parts += [f"samples{self.samples}"] if self.samples > 1 else []
        parts += [f"tasks{self.tasks}"] if self.tasks > 1 else []
        parts += [f"level{self.level:g}"] if self.level != LEVEL else []
        return "-".join(parts)


# Declared before any was run: sizes from the smallest to the largest, agreement from none to nearly
# all, then what else evaluation matrices have, one at a time.
CELLS: tuple[Cell, ...] = (
    Cell(items=50, configs=20, agreement=0.0),
    Cell(items=50, configs=20, agreement=0.8),
    Cell(items=200, configs=2, agreement=0.5),
    Cell(items=200, configs=20, agreement=0.0),
    Cell(items=200, configs=20, agreement=0.5),
    Cell(items=200, configs=20, agreement=0.8),
    Cell(items=200, configs=20, agreement=0.95),
    Cell(items=200, configs=20, agreement=0.8, spread=0.03),
    Cell(items=200, configs=20, agreement=0.8, cluster=5),
    Cell(items=200, configs=20, agreement=0.8, samples=5),
    Cell(items=1000, configs=100, agreement=0.8),
    Cell(items=1000, configs=100, agreement=0.8, spread=0.03),
    Cell(items=500, configs=1000, agreement=0.8, runs=40),
    Cell(items=5000, configs=1000, agreement=0.8, runs=20),
    # The corners of the same ranges, and more of what evaluation matrices have; declared later,
    # and also before any was run.
    Cell(items=50, configs=2, agreement=0.95),
    Cell(items=50, configs=20, agreement=0.95),
    Cell(items=50, configs=1000, agreement=0.5, runs=40),
    Cell(items=200, configs=1000, agreement=0.0, runs=40),
    Cell(items=200, configs=1000, agreement=0.95, runs=40),
    Cell(items=5000, configs=2, agreement=0.0),
    Cell(items=5000, configs=20, agreement=0.95),
    Cell(items=1000, configs=100, agreement=0.8, cluster=10),
    Cell(items=200, configs=20, agreement=0.0, cluster=5),
    Cell(items=50, configs=20, agreement=0.8, samples=5),
    Cell(items=1000, configs=20, agreement=0.8, samples=2),
    Cell(items=200, configs=100, agreement=0.8, cluster=5, samples=5),
    Cell(items=300, configs=20, agreement=0.8, tasks=5),
    Cell(items=100, configs=20, agreement=0.8, level=0.95),
    Cell(items=100, configs=20, agreement=0.8, samples=5, level=0.95),
)


def list_tasks(cell: Cell) -> NDArray[np.int64]:
    """Return the task of every item; the last task has as many times the items as there are."""
    sizes = np.arange(1, cell.tasks + 1)
    return np.searchsorted(
        np.cumsum(sizes) / sizes.sum(), (np.arange(cell.items) + 0.5) / cell.items
    )


def list_shifts(cell: Cell) -> NDArray[np.float64]:
    """Return how much easier each task is, in standard deviations of an item."""
    return np.linspace(-0.5, 0.5, cell.tasks) if cell.tasks > 1 else np.zeros(1)


def draw_levels(cell: Cell, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return how good every configuration is, on items of a task that is neither hard nor easy."""
    return np.clip(cell.level + cell.spread * rng.standard_normal(cell.configs), 0.02, 0.98)


def true_scores(cell: Cell, levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the true score of every configuration: the mean of those on all tasks."""
    return ndtr(ndtri(levels)[:, None] + list_shifts(cell)).mean(axis=1)


def draw_matrix(
    cell: Cell, levels: NDArray[np.float64], rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return scores (n, C, R) of 0 and 1, and the cluster of every item."""
    n, configs, samples = cell.items, cell.configs, cell.samples
    clusters = np.arange(n) // cell.cluster
    shared = rng.standard_normal(n)
    if cell.cluster > 1:
        common = rng.standard_normal(clusters[-1] + 1)[clusters]
        shared = np.sqrt(TOGETHER) * common + np.sqrt(1.0 - TOGETHER) * shared
    rest = 1.0 - cell.agreement
    base = np.sqrt(cell.agreement) * shared[:, None] - list_shifts(cell)[list_tasks(cell)][:, None]
    if samples > 1:
        base = base + np.sqrt(rest * OWN) * rng.standard_normal((n, configs))
        rest *= 1.0 - OWN
    level = (ndtri(levels) - base) / np.sqrt(rest)  # (n, C)
    chance = ndtr(level)
    passed = rng.random((n, configs, samples)) < chance[:, :, None]
    return passed.astype(np.float32), clusters


def make_scores(cell: Cell, matrix: NDArray[np.float32], clusters: NDArray[np.int64]) -> en.Scores:
    """Return a matrix as evidence; clusters and tasks are told."""
    return en.Scores(
        matrix,
        limits=(0, 1),
        groups=clusters if cell.cluster > 1 else None,
        tasks=list_tasks(cell) if cell.tasks > 1 else None,
    )
