"""What a model does, in a terminal."""
