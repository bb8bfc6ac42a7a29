"""The bytes of a model file that depend on the model alone.

skops names the parts of a model by their addresses in memory, and its archive keeps the time of
day; so two files of one model differ. Here parts are numbered as they come and times are fixed.
"""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any
from zipfile import ZipFile, ZipInfo

INDEX = "schema.json"  # the file of the archive that says what the others are
DAY = (1980, 1, 1, 0, 0, 0)  # the first that an archive knows


def settled(data: bytes, comment: str = "") -> bytes:
    """Return the file of skops with its parts numbered in their order, without times.

    `comment` is what can be read of the archive before anything is made of it.
    """
    with ZipFile(BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    numbers: dict[int, int] = {}
    index = _numbered(json.loads(files.pop(INDEX)), numbers)
    named = {_renamed(name, numbers): content for name, content in files.items()}
    sink = BytesIO()
    with ZipFile(sink, "w") as archive:
        archive.comment = comment.encode()
        for name in sorted(named):
            archive.writestr(ZipInfo(name, DAY), named[name])
        archive.writestr(ZipInfo(INDEX, DAY), json.dumps(index))
    return sink.getvalue()


def _numbered(node: Any, numbers: dict[int, int]) -> Any:
    """Return a node of the index with the number of its place for every address."""
    if isinstance(node, list):
        return [_numbered(one, numbers) for one in node]
    if not isinstance(node, dict):
        return node
    made = dict(node)
    if isinstance(node.get("__id__"), int):
        made["__id__"] = numbers.setdefault(node["__id__"], len(numbers) + 1)
    for key, value in node.items():
        if key == "file" and isinstance(value, str):
            made[key] = _renamed(value, numbers)
        elif key != "__id__":
            made[key] = _numbered(value, numbers)
    return made


def _renamed(name: str, numbers: dict[int, int]) -> str:
    path = PurePosixPath(name)
    if not path.stem.isdigit():
        return name
    return f"{numbers.setdefault(int(path.stem), len(numbers) + 1)}{path.suffix}"
