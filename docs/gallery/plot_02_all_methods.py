"""
Every method on the same predictions
====================================

``estimate_all`` answers one question with every method that fits the evidence. Methods that correct
for the choice of a winner agree with each other; those that do not are too optimistic.
"""

# %%
import numpy as np

import earnest as en

rng = np.random.default_rng(7)
y = rng.integers(0, 2, 200)
scores = y[:, None] + 1.5 * rng.standard_normal((200, 50))
pi = en.Predictions.from_arrays(y, scores, fold=np.arange(200) % 10)

estimates = en.estimate_all(pi, metric="roc_auc", rng=7)
estimates.plot()

# %%
# The same as a table:
print(estimates)
