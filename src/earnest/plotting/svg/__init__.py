"""Figures of a report as plain SVG: each function takes a result and returns a `Figure`.

Colours are `var(--token)`; a page defines the tokens of `canvas.TOKENS`. Blue, filled and solid is
corrected for the search; orange, hollow and dashed is not; grey and filled is corrected, but of
another quantity.
"""
