"""Coverage of intervals of survival metrics with few events."""
