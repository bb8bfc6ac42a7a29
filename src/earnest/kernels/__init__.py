"""Speed: every fast path has a slow oracle in the tests."""
