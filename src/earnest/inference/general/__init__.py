"""Bootstrap, jackknife and influence function of any statistic."""
