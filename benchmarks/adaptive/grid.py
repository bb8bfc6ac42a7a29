"""The cells of the study of adaptive searches, and the file that declares them: `cells.csv`.

python -m benchmarks.adaptive.grid
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import read_rows, write_rows

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
SEED = 20_261_119


@dataclass(frozen=True)
class Cell:
    """One kind of search.

    Attributes
    ----------
    half : str
        'open' cells may be looked at while methods are developed, 'closed' ones are the check.
    sampler : str
        'evolution' changes one of the five best, 'climb' the best; 'strategy' draws around the best
        with steps that adapt, as CMA-ES does; 'gp' maximizes the expected improvement of a Gaussian
        process; 'halving' gives the best third more of the first parameter; 'tpe', 'cmaes' and
        'gpsampler' are Optuna's, the second with the package cmaes, the third with torch.
    space : str
        'masks': which of 20 features a ridge model uses, and its penalty. 'tree': five parameters
        of a decision tree. 'boosting': five of gradient boosting.
    metric : str
        What guides and is estimated.
    signal : str
        'none', 'some' or 'strong'.
    n, trials, group, repeats : int
        Cases, configurations, cases in a group, repeats of the five folds.
    runs : int
        How many samples are declared; a study that is cut short has fewer in every cell.
    """

    number: int
    half: str
    sampler: str
    space: str
    metric: str
    signal: str
    n: int
    trials: int
    group: int
    repeats: int
    runs: int


def cells() -> list[Cell]:
    """Return the declared cells."""
    few, most = 200, 400
    designs: list[tuple[str, str, str, str, int, int, int, int, int]] = [
        *(("evolution", "masks", "roc_auc", "none", n, 150, 1, 1, most) for n in (60, 100, 400)),
        *(("evolution", "masks", "roc_auc", "some", n, 150, 1, 1, most) for n in (40, 100, 400)),
        ("evolution", "masks", "roc_auc", "strong", 100, 150, 1, 1, most),
        *(("evolution", "masks", "roc_auc", "some", 100, t, 1, 1, most) for t in (20, 40, 401)),
        ("evolution", "masks", "roc_auc", "none", 100, 401, 1, 1, most),
        ("evolution", "masks", "roc_auc", "none", 200, 150, 5, 1, most),
        ("evolution", "masks", "roc_auc", "some", 200, 150, 5, 1, most),
        ("evolution", "masks", "roc_auc", "some", 100, 100, 1, 3, few),
        *(("evolution", "masks", "accuracy", s, 100, 150, 1, 1, most) for s in ("none", "some")),
        ("evolution", "masks", "accuracy", "strong", 60, 150, 1, 1, most),
        ("evolution", "masks", "accuracy", "some", 1000, 100, 1, 1, few),
        *(("evolution", "masks", "log_loss", s, 100, 150, 1, 1, most) for s in ("none", "some")),
        ("evolution", "masks", "log_loss", "strong", 200, 150, 1, 1, most),
        *(("evolution", "masks", "r2", s, 100, 150, 1, 1, most) for s in ("none", "some")),
        ("evolution", "masks", "r2", "strong", 60, 150, 1, 1, most),
        *(("evolution", "masks", "f1", s, 100, 150, 1, 1, most) for s in ("none", "some")),
        *(("climb", "masks", "roc_auc", s, 100, 150, 1, 1, most) for s in ("none", "some")),
        ("climb", "masks", "accuracy", "none", 200, 150, 1, 1, most),
        ("climb", "masks", "r2", "some", 200, 150, 1, 1, most),
        ("evolution", "tree", "roc_auc", "some", 150, 80, 1, 1, few),
        ("climb", "tree", "accuracy", "none", 150, 80, 1, 1, few),
        *(("tpe", "masks", "roc_auc", s, 100, 100, 1, 1, few) for s in ("none", "some")),
        *(("tpe", "tree", "roc_auc", s, 150, 80, 1, 1, few) for s in ("none", "some")),
        ("tpe", "tree", "accuracy", "some", 150, 80, 1, 1, few),
        ("strategy", "tree", "roc_auc", "none", 150, 80, 1, 1, few),
        ("tpe", "boosting", "roc_auc", "some", 300, 30, 1, 1, 60),
        *(("gp", "tree", "roc_auc", s, 150, 60, 1, 1, few) for s in ("some", "none")),
        ("strategy", "tree", "accuracy", "some", 150, 80, 1, 1, few),
        ("halving", "tree", "roc_auc", "some", 150, 81, 1, 1, few),
        ("halving", "boosting", "roc_auc", "none", 200, 27, 1, 1, 60),
        *(("evolution", "masks", "roc_auc_ovr", s, 150, 150, 1, 1, few) for s in ("none", "some")),
        ("evolution", "masks", "roc_auc", "none", 100, 1000, 1, 1, 100),
        ("evolution", "masks", "accuracy", "some", 100, 1000, 1, 1, 100),
        ("evolution", "masks", "roc_auc", "some", 2000, 100, 1, 1, 60),
        ("climb", "masks", "r2", "none", 2000, 100, 1, 1, 60),
        ("strategy", "tree", "roc_auc", "none", 150, 80, 1, 1, few),
        ("evolution", "masks", "log_loss", "strong", 100, 150, 1, 1, most),
        # Declared when the limits of scores that are no means were derived anew, before any ran.
        ("evolution", "masks", "r2", "some", 60, 150, 1, 1, most),
        ("evolution", "masks", "r2", "strong", 100, 150, 1, 1, most),
        ("climb", "masks", "r2", "none", 100, 150, 1, 1, most),
        ("evolution", "masks", "r2", "some", 40, 150, 1, 1, most),
        ("climb", "masks", "r2", "strong", 60, 150, 1, 1, most),
        ("climb", "masks", "r2", "strong", 80, 150, 1, 1, most),
        ("evolution", "masks", "f1", "strong", 80, 150, 1, 1, most),
        ("evolution", "masks", "f1", "none", 60, 150, 1, 1, most),
        ("evolution", "masks", "r2", "none", 400, 150, 1, 1, most),
        ("evolution", "masks", "r2", "some", 400, 150, 1, 1, most),
        ("cmaes", "tree", "roc_auc", "none", 150, 80, 1, 1, few),
        ("cmaes", "tree", "accuracy", "some", 150, 80, 1, 1, few),
        ("gpsampler", "tree", "roc_auc", "none", 150, 40, 1, 1, 60),
        ("gpsampler", "tree", "roc_auc", "some", 150, 40, 1, 1, 60),
        ("cmaes", "tree", "roc_auc", "some", 150, 80, 1, 1, few),
        ("cmaes", "tree", "roc_auc", "none", 100, 80, 1, 1, few),
    ]
    return [
        Cell(number, "open" if number % 2 == 0 else "closed", *design)
        for number, design in enumerate(designs)
    ]


def read() -> list[Cell]:
    """Return the cells of the file."""
    return read_rows(Cell, CELLS)


if __name__ == "__main__":
    write_rows(cells(), CELLS)
