"""Early dropping and early stopping of a search."""
