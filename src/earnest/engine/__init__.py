"""Tasks that share data: run here or in parallel, limited in time, told of, never lost."""
