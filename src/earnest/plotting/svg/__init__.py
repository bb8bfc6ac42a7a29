"""Figures of the report: plain SVG in the colours of the page."""
