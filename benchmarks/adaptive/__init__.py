"""Are adaptive searches judged honestly? Searches that learn from scores, with known truth."""
