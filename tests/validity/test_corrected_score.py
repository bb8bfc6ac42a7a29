"""The reported standard error of a corrected score is its standard deviation over samples."""

from __future__ import annotations

import pytest

from benchmarks.correction.errors import METRICS, ratios

pytestmark = pytest.mark.slow
SAMPLES = 300


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n", [100, 200])
@pytest.mark.parametrize(("configs", "lead"), [(1, 0.0), (20, 0.0), (20, 0.3)])
def test_the_standard_error_is_within_15_percent(
    metric: str, n: int, configs: int, lead: float
) -> None:
    # A standard deviation over 300 samples has an error of 1 / sqrt(600) = 4 %; two of them are
    # added to the 15 % that the law allows. The spread of draws exceeds that in every cell.
    error, spread, _ = ratios(metric, n, configs, lead, SAMPLES)
    assert error == pytest.approx(1.0, abs=0.15 + 2 * 0.041)
    assert spread > 1.15
