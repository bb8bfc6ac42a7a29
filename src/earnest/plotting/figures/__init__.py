"""Figures with matplotlib: takes a result, returns Axes."""
