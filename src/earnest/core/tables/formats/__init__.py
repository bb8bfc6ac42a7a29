"""Files on disk: text, Parquet, Arrow and NPZ, and how much of them is read at a time."""
