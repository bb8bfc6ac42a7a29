"""From arguments to a question, and from an outcome to a comparison."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from earnest import compare
from earnest.comparison import BootstrapTest, McNemarTest
from earnest.comparison.asking import (
    ComparisonRequest,
    configure_test,
    find_evidence_cautions,
    find_undefined,
    refuse_undefined,
    result,
)
from earnest.errors import EvidenceError, InputError, UnknownNameError
from earnest.metrics import metric
from tests.comparison.evidence import classified, columns


def test_a_word_with_knobs_is_the_configured_instance() -> None:
    assert configure_test("mcnemar(p='mid')") == McNemarTest(p="mid")
    assert configure_test("bootstrap", n_resamples=99) == BootstrapTest(n_resamples=99)
    assert configure_test("permutation").spec.name == "sign_flip"
    own = BootstrapTest(n_resamples=7)
    assert configure_test(own) is own


@pytest.mark.parametrize(
    ("test", "given", "error", "match"),
    [
        ("bayle", {"n_resamples": 9}, InputError, "has no option `n_resamples`"),
        ("bayle(p=1)", {}, InputError, "has no option `p`"),
        ("bootstrap(n_resamples=9)", {"n_resamples": 99}, InputError, "`n_resamples` given twice"),
        ("bayle(", {}, InputError, "the options of a test cannot be read"),
        ("bayl", {}, UnknownNameError, "bayle"),
        (McNemarTest, {}, InputError, r"Write McNemarTest\(\)"),
        (3, {}, InputError, "`test` cannot be read"),
        (BootstrapTest(), {"n_resamples": 9}, InputError, "Set them on the instance"),
    ],
)
def test_what_is_no_test_is_refused(
    test: object, given: dict[str, object], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        configure_test(test, **given)  # type: ignore[arg-type]  # that is the test


def test_a_question_keeps_usable_cases_and_the_fingerprint_of_all() -> None:
    pi = classified()
    responses = pi.responses.copy()
    responses[pi.folds[:, 0] == 0] = np.nan
    asked = ComparisonRequest.of("bayle", "less", 0.9, None, 5, None)
    question = asked.question(replace(pi, responses=responses), metric("accuracy"), "print")
    assert question.pi.n_cases == 48
    assert (question.fingerprint, question.seeds.entropy) == ("print", 5)


def test_a_configuration_without_a_value_is_found_and_refused() -> None:
    y = np.arange(20.0)
    pi = columns(y, np.column_stack([y + 1.0, np.full(20, 0.5)]))  # no correlation with a constant
    asked = ComparisonRequest.of("bootstrap", "two-sided", 0.95, None, 0, None)
    question = asked.question(pi, metric("pearson"), "")
    assert find_undefined(question) == [1]
    with pytest.raises(EvidenceError, match="undefined for 'b'"):
        refuse_undefined(question)
    plain = asked.question(pi, metric("mse"), "")
    assert find_undefined(plain) == []
    refuse_undefined(plain)


def test_remarks_on_single_folds_go_to_tests_that_look_at_them() -> None:
    y = np.array([1, 1, 1] + [0] * 37)
    pi = columns(y, np.random.default_rng(0).random((40, 2)), np.arange(40) % 4)
    area = metric("roc_auc")
    of = {
        test: {caution.code for caution in find_evidence_cautions(pi, area, configure_test(test))}
        for test in ("bootstrap", "cv_t", "bayle")
    }
    assert "EN002" not in of["bootstrap"]
    assert "EN002" in of["cv_t"]
    assert "EN002" in of["bayle"]


def test_a_result_has_the_numbers_of_the_outcome() -> None:
    asked = ComparisonRequest.of("bayle", "greater", 0.9, None, 0, None)
    question = asked.question(classified(), metric("accuracy"), "print")
    reading = asked.test.read(question)
    made, outcome = result(asked, question, reading, 0, 2), reading.pair(0, 2)
    assert (made.a, made.b) == ("good", "poor")
    assert made.p_values == outcome.p_values
    assert made.interval is not None
    assert (made.interval.side, made.interval.confidence_level) == ("lower", 0.9)
    assert made.provenance.seed is None  # the test draws nothing
    asks = {
        "test": "bayle",
        "metric": "accuracy",
        "alternative": "greater",
        "confidence_level": 0.9,
    }
    whole = compare(classified(), "good", "poor", **asks)
    assert made.interval == whole.interval
    assert made.provenance.fingerprint == "print"
