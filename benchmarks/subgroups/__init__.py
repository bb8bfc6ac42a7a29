"""How often the limits of subgroups hold all at once, and how often an equal one is called worse."""
