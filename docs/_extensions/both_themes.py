"""Show a picture in the colours of the page: `name-dark` beside `name` or `name-light`.

Pages name the light one alone, as every Markdown viewer can show it. Pictures in a table are left
as they are: there a page shows both on purpose.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx

_BEFORE_IMAGES_ARE_COLLECTED = 100


def dark_sibling(uri: str) -> str:
    """Return the address at which the dark version of a picture would be."""
    path = PurePosixPath(uri)
    return str(path.with_name(path.stem.removesuffix("-light") + "-dark" + path.suffix))


def pair(app: Sphinx, doctree: nodes.document) -> None:
    """Put the dark version beside every picture that has one."""
    folder = Path(app.env.doc2path(app.env.docname)).parent
    for image in list(doctree.findall(nodes.image)):
        dark = dark_sibling(image["uri"])
        if _in_table(image) or "://" in dark:
            continue
        if (folder / dark).is_file():
            other = image.deepcopy()
            other["uri"] = dark
            image["classes"] = [*image["classes"], "only-light"]
            other["classes"] = [*other["classes"], "only-dark"]
            image.parent.insert(image.parent.index(image) + 1, other)


def _in_table(node: nodes.Node | None) -> bool:
    while node is not None and not isinstance(node, nodes.table):
        node = node.parent
    return node is not None


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("doctree-read", pair, priority=_BEFORE_IMAGES_ARE_COLLECTED)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
