"""The corrected score of a winner: what else it could be, and its errors."""
