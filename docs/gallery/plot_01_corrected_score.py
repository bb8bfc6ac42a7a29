"""
The corrected score beside the one a search reports
===================================================

Fifty configurations that are equally good, on 200 cases. The best of them looks better than it is.
The figure shows the score the search would report, the corrected one, and its confidence interval.
"""

# %%
# Each column of ``scores`` holds the out-of-fold predictions of one configuration. All of them have
# a true AUC of 0.68.
import numpy as np

import earnest as en

rng = np.random.default_rng(7)
y = rng.integers(0, 2, 200)
scores = y[:, None] + 1.5 * rng.standard_normal((200, 50))
pi = en.Predictions.from_arrays(y, scores, fold=np.arange(200) % 10)

# %%
# One call selects the winner in 1,000 resamples, scores it on the cases each resample leaves out,
# and averages. No model is trained.
result = en.estimate(pi, metric="roc_auc", rng=7)
print(result)
result.plot()
