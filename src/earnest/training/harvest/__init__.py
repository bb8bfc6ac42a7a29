"""Predictions of other libraries' searches, kept while they run."""
