"""Tables for training: files and frames, kinds of columns, the schema, the outcome."""
