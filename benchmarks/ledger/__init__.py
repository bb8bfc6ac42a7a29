"""Ledgers of agents that climb: whether the intervals hold, and what noise looks like."""
