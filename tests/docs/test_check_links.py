"""A broken link of the built site is noticed, and a sound one is left in peace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts import load_script
from tests.snapshots import Golden

check_links = load_script("docs/check_links.py")


def site(folder: Path, body: str) -> Path:
    """A site with a page of this body, a second page, and a picture."""
    (folder / "sub").mkdir()
    (folder / "index.html").write_text(f"<html><body id='top'>{body}</body></html>", "utf-8")
    (folder / "sub" / "index.html").write_text("<h2 id='en001'>one</h2><a name=old>", "utf-8")
    (folder / "sub" / "Übung 1.png").write_bytes(b"")
    return folder


def problems(folder: Path, body: str) -> list[str]:
    return [p.why for p in check_links.Site(site(folder, body).resolve()).problems()]


@pytest.mark.parametrize(
    "body",
    [
        "<a href='sub/index.html'>page</a>",
        "<a href='sub/'>a folder has its index</a>",
        "<a href='sub/index.html#en001'>an anchor</a>",
        "<a href='sub/index.html#old'>an anchor of the old kind</a>",
        "<a href='#top'>here</a><a href='#'>the beginning</a>",
        "<a href='?q=1#top'>a question to this page</a>",
        "<img src='sub/%C3%9Cbung%201.png?digest=12ab'>",
        "<img srcset='sub/%C3%9Cbung%201.png 1x, sub/%C3%9Cbung%201.png 2x'>",
        "<img src='data:image/gif;base64,R0lGOD'>",
        "<a href='https://example.org/a?b=c#d'>elsewhere</a>",
        "<a href='https://example.org:8080/'>with a port</a>",
        "<a href='mailto:someone@example.org'>write</a>",
        "<link rel='prev' href='sub/index.html'><link rel='author' href='https://example.org/'>",
        "<pre>&lt;a href='nowhere.html'&gt;</pre><!-- <a href='nowhere.html'> -->",
        "<script>const link = \"<a href='nowhere.html'>\";</script>",
        "<input data='no address'>",
    ],
)
def test_a_sound_link_is_left_in_peace(body: str, tmp_path: Path) -> None:
    assert problems(tmp_path, body) == []


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("<a href='nowhere.html'>", "leads to no file"),
        ("<a href='Sub/index.html#en001'>", "leads to no file"),
        ("<img src='sub/missing.png'>", "leads to no file"),
        ("<img srcset='sub/index.html 1x, sub/missing.png 2x'>", "leads to no file"),
        ("<object data='missing.svg'></object>", "leads to no file"),
        ("<svg><use xlink:href='missing.svg'></use></svg>", "leads to no file"),
        ("<a href='sub/index.html#en002'>", "leads to no place"),
        ("<a href='#nowhere'>", "leads to no place"),
        ("<a href=''>", "is empty"),
        ("<a href='/sub/index.html'>", "is absolute"),
        ("<a href='../outside.html'>", "leads out of the site"),
        ("<script src='https://cdn.example.org/x.js'></script>", "is loaded from elsewhere"),
        ("<link rel='stylesheet' href='//cdn.example.org/x.css'>", "is loaded from elsewhere"),
        ("<img src='http://example.org/x.png'>", "is loaded from elsewhere"),
        ("<a href='https://example'>", "is not well formed"),
        ("<a href='https://exa mple.org/'>", "is not well formed"),
        ("<a href='http://[example.org/'>", "is not an address"),
        ("<a href='htps://example.org/'>", "has an unknown scheme"),
        ("<a href='javascript:void(0)'>", "has an unknown scheme"),
        ("<a href='mailto:nobody'>", "is no mail address"),
    ],
)
def test_a_broken_link_is_noticed(body: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "outside.html").write_text("", "utf-8")
    (tmp_path / "site").mkdir()
    (found,) = problems(tmp_path / "site", body)
    assert found.startswith(why)


def test_a_problem_names_its_page_and_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    site(tmp_path, "\n\n<a href='nowhere.html'>")
    assert check_links.main([str(tmp_path)]) == 1
    written = capsys.readouterr()
    golden.check(written.err)
    golden.check(written.out)


def test_a_sound_site_ends_well_and_an_empty_one_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_links.main([str(tmp_path)]) == 2
    assert "no page" in capsys.readouterr().err
    assert check_links.main([str(site(tmp_path, "<a href='sub/'>"))]) == 0
