"""Queries of trec_eval and images of pycocotools are items, with the numbers of their tools."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from earnest.adapters import list_tools, read_score_logs
from earnest.errors import FormatError, InputError
from tests.snapshots import Golden

FILES = Path(__file__).parents[1] / "files" / "scores"


def read_lines(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()]


@pytest.mark.parametrize("measure", ["map", "P_5", "ndcg_cut_10", "recip_rank"])
def test_queries_of_trec_eval_have_the_means_of_its_summary(measure: str) -> None:
    rows = read_score_logs(FILES / "trec", score=measure)
    assert list_tools(FILES / "trec") == ["trec_eval"]
    for name in ("bm25", "dense"):
        values = [
            score
            for config, score in zip(rows.config, rows.score, strict=True)
            if config == name and score is not None
        ]
        summary = {row[0]: row[2] for row in read_lines(FILES / "trec" / f"{name}.txt")}
        assert len(values) == int(summary["num_q"])
        assert np.mean(values) == pytest.approx(float(summary[measure]), abs=1e-4)  # 4 digits


@pytest.mark.parametrize("folder", ["trec_ir_measures", "trec_ir_measures_json"])
def test_queries_of_ir_measures_are_those_of_trec_eval(folder: str) -> None:
    theirs = en.scores_from(FILES / "trec", score="ndcg_cut_10")
    ours = en.scores_from(FILES / folder, score="nDCG@10")
    assert ours.parts.ids is not None
    assert theirs.parts.ids is not None
    assert ours.parts.ids.tolist() == theirs.parts.ids.tolist()
    np.testing.assert_allclose(ours.values[:11], theirs.values[:11], atol=1e-4)  # 4 digits


def test_a_query_that_a_run_lacks_is_said_and_counts_as_0_where_that_is_asked() -> None:
    rows = read_score_logs(FILES / "trec", score="map")
    assert [caution.code for caution in rows.cautions] == ["EN140"]
    scores = en.scores_from(FILES / "trec", score="map", incomplete="worst")
    assert scores.predictions.n_cases == 12
    assert scores.predictions.responses.min() == 0.0


@pytest.mark.parametrize("ending", [".txt", ".eval", ".res", ""])
def test_a_run_may_have_any_name(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"bm25{ending}"
    shutil.copy(FILES / "trec" / "bm25.txt", path)
    assert len(read_score_logs(path, score="map").item) == 12


def test_other_texts_in_the_folder_are_no_runs(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FILES / "trec", tmp_path / "runs"))
    (folder / "notes.txt").write_text("These runs are of Monday.\nDo not delete them.\n")
    rows = read_score_logs(folder, score="map")
    assert [caution.code for caution in rows.cautions] == ["EN140"]  # the missing query alone


def test_queries_that_cannot_be_read_are_refused(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "run.txt"
    lines = (FILES / "trec" / "bm25.txt").read_text().splitlines(keepends=True)
    hide = r"'/[^']*'"
    path.write_text("".join([*lines[:9], "map 302 high\n", *lines[9:]]))
    with golden.raises(FormatError, hide):
        read_score_logs(path, score="map")
    path.write_text("".join(lines[:9] + lines[:9]))
    with golden.raises(FormatError, hide):
        read_score_logs(path, score="map")
    path.write_text("".join(line for line in lines if "\tall\t" in line))
    with golden.raises(FormatError, hide):
        read_score_logs(path, score="map")
    with golden.raises(InputError, hide):
        read_score_logs(FILES / "trec")


def test_a_last_line_of_queries_that_is_cut_is_said(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("".join((FILES / "trec" / "bm25.txt").read_text()[:220]))
    assert [caution.code for caution in read_score_logs(path, score="P_5").cautions] == ["EN140"]


@pytest.mark.parametrize("score", ["AP", "AP50", "AP75", "AR"])
def test_images_have_what_pycocotools_gives_for_each_alone(score: str) -> None:
    expected = json.loads((FILES / "coco_expected.json").read_text())["models"]
    rows = read_score_logs(FILES / "coco", score=score)
    assert list_tools(FILES / "coco") == ["pycocotools"]
    assert len(rows.item) == 2 * 7  # the eighth image shows no object
    for item, config, value in zip(rows.item, rows.config, rows.score, strict=True):
        assert value == pytest.approx(expected[config][item][score], abs=1e-12)


def test_images_of_other_thresholds_are_refused(tmp_path: Path, golden: Golden) -> None:
    listed = json.loads((FILES / "coco" / "small.json").read_text())
    for entry in filter(None, listed):
        entry["dtMatches"] = entry["dtMatches"][:1]
        entry["dtIgnore"] = entry["dtIgnore"][:1]
    path = tmp_path / "small.json"
    path.write_text(json.dumps(listed))
    with golden.raises(FormatError, r"'/[^']*'"):
        read_score_logs(path, score="AP")
