"""Benchmarks: speed as ratios, and the papers' tables."""
