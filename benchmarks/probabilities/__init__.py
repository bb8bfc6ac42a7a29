"""Hold intervals for the calibration of a delivered model against new data."""
