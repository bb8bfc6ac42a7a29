"""Where no browser is found the tests of pages skip, and fail where all must be installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import chromium


def test_without_chromium_the_tests_skip_and_say_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="Chromium was not found"):
        chromium()


def test_where_everything_must_be_installed_they_fail(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="installs Debian's chromium"):
        chromium()


def test_a_browser_on_the_path_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = tmp_path / "chromium-browser"
    made.write_text("#!/bin/sh\n", encoding="utf-8")
    made.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert chromium() == str(made)
