"""A blind test of the tighter one of two limits, on searches with real learners."""
