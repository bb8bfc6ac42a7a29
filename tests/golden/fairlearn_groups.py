"""Write fairlearn.json: scores by group as fairlearn's MetricFrame computes them.

Needs fairlearn 0.15 and scikit-learn in an environment of their own: python fairlearn_groups.py.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn import metrics


def main() -> None:
    """Write the numbers."""
    import fairlearn
    from fairlearn.metrics import (
        MetricFrame,
        false_positive_rate,
        selection_rate,
        true_positive_rate,
    )

    rng = np.random.default_rng(12)
    n = 150
    y = rng.integers(0, 2, n)
    group = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    p = np.round(1 / (1 + np.exp(-(y - 0.5 + rng.standard_normal(n)))), 6)
    label = (p > 0.5).astype(int)
    of_labels = {
        "accuracy": metrics.accuracy_score,
        "balanced_accuracy": metrics.balanced_accuracy_score,
        "f1": metrics.f1_score,
        "precision": metrics.precision_score,
        "recall": metrics.recall_score,
        "sensitivity": true_positive_rate,
        "flagged": selection_rate,
        "false_positive_rate": false_positive_rate,
    }
    of_scores = {
        "roc_auc": metrics.roc_auc_score,
        "average_precision": metrics.average_precision_score,
        "log_loss": metrics.log_loss,
        "brier": metrics.brier_score_loss,
    }
    frames = [
        MetricFrame(metrics=of_labels, y_true=y, y_pred=label, sensitive_features=group),
        MetricFrame(metrics=of_scores, y_true=y, y_pred=p, sensitive_features=group),
    ]
    numbers = {
        name: {
            "by_group": {str(k): float(v) for k, v in frame.by_group[name].items()},
            "overall": float(frame.overall[name]),
            "difference": float(frame.difference()[name]),
        }
        for frame in frames
        for name in frame.by_group.columns
    }
    Path(__file__).with_name("fairlearn.json").write_text(
        json.dumps(
            {
                "versions": {
                    "fairlearn": fairlearn.__version__,
                    "scikit-learn": sklearn.__version__,
                },
                "y": y.tolist(),
                "group": group.tolist(),
                "p": p.tolist(),
                "numbers": numbers,
            },
            indent=1,
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
