"""What the delivered model does with the columns of its table."""
