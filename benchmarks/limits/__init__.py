"""How large a table may be: memory and time of whole estimates."""
