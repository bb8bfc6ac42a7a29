"""Decisions: whether a change may go in (gate), and how much to run before it is asked (plan)."""
