"""Somebody who is told how a training goes on, for tests."""

from __future__ import annotations


class Watcher:
    """Counts what it is told, and takes a dropped fit or a message for an error."""

    def __init__(self) -> None:
        self.planned: list[tuple[int, str]] = []
        self.done = self.ended = 0

    def start(self, total: int, title: str = "") -> None:
        self.planned.append((total, title))

    def advance(self, outcome: object, *, stored: bool = False) -> None:
        self.done += 1

    def drop(self, count: int) -> None:
        raise AssertionError("nothing is dropped")

    def message(self, text: str) -> None:
        raise AssertionError(text)

    def finish(self) -> None:
        self.ended += 1
