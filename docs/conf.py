"""Configuration of Sphinx; `make docs` builds with warnings as errors."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / "_extensions"), str(Path(__file__).parent)]

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
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "api_pages",
    "caution_links",
    "descriptions",
    "drawn_math",
    "fitting_pictures",
    "glossary_links",
    "made_tables",
    "notebooks",
    "unsearched",
]
exclude_patterns = ["_build", "gallery"]

# ---- text: Markdown with $math$, :::-fences and links to headings
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3

# ---- the package: NumPy docstrings, members in the order of the source
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autosummary_generate = False
default_role = "py:obj"  # `name` in a docstring is code, and a link where the name is public
napoleon_google_docstring = False
napoleon_preprocess_types = True
napoleon_use_rtype = False

# ---- links: every name of ours that is meant must be found. Others stay words, since no other
# site is asked: types of other libraries, and the words of the NumPy style.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!earnest\.).*"),
    # Types that arguments take by name, and of which only guides to extend earnest tell.
    ("py:class", r"earnest\..*\.(Selector|EnsembleRule|Side|Alternative|Task|ResponseKind)"),
    ("py:class", r"earnest\..*\.(Metric|Test|Resampler)"),
    ("py:class", r"earnest\..*\.(Region|OptunaCandidates|Splitter|Booster|PlanNeed|Search)"),
    ("py:class", r"earnest\..*\.(LightGBMEnvironment|ThresholdRow|ThresholdChoice)"),
    ("py:class", r"earnest\..*\.(TrialOptions|TrialFileOptions)"),
]

# ---- gallery: scripts of docs/gallery run at build time, and can be downloaded as notebooks
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "ignore_repr_types": r"matplotlib",  # the figure is shown; its axes say nothing more
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 60,
    "download_all_examples": False,
    "only_warn_on_example_error": False,
    "abort_on_example_error": True,
}
copybutton_exclude = ".linenos, .gp, .go"  # what is copied can be run: no prompts, no output

# ---- html
html_theme = "pydata_sphinx_theme"
html_title = f"earnest {release}"
html_static_path = ["_static"]
html_extra_path = ["llms.txt"]  # the site in a page, for language models
html_css_files = ["site.css"]
html_show_sourcelink = False
html_search_scorer = str(Path(__file__).with_name("search_scorer.js"))  # guides first
html_math_renderer = "drawn"
html_favicon = LOGO = "_static/logo.svg"
html_theme_options = {
    "logo": {"text": "earnest", "image_light": LOGO, "image_dark": LOGO},
    "navbar_persistent": ["search-button"],  # the field would not fit beside the sections
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}  # light or dark as the reader's system
html_sidebars = {"index": []}
