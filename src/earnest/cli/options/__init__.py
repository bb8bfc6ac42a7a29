"""The options of the commands, in the order of their help."""
