"""Early dropping (BCED-CV) on real data, after Tsamardinos et al. 2018, section 6.2."""
