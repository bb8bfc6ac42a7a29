"""What `floor` says of the best of many scores, held against simulated tries."""
