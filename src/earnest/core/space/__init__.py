"""Search spaces, and the trials that an explanation reads."""
