"""Trials of other tools."""
