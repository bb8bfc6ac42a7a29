"""An estimate goes to a run of MLflow whole: numbers, tags and files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import earnest as en
from earnest.errors import InputError


class Client:
    """Writes down what the client of MLflow is told."""

    def __init__(self) -> None:
        self.metrics: dict[str, float] = {}
        self.tags: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.runs: set[str] = set()

    def get_run(self, run_id: str) -> Any:
        return SimpleNamespace(data=SimpleNamespace(tags=dict(self.tags)))

    def log_metric(self, run_id: str, key: str, value: float) -> None:
        self.runs.add(run_id)
        self.metrics[key] = value

    def set_tag(self, run_id: str, key: str, value: str) -> None:
        self.runs.add(run_id)
        self.tags[key] = value

    def log_dict(self, run_id: str, dictionary: dict[str, Any], artifact_file: str) -> None:
        self.runs.add(run_id)
        self.files[artifact_file] = json.dumps(dictionary)

    def log_artifact(self, run_id: str, local_path: str, artifact_path: str) -> None:
        self.runs.add(run_id)
        path = Path(local_path)
        self.files[f"{artifact_path}/{path.name}"] = path.read_text(encoding="utf-8")


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    """A tracker with the active run 'active'."""
    made = Client()
    active = SimpleNamespace(info=SimpleNamespace(run_id="active"))
    library = SimpleNamespace(MlflowClient=lambda: made, active_run=lambda: active)
    monkeypatch.setitem(sys.modules, "mlflow", library)
    return made


@pytest.fixture(scope="module")
def made(binary: en.Predictions) -> en.results.Estimate:
    return en.estimate(binary, metric="roc_auc", rng=3, n_resamples=200)


def test_numbers_tags_and_json_are_logged_to_the_active_run(
    client: Client, made: en.results.Estimate
) -> None:
    assert en.results.log_estimate(made) == "active"
    assert client.runs == {"active"}
    assert client.metrics == made.to_metrics()
    assert client.tags["earnest.method"] == "bbc"
    assert client.tags["earnest.confidence_level"] == "0.95"
    assert client.tags["earnest.seed"] == "3"
    assert client.tags["earnest.estimand"] == made.estimand
    again = en.results.Estimate.from_dict(json.loads(client.files["earnest/estimate.json"]))
    assert again.value == made.value


def test_a_run_may_be_given_by_id_or_as_itself(client: Client, made: en.results.Estimate) -> None:
    assert en.results.log_estimate(made, "abc") == "abc"
    assert (
        en.results.log_estimate(made, SimpleNamespace(info=SimpleNamespace(run_id="xyz"))) == "xyz"
    )
    with pytest.raises(InputError, match="`run` is not a run"):
        en.results.log_estimate(made, 7)


def test_a_report_is_a_file_or_saves_itself(
    client: Client, made: en.results.Estimate, tmp_path: Path
) -> None:
    page = tmp_path / "mine.html"
    page.write_text("<p>", encoding="utf-8")
    en.results.log_estimate(made, report=page)
    saving = SimpleNamespace(save=lambda path: Path(path).write_text("<b>", encoding="utf-8"))
    en.results.log_estimate(made, report=saving)
    assert client.files["earnest/mine.html"] == "<p>"
    assert client.files["earnest/report.html"] == "<b>"


def test_a_report_that_is_not_there_is_refused_before_anything_is_logged(
    client: Client, made: en.results.Estimate, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="`report` does not exist"):
        en.results.log_estimate(made, report=tmp_path / "none.html")
    assert not client.metrics


def test_a_second_estimate_of_a_run_has_a_name_of_its_own(
    client: Client, made: en.results.Estimate
) -> None:
    en.results.log_estimate(made)
    en.results.log_estimate(made, name="holdout_auc")
    assert client.metrics["holdout_auc_low"] == client.metrics["roc_auc_low"]
    assert client.tags["earnest.holdout_auc.metric"] == "roc_auc"
    assert {"earnest/estimate.json", "earnest/holdout_auc.json"} <= set(client.files)


def test_without_a_run_or_an_estimate_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, made: en.results.Estimate
) -> None:
    idle = SimpleNamespace(MlflowClient=Client, active_run=lambda: None)
    monkeypatch.setitem(sys.modules, "mlflow", idle)
    with pytest.raises(InputError, match="start_run"):
        en.results.log_estimate(made)
    with pytest.raises(InputError, match="not an estimate"):
        en.results.log_estimate({"value": 1})  # type: ignore[arg-type]


def test_without_mlflow_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, made: en.results.Estimate
) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(InputError, match=r"\.\[mlflow\]"):
        en.results.log_estimate(made)


def test_a_second_estimate_never_writes_over_the_first(
    client: Client, made: en.results.Estimate, binary: en.Predictions
) -> None:
    en.results.log_estimate(made)
    en.results.log_estimate(made)  # the same again, as in a notebook
    with pytest.raises(InputError, match=r"another estimate.*confidence_level 0\.95"):
        en.results.log_estimate(made.at(confidence_level=0.9))
    assert client.tags["earnest.confidence_level"] == "0.95"
    en.results.log_estimate(made.at(confidence_level=0.9), name="roc_auc_90")
    assert client.tags["earnest.roc_auc_90.confidence_level"] == "0.9"


def test_a_second_metric_has_tags_and_a_file_of_its_own(
    client: Client, made: en.results.Estimate, binary: en.Predictions
) -> None:
    en.results.log_estimate(made)
    other = en.estimate(binary, metric="accuracy", rng=3, n_resamples=200)
    en.results.log_estimate(other)
    assert client.tags["earnest.metric"] == "roc_auc"
    assert client.tags["earnest.accuracy.metric"] == "accuracy"
    assert set(client.files) == {"earnest/estimate.json", "earnest/accuracy.json"}
    assert client.metrics == {**made.to_metrics(), **other.to_metrics()}
