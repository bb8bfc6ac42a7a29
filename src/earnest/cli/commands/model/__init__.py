"""What is done with the model of a run."""
