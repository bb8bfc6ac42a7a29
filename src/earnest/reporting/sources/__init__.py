"""What a report is made from, and what it asks."""
