"""Pages: a result becomes plain data, and the data a page; the only room that imports jinja2."""
