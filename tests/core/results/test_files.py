"""A result that was saved is the same when it is loaded."""

from __future__ import annotations

from pathlib import Path
from types import GenericAlias
from typing import Any, TypeVar

import numpy as np
import pytest

import earnest as en
from earnest.core import read_value
from earnest.errors import FormatError
from tests.snapshots import Golden

Y = np.tile([0, 1], 30)
SCORES = Y[:, None] + np.random.default_rng(0).standard_normal((60, 3))
PI = en.Predictions.from_arrays(Y, SCORES, np.arange(60) % 5, configs=["a", "b", "ü"])
RESULTS = {
    "estimate": lambda: en.estimate(PI, metric="roc_auc", rng=0, n_resamples=50),
    "estimates": lambda: en.estimate_all(PI, methods=["bbc", "naive"], metric="accuracy", rng=0),
    "comparison": lambda: en.compare(PI, "a", "ü", metric="accuracy", test="sign_flip", rng=0),
    "comparisons": lambda: en.compare_many(PI, metric="accuracy", rng=0),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_what_was_saved_comes_back_with_its_draws(kind: str, tmp_path: Path) -> None:
    made: Any = RESULTS[kind]()
    path = made.save(tmp_path / "result.json")
    back = type(made).load(str(path))
    assert back.to_dict(draws=True) == made.to_dict(draws=True)
    assert repr(back.at(confidence_level=0.8)) == repr(made.at(confidence_level=0.8))
    assert back.to_latex() == made.to_latex()


def test_draws_may_be_left_out(tmp_path: Path, golden: Golden) -> None:
    made = RESULTS["estimate"]()
    back = en.results.Estimate.load(made.save(tmp_path / "short.json", draws=False))
    assert repr(back) == repr(made)
    with golden.raises(en.errors.EvidenceError):
        back.at(confidence_level=0.8)


def test_another_kind_of_result_is_named(tmp_path: Path) -> None:
    path = RESULTS["estimates"]().save(tmp_path / "table.json")
    with pytest.raises(FormatError, match="Read it as Estimates"):
        en.results.Estimate.load(path)


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        en.results.Estimate.load(tmp_path / "nothing.json")
    (tmp_path / "text.json").write_text("roc_auc 0.8")
    with pytest.raises(FormatError, match="not a JSON file"):
        en.results.Estimate.load(tmp_path / "text.json")
    with pytest.raises(FormatError, match="cannot be written"):
        RESULTS["estimate"]().save(tmp_path / "no folder" / "result.json")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_what_a_shell_encoded_anew_is_read(encoding: str, tmp_path: Path) -> None:
    made = RESULTS["estimate"]()
    path = made.save(tmp_path / "result.json")
    path.write_bytes(path.read_text(encoding="utf-8").encode(encoding))
    assert en.results.Estimate.load(path).to_dict() == made.to_dict()


@pytest.mark.parametrize(
    "content", [b"", b'{"schema"', b"\x80\x04N.", b"[" * 100_000, b'{"a": "\xe4"}', b"PK\x03\x04"]
)
def test_what_is_torn_or_a_pickle_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="not a JSON file"):
        en.results.Estimate.load(path)


@pytest.mark.parametrize("kind", RESULTS)
def test_a_newer_file_says_that_it_is_newer(kind: str, tmp_path: Path) -> None:
    made: Any = RESULTS[kind]()
    path = made.save(tmp_path / "result.json")
    path.write_text(path.read_text().replace(f"earnest/{kind}/1", f"earnest/{kind}/2"))
    with pytest.raises(FormatError, match="Update earnest"):
        type(made).load(path)


def test_a_disk_that_is_full_spares_the_file_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = RESULTS["estimate"]()
    path = made.save(tmp_path / "result.json")
    before = path.read_bytes()

    def full(self: Path, *args: Any, **options: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(FormatError, match="No space left"):
        made.save(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["result.json"]


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    made = RESULTS["estimate"]()
    (tmp_path / "link.json").symlink_to("real.json")
    made.save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert en.results.Estimate.load(tmp_path / "real.json").to_dict() == made.to_dict()
    made.save("/dev/null")
    assert Path("/dev/null").is_char_device()


T = TypeVar("T", bound=np.generic)


class AliasOfArrays:
    """What `type NDArray[T] = ndarray[Any, dtype[T]]` makes, as NumPy does from 2.5 on."""

    __value__ = np.ndarray[Any, np.dtype[T]]


def test_arrays_are_read_under_an_alias_of_their_type() -> None:
    reals = read_value(GenericAlias(AliasOfArrays, (np.float64,)), [1.0, None])
    counts = read_value(GenericAlias(AliasOfArrays, (np.intp,)), [1.0, 2.0])
    assert isinstance(reals, np.ndarray)
    assert isinstance(counts, np.ndarray)
    assert (reals.dtype, counts.dtype) == (np.float64, np.intp)
    assert np.isnan(reals[1])
