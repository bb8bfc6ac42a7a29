"""Configuration of Sphinx; `make docs` builds with warnings as errors."""

import logging
from importlib.metadata import version as installed_version
from pathlib import Path

HERE = Path(__file__).parent

project = "earnest"
author = "the earnest developers"
copyright = f"2026, {author}"
version = release = installed_version("earnest")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build", "tutorials/*.py", "tutorials/GALLERY_HEADER*"]

# The folders that index.md lists fill up over time. Sphinx gives this warning no type that
# suppress_warnings could name.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(
    lambda record: "didn't match any documents" not in str(record.msg)
)

# Scripts docs/tutorials/plot_*.py become pages with their output.
if any(HERE.glob("tutorials/plot_*.py")):
    extensions.append("sphinx_gallery.gen_gallery")
    sphinx_gallery_conf = {
        "examples_dirs": "tutorials",
        "gallery_dirs": "gallery",
        "abort_on_example_error": True,
        "show_memory": False,
        "show_signature": False,
        "min_reported_time": 1e9,
    }

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
html_show_sourcelink = False
html_theme_options = {"show_prev_next": False, "secondary_sidebar_items": ["page-toc"]}
