"""
Which configurations may be as good as the winner?
==================================================

``compare_many`` compares every configuration with the winner on the same cases. The intervals hold
for all comparisons at once, although the data chose the winner.
"""

# %%
# Ten configurations; the last ones are worse than the first ones.
import numpy as np

import earnest as en

rng = np.random.default_rng(3)
y = rng.integers(0, 2, 300)
strength = np.linspace(1.0, 0.2, 10)
shared = rng.standard_normal(300)[:, None]
noise = 0.7 * shared + 0.7 * rng.standard_normal((300, 10))
pi = en.Predictions.from_arrays(
    y,
    strength * y[:, None] + noise,
    fold=np.arange(300) % 10,
    configs=[f"model {i}" for i in range(1, 11)],
)

comparisons = en.compare_many(pi, metric="roc_auc", rng=0)
comparisons.plot()

# %%
# These are not shown to be worse than the winner:
print(*comparisons.not_worse, sep=", ")

# %%
# ``compare`` asks about two configurations that you name before you see their scores:
pair = en.compare(pi, "model 1", "model 5", metric="roc_auc", rng=0)
print(pair.decision)
pair.plot()
