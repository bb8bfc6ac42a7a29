"""Ask the search of a built site, in Chromium: `python docs/check_search.py FOLDER [WORD ...]`.

Prints the first results for each word, and fails where a page of development comes before a guide,
where a decision or a source listing is found at all, or where another page comes first than the one
that a word must lead to. Needs the extra `test` and Debian's
chromium.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

FIRST = {"GridSearchCV": "how-to/tune-honestly"}  # what a word must lead to
WORDS = ("interval", "groups", "ensemble", "threshold", "method", "corrected score", *FIRST)
GUIDES = re.compile(r"(tutorials|how-to|explanation)/")
UNSEARCHED = re.compile(r"development/decisions/|_modules/")
SHOWN = 8

ASK = """
word => Search._performSearch(...Search._parseQuery(word)).reverse().map(found => found[0])
"""


def find_results(page: Any, word: str) -> list[str]:
    """Return the pages that the site's own search finds for a word, the best first."""
    found: list[str] = page.evaluate(ASK, word)
    return list(dict.fromkeys(found))


def list_misplaced(results: list[str]) -> list[str]:
    """Return the pages of development before a guide, and those that should not be found."""
    guides = [place for place, name in enumerate(results) if GUIDES.match(name)]
    last = max(guides, default=-1)
    return [
        name
        for place, name in enumerate(results)
        if UNSEARCHED.match(name) or (place < last and name.startswith("development/"))
    ]


def main(arguments: list[str]) -> int:
    """Ask for every word, tell what comes first, and return how the process shall end."""
    from playwright.sync_api import sync_playwright

    site = Path(arguments[0]).resolve() / "search.html"
    failed = False
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page()
        page.set_default_timeout(120_000)  # machines are shared
        page.goto(site.as_uri(), wait_until="domcontentloaded")
        page.wait_for_function("Search.hasIndex()")
        for word in arguments[1:] or WORDS:
            results = find_results(page, word)
            misplaced = list_misplaced(results)
            print(f"{word}: {len(results)} pages, {len(misplaced)} misplaced")
            print("".join(f"  {name}\n" for name in results[:SHOWN]), end="")
            wrong = word in FIRST and results[:1] != [FIRST[word]]
            failed = failed or not results or bool(misplaced) or wrong
        browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
