"""Registry, files, tests and pages belong together, and importing is light."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import earnest
from earnest.comparison import TESTS
from earnest.core import SELECTORS, EnsembleRule, Registry
from earnest.core.base import errors
from earnest.errors import EarnestError, PluginWarning
from earnest.methods import METHODS
from earnest.metrics import METRICS
from earnest.rules import BCED, BCEDAdjusted, ModelStudy
from tests.public_names import public_names
from tests.snapshots import Golden

ROOT = Path(__file__).parents[2]
SOURCE = Path(earnest.__file__).parent
HEAVY = ("scipy.stats", "sklearn", "numba", "pandas", "pyarrow", "matplotlib", "joblib", "jinja2")
MODULES = sorted(SOURCE.rglob("*.py"))


def stem(name: str) -> str:
    """The name of a method as a file can have it."""
    return re.sub(r"^\.", "b", name).replace("+", "plus")


STEMS = {stem(name) for name in METHODS}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_has_a_module_of_its_name(name: str) -> None:
    module = METHODS[name].__module__
    assert module.startswith("earnest.methods.")
    assert module.rsplit(".", 1)[1] == stem(name)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_has_a_test_module(name: str) -> None:
    assert len(list((ROOT / "tests" / "methods").rglob(f"test_{stem(name)}.py"))) == 1


@pytest.mark.parametrize("name", METHODS)
def test_a_method_has_a_page_that_names_it_and_its_source(name: str) -> None:
    page = ROOT / "docs" / "methods" / f"{stem(name)}.md"
    assert page.is_file()
    text = page.read_text(encoding="utf-8")
    assert name in text
    author = METHODS[name].spec.cites.split()[0].rstrip(",")
    assert author in text


def test_every_module_of_a_method_is_registered() -> None:
    files = {path.stem for path in (SOURCE / "methods").rglob("*.py")}
    assert files - {"__init__", "base", "replicated", "run", "splitting", "two_sources"} == STEMS


def test_every_test_module_and_page_of_a_method_has_its_method() -> None:
    tested = {p.stem.removeprefix("test_") for p in (ROOT / "tests/methods").rglob("test_*.py")}
    assert tested - {"run", "replicated", "scores", "fold_scores", "usual_method"} == STEMS
    pages = {page.stem for page in (ROOT / "docs" / "methods").glob("*.md")}
    assert pages - {"index", "README"} == STEMS


def test_names_and_aliases_of_metrics_and_methods_are_words() -> None:
    for name in (*METHODS, *METRICS):
        assert name == name.lower()
        assert " " not in name


def test_every_public_name_resolves_and_is_listed() -> None:
    assert all(thing is not None for thing in public_names().values())
    assert {*earnest.__all__, *earnest.NAMESPACES} <= set(dir(earnest))
    for space in earnest.NAMESPACES:
        module = getattr(earnest, space)
        assert set(module.__all__) <= set(dir(module))
        assert len(set(module.__all__)) == len(module.__all__)


def test_earnest_itself_holds_few_names() -> None:
    assert len(set(earnest.__all__)) == len(earnest.__all__) <= 45
    homes = {id(thing): name for name, thing in public_names().items()}
    assert len(homes) == len(public_names())  # nothing is public in two places


@pytest.mark.parametrize(
    ("space", "registry"), [("methods", METHODS), ("comparison", TESTS)], ids=["methods", "tests"]
)
def test_a_namespace_lists_all_that_is_registered(
    space: str, registry: Registry[type[object]]
) -> None:
    listed = {name for name in public_names() if name.startswith(f"{space}.")}
    assert listed == {f"{space}.{kind.__name__}" for kind in registry.values()}


def test_namespaces_list_every_error_selector_ensemble_and_dropping_rule() -> None:
    public = public_names()
    raised = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, EarnestError | PluginWarning)
    }
    assert {name for name in public if name.startswith("errors.")} == {
        f"errors.{name}" for name in raised
    }
    rules = {type(rule) for rule in SELECTORS.values()} | set(EnsembleRule.__subclasses__())
    rules |= {BCED, BCEDAdjusted, ModelStudy}
    assert {name for name in public if name.startswith("rules.")} == {
        f"rules.{kind.__name__}" for kind in rules
    }


@pytest.mark.parametrize("name", ["results", "errors", "rules", "learners"])
def test_a_facade_holds_names_alone(name: str) -> None:
    assert {f"{name}.py", f"{name}.pyi"} == {path.name for path in SOURCE.glob(f"{name}.py*")}
    code = (SOURCE / f"{name}.py").read_text(encoding="utf-8").split('"""', 2)[2]
    assert "attach(__name__, __file__)" in code
    assert "import" not in code.replace("from earnest.core.base.lazy import attach", "")


