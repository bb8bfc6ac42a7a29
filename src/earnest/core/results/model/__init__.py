"""What a fitted model does with the columns of a table."""
