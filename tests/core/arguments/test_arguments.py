"""One declaration of an argument holds for Python, the command line and its limits."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields

import pytest

import earnest as en
from earnest.cli.app import options_of
from earnest.core.arguments.assess import AssessArguments
from earnest.core.arguments.base import check_arguments, list_arguments, name_option
from earnest.core.arguments.calibrate import CalibrateArguments
from earnest.core.arguments.compare import CompareArguments, CompareManyArguments
from earnest.core.arguments.compare_learners import CompareLearnersArguments
from earnest.core.arguments.estimate import EstimateArguments
from earnest.core.arguments.explain import ExplainArguments
from earnest.core.arguments.gain import GainArguments
from earnest.core.arguments.gate import GateArguments
from earnest.core.arguments.plan import PlanArguments
from earnest.core.arguments.report import ReportArguments
from earnest.core.arguments.thresholds import ThresholdsArguments
from earnest.core.arguments.tune import TuneArguments
from earnest.errors import InputError
from earnest.training.tune.options import TuneOptions

VERBS = [
    ("estimate", EstimateArguments),
    ("gain", GainArguments),
    ("thresholds", ThresholdsArguments),
    ("compare", CompareArguments),
    ("compare_many", CompareManyArguments),
    ("compare_learners", CompareLearnersArguments),
    ("assess", AssessArguments),
    ("gate", GateArguments),
    ("plan", PlanArguments),
    ("calibrate", CalibrateArguments),
    ("explain", ExplainArguments),
    ("report", ReportArguments),
    ("tune", TuneArguments),
]
# What the command line reads of a table, or leaves to the verb where Python names its choice.
OTHER_DEFAULTS = {
    ("assess", "method"),
    ("compare_many", "adjust"),
    ("tune", "by"),
    ("tune", "ignore"),
    ("tune", "keep"),
    ("tune", "missing"),
    ("tune", "without"),
}


@pytest.mark.parametrize(("verb", "kind"), VERBS)
def test_an_argument_has_its_name_and_default_in_python_and_its_option(
    verb: str, kind: type
) -> None:
    parameters = inspect.signature(getattr(en, verb)).parameters
    command = "compare" if verb == "compare_many" else verb.replace("_", "-")
    for field in fields(kind):
        assert field.name in parameters, field.name
        assert name_option(field.name) in options_of(command)
        default = parameters[field.name].default
        if default is not inspect.Parameter.empty and (verb, field.name) not in OTHER_DEFAULTS:
            assert field.default == default, field.name


@pytest.mark.parametrize(("verb", "kind"), VERBS)
def test_every_field_is_declared_with_its_help(verb: str, kind: type) -> None:
    declared = list_arguments(kind)
    assert set(declared) == {field.name for field in fields(kind)}
    assert all(argument.help for argument in declared.values())


def test_the_options_of_a_run_are_the_arguments_of_tune() -> None:
    asked = {field.name for field in fields(TuneOptions)} - {"seed"} | {"rng"}
    assert asked == set(list_arguments(TuneArguments))
    default = TuneOptions.of(TuneArguments())
    plain = TuneOptions(n_jobs=-1)
    assert default == plain


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (GainArguments, "order", "sorted"),
        (GainArguments, "n_resamples", None),
        (ExplainArguments, "n_points", 19),
        (ExplainArguments, "confidence_level", 95),
        (TuneArguments, "folds", 1),
        (TuneArguments, "ensemble", "greed"),
        (PlanArguments, "power", 1.0),
    ],
)
def test_a_value_beyond_the_limits_is_refused_by_its_name(
    kind: type, name: str, value: object
) -> None:
    with pytest.raises(InputError, match=f"`{name}`"):
        check_arguments(kind, **{name: value})


def test_limits_hold_for_every_default() -> None:
    for _, kind in VERBS:
        defaults = {f.name: f.default for f in fields(kind) if f.default is not MISSING}
        check_arguments(kind, **defaults)
