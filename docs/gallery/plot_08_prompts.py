"""
The best of twenty prompts
==========================

Whoever tries many prompts on the same items and keeps the best has the same winner's curse.
``Scores`` takes the scores of every prompt on every item.
"""

# %%
# Twenty prompts that are equally good on 500 questions, most of which they all get right or wrong.
import numpy as np

import earnest as en

rng = np.random.default_rng(1)
difficulty = rng.standard_normal(500)[:, None]
right = difficulty + 0.8 * rng.standard_normal((500, 20)) > -0.5
scores = en.Scores(right.astype(float), configs=[f"prompt {i}" for i in range(1, 21)])

result = en.estimate(scores, rng=0)
print(result)
result.plot()
