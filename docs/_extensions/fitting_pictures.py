"""Show a picture in the colours and the width of the page: its siblings are put beside it.

`name-dark` is the sibling of `name` or `name-light`, `name-phone` that of `name` or `name-wide`.
Pages name the light and wide one alone, as every Markdown viewer can show it. Pictures in a table
are left as they are: there a page shows several on purpose.

A drawing with links in it is put into the page itself: nobody can follow a link of a loaded one.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

_BEFORE_IMAGES_ARE_COLLECTED = 100


def siblings(uri: str) -> dict[str, tuple[str, ...]]:
    """Return the addresses at which a picture and its siblings would be, with their classes."""
    path = PurePosixPath(uri)
    wide = path.stem.removesuffix("-light")
    themes = {"only-light": path.stem.removeprefix(wide), "only-dark": "-dark"}
    widths = {"only-wide": wide, "only-phone": wide.removesuffix("-wide") + "-phone"}
    return {
        str(path.with_name(name + ending + path.suffix)): (theme, width)
        for theme, ending in themes.items()
        for width, name in widths.items()
    }


def fit(app: Sphinx, doctree: nodes.document) -> None:
    """Put beside every picture the siblings that it has, each with the classes that show it."""
    from docutils import nodes

    folder = Path(app.env.doc2path(app.env.docname)).parent
    for image in list(doctree.findall(nodes.image)):
        if _in_table(image) or "://" in image["uri"]:
            continue
        there = {u: c for u, c in siblings(image["uri"]).items() if (folder / u).is_file()}
        several = [set(kinds) for kinds in zip(*there.values(), strict=True)]
        for uri, classes in reversed(there.items()):
            used = [name for name, kinds in zip(classes, several, strict=True) if len(kinds) > 1]
            one = image if uri == image["uri"] else image.deepcopy()
            one["uri"], one["classes"] = uri, [*image["classes"], *used]
            if one is not image:
                image.parent.insert(image.parent.index(image) + 1, one)
            drawing = read_linked_drawing(folder / uri)
            if drawing:
                inline = nodes.raw("", with_classes(drawing, used), format="html")
                one.parent.replace(one, inline)


def read_linked_drawing(path: Path) -> str:
    """Return the text of a drawing that has links, or nothing of another picture."""
    if path.suffix != ".svg":
        return ""
    text = path.read_text(encoding="utf-8")
    return text if "<a href=" in text else ""


def with_classes(drawing: str, classes: list[str]) -> str:
    """Return a drawing as an element of a page."""
    return f'<span class="{" ".join(["drawing", *classes])}">{drawing}</span>'


def _in_table(node: nodes.Node | None) -> bool:
    from docutils import nodes

    while node is not None and not isinstance(node, nodes.table):
        node = node.parent
    return node is not None


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("doctree-read", fit, priority=_BEFORE_IMAGES_ARE_COLLECTED)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
