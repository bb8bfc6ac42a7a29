"""Pages: a result becomes plain data, and the data a page; the only room that imports jinja2."""

from earnest.core.base.lazy import open_door

__getattr__, __dir__ = open_door(__name__, __file__)
