"""Logs of Inspect (inspect-ai): `.eval` archives, and logs as one file of JSON."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from earnest.adapters.readers import ScoresReader, register
from earnest.adapters.scores.runs import (
    EvaluationRun,
    ItemScore,
    Json,
    JsonDict,
    get_count,
    get_dict,
    get_list,
    get_text,
    make_other_version_error,
    name_item,
    peek_bytes,
    read_document,
    read_score_number,
    take_objects,
)
from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.cautions.reasons import Breach, LogEnd
from earnest.core.results.base import parse_json
from earnest.core.tables.formats.expanding import refuse_expanding

TOOL = "Inspect"
ZSTANDARD = 93  # the compression that Inspect uses, which zipfile knows from Python 3.14 on
HEADER, START, SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_NEEDS = "a log of version 2, with `eval` and scored samples"
_DONE = "success"


def is_log(path: Path) -> bool:
    """Tell whether this is a log of Inspect."""
    if path.suffix == ".eval":
        return True
    start = peek_bytes(path, 2000) if path.suffix == ".json" else b""
    return b'"eval_id"' in start and b'"version"' in start and b'"task"' in start


def read_log(path: Path) -> list[EvaluationRun]:
    """Read one log; what Inspect did not finish is read as far as it goes."""
    if path.suffix == ".eval":
        about, samples = _read_archive(path)
    else:
        log = read_document(path, "a log of Inspect")
        about = log if isinstance(log, dict) else {}
        samples = take_objects(get_list(log, "samples"), path, TOOL, _NEEDS)
    ran = get_dict(about, "eval")
    if not ran or (get_count(about, "version") or 0) > 2 or "model" not in ran:
        got = f"version {get_text(about, 'version') or 'unknown'}"
        raise make_other_version_error(path, TOOL, _NEEDS, got)
    if not samples and get_text(about, "status") == _DONE:
        raise FormatError(
            f"{str(path)!r} holds no samples",
            needs="a log with the score of each sample",
            cure="Run the evaluation without --no-log-samples.",
        )
    return [
        EvaluationRun(
            path=path,
            config=get_text(ran, "model"),
            rows=[_read_sample(sample, path) for sample in samples],
            task=get_text(ran, "task"),
            settings=_list_settings(ran, about),
            unfinished=_find_end(about, ran, len(samples)),
        )
    ]


def _read_sample(sample: JsonDict, path: Path) -> ItemScore:
    epoch = get_count(sample, "epoch")
    if "id" not in sample or epoch is None:
        got = f"a sample with {check.some(sorted(sample))}"
        raise make_other_version_error(path, TOOL, "samples with `id` and `epoch`", got)
    scores: dict[str, float | None] = {}
    for scorer, score in get_dict(sample, "scores").items():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):  # a scorer of several values
            scores |= {
                f"{scorer}.{name}": read_score_number(entry) for name, entry in value.items()
            }
        else:
            scores[scorer] = read_score_number(value)
    group = get_text(sample, "metadata", "group")
    return ItemScore(name_item(sample["id"]), scores, repeat=epoch, group=group or None)


def _list_settings(ran: JsonDict, about: JsonDict) -> dict[str, Json]:
    """Return what tells runs of one model apart, from what users set to what follows from it."""
    settings: dict[str, Json] = dict(get_dict(ran, "task_args"))
    for section in ("model_args", "model_generate_config", "solver_args"):
        settings |= {name: value for name, value in get_dict(ran, section).items() if value}
    for name in ("solver", "task_file"):
        settings[name] = get_text(ran, name)
    settings["plan"] = get_dict(about, "plan").get("steps")
    return settings


def _find_end(about: JsonDict, ran: JsonDict, count: int) -> LogEnd | None:
    """Return why a log is not whole, as it says itself."""
    status = get_text(about, "status") or "started"
    epochs = get_count(ran, "config", "epochs") or 1
    wanted = len(get_list(ran, "dataset", "sample_ids")) * epochs
    if status != _DONE:
        message = get_text(about, "error", "message")
        return LogEnd(Breach.SUCCESS, count, wanted, "samples", status, message)
    if count < wanted:
        return LogEnd(Breach.ANSWERS, count, wanted, "samples")
    if get_text(about, "invalidated") == "True":
        return LogEnd(Breach.VALIDITY)
    return None


def _read_archive(path: Path) -> tuple[JsonDict, list[JsonDict]]:
    """Return the header of an archive, and its samples or what it says of them in short."""
    try:
        with zipfile.ZipFile(path) as archive:
            refuse_expanding(archive, path)
            names = set(archive.namelist())
            header = next((name for name in (HEADER, START) if name in names), None)
            if header is None:
                got = f"files {check.some(sorted(names)) or 'none'}"
                raise make_other_version_error(path, TOOL, f"{HEADER} in the archive", got)
            about = _read_member(archive, path, header)
            samples = list(_read_samples(archive, path, names))
    except (
        zipfile.BadZipFile,
        zlib.error,
        pa.ArrowException,
        OSError,
        EOFError,
        UnicodeError,
    ) as error:
        raise FormatError(
            f"{str(path)!r} is cut off or damaged",
            needs="an archive of Inspect, whole",
            got=str(error),
            cure="Copy it again, or leave it out.",
        ) from error
    return about if isinstance(about, dict) else {}, samples


def _read_samples(archive: zipfile.ZipFile, path: Path, names: set[str]) -> Iterator[JsonDict]:
    """Yield the samples: from the summaries, and one by one where these have not all."""
    short = [SUMMARIES] if SUMMARIES in names else _list_journal(names)
    seen = set()
    for name in short:
        listed = _read_member(archive, path, name)
        if not isinstance(listed, list):
            raise make_other_version_error(path, TOOL, f"a list in {name}", check.show(listed))
        for sample in take_objects(listed, path, TOOL, _NEEDS):
            seen.add((name_item(sample.get("id")), get_text(sample, "epoch")))
            yield sample
    whole = sorted(name for name in names if name.startswith("samples/"))
    if len(whole) <= len(seen):
        return
    for name in whole:
        (sample,) = take_objects([_read_member(archive, path, name)], path, TOOL, _NEEDS)
        if (name_item(sample.get("id")), get_text(sample, "epoch")) not in seen:
            yield sample


def _list_journal(names: set[str]) -> list[str]:
    return sorted(name for name in names if name.startswith("_journal/summaries/"))


def _read_member(archive: zipfile.ZipFile, path: Path, name: str) -> Json:
    info = archive.getinfo(name)
    raw = _unpack(archive, path, info)
    try:
        content: Json = parse_json(raw)
    except ValueError as error:
        raise FormatError(
            f"{name!r} in {str(path)!r} is not JSON", needs="a log of Inspect", got=str(error)
        ) from error
    return content


def _unpack(archive: zipfile.ZipFile, path: Path, info: zipfile.ZipInfo) -> bytes:
    """Return the content of a member, also of one that zipfile cannot unpack."""
    if info.compress_type != ZSTANDARD:
        return archive.read(info)
    with path.open("rb") as file:
        file.seek(info.header_offset)
        name, extra = struct.unpack("<26xHH", file.read(30))
        file.seek(info.header_offset + 30 + name + extra)
        packed = file.read(info.compress_size)
    done: bytes = pa.decompress(
        packed, decompressed_size=info.file_size, codec="zstd", asbytes=True
    )
    if zlib.crc32(done) != info.CRC:
        raise zipfile.BadZipFile(f"the checksum of {info.filename!r} is wrong")
    return done


register(
    ScoresReader(name="inspect", words="a log of Inspect", takes=is_log, read=read_log, tool=TOOL)
)
