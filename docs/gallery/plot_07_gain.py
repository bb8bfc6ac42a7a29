"""
What did the search gain?
=========================

The winner's curse in your own data: what a search would have reported after each number of
configurations, and what to expect of its winner.
"""

# %%
# Thirty configurations, of which the tenth is really better than the others.
import numpy as np

import earnest as en

rng = np.random.default_rng(5)
y = np.tile([0, 1], 150)
strength = np.full(30, 0.8)
strength[9] = 1.6
scores = strength * y[:, None] + 1.3 * rng.standard_normal((300, 30))
pi = en.Predictions.from_arrays(y, scores, fold=np.arange(300) // 2 % 10)

found = en.gain(pi, metric="roc_auc", rng=0)
print(found)
found.plot()
