"""Portfolio files: what they may say, and what a refusal tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from earnest.errors import FormatError, InputError
from earnest.learners import Inputs, load_portfolio
from earnest.training import FOLDER, list_packaged
from tests.snapshots import Golden

INPUTS = Inputs(("a", "b"), (0, 3), (True, False), n_cases=50)
SMALL = """
format = 1
[[model]]
model = "rbf_svm"
C = [1, 10]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "eigenes größer.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_a_few_lines_is_a_portfolio(tmp_path: Path) -> None:
    made = load_portfolio(written(tmp_path, SMALL))
    assert made.name == "eigenes größer"
    grid = made.configurations("binary", INPUTS, rng=0)
    assert [one.params for one in grid] == [
        {"model": "rbf_svm", "select": "none", "encode": "one_hot", "impute": "median", "C": c}
        for c in (1.0, 10.0)
    ]


def test_a_model_may_encode_and_impute_in_several_ways(tmp_path: Path, golden: Golden) -> None:
    text = """
format = 1
[preprocessing]
impute = ["median", "mean"]
[[model]]
model = "random_forest"
encode = ["ordinal", "one_hot"]
"""
    grid = load_portfolio(written(tmp_path, text)).configurations("binary", INPUTS, rng=0)
    golden.check("\n".join(configuration.name for configuration in grid))


@pytest.mark.parametrize("name", list_packaged())
def test_a_copy_of_a_packaged_file_is_the_same_portfolio(name: str, tmp_path: Path) -> None:
    copy = written(tmp_path, (FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    assert load_portfolio(copy).contents == load_portfolio(name).contents
    assert load_portfolio(name).about


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (("format = 1", "format = 2"), ["`format` is unknown", "Expected 1", "got 2"]),
        (("format = 1", ""), ["`format` is unknown"]),
        (("C = [1, 10]", "c = [1]"), ["key `c` of model 'rbf_svm'", "C, gamma", "got 'c'"]),
        (("C = [1, 10]", "C = [0]"), ["`C` of model 'rbf_svm'", "a number above 0", "got 0"]),
        (("C = [1, 10]", "C = ['a']"), ["`C` of model 'rbf_svm'", "got 'a'"]),
        (("C = [1, 10]", "C = [true]"), ["`C` of model 'rbf_svm'", "got True"]),
        (("C = [1, 10]", "C = [inf]"), ["`C` of model 'rbf_svm'", "got inf"]),
        (("C = [1, 10]", "C = []"), ["has no values"]),
        (("C = [1, 10]", "C = [1, 1.0]"), ["are not unique"]),
        (('"rbf_svm"', '"rbf_smv"'), ["`model` of a [[model]]", "Did you mean 'rbf_svm'?"]),
        (('"rbf_svm"', '"os.system"'), ["`model` of a [[model]]", "got 'os.system'"]),
        (("[[model]]", "[model]"), ["Write [[model]] with two brackets."]),
        (("C = [1, 10]", 'select = ["ses"]'), ["`select` of model 'rbf_svm'", "'none'"]),
        (("C = [1, 10]", 'impute = "none"'), ["cannot handle missing values"]),
        (("C = [1, 10]", 'encode = "target"'), ["'one_hot', 'ordinal'", "got 'target'"]),
        (("C = [1, 10]", 'encode = "native"'), ["it takes numbers only", "got 'native'"]),
        (("C = [1, 10]", "max_cases = 0"), ["`max_cases` of model 'rbf_svm'"]),
        (("C = [1, 10]", "min_cases = 0"), ["`min_cases` of model 'rbf_svm'"]),
        (("C = [1, 10]", "share = 0"), ["`share` of model 'rbf_svm'", "above 0 to 1", "got 0"]),
        (("C = [1, 10]", "turns = 1.5"), ["`turns` of model 'rbf_svm'", "an integer"]),
        (("C = [1, 10]", 'tasks = ["survival"]'), ["`tasks` of model 'rbf_svm'"]),
        (("[[model]]", "[preprocessing]\nscale = true\n[[model]]"), ["key `scale`"]),
        (("[[model]]", "[preprocessing]\nindicator = 1\n[[model]]"), ["true or false"]),
        (("format = 1", "format = 1\nabout = 3"), ["`about` is not text"]),
        (("format = 1", "format = 1\npreprocessing = 3"), ["[preprocessing] is not a table"]),
        (("format = 1", "format = 1\nmodels = 3"), ["key `models`", "Did you mean 'model'?"]),
        (("C = [1, 10]", "C = "), ["is not valid TOML", "copy of a packaged portfolio"]),
    ],
)
def test_what_a_file_cannot_mean_is_refused_with_file_key_allowed_and_got(
    tmp_path: Path, change: tuple[str, str], parts: list[str]
) -> None:
    with pytest.raises(FormatError) as caught:
        load_portfolio(written(tmp_path, SMALL.replace(*change)))
    for part in ["eigenes größer.toml", *parts]:
        assert part in str(caught.value)


