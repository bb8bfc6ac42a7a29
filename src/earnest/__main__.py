"""`python -m earnest` is the command line."""

import sys

from earnest.cli import main

if __name__ == "__main__":
    sys.exit(main())
