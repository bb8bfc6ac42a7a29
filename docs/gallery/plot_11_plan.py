"""
How many items does a study need?
=================================

``plan`` reads a pilot and simulates larger studies from it: items as difficult as those of the
pilot, and configurations that agree as often.
"""

# %%
# A pilot of 4 prompts on 150 items. The study must show a difference of 0.05.
import numpy as np

import earnest as en

rng = np.random.default_rng(0)
pilot = en.Scores(rng.random((150, 4)) < rng.beta(2, 1, (150, 1)))
study = en.plan(pilot, detect=0.05, rng=0)
print(study)
study.plot()
