"""Winners and numbers that every machine must give.

`python -m tests.golden.everywhere` remakes their file, which holds twelve digits; machines agree to
1e-10 (decision 0002).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import earnest as en
from earnest.testing import example_predictions

FILE = Path(__file__).parent / "everywhere.json"
DIGITS = 12

ESTIMATES = [
    *(
        ("binary", metric, "bbc")
        for metric in ("roc_auc", "average_precision", "brier", "log_loss")
    ),
    *(("regression", metric, "bbc") for metric in ("mse", "r2", "spearman", "pearson")),
    ("multiclass", "log_loss", "bbc"),
    ("multiclass", "roc_auc_ovr", "bbc"),
    ("survival", "concordance", "bbc"),
    *(
        ("binary", "roc_auc", method)
        for method in ("bbc_fold", "tibshirani", "nb", "delong", "mabt")
    ),
    *(
        ("regression", "mse", method)
        for method in ("bbc_fold", "tibshirani", "tilted", "mabt", "cv")
    ),
]
COMPARISONS = [
    ("regression", "mse", "bayle"),
    ("regression", "mse", "sign_flip"),
    ("regression", "mae", "bootstrap"),
    ("binary", "roc_auc", "delong"),
    ("binary", "log_loss", "sign_flip"),
]


def compute_answers() -> dict[str, dict[str, Any]]:
    """Return the winner or the pair, the value and the limits of every question."""
    answers: dict[str, dict[str, Any]] = {}
    for task, metric, method in ESTIMATES:
        made = en.estimate(example_predictions(task), metric=metric, method=method, rng=0)
        answers[f"{task} {metric} {method}"] = {
            "winner": str(made.winner),
            "numbers": [made.value, made.naive, *_limits(made.interval)],
        }
    for task, metric, test in COMPARISONS:
        pair = en.compare(example_predictions(task), 0, 1, metric=metric, test=test, rng=0)
        answers[f"{task} {metric} {test}"] = {
            "winner": None,
            "numbers": [pair.difference, pair.p_value, *_limits(pair.interval)],
        }
    return answers


def _limits(interval: Any) -> list[float]:
    return [] if interval is None else [interval.low, interval.high]


def main() -> None:
    """Write the file anew; read the difference."""
    answers = compute_answers()
    for answer in answers.values():
        answer["numbers"] = [
            n if n is None else float(f"{n:.{DIGITS}g}") for n in answer["numbers"]
        ]
    FILE.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
