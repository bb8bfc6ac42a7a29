"""The table door: files and frames, wide and long, read and written."""
