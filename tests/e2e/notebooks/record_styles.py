"""Record the rules of Jupyter's style sheets that reach what a cell shows.

Run it with a Python that has nbconvert: `python tests/e2e/notebooks/record_styles.py`. The tests
need neither nbconvert nor a network. LICENSE in this folder is that of nbconvert.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
TEMPLATES = Path(sys.prefix) / "share" / "jupyter" / "nbconvert" / "templates"
# Selectors of what stands around an output, and of elements that a result may have.
ELEMENTS = r"(body|html|\*|p|b|strong|code|dl|dt|dd|table|thead|tbody|tr|th|td|svg|div|pre)"
AROUND = {
    "lab": r"\.jp-(RenderedHTML(Common)?|OutputArea(-(child|output|prompt|executeResult))?"
    r"|OutputPrompt|Cell(-output\w+)?|Notebook)(?![\w-])",
    "classic": r"\.rendered_html|div\.output_(wrapper|area|subarea)(?!\w)|div#notebook(?!\w)",
}
UNLIKE = re.compile(
    r"::|:hover|\.(cm-|alert|highlight|anchor|jp-mod|jp-Input|jp-Linked|jp-Rendered(Text|Latex))"
    r"|unconfined|MathJax|rtl|text_cell|Markdown\.|Strict|[Cc]ollapser"
    r"|[ >](a|u|em|ul|ol|li|h\d|hr|kbd|img|blockquote|:link|:visited)\b"
)


def list_blocks(css: str) -> Iterator[tuple[str, str]]:
    """Yield the head and the body of each block that is not inside another one."""
    depth = start = opened = 0
    for at, sign in enumerate(css):
        if sign == "{":
            opened = at if depth == 0 else opened
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0:
                yield css[start:opened].strip(), css[opened + 1 : at].strip()
                start = at + 1


def find_rules(css: str, around: str) -> list[str]:
    """Return the rules that can reach a result, those for narrow windows too."""
    found = []
    for head, body in list_blocks(css):
        if head.startswith("@media") and "max-width" in head:
            inner = find_rules(body, around)
            found += [f"{' '.join(head.split())} {{ {' '.join(inner)} }}"] if inner else []
        elif not head.startswith((":root", "@")):
            selectors = find_selectors(head, around)
            plain = " ".join(body.split())
            found += [f"{', '.join(selectors)} {{ {plain} }}"] if selectors else []
    return found


def find_selectors(head: str, around: str) -> list[str]:
    """Return those of the selectors that can reach a result."""
    bare = re.compile(rf"{ELEMENTS}([ >+]*{ELEMENTS})*(:[\w-]+(\(\w+\))?)?")
    listed = [" ".join(one.split()) for one in head.split(",")]
    near = (one for one in listed if bare.fullmatch(one) or re.search(around, one))
    return [one for one in near if not UNLIKE.search(one)]


def record(template: str, *files: str) -> None:
    """Write the rules of a template, its variables with those that the rules use."""
    kept, variables = [], {}
    for file in files:
        css = (TEMPLATES / template / "static" / file).read_text(encoding="utf-8")
        css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
        kept += find_rules(css, AROUND[template])
        roots = " ".join(body for head, body in list_blocks(css) if head == ":root")
        variables[file] = dict(re.findall(r"(--[\w-]+):\s*([^;]+);", roots))
    used = find_used("\n".join(kept), variables)
    for file, named in variables.items():
        body = " ".join(f"{name}: {value};" for name, value in named.items() if name in used)
        if body and file.startswith("theme"):
            (HERE / f"{template}-{file}").write_text(_head(file) + f":root {{ {body} }}\n")
        elif body:
            kept.insert(0, f":root {{ {body} }}")
    (HERE / f"{template}.css").write_text(_head(files[0]) + "\n".join(kept) + "\n")


def find_used(css: str, variables: dict[str, dict[str, str]]) -> set[str]:
    """Return the variables that rules use, and those that these are made of."""
    used = set(re.findall(r"var\((--[\w-]+)", css))
    while True:
        values = " ".join(v for named in variables.values() for k, v in named.items() if k in used)
        more = used | set(re.findall(r"var\((--[\w-]+)", values))
        if more == used:
            return used
        used = more


def _head(files: str) -> str:
    return (
        f"/* Excerpt of {files} of nbconvert {version('nbconvert')}, made by record_styles.py.\n"
        "   Copyright (c) Jupyter Development Team, BSD 3-Clause: see LICENSE in this folder. */\n"
    )


if __name__ == "__main__":
    record("lab", "index.css", "theme-light.css", "theme-dark.css")
    record("classic", "style.css")
