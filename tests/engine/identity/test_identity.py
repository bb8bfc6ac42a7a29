"""What is the same has the same description in every process; what differs has another."""

from __future__ import annotations

import datetime as dt
import functools
import os
import re
import subprocess
import sys
import types
from collections import OrderedDict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import scipy.stats
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.utils import Bunch

from earnest.engine.identity import describe, find_versions, parameters_of, with_parts
from tests.snapshots import Golden

ROOT = Path(__file__).parents[3]
X = np.random.default_rng(3).normal(size=(20, 4))
FRAME = {"age": [1, 2, 3], "sex": ["f", "m", None]}


def logarithm(x: Any) -> Any:
    return np.log1p(x)


def exponential(x: Any) -> Any:
    return np.expm1(x)


def adding(step: float) -> Any:
    return lambda x: x + step


class Mine(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    def __init__(self, a: int = 1, kernel: Any = None) -> None:
        self.a, self.kernel = a, kernel


class Word(str):
    pass


class Level(int):
    pass


class Pair(NamedTuple):
    a: int
    b: int


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a: int) -> None:
        self.a = a


def pipeline(c: float = 1.0) -> Pipeline:
    log = FunctionTransformer(logarithm)
    return make_pipeline(ColumnTransformer([("n", log, [0, 1])]), StandardScaler(), SVC(C=c))


VALUES: dict[str, Any] = {
    "array": X,
    "array of another shape": X.reshape(40, 2),
    "array of another type": X.astype(np.float32),
    "array with last bits changed": np.nextafter(X, np.where(np.arange(4) == 2, 9.0, X)),
    "text array": np.array(["a", "b"]),
    "object array": np.array(["a", "b", None], dtype=object),
    "record": np.array([(True, 1.0)], dtype=[("event", "?"), ("time", "f8")]),
    "list of text": ["some text", "more text"] * 50,
    "sparse": scipy.sparse.csr_matrix(X),
    "sparse columns": scipy.sparse.csc_matrix(X),
    "pandas": pd.DataFrame(FRAME),
    "pandas renamed": pd.DataFrame(FRAME).rename(columns={"age": "Age"}),
    "pandas of another type": pd.DataFrame(FRAME).astype({"age": "float64"}),
    "pandas with row names": pd.DataFrame(FRAME, index=["u", "v", "w"]),
    "pandas with other row names": pd.DataFrame(FRAME, index=["u", "v", "x"]),
    "pandas categories": pd.DataFrame(FRAME).astype({"sex": "category"}),
    "pandas series": pd.Series([1.0, 2.0], name="y"),
    "polars": pl.DataFrame(FRAME),
    "pipeline": pipeline(),
    "pipeline of another parameter": pipeline(2.0),
    "forest": RandomForestClassifier(random_state=1),
    "forest of another seed": RandomForestClassifier(random_state=2),
    "forest of a generator": RandomForestClassifier(random_state=np.random.RandomState(0)),
    "frozen": FrozenEstimator(LogisticRegression().fit(X, X[:, 0] > 0)),
    "frozen, fitted otherwise": FrozenEstimator(LogisticRegression().fit(X, X[:, 1] > 0)),
    "function": logarithm,
    "other function": exponential,
    "closure": adding(1.0),
    "closure of another value": adding(2.0),
    "partial": functools.partial(logarithm, x=1),
    "method": StratifiedKFold(3).split,
    "method of another object": StratifiedKFold(4).split,
    "builtin": len,
    "ufunc": np.log1p,
    "class": Mine,
    "estimator of the user": Mine(),
    "estimator of the user with a function": Mine(kernel=lambda x: x + 1),
    "estimator of the user with another function": Mine(kernel=lambda x: x + 2),
    "splitter": StratifiedKFold(5, shuffle=True, random_state=3),
    "distribution": scipy.stats.loguniform(1e-3, 1e3),
    "other distribution": scipy.stats.loguniform(1e-3, 1e2),
    "distribution of integers": scipy.stats.randint(1, 10),
    "distribution with its defaults": scipy.stats.uniform,
    "other distribution with its defaults": scipy.stats.norm,
    "distribution by its values": scipy.stats.rv_discrete(values=([1, 2], [0.5, 0.5])),
    "distribution by other values": scipy.stats.rv_discrete(values=([1, 2], [0.4, 0.6])),
    "text of a class": Word("a"),
    "other text of a class": Word("b"),
    "number of a class": Level(3),
    "dictionary of a class": Bunch(a=1),
    "other dictionary of a class": Bunch(a=2),
    "ordered dictionary": OrderedDict(a=1),
    "tuple of a class": Pair(1, 2),
    "date": dt.date(2026, 11, 15),
    "other date": dt.date(2026, 11, 16),
    "path": Path("a"),
    "other path": Path("b"),
    "pattern": re.compile("a+"),
    "other pattern": re.compile("b+"),
    "grid": {"svc__C": [0.1, 1.0], "svc__kernel": ["rbf", "linear"], "svc__gamma": [0.1, 0.2]},
    "set": {"b", "a", "c"},
    "slots": Slotted(1),
    "slots of another value": Slotted(2),
    "generator": np.random.default_rng(5),
    "generator of another seed": np.random.default_rng(6),
    "seed sequence": np.random.SeedSequence(5),
    "nothing": None,
    "number": 7,
    "other number": 7.5,
    "text": "7",
    "long text": "x" * 100,
}


