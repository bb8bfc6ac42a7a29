"""
Does this interval hold for data like mine?
===========================================

``calibrate`` simulates studies from your predictions and counts how often the limits of each
method held the true score of the winner.
"""

# %%
# Twelve equal configurations. The bootstrap of the winner as it is ignores that it was chosen.
import numpy as np

import earnest as en

rng = np.random.default_rng(1)
y = np.tile([0, 1], 30)
scores = 0.7 * y[:, None] + rng.standard_normal((60, 12))
pi = en.Predictions.from_arrays(y, scores, fold=np.arange(60) // 2 % 5)
methods = ["bbc", "naive_bootstrap"]
checked = en.calibrate(
    pi, metric="roc_auc", methods=methods, n_simulations=80, n_resamples=100, rng=0
)
print(checked)
checked.plot()
