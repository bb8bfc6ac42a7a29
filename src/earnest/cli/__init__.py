"""The command line: one file a command, presentation in `show`."""

from earnest.cli.app import main

__all__ = ["main"]
