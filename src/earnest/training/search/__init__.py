"""`SearchCV`: tune once, keep every prediction, judge the winner."""
