"""`tune`: from a table to a tuned model and what to expect of it."""
