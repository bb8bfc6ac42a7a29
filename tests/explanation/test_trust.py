"""Where the surrogate predicts nothing, no view says that a hyperparameter matters."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import earnest as en
from benchmarks.explanation.trust import RESULTS
from earnest.cli.show.explanation import show_explanation
from earnest.core import Seeds
from earnest.explanation.result import find_leading, find_most_important
from earnest.explanation.suggest import Suggestion
from earnest.explanation.surrogate.gaussian_process import GaussianProcess
from earnest.explanation.surrogate.quality import (
    FAIR,
    NOT_SHOWN,
    POOR,
    Trust,
    cross_validated,
    judge_trust,
)
from earnest.plotting.svg.effects import importance as draw_importance
from earnest.reporting import content_of_explanation
from earnest.results import Explanation, Report
from tests.explanation.scenes import mixed_trials

KNOBS: dict[str, Any] = {"n_points": 60, "grid_size": 5, "regions": 2}


def of_noise(seed: int) -> Explanation:
    """Explain twelve trials of three hyperparameters that do nothing."""
    rng = np.random.default_rng(seed)
    configs = [dict(zip("abc", row, strict=True)) for row in rng.random((12, 3)).tolist()]
    values = rng.standard_normal(12)
    return en.explain(configs, objective_values=values, direction="maximize", rng=seed, **KNOBS)


@pytest.fixture(scope="module")
def unshown() -> Explanation:
    """Of the noise that would have a name, the first."""
    searches = (of_noise(seed) for seed in range(40))
    return next(found for found in searches if find_leading(found.importance))


def test_the_verdict_follows_from_the_r2_alone() -> None:
    assert judge_trust(POOR) is Trust.SHOWN
    assert judge_trust(np.nextafter(POOR, -1)) is Trust.NOT_SHOWN
    assert judge_trust(float("nan")) is Trust.NOT_SHOWN


def test_thresholds_are_those_above_which_one_name_in_ten_or_twenty_is_wrong() -> None:
    with RESULTS.open(encoding="utf-8") as file:
        rows = [(float(r["r2_from"]), float(r["wrong_share"])) for r in csv.DictReader(file)]
    for most, threshold in ((0.1, POOR), (0.05, FAIR)):
        reached = [low for low, share in rows if share >= most]
        assert min(low for low, _ in rows if low > max(reached)) == threshold


def test_twelve_trials_of_noise_name_nothing(unshown: Explanation) -> None:
    assert unshown.surrogate_quality.r2 < POOR
    assert unshown.trust is unshown.importance.trust is Trust.NOT_SHOWN
    assert find_most_important(unshown.importance) not in unshown.finding
    assert unshown.finding.startswith(NOT_SHOWN)
    assert unshown.to_dict()["trust"] == "not_shown"
    assert Explanation.from_dict(unshown.to_dict()).trust is Trust.NOT_SHOWN
    assert en.explain(mixed_trials(50), rng=1, **KNOBS).trust is Trust.SHOWN


def test_every_view_says_it(unshown: Explanation, capsys: pytest.CaptureFixture[str]) -> None:
    show_explanation(unshown)
    report = Report(content_of_explanation(unshown, ()))
    figure, axes = unshown.plot().figure, unshown.importance.plot()
    views = {
        "repr": repr(unshown),
        "terminal": " ".join(capsys.readouterr().out.split()),
        "notebook": unshown._repr_html_(),
        "page": report.to_html(),
        "markdown": report.to_markdown(),
        "table": unshown.to_latex(),
        "figure of effects": figure.get_suptitle(),
        "figure of importance": axes.get_title(loc="left"),
        "picture of importance": draw_importance(unshown.importance, name="i").label,
    }
    plt.close("all")
    lacking = [name for name, view in views.items() if NOT_SHOWN.lower() not in view.lower()]
    assert not lacking
    shown = replace(unshown, importance=replace(unshown.importance, trust=Trust.SHOWN))
    assert not shown.plot().figure.get_suptitle()
    assert NOT_SHOWN not in repr(shown)
    plt.close("all")


def test_what_a_poor_surrogate_says_is_not_shown(
    unshown: Explanation, capsys: pytest.CaptureFixture[str]
) -> None:
    show_explanation(unshown, [Suggestion({"a": 0.5}, 0.2, 0.1, 0.1)])
    terminal = " ".join(capsys.readouterr().out.split())
    for words in ("share of variance", "Share of variance", "lies where", "Regions", "Try next"):
        assert words not in terminal, words
    assert f"{unshown.best_value:.4g}" in terminal  # what was measured
    part = content_of_explanation(unshown).learned
    assert part is not None
    assert part.untrusted
    shown = (part.importance, part.effects, part.flat, part.regions, part.next)
    assert not any(shown)
    assert part.winner is None
    assert any(f"{unshown.best_value:.4g}" in dict(group.rows).values() for group in part.numbers)
    page = Report(content_of_explanation(unshown)).to_html()
    assert 'class="panels effects"' not in page
    assert "Which hyperparameters matter" not in page


def of_few(seed: int) -> en.Trials:
    """Return 24 trials of which a surrogate explains about half."""
    rng = np.random.default_rng(seed)
    points = rng.random((24, 2))
    values = points[:, 0] + 0.3 * rng.standard_normal(24)
    configs = [dict(zip("ab", row, strict=True)) for row in points.tolist()]
    return en.Trials.from_configs(configs, values, direction="maximize")


def test_whether_an_explanation_is_shown_does_not_depend_on_its_seed() -> None:
    """Trials of seed 3, four seeds of the explanation."""
    trials = of_few(3)
    r2 = {en.explain(trials, rng=seed, **KNOBS).surrogate_quality.r2 for seed in range(4)}
    assert len(r2) == 1


def test_r2_over_repeated_splits_varies_less_than_that_of_one() -> None:
    """Trials of seed 3, splits of seeds 0 to 7.

    The variance of a mean of ten independent splits is a tenth of that of one; a third is asked
    for.
    """
    surrogate, trials = GaussianProcess(restarts=0), of_few(3)
    one, ten = (
        [cross_validated(surrogate, trials, Seeds.of(s), n_repeats=n).r2 for s in range(8)]
        for n in (1, 10)
    )
    assert np.var(ten) < np.var(one) / 3
    assert np.mean(ten) == pytest.approx(np.mean(one), abs=4 * np.std(one) / np.sqrt(8))
