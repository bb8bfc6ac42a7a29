"""Files that unpack to more than is safe are refused before they are unpacked."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from earnest.core.tables.formats import expanding
from earnest.errors import FormatError, InputError

Y, FOLD = np.arange(40) % 2, np.arange(40) % 4
TABLE = b"y,fold,a,b\n" + b"1,0,0.5,0.25\n0,1,0.5,0.75\n" * 20


def npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def header(shape: tuple[int, ...]) -> bytes:
    """Return the header of an array of zeros, whatever follows it."""
    text = str({"descr": "<f8", "fortran_order": False, "shape": shape}).encode()
    text += b" " * (63 - (10 + len(text)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def archive(path: Path, scores: bytes, how: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", how) as made:
        made.writestr("y.npy", npy(Y))
        made.writestr("fold.npy", npy(FOLD))
        made.writestr("scores.npy", scores)
    return path


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every file unpack to 1 MB and to ten times its size only."""
    monkeypatch.setattr(expanding, "ALWAYS", 1 << 20)
    monkeypatch.setattr(expanding, "RATIO", 10)


@pytest.mark.usefixtures("small")
def test_an_archive_is_refused_by_what_it_declares(tmp_path, monkeypatch, golden):
    path = archive(tmp_path / "pi.npz", header((40, 10_000)) + bytes(40 * 10_000 * 8))
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_, **__: pytest.fail("was unpacked"))
    with pytest.raises(FormatError) as caught:
        en.Predictions.load(path)
    golden.check(str(caught.value))
    assert "EARNEST_UNPACK_LIMIT" in caught.value.cure


@pytest.mark.usefixtures("small")
def test_an_archive_that_is_not_compressed_may_be_as_large_as_its_file(tmp_path):
    scores = np.random.default_rng(0).random((40, 10_000))
    path = archive(tmp_path / "pi.npz", npy(scores), zipfile.ZIP_STORED)
    assert en.Predictions.load(path).n_configs == 10_000


@pytest.mark.usefixtures("small")
def test_an_archive_that_is_compressed_as_numbers_are_is_read(tmp_path):
    scores = np.random.default_rng(0).random((40, 10_000)).round(3)
    path = archive(tmp_path / "pi.npz", npy(scores))
    assert path.stat().st_size < scores.nbytes / 2
    assert en.Predictions.load(path).n_configs == 10_000


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("columns", [2**40, 10**9])
def test_an_array_that_claims_more_than_it_has_is_refused(how, columns, tmp_path):
    path = archive(tmp_path / "pi.npz", header((40, columns)) + bytes(100), how)
    with pytest.raises(FormatError, match="is damaged") as caught:
        en.Predictions.load(path)
    assert caught.value.got.startswith("'scores.npy' declares ")


def test_an_empty_array_file_is_told(tmp_path):
    path = archive(tmp_path / "pi.npz", b"")
    with pytest.raises(FormatError, match="is damaged") as caught:
        en.Predictions.load(path)
    assert caught.value.got == "'scores.npy' is empty"


@pytest.mark.usefixtures("small")
def test_replicates_are_held_to_the_same_limit(tmp_path, golden):
    path = archive(tmp_path / "r.npz", bytes(1 << 22))
    with pytest.raises(FormatError) as refusal:
        en.Replicates.load(path)
    golden.check(str(refusal.value))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("honest", [True, False])
def test_text_that_unpacks_to_too_much_is_refused(honest, tmp_path, monkeypatch, golden):
    """Whatever it says of its size at its end, it is left at the limit."""
    data = gzip.compress(TABLE + b"1,0,0.5,0.5\n" * 200_000)
    path = tmp_path / "pi.csv.gz"
    path.write_bytes(data if honest else data[:-4] + struct.pack("<I", 100))
    read: list[int] = []
    whole = gzip.GzipFile.read

    def counted(self: gzip.GzipFile, size: int | None = -1) -> bytes:
        read.append(len(block := whole(self, size)))
        return block

    monkeypatch.setattr(gzip.GzipFile, "read", counted)
    with pytest.raises(FormatError) as refusal:
        en.Predictions.load(path)
    golden.check(str(refusal.value))
    assert sum(read) == 2 << 20  # a block beyond the limit


@pytest.mark.usefixtures("small")
def test_several_parts_of_gzip_count_together(tmp_path, golden):
    path = tmp_path / "pi.csv.gz"
    part = gzip.compress(b"1,0,0.5,0.5\n" * 50_000)
    path.write_bytes(gzip.compress(TABLE) + part * 3)
    with pytest.raises(FormatError) as refusal:
        en.Predictions.load(path)
    golden.check(str(refusal.value))
    path.write_bytes(gzip.compress(TABLE) + gzip.compress(b"1,0,0.5,0.5\n" * 50))
    assert en.Predictions.load(path).n_cases == 90


@pytest.mark.parametrize("cut", [slice(0, -20), slice(0, 12), slice(0, 40)])
def test_half_a_gzip_file_is_told(cut, tmp_path):
    path = tmp_path / "pi.csv.gz"
    path.write_bytes(gzip.compress(TABLE)[cut])
    with pytest.raises(FormatError, match="cannot be read"):
        en.Predictions.load(path)


def test_a_gzip_file_with_a_damaged_byte_is_told(tmp_path):
    data = bytearray(gzip.compress(TABLE))
    data[12] ^= 0xFF
    (tmp_path / "pi.csv.gz").write_bytes(bytes(data))
    with pytest.raises(FormatError, match="cannot be read"):
        en.Predictions.load(tmp_path / "pi.csv.gz")


@pytest.mark.usefixtures("small")
def test_the_limit_can_be_raised_and_lowered(tmp_path, monkeypatch, golden):
    path = archive(tmp_path / "pi.npz", header((40, 10_000)) + bytes(40 * 10_000 * 8))
    monkeypatch.setenv("EARNEST_UNPACK_LIMIT", "5 MB")
    assert en.Predictions.load(path).n_configs == 10_000
    monkeypatch.setenv("EARNEST_UNPACK_LIMIT", "0.5MiB")
    with pytest.raises(FormatError) as refusal:
        en.Predictions.load(path)
    golden.check(str(refusal.value))
    monkeypatch.setenv("EARNEST_UNPACK_LIMIT", "much")
    with pytest.raises(InputError) as refusal:
        en.Predictions.load(path)
    golden.check(str(refusal.value))


def test_what_the_memory_has_no_room_for_is_refused_whatever_the_ratio(monkeypatch):
    monkeypatch.delenv("EARNEST_UNPACK_LIMIT", raising=False)
    monkeypatch.setattr(expanding, "measure_free_memory", lambda: 1 << 30)
    assert expanding.unpack_limit(1 << 10) == 256 << 20
    assert expanding.unpack_limit(5 << 20) == 500 << 20
    assert expanding.unpack_limit(1 << 30) == 1 << 30


def test_the_memory_is_known_here():
    assert expanding.measure_free_memory() > 1 << 20
