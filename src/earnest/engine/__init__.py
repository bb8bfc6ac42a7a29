"""Runs tasks that share data: here or in parallel, with time limits, progress and a store."""
