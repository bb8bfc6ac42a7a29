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

_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


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
    svg: str = formula.svg()
    below = formula.getyofst() / PAGE_SIZE

    def in_em(size: re.Match[str]) -> str:
        width, height = (float(length) / PAGE_SIZE for length in size.groups())
        style = f"width:{width:.3f}em;height:{height:.3f}em;vertical-align:{below:.3f}em"
        return f'aria-hidden="true" style="{style}"'

    return _SIZE.sub(in_em, svg, count=1)


def visit_inline(writer: Any, node: nodes.math) -> None:
    """Write a formula in a line."""
    writer.body.append(f'<span class="math">{drawn(node.astext(), display=False)}</span>')
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula of its own."""
    made = drawn(" ".join(node.astext().split()), display=True)
    writer.body.append(f'<div class="math">{made}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    ziamath.config.svg2 = False  # paths in place: ids would be the same in all formulas of a page
    app.add_html_math_renderer(
        "drawn", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
