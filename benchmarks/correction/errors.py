"""The reported standard error of a corrected score over the standard deviation of the score."""

from __future__ import annotations

import numpy as np

import earnest as en

SAMPLES = 120
METRICS = ("accuracy", "roc_auc", "log_loss", "r2")


def drawn_table(
    metric: str, n: int, configs: int, lead: float, rng: np.random.Generator
) -> en.Predictions:
    """Return predictions of equal configurations, of which the first may lead."""
    noise = np.sqrt(0.3) * rng.standard_normal((n, 1)) + np.sqrt(0.7) * rng.standard_normal(
        (n, configs)
    )
    first, fold = lead * (np.arange(configs) == 0), np.arange(n) % 5
    if metric == "r2":
        y = rng.standard_normal(n)
        return en.Predictions.from_arrays(y, y[:, None] + (0.7 - 0.2 * first) * noise, fold)
    y = np.arange(n) // 5 % 2
    logit = 1.5 * ((1 + first) * (y[:, None] - 0.5) * 1.5 + noise)
    return en.Predictions.from_arrays(y, 1 / (1 + np.exp(-logit)), fold)


def ratios(
    metric: str, n: int, configs: int, lead: float, samples: int = SAMPLES
) -> tuple[float, float, float]:
    """Return the error and the spread of draws over the deviation of the value, and of optimism."""
    rng = np.random.default_rng([n, configs])
    rows = []
    for seed in range(samples):
        pi = drawn_table(metric, n, configs, lead, rng)
        made = en.estimate(pi, method=en.methods.BBC(n_resamples=500), metric=metric, rng=seed)
        errors = made.standard_error, np.nanstd(made.draws), made.optimism_error
        rows.append([made.value, made.optimism, *errors])
    table = np.array(rows, dtype=float)
    value, optimism = table[:, 0].std(), max(table[:, 1].std(), 1e-12)
    means = table[:, 2:].mean(axis=0)
    return means[0] / value, means[1] / value, means[2] / optimism


def main() -> None:
    """Print the ratios of every cell."""
    for metric in METRICS:
        for n in (100, 200):
            for configs, lead in ((1, 0.0), (20, 0.0), (20, 0.3)):
                error, spread, optimism = ratios(metric, n, configs, lead)
                cell = f"{metric} n={n} configurations={configs} lead={lead}"
                print(
                    f"{cell}: error {error:.2f}, spread of draws {spread:.2f}, error of the "
                    f"optimism {optimism:.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