def described() -> dict[str, str]:
    return {name: describe(value) for name, value in VALUES.items()}


def test_different_values_have_different_descriptions() -> None:
    found = described()
    names = {text: name for name, text in found.items()}
    assert {name: names[text] for name, text in found.items()} == {name: name for name in VALUES}


def test_a_description_is_a_short_line_without_addresses() -> None:
    for text in described().values():
        assert text.isprintable()
        assert len(text) <= 100
        assert " at 0x" not in text


def test_descriptions_are_the_same_in_another_process_with_another_hash_seed() -> None:
    script = "from tests.engine.identity.test_identity import described\nprint(described())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONHASHSEED": "12"},
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout == f"{described()}\n"


def test_how_an_array_lies_in_memory_does_not_count() -> None:
    wide = np.zeros((20, 8))
    wide[:, ::2] = X
    for other in (np.asfortranarray(X), wide[:, ::2], X.copy(), X.view(np.memmap)):
        assert describe(other).split()[-1] == describe(X).split()[-1]


def test_order_of_sparse_entries_does_not_count() -> None:
    rows, columns, values = [0, 1, 0], [2, 1, 0], [3.0, 2.0, 1.0]
    one = scipy.sparse.coo_array((values, (rows, columns)), shape=(2, 3))
    other = scipy.sparse.coo_array((values[::-1], (rows[::-1], columns[::-1])), shape=(2, 3))
    assert describe(one) == describe(other)


def test_what_is_short_is_shown_as_it_is(golden: Golden) -> None:
    assert describe(7) == "7"
    assert describe(np.int64(7)) == "7"
    assert describe({"C": [1, 2]}) == "{'C': [1, 2]}"
    assert describe(X).startswith("ndarray 20x4 float64 ")
    golden.check(describe(pipeline()), hide="[0-9a-f]{16}")


def test_a_value_that_holds_itself_has_a_description() -> None:
    ring: list[Any] = [1]
    ring.append(ring)
    assert describe(ring) == "[1, <1 up>]"


def test_equal_objects_are_the_same_whether_shared_or_copied() -> None:
    part = (1.5, "a")
    assert describe([part, part]) == describe([part, (1.5, "a")])


def test_drawing_from_a_distribution_does_not_change_it() -> None:
    law = scipy.stats.uniform
    before = describe(law), describe(law(0, 2))
    law.rvs(random_state=1)
    np.random.RandomState(0).rand()
    assert (describe(law), describe(law(0, 2))) == before


def test_fitting_an_estimator_does_not_change_it() -> None:
    before = LogisticRegression()
    after = LogisticRegression().fit(X, X[:, 0] > 0)
    assert describe(before) == describe(after)


def test_code_of_the_user_counts_and_its_place_in_the_file_does_not() -> None:
    made = []
    for text in ("def f(x): return x + 1", "\n\ndef f(x): return x + 1", "def f(x): return x + 2"):
        space: dict[str, Any] = {"__name__": "__main__"}
        exec(text, space)
        made.append(describe(space["f"]))
    assert made[0] == made[1] != made[2]


def made_of(text: str, name: str = "f") -> str:
    """Describe what a piece of code of the user's own calls `name`."""
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(text, space)
    return describe(space[name])


CLASS = """
import functools
from sklearn.base import BaseEstimator
class f(BaseEstimator):
    rate = 1
    {member}
    def fit(self, X, y): return self
"""


