"""`tune` with an ensemble, end to end; and a plan that repeats a run to the byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import earnest as en
from earnest import load_model
from earnest.errors import FormatError
from earnest.store import read_run
from earnest.training import AveragedRegressor
from earnest.training.tune import job as tune_job
from earnest.training.tune import options
from tests.training.tune.test_tune import Never
from tests.training.tune_tables import of, portfolio

SAME = ("predictions.parquet", "estimate.json", "model.skops", "plan.json")


@pytest.fixture
def quick(tmp_path: Path) -> dict[str, Any]:
    return {
        "n_configs": 4,
        "folds": 4,
        "rng": 7,
        "n_jobs": 1,
        "portfolio": portfolio(tmp_path),
        "target": "y",
        "ensemble": "greedy",
    }


@pytest.fixture
def table() -> pd.DataFrame:
    """A line and a step: a linear model and a tree each know one of them."""
    rng = np.random.default_rng(5)
    x = rng.standard_normal((240, 3))
    y = x[:, 0] + 1.5 * (x[:, 1] > 0) + 0.8 * rng.standard_normal(240)
    return pd.DataFrame(x, columns=["a", "b", "c"]).assign(y=y)


def test_an_ensemble_is_tuned_kept_and_told(
    table: pd.DataFrame, tmp_path: Path, quick: dict[str, Any]
) -> None:
    found = en.tune(table, out=tmp_path / "run", **quick)
    shares = found.estimate.ensemble
    assert shares is not None
    assert len(shares) > 1
    assert found.estimate.winner is None
    assert isinstance(found.model.estimator, AveragedRegressor)
    assert found.n_fits == 4 * 4 + len(shares)
    kept = load_model(tmp_path / "run")
    new = table.head(20)
    np.testing.assert_array_equal(kept.predict(new).scores, found.model.predict(new).scores)
    members = zip(kept.estimator.estimators_, shares.values(), strict=True)  # type: ignore[attr-defined]
    X = kept.schema.read(en_columns(new)).X
    expected = sum(share * one.predict(X) for one, share in members)
    np.testing.assert_allclose(kept.predict(new).scores, expected)
    written = json.loads((tmp_path / "run" / "estimate.json").read_text(encoding="utf-8"))
    assert written["ensemble"] == dict(shares)
    page = en.report(tmp_path / "run").to_html()
    assert all(name in page for name in shares)
    assert en.report(found).to_markdown().count("| weight 0.") == len(shares)


def test_an_ensemble_has_subgroups_thresholds_and_a_gain(
    table: pd.DataFrame, tmp_path: Path, quick: dict[str, Any]
) -> None:
    y = np.where(table["y"] > table["y"].median(), "yes", "no")
    site = np.tile(["north", "south"], len(table) // 2)
    asked = {**quick, "n_configs": 2, "folds": 3, "by": "site"}
    found = en.tune(table.assign(y=y, site=site), out=tmp_path / "run", **asked)
    groups = found.estimate.subgroups
    assert groups is not None
    assert groups.n_members == len(found.estimate.ensemble or ())
    assert groups["site", "north"].n_cases == groups["site", "south"].n_cases == len(table) // 2
    assert all(each.judged for each in groups)
    written = json.loads((tmp_path / "run" / "estimate.json").read_text(encoding="utf-8"))
    assert written["subgroups"]["n_members"] == groups.n_members
    content = en.report(tmp_path / "run").content
    for part in (content.gain, content.thresholds, content.subgroups):
        assert part is not None
    tables = [content.results[name] for name in ("thresholds", "subgroups")]
    assert [each["n_members"] for each in tables] == [groups.n_members] * 2
    several = groups.n_members if (groups.n_members or 0) > 1 else None
    assert content.results["gain"].get("n_members") == several


def test_a_report_of_an_ensemble_draws_the_ensemble() -> None:
    """Its curves are those of cross-fitted predictions: their area is the estimate."""
    from earnest.core import Seeds
    from earnest.inference import blend
    from earnest.inference.curves.calibration import judge_estimate
    from earnest.inference.resampling.ensembles import cross_fit, read_rule
    from earnest.reporting.parts.curves import curves_of
    from earnest.reporting.sources.asking import Results
    from earnest.reporting.sources.material import Material
    from earnest.reporting.sources.subject import find_subject

    rng = np.random.default_rng(3)
    y = np.tile([0, 1], 60)
    p = 1 / (1 + np.exp(-(y[:, None] - 0.5 + 1.5 * rng.standard_normal((120, 6)))))
    pi = en.Predictions.from_arrays(y, p, fold=np.arange(120) // 2 % 5)
    metric = en.metric("roc_auc")
    made = en.estimate(
        pi, metric=metric, selector=en.rules.GreedyEnsemble(size=6), rng=4, n_resamples=80
    )
    assert made.winner is None
    material = Material(
        source="pi",
        speaker="the search",
        title="AUC",
        scale=metric.scale,
        metric=metric,
        predictions=pi,
        estimate=made,
    )
    subject = find_subject(made, pi, metric)
    part = curves_of(
        Results(
            material=material,
            estimate=made,
            subject=subject,
            calibration=judge_estimate(made, pi, metric),
        )
    )
    assert part is not None
    panels = {panel.heading: panel for panel in (*part.square, *part.wide)}
    assert set(panels) == {"ROC", "Precision and recall", "Calibration", "Score in each fold"}
    assert all(panel.corrected for panel in panels.values())
    roc = panels["ROC"].data["curve"]
    assert roc.area == made.value
    assert roc.own_area == pytest.approx(made.naive, abs=1e-12)
    shares = np.array([[(made.ensemble or {}).get(name, 0.0) for name in pi.configs.ids]])
    own = blend(pi, shares).responses[:, 0, 0]
    assert roc.own_area == pytest.approx(roc_auc_score(y, own), abs=1e-12)
    rule = read_rule(str(made.provenance.knobs["selector"]))
    assert rule is not None
    crossed = cross_fit(pi, metric.on("binary"), rule, Seeds(4), n_partitions=2)
    assert crossed is not None
    decided = np.mean([(crossed.responses[:, 0, r] > 0.5) == y for r in range(2)])
    assert part.confusion is not None
    right = sum(row.found.value * 60 for row in part.confusion.rows if row.found is not None)
    assert right / 120 == pytest.approx(decided, abs=1e-9)


def en_columns(frame: pd.DataFrame) -> Any:
    from earnest.training import open_training_table

    return open_training_table(frame, delimiter=None, decimal=None, thousands=None)


def test_an_ended_run_with_an_ensemble_goes_on_to_the_same_bytes(
    table: pd.DataFrame, tmp_path: Path, quick: dict[str, Any]
) -> None:
    en.tune(table, out=tmp_path / "whole", **quick)

    class Ends:
        def start(self, total: int, title: str = "") -> None: ...
        def drop(self, count: int) -> None: ...
        def finish(self) -> None: ...
        def advance(self, outcome: object, *, stored: bool = False) -> None:
            self.left = getattr(self, "left", 6) - 1
            if not self.left:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        en.tune(table, out=tmp_path / "ended", progress=Ends(), **quick)
    assert 0 < len(read_run(tmp_path / "ended" / "run.db").outcomes) < 16
    en.tune(table, out=tmp_path / "ended", resume=True, **quick)
    for name in SAME:
        one, other = (tmp_path / folder / name for folder in ("whole", "ended"))
        assert one.read_bytes() == other.read_bytes(), name


def test_a_plan_says_what_was_tried_and_repeats_it_to_the_byte(
    tmp_path: Path, quick: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {**quick, "target": "relapse", "ensemble": "none", "n_configs": 3, "folds": 3}
    monkeypatch.setattr(tune_job, "Clock", Never)  # the time is over when two are complete
    first = en.tune(of("relapse"), out=tmp_path / "first", **given)
    monkeypatch.undo()
    plan = json.loads((tmp_path / "first" / "plan.json").read_text(encoding="utf-8"))
    assert plan["configs"] == list(first.predictions.configs.ids)
    assert len(plan["configs"]) == 2
    again = {name: value for name, value in given.items() if name != "rng"}
    second = en.tune(
        of("relapse"), out=tmp_path / "second", plan=tmp_path / "first" / "plan.json", **again
    )
    assert second.estimate.value == first.estimate.value
    for name in ("predictions.parquet", "model.skops", "plan.json"):
        one, other = (tmp_path / folder / name for folder in ("first", "second"))
        assert one.read_bytes() == other.read_bytes(), name


def test_a_plan_of_other_folds_is_repeated_on_as_many(
    tmp_path: Path, quick: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {**quick, "target": "relapse", "ensemble": "none", "folds": 3, "drop": "bced"}
    monkeypatch.setattr(tune_job, "Clock", Never)
    en.tune(of("relapse"), out=tmp_path / "first", **given)
    monkeypatch.undo()
    en.tune(of("relapse"), out=tmp_path / "second", plan=tmp_path / "first", **given)
    one, other = (tmp_path / name / "predictions.parquet" for name in ("first", "second"))
    assert one.read_bytes() == other.read_bytes()


def test_a_plan_of_another_tuning_and_no_plan_are_refused(
    tmp_path: Path, quick: dict[str, Any]
) -> None:
    given = {**quick, "target": "relapse", "ensemble": "none", "n_configs": 2, "folds": 3}
    en.tune(of("relapse"), out=tmp_path / "first", **given)
    with pytest.raises(en.errors.InputError, match="folds 3 there, 4 now"):
        en.tune(of("relapse"), plan=tmp_path / "first" / "plan.json", **{**given, "folds": 4})
    with pytest.raises(FormatError):
        en.tune(of("relapse"), plan=tmp_path / "none.json", **given)
    (tmp_path / "odd.json").write_text("{}", encoding="utf-8")
    with pytest.raises(FormatError):
        en.tune(of("relapse"), plan=tmp_path / "odd.json", **given)


def test_an_unknown_ensemble_is_refused() -> None:
    with pytest.raises(en.errors.InputError, match="ensemble"):
        options.TuneOptions(target="y", ensemble="greed")
