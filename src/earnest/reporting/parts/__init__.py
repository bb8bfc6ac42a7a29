"""The parts of a report, each from results to plain data."""
