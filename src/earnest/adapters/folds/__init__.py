"""Readers of fold scores: what other libraries' searches, trackers and tables keep of each fold."""
