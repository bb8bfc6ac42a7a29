"""
Where to put the threshold?
===========================

``thresholds`` says what to expect of the winner at each threshold, corrected for the choice of the
winner. Choose a threshold by what it must reach, and read what it is expected to reach.
"""

# %%
# Twenty configurations, 300 patients, a fifth of whom are ill.
import numpy as np

import earnest as en

rng = np.random.default_rng(7)
y = (rng.random(300) < 0.2).astype(int)
risk = 1 / (1 + np.exp(1.5 - 1.5 * y[:, None] - rng.standard_normal((300, 20))))
found = en.thresholds(en.Predictions.from_arrays(y, risk), metric="roc_auc", rng=0)
found.plot()

# %%
# The threshold that reaches a sensitivity of 0.9 on these patients reaches less on new ones:
chosen = found.choose(sensitivity=0.9)
print(f"threshold {chosen.threshold:.2f}")
print(f"sensitivity {chosen.sensitivity.naive:.2f} here")
print(f"sensitivity {chosen.sensitivity.value:.2f} on new patients")
