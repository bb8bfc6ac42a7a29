"""
A report for everything you can bring
=====================================

``report`` tells all that can be said of a run on one HTML page, which loads nothing from a network.
What it says depends on what you bring. As the last line of a cell in a notebook, a report shows its
first lines.
"""

# %%
# **A search** knows its parameters, so its report also explains what mattered.
# sphinx_gallery_thumbnail_path = '_static/report/front-wide-light.png'
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import earnest as en

X, y = load_breast_cancer(return_X_y=True)
grid = {"max_depth": [1, 2, 3, 5, 8], "min_samples_leaf": [1, 3, 10, 30]}
search = en.SearchCV(
    DecisionTreeClassifier(random_state=0), grid, scoring="roc_auc", random_state=7
).fit(X[:150], y[:150])
en.report(search)

# %%
# **Predictions** know no parameters. The report has the other parts.
en.report(search.predictions_, metric="roc_auc", rng=0)

# %%
# **Scores** of prompts or models on the same items:
rng = np.random.default_rng(1)
right = rng.standard_normal((200, 1)) + 0.8 * rng.standard_normal((200, 12)) > -0.5
en.report(en.Scores(right.astype(float)), rng=0)

# %%
# **A file**: predictions, a run file (``run.db``) or the folder of a run. ``save`` writes the page,
# and ``to_markdown`` and ``to_json`` give the same content to other programs.
with tempfile.TemporaryDirectory() as folder:
    table = search.predictions_.save(Path(folder) / "predictions.parquet")
    page = en.report(table, metric="roc_auc", rng=0).save(Path(folder) / "report.html")
    print(f"{page.name}: {page.stat().st_size / 1000:.0f} kB")
