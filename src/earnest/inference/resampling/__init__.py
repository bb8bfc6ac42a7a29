"""Resampled statistics, who wins them, splits and tilts."""
