"""Draw formulas when the site is built: no script, no font and no network is needed to read them.

A formula becomes an SVG picture in the colour and size of the text around it, and MathML beside it
that only screen readers see.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

import latex2mathml.converter
import ziamath
from docutils import nodes
from sphinx.application import Sphinx

FONT_SIZE = 17.0  # of the drawing; all lengths are then given in em of the page
PAGE_SIZE = 16.0
HAT = "^"
NARROW_HAT, WIDE_HAT = "\u02c6", "\u0302"

_SIZE = re.compile(
    r'width="(?P<width>[\d.]+)" height="(?P<height>[\d.]+)"'
    r'(?P<box> viewBox="[\d.-]+ (?P<top>[\d.-]+) [\d.-]+ [\d.-]+")'
)


def mathml(tex: str, *, display: bool) -> ET.Element:
    """Return a formula as MathML, with hats of the width that TeX gives them."""
    shown = "block" if display else "inline"
    root = ET.fromstring(latex2mathml.converter.convert(tex, display=shown))
    for over in root.iter("{http://www.w3.org/1998/Math/MathML}mover"):
        mark = over[-1]
        if mark.text == HAT and over.get("accent") == "true":
            mark.text = NARROW_HAT
            mark.set("stretchy", "false")
        elif mark.text == HAT:
            mark.text = WIDE_HAT
    return root


@cache
def drawn(tex: str, *, display: bool) -> str:
    """Return the HTML of a formula."""
    ET.register_namespace("", "http://www.w3.org/1998/Math/MathML")
    root = mathml(tex, display=display)
    spoken = ET.tostring(root, encoding="unicode")
    root.set("mathcolor", "currentColor")
    formula = ziamath.Math(ET.tostring(root, encoding="unicode"), size=FONT_SIZE)
    return _picture(formula) + f'<span class="visually-hidden">{spoken}</span>'


def _picture(formula: ziamath.Math) -> str:
    """Return the SVG with lengths in em, standing on the line of the text."""
    return _SIZE.sub(_in_em, formula.svg(), count=1)


def _in_em(found: re.Match[str]) -> str:
    width, height, top = (float(found[name]) for name in ("width", "height", "top"))
    below = top + height  # of the line, which is at 0
    sizes = {"width": width, "height": height, "vertical-align": -below}
    style = ";".join(f"{name}:{length / PAGE_SIZE:.3f}em" for name, length in sizes.items())
    return f'aria-hidden="true" style="{style}"{found["box"]}'


def parts(tex: str) -> list[str]:
    """Return the formulas that stand side by side, so that a narrow page can put them in lines."""
    found = [" ".join(part.split()) for part in tex.split(r"\qquad")]
    whole = all(part and part.count("{") == part.count("}") for part in found)
    return found if whole and r"\begin" not in tex else [" ".join(tex.split())]


def visit_inline(writer: Any, node: nodes.math) -> None:
    """Write a formula in a line."""
    writer.body.append(f'<span class="formula">{drawn(node.astext(), display=False)}</span>')
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula of its own."""
    made = " ".join(drawn(part, display=True) for part in parts(node.astext()))
    writer.body.append(f'<div class="formula">{made}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    ziamath.config.svg2 = False  # paths in place: ids would be the same in all formulas of a page
    app.add_html_math_renderer(
        "drawn", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
