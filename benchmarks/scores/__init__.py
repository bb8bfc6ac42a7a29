"""Best of many on evaluation matrices: which corrections hold, and how large they may get."""
