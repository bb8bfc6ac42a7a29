"""Columns that divide the cases: levels, missing values, files and copies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import earnest as en
from earnest.core import SubgroupColumn
from earnest.errors import FormatError, InputError

N = 60


def make_predictions(**columns: object) -> en.Predictions:
    """Return predictions of two configurations; seed 5."""
    rng = np.random.default_rng(5)
    y = np.tile([0, 1], N // 2)
    return en.Predictions.from_arrays(
        y, rng.random((N, 2)), np.arange(N) // 2 % 5, by=columns or None, configs=["a", "b"]
    )


@pytest.mark.parametrize(
    ("values", "levels", "codes"),
    [
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        ([None, "a", float("nan")], ("a", "missing"), [1, 0, 1]),
        (["missing", None, "a"], ("a", "missing"), [1, 1, 0]),
        ([10, 9, 100], ("9", "10", "100"), [1, 0, 2]),
        ([1.0, np.nan, 2.0], ("1", "2", "missing"), [0, 2, 1]),
        ([True, False, True], ("False", "True"), [1, 0, 1]),
        (["ä b", "日本", "ä b"], ("ä b", "日本"), [0, 1, 0]),
    ],
)
def test_levels_are_values_in_order_and_a_missing_value_is_one(
    values: list[object], levels: tuple[str, ...], codes: list[int]
) -> None:
    column = SubgroupColumn.of("site", values)
    assert column.levels == levels
    assert column.codes.tolist() == codes


def test_too_many_levels_and_columns_of_other_cases_are_refused() -> None:
    for wrong in ({"age": np.arange(N)}, {"age": np.zeros(3)}, {"age": np.zeros((N, 2))}):
        with pytest.raises(InputError):
            make_predictions(**wrong)
    pi = make_predictions(sex=np.tile(["f", "m"], N // 2))
    for unknown in ("sexx", ["sex", "site"], {}, 7):
        with pytest.raises(InputError):
            en.estimate(pi, metric="accuracy", by=unknown, rng=0)


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet", ".arrow"])
def test_a_file_gives_the_columns_back(tmp_path: Path, suffix: str) -> None:
    site = np.array(["a", "b", None], dtype=object)[np.arange(N) % 3]
    pi = make_predictions(site=site, sex=np.arange(N) % 2)
    loaded = en.Predictions.load(pi.save(tmp_path / f"pi{suffix}"))
    assert loaded.fingerprint == pi.fingerprint != make_predictions().fingerprint
    for ours, theirs in zip(pi.target.subgroups, loaded.target.subgroups, strict=True):
        assert (ours.name, ours.levels) == (theirs.name, theirs.levels)
        np.testing.assert_array_equal(ours.codes, theirs.codes)


def test_a_changed_column_in_a_file_is_refused() -> None:
    plain = SubgroupColumn.of("site", ["a", "b"]).to_plain()
    for changed in ({"levels": ["a"]}, {"codes": "!"}, {"codes": "AAAA"}):
        with pytest.raises(ValueError, match=r"code|subgroup"):
            SubgroupColumn.of_plain(plain | changed)


def test_a_table_of_others_keeps_the_columns_that_are_named(tmp_path: Path) -> None:
    """Wide and long, a missing cell as a level; without the name the column is refused."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((N, 2)), columns=["a", "b"])
    frame["y"], frame["fold"] = np.tile([0, 1], N // 2), np.arange(N) // 2 % 5
    frame["site"] = np.where(np.arange(N) % 7 == 0, None, np.arange(N) % 2)
    path = tmp_path / "preds.csv"
    frame.to_csv(path, index=False)
    for pi in (
        en.Predictions.load(path, by="site"),
        en.Predictions.from_frame(frame, by=["site"]),
    ):
        assert pi.configs.ids == ("a", "b")
        assert pi.target.subgroups[0].levels == ("0", "1", "missing")
    with pytest.raises(InputError):
        en.Predictions.load(path, by="sites")
    for source in (path, frame):
        answer = en.estimate(source, metric="accuracy", by="site", rng=0)
        assert answer.subgroups is not None
        assert [each.n_cases for each in answer.subgroups] == [25, 26, 9]


def test_a_part_of_the_cases_keeps_its_levels() -> None:
    pi = make_predictions(sex=np.tile(["f", "m"], N // 2))
    part = pi.take(np.arange(0, N, 2))
    assert part.target.subgroups[0].levels == ("f", "m")
    assert set(part.target.subgroups[0].codes.tolist()) == {0}


def test_a_header_with_columns_of_other_cases_is_refused(tmp_path: Path) -> None:
    from earnest.core.tables.formats.header import seal, unseal

    pi = make_predictions(sex=np.tile(["f", "m"], N // 2))
    path = pi.save(tmp_path / "pi.csv")
    first, rest = path.read_text().split("\n", 1)
    mark, header = first[: first.index("{")], first[first.index("{") :]
    facts = unseal(header, path, "earnest/predictions/1")
    facts["by"] = [SubgroupColumn.of("sex", ["f", "m"]).to_plain()]
    path.write_text(f"{mark}{seal(facts)}\n{rest}")
    with pytest.raises(FormatError):
        en.Predictions.load(path)
    assert replace(pi.target, subgroups=()).subgroups == ()
