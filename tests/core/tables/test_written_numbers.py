"""Numbers as people write them are read where they mean one thing, and asked about where not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from earnest import Predictions, trials_from
from earnest.errors import FormatError
from earnest.training import open_training_table

# What stands in the file, and what it can only mean.
CLEAR = {
    "thousands twice": (["1,234,567", "12,573"], [1234567, 12573]),
    "thousands and decimals": (["1,234.56", "12,573"], [1234.56, 12573]),
    "thousands beside decimals": (["12,573", "0.5"], [12573, 0.5]),
    "points twice": (["1.234.567", "12"], [1234567, 12]),
    "points and a comma": (["1.234,56", "12"], [1234.56, 12]),
    "decimal commas": (["0,5", "12,573"], [0.5, 12.573]),
    "spaces": (["1 234", "12"], [1234, 12]),
    "narrow spaces": (["1\u202f234,5", "1\xa0234"], [1234.5, 1234]),
    "apostrophes": (["1'234.5", "12"], [1234.5, 12]),
    "percent": (["45 %", "3.5%"], [0.45, 0.035]),
    "percent with commas": (["45,5 %", "3%"], [0.455, 0.03]),
    "dollars": (["$12.50", "-$1,200"], [12.5, -1200]),
    "euros": (["12,50 €", "1.200,00 €"], [12.5, 1200]),
    "codes of money": (["CHF 1'200", "7 CHF"], [1200, 7]),
    "another minus": (["\u22125,5", "3,25"], [-5.5, 3.25]),
    "with gaps": (["1,234,567", "", "8"], [1234567, None, 8]),
}
EITHER = {
    "comma": (["12,573", "1,200"], {"thousands": ","}, [12573, 1200], {"decimal": ","}),
    "comma and whole": (["12,573", "7"], {"thousands": ","}, [12573, 7], {"decimal": ","}),
    "money": (["$12,573", "$7"], {"thousands": ","}, [12573, 7], {"decimal": ","}),
}
TEXTS = {
    "dates": ["12.05.2020", "13.05.2020"],
    "addresses": ["192.168.1.10", "192.168.1.11"],
    "lists": ["1,5", "1,2,3"],
    "words": ["1,5 kg", "2 kg"],
    "two currencies": ["$5", "€7"],
    "some percentages": ["45 %", "3"],
}


def file(folder: Path, cells: list[str], sign: str = ",") -> Path:
    path = folder / "t.csv"
    rows = [f'{i}{sign}w{sign}"{cell}"' for i, cell in enumerate(cells)]
    path.write_text("\n".join([f"n{sign}word{sign}x", *rows]) + "\n", encoding="utf-8")
    return path


def values(path: Path, **options: str) -> list[float | None]:
    return open_training_table(path, **options).arrow("x").to_pylist()


@pytest.mark.parametrize("name", CLEAR)
@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_what_can_mean_one_thing_is_read_with_a_note(tmp_path, name, sign):
    cells, meant = CLEAR[name]
    opened = open_training_table(file(tmp_path, cells, sign))
    found = np.array(opened.arrow("x").to_pylist(), dtype=float)
    np.testing.assert_allclose(found, np.array(meant, dtype=float), rtol=1e-15)
    usual = name == "decimal commas" and sign != ","  # as spreadsheets of half the world write
    assert [(c.code, c.severity) for c in opened.notes] == [("EN121", "note")] * (not usual)


@pytest.mark.parametrize("name", EITHER)
@pytest.mark.parametrize("sign", [",", ";"])
def test_what_can_mean_two_things_is_refused_with_both_and_read_when_told(tmp_path, name, sign):
    cells, one, meant, other = EITHER[name]
    path = file(tmp_path, cells, sign)
    with pytest.raises(FormatError, match="read in two ways") as raised:
        values(path)
    assert "12573 or 12.573" in raised.value.got
    assert "thousands=','" in raised.value.cure
    assert "decimal=','" in raised.value.cure
    assert values(path, **one) == meant
    assert values(path, **other)[0] == pytest.approx(12.573, rel=1e-15)


def test_another_column_of_the_file_tells_what_a_comma_is(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('x,z\n"12,573","1,234,567"\n"1,200","12"\n')
    assert values(path) == [12573, 1200]
    path.write_text('x,z\n"12,573","0,5"\n"1,200","12"\n')
    assert values(path) == pytest.approx([12.573, 1.2], rel=1e-15)
    path.write_text('x,z\n"12,573",0.5\n"1,200",0.25\n')  # which says nothing of the comma
    with pytest.raises(FormatError, match="read in two ways"):
        values(path)
    assert open_training_table(path).array("z").tolist() == [0.5, 0.25]  # and is not in doubt


def test_points_between_thousands_are_read_when_told_and_are_decimals_else(tmp_path):
    path = file(tmp_path, ["1.234", "12.573"])
    assert values(path) == [1.234, 12.573]
    assert values(path, thousands=".") == [1234, 12573]
    assert values(path, decimal=",") == [1234, 12573]


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_no_number_stays_text_without_a_word(tmp_path, name):
    opened = open_training_table(file(tmp_path, TEXTS[name]))
    assert opened.arrow("x").to_pylist() == TEXTS[name]
    assert opened.notes == ()


def test_marks_that_contradict_or_are_none_are_refused(tmp_path):
    path = file(tmp_path, ["1", "2"])
    for thousands, decimal in ((",", ","), (";", None), ("", None)):
        with pytest.raises(FormatError, match="thousands"):
            open_training_table(path, thousands=thousands, decimal=decimal)


def test_predictions_and_trials_are_read_alike_and_names_stay_names(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(
        'id,y,fold,a\n"1,234",0,"1,5",45 %\n"1,235",1,"1,5",80 %\n"2,000",1,"2,5",1 %\n'
    )
    pi = Predictions.load(path)
    assert pi.responses.ravel().tolist() == pytest.approx([0.45, 0.8, 0.01], rel=1e-15)
    assert pi.fold_names == (("1,5", "2,5"),)
    assert pi.target.ids is not None
    assert pi.target.ids.tolist() == ["1,234", "1,235", "2,000"]
    assert [remark.code for remark in pi.remarks] == ["EN121"]
    rows = "".join(f'"{i},500,000","0,{i}"\n' for i in range(1, 13))
    path.write_text("size,auc\n" + rows)
    trials = trials_from(path, objective="auc", direction="maximize")
    assert trials.configs[2] == {"size": 3500000}
    assert trials.objective[2] == pytest.approx(0.3, rel=1e-15)
