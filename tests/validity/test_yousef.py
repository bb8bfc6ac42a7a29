"""Tables 2 and 4 of Yousef 2022: bootstrap estimates, their standard errors and their intervals."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.inference import leave_pair_out, pairs_of
from tests.validity.yousef_runs import GOLDEN, disagreement, table2, table4

pytestmark = pytest.mark.slow
RATES = ["AUC_LDA", "AUC_QDA", "AUC_diff", "ERR_LDA", "ERR_QDA"]


@pytest.fixture(scope="module", params=[(200, 400), (1000, 100)], ids=["B=200", "B=1000"])
def runs(request: pytest.FixtureRequest) -> tuple[str, dict[str, np.ndarray]]:
    replicates, trials = request.param
    return str(replicates), table4(trials=trials, replicates=replicates, seed=11)


@pytest.mark.parametrize("name", RATES)
def test_standard_errors_agree_with_the_reference(
    runs: tuple[str, dict[str, np.ndarray]], name: str
) -> None:
    """Seed 11; four standard errors of both simulations."""
    replicates, found = runs
    reference = GOLDEN["table4"][replicates]
    assert disagreement(found[name], reference[name], reference["trials"]) < 4.0


@pytest.mark.parametrize("name", ["AUC_LDA", "AUC_QDA"])
def test_the_standard_error_is_that_of_table_4(
    runs: tuple[str, dict[str, np.ndarray]], name: str
) -> None:
    """Seed 11; four standard errors of our mean, and .004 for what the paper does not say (B)."""
    _, found = runs
    corrected = found[name][:, 3]
    published = GOLDEN["published"]["table4"][name]["E_se"]
    reach = 4 * corrected.std(ddof=1) / np.sqrt(len(corrected)) + 0.004
    assert abs(corrected.mean() - published) < reach
    spread = found[name][:, 0].std(ddof=1)
    # A standard deviation of m numbers has a relative error of 1 / sqrt(2 m).
    assert abs(spread / GOLDEN["published"]["table4"][name]["SD"] - 1) < 4 / np.sqrt(
        2 * len(corrected)
    )


@pytest.fixture(scope="module")
def estimates() -> dict[str, list[en.results.Estimate]]:
    return table2(trials=300, replicates=100, seed=12)


@pytest.mark.parametrize("name", ["true", "app", "star", "632", "632p_lit", "632p_cont"])
def test_estimates_agree_with_table_2(
    estimates: dict[str, list[en.results.Estimate]], name: str
) -> None:
    """Seed 12, 300 training sets; four standard errors of both sides, of mean and spread."""
    found = estimates[name]
    values = np.array(found if name == "true" else [answer.value for answer in found])
    for reference, trials in ((GOLDEN["table2"], 1000), (GOLDEN["published"]["table2"], 1000)):
        if name not in reference:  # the paper has the rule with the jump only
            continue
        mean, spread = reference[name]["mean"], reference[name]["SD"]
        error = np.sqrt(values.var(ddof=1) / len(values) + spread**2 / trials)
        assert abs(values.mean() - mean) < 4 * error
        relative = np.sqrt(0.5 / len(values) + 0.5 / trials)
        assert abs(values.std(ddof=1) / spread - 1) < 4 * relative


@pytest.mark.parametrize(
    ("name", "of", "least"),
    [
        ("lpob", "itself", 0.95),
        ("star", "itself", 0.95),
        ("632p_lit", "truth", 0.93),
        ("632p_cont", "truth", 0.9),
    ],
)
def test_intervals_hold_about_as_often_as_they_say(
    estimates: dict[str, list[en.results.Estimate]], name: str, of: str, least: float
) -> None:
    """Seed 12: of 300, three standard errors (1.3 % each) below the share that was found before.

    Those of cases left out are held against the mean of the estimate, since they are about
    training sets of .632 n; those of .632+ against the mean true AUC at n.
    """
    answers = estimates[name]
    values = np.array([answer.value for answer in answers])
    aim = values.mean() if of == "itself" else np.mean(np.array(estimates["true"], dtype=float))
    held = np.mean([aim in answer.interval for answer in answers])
    assert held > least - 3 * np.sqrt(0.95 * 0.05 / len(answers))


def concordances(trials: int, seed: int) -> np.ndarray:
    """Leave-pair-out concordance of a linear risk with its standard error: (trials, 2).

    Fifty cases with exponential times and censoring, three features of which one counts, and least
    squares of the negative logarithm of the time, on 300 bootstrap samples.
    """
    rows = []
    for number in range(trials):
        rng = np.random.default_rng([seed, number])
        x = np.column_stack([np.ones(50), rng.standard_normal((50, 3))])
        time, censored = rng.exponential(np.exp(-0.7 * x[:, 1])), rng.exponential(2.0, 50)
        event, seen = time <= censored, np.minimum(time, censored)
        counts = rng.multinomial(50, np.full(50, 0.02), size=300)
        squares = np.einsum("bn,ni,nj->bij", counts, x, x)
        aims = np.einsum("bn,ni,n->bi", counts, x, -np.log(seen))
        risk = np.linalg.solve(squares, aims[..., None])[..., 0] @ x.T
        target = en.Predictions.from_arrays((seen, event), seen, task="survival").target
        made = leave_pair_out(risk, counts, pairs_of(target))
        rows.append((made.value, made.standard_error))
    return np.array(rows)


def test_the_standard_error_of_the_concordance_index_is_its_spread() -> None:
    """Seed 3, 150 training sets: a standard deviation of 150 has an error of 6 %, three of those.

    The influence function is on the large side by up to 15 %, as for the AUC.
    """
    found = concordances(150, seed=3)
    ratio = found[:, 1].mean() / found[:, 0].std(ddof=1)
    assert 0.82 < ratio < 1.18 + 0.15
    held = np.abs(found[:, 0] - found[:, 0].mean()) < 1.96 * found[:, 1]
    assert held.mean() > 0.91 - 3 * 0.02
