"""What every room builds on: errors, checks, registry, seeds, threads, arrays, protocols."""
