"""What a model does with three columns, made by hand."""

from __future__ import annotations

import earnest as en
from earnest.results import ColumnEffect, ColumnImportance, ModelExplanation


def explain_columns() -> ModelExplanation:
    """Return an explanation with a column alone, columns together and all others."""
    ages = {"mean": (0.1, 0.4, 0.3), "low": (0.1, 0.3, 0.2), "high": (0.2, 0.5, 0.4)}
    sites = {"mean": (0.2, 0.25), "low": (0.2, 0.2), "high": (0.2, 0.3)}
    return ModelExplanation(
        model="elastic net, C 1",
        predicted="the probability of 'yes'",
        scale=en.metric("roc_auc").scale,
        score=0.81,
        importances=(
            ColumnImportance(("age",), "column", 0.12, 0.05, 0.19),
            ColumnImportance(("weight", "Größe"), "together", 0.04, -0.01, 0.09),
            ColumnImportance(("site", "day"), "others", -0.001, -0.01, 0.008),
        ),
        effects=(
            ColumnEffect(
                column="age",
                predicted="P(yes)",
                grid=("20", "40", "60"),
                places=(20.0, 40.0, 60.0),
                **ages,
            ),
            ColumnEffect(column="site", predicted="P(yes)", grid=("Graz", "Wien"), **sites),
        ),
        n_cases=90,
        n_cases_in_all=120,
        n_columns=5,
        n_models=5,
        n_permutations=4,
        n_cases_of_effects=60,
        confidence_level=0.95,
        seed=7,
        seconds=1.5,
    )
