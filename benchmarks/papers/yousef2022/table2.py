"""Tables 2 and 3, and the decomposition of equation 63: bootstrap estimates of the AUC of QDA.

python -m benchmarks.papers.yousef2022.table2 --trials 1000

Normal classes in 5 dimensions with a squared Mahalanobis distance of .8, n of each class, 100
bootstrap samples drawn within classes. The estimates are the product's: AUC(*), .632, .632+ with
the literal rule of (57c), with the continuous one, and the apparent AUC.
"""

from __future__ import annotations

import argparse
import csv

import numpy as np

import earnest as en
from benchmarks.papers.yousef2022.discriminants import check
from benchmarks.papers.yousef2022.trials import HERE, Floats, draw, keep, kept, replicates, truth
from earnest.inference.left_out.scores import apparent_score, left_out_scores
from earnest.methods.bootstrap.b632 import weighted
from earnest.methods.bootstrap.b632plus import plus
from earnest.metrics import metric

SIZES = (20, 22, 25, 28, 33, 40, 50, 66, 100, 200)
REPLICATES, P, DISTANCE2 = 100, 5, 0.8
C = float(np.sqrt(DISTANCE2 / P))
NAMES = ("true", "star", ".632", ".632+", ".632+ continuous", "apparent")
BLOCK = 50  # trials between two savings
AUC = metric("roc_auc")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--trials", type=int, default=1000)
    asked = parser.parse_args()
    check()
    for n in asked.sizes:
        run(n, asked.trials)
        write()


def run(n: int, trials: int) -> None:
    """Run the trials of one size that are not done."""
    rows = kept(f"table2_n{n}", len(NAMES))
    while len(rows) < trials:
        more = [one(n, seed) for seed in range(len(rows), min(trials, len(rows) + BLOCK))]
        rows = np.vstack([rows, more])
        keep(f"table2_n{n}", rows)
        print(n, len(rows), rows.mean(axis=0).round(4), flush=True)


def one(n: int, seed: int) -> list[float]:
    """Return the true AUC of one training set, and what the estimators say of it."""
    rng = np.random.default_rng([seed, n])
    X, y = draw(rng, n, P, C)
    made = replicates("qda", X, y, REPLICATES, seed)
    apparent = apparent_score(made, AUC)
    star = float(np.nanmean(left_out_scores(made, AUC)))
    rest = [plus(apparent, star, 0.5, 1.0, as_published=literal)[0] for literal in (True, False)]
    found = [truth("qda", X, y, C), star, weighted(apparent, star), *rest, apparent]
    if seed < 2:  # the shortcut is what `estimate` says
        methods = ("err_star", ".632", en.B632Plus(rule="as_published"), ".632+", "apparent")
        asked = [en.estimate(made, method=m, metric="roc_auc").value for m in methods]
        assert np.allclose(asked, found[1:]), (asked, found)
    return found


def write() -> None:
    """Write table 2, table 3 and the decomposition from what is kept."""
    expected = _expected("expected_table2.csv")
    rows, parts = [], []
    for n in SIZES:
        done = kept(f"table2_n{n}", len(NAMES))
        if len(done) < 2:
            continue
        for name, row in summary(done).items():
            known = expected.get((str(n), name), {})
            rows.append({"n": n, "estimator": name, "trials": len(done), **beside(row, known)})
        parts += [{"n": n, "estimator": name, **row} for name, row in decomposed(done).items()]
    _write("results_table2.csv", rows)
    _write("results_equation63.csv", parts)
    _table3(rows)


def summary(done: Floats) -> dict[str, dict[str, float]]:
    """Return mean, sd, rms about the conditional and the mean truth, and the correlation."""
    true, out = done[:, 0], {}
    for name, found in zip(NAMES, done.T, strict=True):
        out[name] = {
            "mean": found.mean(),
            "sd": found.std(ddof=1),
            "rms": np.sqrt(np.square(found - true).mean()),
            "rms_am": np.sqrt(np.square(found - true.mean()).mean()),
            "rho": np.corrcoef(found, true)[0, 1],
        }
    return out


def beside(row: dict[str, float], known: dict[str, str]) -> dict[str, object]:
    """Return our numbers beside the published ones."""
    out: dict[str, object] = {}
    for name, value in row.items():
        out[name] = f"{value:.4f}"
        out[f"{name}_published"] = known.get(name, "")
    return out


def decomposed(done: Floats) -> dict[str, dict[str, str]]:
    """Return the four parts of equation 63 for every estimator."""
    true, out = done[:, 0], {}
    for name, found in zip(NAMES[1:], done.T[1:], strict=True):
        scale = found.std() * true.std()
        parts = {
            "mse_conditional": np.square(found - true).mean() / scale,
            "mse_mean": np.square(found - true.mean()).mean() / scale,
            "sd_ratio": true.std() / found.std(),
            "rho": np.corrcoef(found, true)[0, 1],
        }
        rest = parts["mse_mean"] + parts["sd_ratio"] - 2 * parts["rho"]
        assert np.isclose(parts["mse_conditional"], rest)
        out[name] = {part: f"{value:.4f}" for part, value in parts.items()}
    return out


def _table3(rows: list[dict[str, object]]) -> None:
    known = {line["estimator"]: line["rms"] for line in _lines("expected_table3.csv")}
    out = []
    for name in NAMES[1:]:
        mine = [float(str(row["rms"])) for row in rows if row["estimator"] == name]
        published = known.get(name, "")
        out.append(
            {
                "estimator": name,
                "sizes": len(mine),
                "rms": f"{np.mean(mine):.5f}",
                "rms_published": published,
            }
        )
    _write("results_table3.csv", out)


def _expected(name: str) -> dict[tuple[str, str], dict[str, str]]:
    return {(line["n"], line["estimator"]): line for line in _lines(name)}


def _lines(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="") as file:
        return list(csv.DictReader(file))


def _write(name: str, rows: list[dict[str, object]]) -> None:
    with (HERE / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
