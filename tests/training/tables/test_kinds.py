"""What a column is taken for, and what is refused."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from earnest.core import ColumnFault, render
from earnest.training import ColumnKind, is_named_as_identifier, look_at

N = 60
WORDS = [f"w{i}" for i in range(N)]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("age", [float(i) for i in range(N)], ColumnKind.NUMBER),
        ("age", [i * i for i in range(N)], ColumnKind.NUMBER),  # whole and unique, but no counter
        ("age", [None, 1, 2] * 20, ColumnKind.NUMBER),
        ("counter", list(range(5, N + 5)), ColumnKind.IDENTIFIER),
        ("patient_id", [i * i for i in range(N)], ColumnKind.IDENTIFIER),
        (
            "patient_id",
            [i // 2 for i in range(N)],
            ColumnKind.IDENTIFIER,
        ),  # several rows of a patient
        ("few_id", [0, 1, 2] * 20, ColumnKind.NUMBER),
        ("name", WORDS, ColumnKind.IDENTIFIER),
        ("city", WORDS[:30] * 2, ColumnKind.NAMES),  # two cases per level
        ("city", WORDS[:12] * 5, ColumnKind.CATEGORY),
        ("sex", ["m", "f", None] * 20, ColumnKind.CATEGORY),
        ("smoker", [True, False] * 30, ColumnKind.CATEGORY),
        ("code", ["1", "2", "A"] * 20, ColumnKind.CATEGORY),
        ("flag", ["x", None] * 30, ColumnKind.CATEGORY),  # where it is missing tells something
        ("one", [1] * N, ColumnKind.CONSTANT),
        ("one", ["a"] * N, ColumnKind.CONSTANT),
        ("none", [None] * N, ColumnKind.EMPTY),
        ("none", [float("nan")] * N, ColumnKind.EMPTY),
    ],
)
def test_a_column_is_told_by_its_values_and_its_name(name, values, kind):
    assert look_at(name, pa.array(values)).kind is kind


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1, 2, 3], pa.int32()).cast(pa.date32()),
        pa.array([1, 2, 3], pa.timestamp("s")),
        pa.array([1, 2, 3], pa.int32()).cast(pa.time32("s")),
    ],
    ids=["date", "timestamp", "time"],
)
def test_dates_and_times_are_dates(values):
    assert look_at("when", values).kind is ColumnKind.DATE


def test_levels_are_sorted_and_true_and_false_are_logical():
    assert look_at("sex", pa.array(["m", "f"] * 9)).levels == ("f", "m")
    look = look_at("smoker", pa.array([True, False, None]))
    assert (look.levels, look.logical) == (("false", "true"), True)


def test_a_word_among_numbers_is_a_fault_with_its_cell_and_a_cure():
    values = [str(i / 7) for i in range(N)]
    values[41], values[5] = "abc", "?"  # a mark of what is missing is no fault
    fault = look_at("age", pa.array(values))
    assert isinstance(fault, ColumnFault)
    assert (fault.name, fault.value, fault.row) == ("age", "'abc'", 41)
    assert "missing='abc'" in render(fault.cure)
    assert "ignore='age'" in render(fault.cure)


@pytest.mark.parametrize(
    "written",
    ["${:.2f}", "-€ {:.2f}", "{:.1f} %", "{:,.2f}", "1'000'{:03.0f}", "{:.0f},5"],
)
def test_numbers_that_are_written_for_people_are_faults_and_not_lost_as_identifiers(
    written, golden
):
    cells = [written.format(1000.25 + i if "," in written[:4] else i) for i in range(N)]
    fault = look_at("price", pa.array(cells))
    assert isinstance(fault, ColumnFault)
    assert fault.row == 0
    golden.check(fault.what)
    assert "ignore='price'" in render(fault.cure)
    assert "decimal" not in fault.cure  # a text file has them read; others have no decimal marks


@pytest.mark.parametrize("form", ["A-{}", "id{}", "{}:30", "192.168.1.{}", "12.05.{}", "{} kg"])
def test_codes_and_times_are_not_numbers_written_as_text(form):
    cells = [form.format(i + 10) for i in range(N)]
    assert look_at("code", pa.array(cells)).kind is ColumnKind.IDENTIFIER


@pytest.mark.parametrize(
    "form",
    ["{:02d}.03.2020", "3/{}/2021", "{:02d}-Mar-2019", "{} März 2019", "{:02d}.3.2020 14:05"],
)
def test_dates_as_people_write_them_are_dates_and_no_identifiers(form):
    cells = [form.format(i % 28 + 1) for i in range(N)]
    assert look_at("seen", pa.array([*cells, None, "unknown"])).kind is ColumnKind.DATE


def test_sentences_that_differ_in_every_row_are_text_and_no_identifiers():
    notes = pa.array([f"came {i} times, in pain" for i in range(N)])
    look = look_at("note", notes)
    assert (look.kind, look.n_values, look.n_words) == (ColumnKind.TEXT, None, 5)
    mostly = pa.array([f"{kind} number {i % 40}" for i, kind in enumerate(["ward", "bed"] * 45)])
    assert look_at("place", mostly).kind is ColumnKind.TEXT  # two words, and two rows of each
    assert look_at("code", pa.array([f"AB {i}" for i in range(N)])).kind is ColumnKind.IDENTIFIER


def test_many_levels_with_two_rows_each_are_a_category_and_with_fewer_they_are_names():
    levels = [f"t{i}" for i in range(120)]
    look = look_at("town", pa.array(levels * 2))
    assert (look.kind, len(look.levels)) == (ColumnKind.LEVELS, 120)
    assert look_at("town", pa.array([*levels * 2, "t999"])).kind is ColumnKind.NAMES
    assert look_at("zip", pa.array([f"{i:05d}" for i in range(120)] * 2)).kind is ColumnKind.LEVELS


def test_codes_with_many_words_are_names_and_not_refused():
    values = [str(i) for i in range(N)] + [f"V{i}" for i in range(20)]
    assert look_at("icd", pa.array(values)).kind is ColumnKind.IDENTIFIER
    assert look_at("icd", pa.array(values * 2)).kind is ColumnKind.NAMES


def test_infinite_numbers_are_refused_with_their_row():
    fault = look_at("x", pa.array([0.0, float("inf"), None]))
    assert isinstance(fault, ColumnFault)
    assert (fault.value, fault.row) == ("inf", 1)


def test_types_of_pandas_alone_are_refused():
    months = pd.DataFrame({"month": pd.period_range("2020", periods=N, freq="M")})
    column = pa.Table.from_pandas(months)["month"]
    fault = look_at("month", column)
    assert isinstance(fault, ColumnFault)
    assert (fault.what, "ignore='month'" in render(fault.cure)) == ("has an unsupported type", True)


def test_lists_are_refused():
    assert isinstance(look_at("x", pa.array([b"a", b"b"])), ColumnFault)


@pytest.mark.parametrize("name", ["id", "ID", "user id", "customerId", "row_nr", "", "Unnamed: 0"])
def test_names_of_identifiers(name):
    assert is_named_as_identifier(name)


@pytest.mark.parametrize("name", ["acid", "paid", "idea", "liquidity", "age"])
def test_names_of_features(name):
    assert not is_named_as_identifier(name)


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_an_index_without_a_name_is_no_feature_of_a_short_table_either(name):
    assert look_at(name, pa.array(range(10))).kind is ColumnKind.IDENTIFIER
    assert look_at("size", pa.array(range(10))).kind is ColumnKind.NUMBER
