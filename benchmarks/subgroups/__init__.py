"""How often limits of subgroups hold at once, and how often an equal one is called worse."""