@pytest.mark.parametrize("stub", sorted(SOURCE.glob("*/__init__.pyi")), ids=str)
def test_the_door_of_a_room_has_each_name_from_its_home(stub: Path) -> None:
    room = import_module(f"earnest.{stub.parent.name}")
    lines = re.findall(
        r"^from \.([a-z][\w.]*) import (\w+) as (\w+)$", stub.read_text("utf-8"), re.M
    )
    assert lines
    for home, name, shown in lines:
        assert name == shown
        assert not (SOURCE / stub.parent.name / name).with_suffix(".py").exists()
        thing = getattr(import_module(f"earnest.{stub.parent.name}.{home}"), name)
        assert getattr(room, name) is thing, name
    assert set(dir(room)) <= {name for _, name, _ in lines} | {"Weights"}


@pytest.mark.parametrize("room", ["inference", "kernels", "resampling"])
def test_a_room_offers_names_of_itself_or_of_core(room: str) -> None:
    stub = (SOURCE / room / "__init__.pyi").read_text(encoding="utf-8")
    assert re.findall(r"^from (?!\.[a-z]|\.\.core\.).*", stub, re.M) == []


def test_an_unknown_name_is_told(golden: Golden) -> None:
    with golden.raises(AttributeError):
        _ = earnest.results.nothing  # type: ignore[attr-defined]  # that is the test
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = earnest.nothing  # type: ignore[attr-defined]  # that is the test


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert earnest.__version__ == version("earnest")


@pytest.mark.parametrize(
    "statement",
    [
        "import earnest",
        "import earnest.methods, earnest.comparison, earnest.results, earnest.rules",
        "import earnest as en; en.Predictions.from_arrays([0, 1] * 5, [.1, .7] * 5)",
        "import earnest as en; pi = en.Predictions.from_arrays([0, 1] * 9, [.1, .7, .6] * 6);"
        " en.estimate(pi, metric='roc_auc', rng=0)",
    ],
    ids=["import", "namespaces", "predictions", "a small estimate"],
)
def test_the_import_is_light(statement: str) -> None:
    script = f"{statement}\nimport sys\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == []


def test_a_table_is_read_without_pandas() -> None:
    table = "src/earnest/data/demo_predictions.csv"
    script = f"import sys, earnest; earnest.Predictions.load({table!r}); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert "pyarrow" in done.stdout.split()
    assert "pandas" not in done.stdout.split()


def test_explaining_what_is_in_memory_loads_neither_stores_nor_models_nor_pages() -> None:
    others = ("store", "training", "reporting", "plotting", "methods", "engine")
    code = (
        "import sys; import earnest as en; en.explain; "
        "en.trials_from([{'a': 0.1 * k} for k in range(12)], range(12), direction='minimize'); "
        f"print([m for m in sys.modules if m.startswith(tuple('earnest.' + r for r in {others}))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "[]"


def test_a_report_of_predictions_loads_nothing_that_trains() -> None:
    code = (
        "import sys; import earnest.reporting.report; "
        "print([m for m in sys.modules if m.startswith('earnest.training')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "[]"


def test_a_room_has_not_the_name_of_a_verb() -> None:
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir()}
    assert not rooms & {"estimate", "compare", "assess", "explain", "report", "metric"}
    import_module("earnest.methods.run")
    assert callable(earnest.estimate)


def test_a_module_opens_with_what_it_holds() -> None:
    for path in MODULES:
        assert path.read_text(encoding="utf-8").startswith('"""'), path


def test_a_module_names_no_machine() -> None:
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        for word in (f"/{folder}/" for folder in ("root", "home", "tmp")):
            assert word not in text, path


def test_one_module_decides_what_may_have_been_meant() -> None:
    asking = [
        path.relative_to(SOURCE).as_posix()
        for path in MODULES
        if re.search(r"difflib|f\"Did you mean", path.read_text(encoding="utf-8"))
    ]
    assert asking == ["core/base/check.py"]
