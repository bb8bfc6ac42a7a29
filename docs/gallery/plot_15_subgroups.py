"""
For whom does the score hold?
=============================

``by`` gives the score in every subgroup, corrected for the choice of the winner, with intervals
that hold in all of them at once. Orange is shown to be worse than the other cases; the dotted line
is the score of all.
"""

# %%
# Thirty configurations, 600 patients of seven clinics; one clinic codes a feature otherwise.
import numpy as np

import earnest as en

rng = np.random.default_rng(5)
y, clinic = np.tile([0, 1], 300), np.sort(rng.choice(list("ABCDEFG"), 600))
signal = np.where(clinic == "C", -0.3, 1.6) * (y - 0.5) + rng.standard_normal(600)
risk = 1 / (1 + np.exp(-signal[:, None] - 0.5 * rng.standard_normal((600, 30))))
pi = en.Predictions.from_arrays(y, risk, by={"clinic": clinic})
subgroups = en.estimate(pi, metric="roc_auc", by="clinic", rng=0).subgroups
subgroups.plot()

# %%
# What may be said of it:
print(subgroups.summary())
