"""The tests, one file each."""
