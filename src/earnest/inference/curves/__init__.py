"""Curves of the chosen configuration, corrected for the choice."""
