"""A picture is shown in the colours of the page, and on a phone as one for phones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.scripts import load_script

ROOT = Path(__file__).resolve().parents[2]


siblings = load_script("docs/_extensions/fitting_pictures.py").siblings


def test_a_wide_picture_has_siblings_for_phones_and_the_dark() -> None:
    assert siblings("../a/answer-wide-light.png") == {
        "../a/answer-wide-light.png": ("only-light", "only-wide"),
        "../a/answer-phone-light.png": ("only-light", "only-phone"),
        "../a/answer-wide-dark.png": ("only-dark", "only-wide"),
        "../a/answer-phone-dark.png": ("only-dark", "only-phone"),
    }


def test_a_picture_without_a_width_in_its_name_is_the_wide_one() -> None:
    assert siblings("_static/curse.svg") == {
        "_static/curse.svg": ("only-light", "only-wide"),
        "_static/curse-phone.svg": ("only-light", "only-phone"),
        "_static/curse-dark.svg": ("only-dark", "only-wide"),
        "_static/curse-phone-dark.svg": ("only-dark", "only-phone"),
    }


@pytest.mark.parametrize("page", ["docs/index.md", "docs/tutorials/4-read-the-report.md"])
def test_every_wide_picture_has_all_its_siblings(page: str) -> None:
    path = ROOT / page
    found = re.findall(r"^!\[[^]]*\]\((\S+)\)", path.read_text("utf-8"), re.M)
    assert found
    for uri in found:
        assert all((path.parent / sibling).is_file() for sibling in siblings(uri)), uri


def test_every_picture_of_the_readme_has_one_for_phones() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "![" not in text
    pairs = re.findall(r'srcset="([^"]+)">\s*<img [^>]*src="([^"]+)"', text)
    assert len(pairs) == text.count("<img ") == 2
    for narrow, wide in pairs:
        assert siblings(wide)[narrow] == ("only-light", "only-phone")
        assert (ROOT / narrow).is_file()
        assert (ROOT / wide).is_file()
