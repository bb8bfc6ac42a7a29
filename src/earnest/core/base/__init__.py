"""What every room stands on: errors, checks, registry, seeds, threads, arrays, protocols."""
