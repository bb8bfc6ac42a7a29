"""Do the intervals of permutation importance hold, and are columns of noise left alone?"""
