"""Configuration of Sphinx; `make docs` builds with warnings as errors."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "earnest"
author = "the earnest developers"
copyright = f"2026, {author}"
version = release = installed_version("earnest")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "both_themes",
    "descriptions",
    "drawn_math",
    "summaries",
]
exclude_patterns = ["_build"]

# ---- text: Markdown with $math$, :::-fences and links to headings
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3

# ---- the package: NumPy docstrings, members in the order of the source
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autosummary_generate = False
napoleon_google_docstring = False
napoleon_use_rtype = False

# ---- html
html_theme = "pydata_sphinx_theme"
html_title = f"earnest {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_math_renderer = "drawn"
html_favicon = LOGO = "_static/logo.svg"
html_theme_options = {
    "logo": {"text": "earnest", "image_light": LOGO, "image_dark": LOGO},
    "navbar_persistent": ["search-button"],  # the field would not fit beside the sections
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}  # light or dark as the reader's system
html_sidebars = {"index": []}
