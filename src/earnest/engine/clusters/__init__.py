"""Tasks on dask and ray clusters."""
