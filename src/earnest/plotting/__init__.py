"""Figures: takes a result, returns Axes; the only room that imports matplotlib."""
