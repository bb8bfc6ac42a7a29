"""
The best of twenty prompts
==========================

Whoever tries many prompts on the same items and keeps the best has the same winner's curse.
``Scores`` takes the scores of every prompt on every item.
"""

# %%
# Twenty prompts that are equally good on 500 questions, most of which they all get right or wrong.
import matplotlib.pyplot as plt
import numpy as np

import earnest as en

rng = np.random.default_rng(1)
difficulty = rng.standard_normal(500)[:, None]
right = difficulty + 0.8 * rng.standard_normal((500, 20)) > -0.5
scores = en.Scores(right.astype(float), configs=[f"prompt {i}" for i in range(1, 21)])

result = en.estimate(scores, rng=0)
print(result)

# %%
# The prompts in order of their scores, and the interval for the best of them: most of the distance
# between it and the others is luck.
shares = np.sort(right.mean(axis=0))
plt.axhspan(result.interval.low, result.interval.high, alpha=0.2, label="95 % for the winner")
plt.axhline(result.value, label="the winner, corrected")
plt.bar(np.arange(1, 21), shares, color=["0.7"] * 19 + ["tab:orange"])
plt.ylim(0.55, 0.75)
plt.xticks([1, 5, 10, 15, 20])
plt.xlabel("prompts, from the worst to the best")
plt.ylabel("items right")
plt.legend(loc="upper left")
