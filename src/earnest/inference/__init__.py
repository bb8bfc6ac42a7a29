"""What methods and comparisons share."""
