"""Do intervals for the winner hold when real learners are searched? A population knows."""
