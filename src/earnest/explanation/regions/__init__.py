"""Regions of the space, and the trees that find them."""
