"""Speed as ratios against named baselines, both sides timed in one run."""