@pytest.mark.parametrize(
    ("member", "other"),
    [
        ("steps = (1, 2)", "steps = (1, 3)"),
        ("table = {'a': [1]}", "table = {'a': [2]}"),
        ("value = property(lambda self: 1)", "value = property(lambda self: 2)"),
        ("value = functools.cached_property(len)", "value = functools.cached_property(sum)"),
        ("make = staticmethod(lambda x: x + 1)", "make = staticmethod(lambda x: x + 2)"),
        ("make = classmethod(lambda c: c.rate)", "make = classmethod(lambda c: -c.rate)"),
        ("make = staticmethod(lambda x: x)", "make = lambda x: x"),
        ("def __call__(self): return 1", "def __call__(self): return 2"),
    ],
)
def test_every_member_of_a_class_of_the_user_counts(member: str, other: str) -> None:
    one, same, two = (made_of(CLASS.format(member=part)) for part in (member, member, other))
    assert one == same != two


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("K = 1\ndef f(x): return x + K", "K = 2\ndef f(x): return x + K"),
        ("K = [1, {'a': 1}]\ndef f(x): return K", "K = [1, {'a': 2}]\ndef f(x): return K"),
        (
            "import numpy as np\nK = np.arange(3)\ndef f(x): return x + K",
            "import numpy as np\nK = np.arange(4)\ndef f(x): return x + K",
        ),
        (
            "def h(x): return x\ndef g(x): return h(x)\ndef f(x): return g(x)",
            "def h(x): return -x\ndef g(x): return h(x)\ndef f(x): return g(x)",
        ),
        (
            "def g(x): return x\ndef f(x): return [g(a) for a in (lambda: x)()]",
            "def g(x): return 2\ndef f(x): return [g(a) for a in (lambda: x)()]",
        ),
        (
            "import functools\n@functools.cache\ndef g(x): return 1\ndef f(x): return g(x)",
            "import functools\n@functools.cache\ndef g(x): return 2\ndef f(x): return g(x)",
        ),
        (
            "class g:\n  a = 1\ndef f(x): return g.a",
            "class g:\n  a = 2\ndef f(x): return g.a",
        ),
        (
            "K = 1\nclass f:\n  def fit(self): return K",
            "K = 2\nclass f:\n  def fit(self): return K",
        ),
    ],
)
def test_what_a_function_of_the_user_calls_by_its_global_name_counts(text: str, other: str) -> None:
    assert made_of(text) == made_of(text) != made_of(other)


def test_what_is_read_from_a_module_of_the_user_counts(tmp_path: Path) -> None:
    found = []
    for value in (1, 1, 2):
        module = types.ModuleType("helpers_of_a_user")
        exec(f"K = {value}\nOTHER = {len(found)}\ndef g(x): return x + K", vars(module))
        space: dict[str, Any] = {"__name__": "__main__", "helpers": module}
        exec("def f(x): return helpers.g(x)", space)
        found.append(describe(space["f"]))
    assert found[0] == found[1] != found[2]


def test_a_global_that_code_sets_itself_is_no_part_of_it() -> None:
    text = "K = {}\ndef f(x):\n  global K\n  K += 1\n  return x"
    assert made_of(text.format(0)) == made_of(text.format(7))


def test_a_global_that_is_called_as_an_attribute_is_no_part_of_a_function() -> None:
    text = "score_ = {}\ndef f(x): return x.score_"
    assert made_of(text.format(1)) == made_of(text.format(2))


def test_functions_that_call_each_other_have_a_short_description_soon() -> None:
    names = [f"f{i}" for i in range(60)]  # 2 ** 60 ways from the first to the last
    text = "\n".join(f"def {a}(x): return [{', '.join(names)}, {a}]" for a in names)
    assert made_of(text, "f0") == made_of(text, "f0") != made_of(text + "\nf30 = 1", "f0")


def test_parameters_of_an_estimator_are_told_one_by_one() -> None:
    found = with_parts("model", pipeline(), parameters_of(pipeline()))
    other = with_parts("model", pipeline(2.0), parameters_of(pipeline(2.0)))
    assert [name for name in found if found[name] != other[name]] == ["model", "model: svc__C"]
    assert (found["model: svc__C"], other["model: svc__C"]) == ("1.0", "2.0")
    assert found["model: svc"] == "sklearn.svm._classes.SVC"
    assert "model: steps" not in found
    assert describe(Mine).startswith("class Mine with code ")
    assert parameters_of(Mine(a=3)) == {"class": Mine, "a": 3, "kernel": None}


def test_versions_are_those_of_what_is_used() -> None:
    import sklearn

    found = find_versions(pipeline(), X)
    assert found["version of sklearn"] == sklearn.__version__
    assert found["version of numpy"] == np.__version__
    assert found["version of python"] == "{}.{}".format(*sys.version_info)
    assert "version of polars" not in found
    assert "version of polars" in find_versions(pl.DataFrame)


@pytest.mark.parametrize("value", [open, sys, Ellipsis, object(), iter([1]), b"\0\xff"])
def test_anything_has_a_description(value: object) -> None:
    assert describe(value)
