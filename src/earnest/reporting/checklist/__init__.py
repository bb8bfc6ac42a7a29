"""What a guideline asks a paper to report, filled from a run: TRIPOD+AI, and a model card."""
