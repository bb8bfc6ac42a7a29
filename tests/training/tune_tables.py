"""Small tables and a small portfolio for the tests of `tune`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

PORTFOLIO = """
format = 1
about = "Two quick models."
tasks = ["binary", "multiclass", "regression"]

[preprocessing]
indicator = true

[[selection]]
select = "none"

[[model]]
model = "elastic_net"
C = [1.0, 0.1, 0.01]
l1_ratio = 0.0

[[model]]
model = "linear_svm"
C = [0.1, 1.0]
"""


def portfolio(folder: Path) -> str:
    """Write the portfolio, five configurations, and return its path."""
    path = folder / "quick.toml"
    path.write_text(PORTFOLIO, encoding="utf-8")
    return str(path)


def patients(n: int = 90, seed: int = 0) -> pa.Table:
    """Make a table of two classes with numbers, a category, gaps, and columns to leave out."""
    rng = np.random.default_rng(seed)
    age = rng.normal(50, 10, n)
    sex = rng.choice(["f", "m"], n)
    risk = (age - 50) / 10 + (sex == "m") + rng.normal(0, 1, n)
    gaps = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n))
    return pa.table(
        {
            "patient_id": np.arange(1000, 1000 + n),
            "age": age,
            "sex": sex,
            "marker": pa.array(gaps, from_pandas=True),
            "smoker": rng.random(n) < 0.5,
            "seen": pa.array(np.arange(n, dtype=np.int32)).cast(pa.date32()),
            "site": np.full(n, "Graz"),
            "relapse": np.where(risk > 0.5, "yes", "no"),
            "score": risk,
            "grade": np.clip(np.round(risk) + 2, 1, 3).astype(int),
            "ward": np.arange(n) // 5,
        }
    )


def of(target: str, n: int = 90, keep: tuple[str, ...] = ()) -> pa.Table:
    """Return the table with one of its outcomes; `keep` names others to leave in."""
    outcomes = {"relapse", "score", "grade", "ward"} - {target, *keep}
    return patients(n).drop_columns(sorted(outcomes))