def test_a_model_may_have_several_turns_and_a_share_of_its_own(tmp_path: Path) -> None:
    text = """
format = 1
[[model]]
model = "linear_svm"
C = [1, 2, 3]
[[model]]
model = "hist_gradient_boosting"
encode = "native"
rounds = [1, 2, 3, 4, 5, 6]
turns = 3
share = 0.7
min_cases = 50
"""
    portfolio = load_portfolio(written(tmp_path, text))
    grid = portfolio.configurations("binary", INPUTS, rng=0)
    boosting = [one for one in grid if one.family == "hist_gradient_boosting"]
    assert [one.family[0] for one in grid] == list("lhlhhhlhh")
    assert {(one.family, one.share) for one in grid} == {
        ("linear_svm", 0.2),
        ("hist_gradient_boosting", 0.7),
    }
    assert boosting[0].estimator[-1].categorical_features == [0]
    fewer = replace(INPUTS, n_cases=49)
    assert {one.family for one in portfolio.configurations("binary", fewer)} == {"linear_svm"}


def test_text_and_many_levels_are_encoded_before_all_else(tmp_path: Path) -> None:
    """The columns stand in the order of `ColumnEncoder`, by which categories are found again."""
    columns = Inputs(
        ("note 1", "city", "age", "sex", "note 2"), (0, 500, 0, 2, 0), (True,) * 5, n_cases=900,
        texts=((0, 4),),
    )  # fmt: skip
    assert (columns.numeric, columns.categorical, columns.coded) == ((2,), (3,), (1,))
    (one, *_) = load_portfolio(written(tmp_path, SMALL)).configurations("binary", columns, rng=0)
    assert list(one.estimator.named_steps) == ["encode", "prepare", "select", "model"]
    assert one.estimator[0].coded == (1,)
    assert one.estimator[0].texts == ((0, 4),)
    assert one.estimator[1].categorical == (1,)
    assert columns.encode().names[:3] == ("age", "sex", "city")


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    assert load_portfolio(written(tmp_path, "\ufeff" + SMALL)).contents.models[0].name == "rbf_svm"


def test_values_that_are_almost_equal_have_names_of_their_own(tmp_path: Path) -> None:
    text = SMALL.replace("[1, 10]", "[1.0, 1.0000001]")
    grid = load_portfolio(written(tmp_path, text)).configurations("binary", INPUTS, rng=0)
    assert [one.name for one in grid] == ["RBF SVM, C 1", "RBF SVM, C 1.0000001"]


def test_a_place_beyond_the_path_is_refused_before_any_fit(tmp_path: Path, golden: Golden) -> None:
    text = 'format = 1\n[[model]]\nmodel = "elastic_net_path"\nstep = 11\nsteps = 10\n'
    with pytest.raises(InputError) as refusal:
        load_portfolio(written(tmp_path, text)).configurations("binary", INPUTS, rng=0)
    golden.check(str(refusal.value))


def test_a_file_without_models_and_a_file_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there is no model"):
        load_portfolio(written(tmp_path, "format = 1"))
    with pytest.raises(FormatError, match="cannot be read"):
        load_portfolio(tmp_path / "nowhere.toml")


def test_a_portfolio_without_a_model_for_the_data_says_so(tmp_path: Path, golden: Golden) -> None:
    small = load_portfolio(written(tmp_path, SMALL + "max_cases = 10\n"))
    with pytest.raises(InputError) as refusal:
        small.configurations("binary", INPUTS, rng=0)
    golden.check(str(refusal.value))
    with pytest.raises(InputError) as refusal:
        load_portfolio(written(tmp_path, SMALL)).configurations("survival", INPUTS, rng=0)
    golden.check(str(refusal.value))


def test_two_tables_of_one_model_have_names_of_their_own(tmp_path: Path) -> None:
    text = SMALL + '[[model]]\nmodel = "rbf_svm"\nC = [1, 5]\ngamma = 0.1\n'
    grid = load_portfolio(written(tmp_path, text)).configurations("binary", INPUTS, rng=0)
    assert len({one.name for one in grid}) == len(grid) == 4
