"""Record what scikit-survival 0.28.0, torchsurv 0.2.0 and lifelines 0.30.3 say of three data sets.

`python survival_peers.py > survival_peers.json`, in an environment with those packages: the first
is under the GPL and is no part of this project. Times have no ties between an event and a
censoring, where the packages differ.
"""

import json
import warnings

import numpy as np

TIMES = np.array([0.25, 0.5, 0.75, 1.0])
TAU = 1.2


def record(n: int, seed: int, step: float) -> dict[str, object]:
    """Return a data set and what the packages say of it."""
    import torch
    from lifelines import CoxPHFitter
    from sksurv.linear_model import CoxPHSurvivalAnalysis
    from sksurv.metrics import (
        brier_score,
        concordance_index_censored,
        concordance_index_ipcw,
        cumulative_dynamic_auc,
        integrated_brier_score,
    )
    from sksurv.util import Surv
    from torchsurv.metrics.auc import Auc
    from torchsurv.metrics.brier_score import BrierScore
    from torchsurv.metrics.cindex import ConcordanceIndex
    from torchsurv.stats.ipcw import get_ipcw

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    score = np.round(0.8 * x[:, 0], 1)  # with ties
    life, end = rng.exponential(np.exp(-0.8 * x[:, 0])), rng.exponential(2.5, n)
    event, time = life <= end, np.minimum(life, end)
    if step:
        time = np.ceil(time / step) * step + np.where(event, 0.0, step / 2)
    chances = np.exp(-np.exp(score)[:, None] * TIMES)
    y = Surv.from_arrays(event, time)
    order = np.flatnonzero(time <= time[event].max())
    auc, _ = cumulative_dynamic_auc(y, y, score, TIMES)
    tensors = torch.tensor(score), torch.tensor(event), torch.tensor(time)
    inverse = get_ipcw(tensors[1], tensors[2]).double()
    at = torch.tensor(TIMES)
    inverse_at = get_ipcw(tensors[1], tensors[2], at).double()
    cox = CoxPHSurvivalAnalysis(alpha=3.0, ties="efron", tol=1e-14, n_iter=500).fit(x, y)
    import pandas as pd

    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "time": time, "event": event})
    fitter = CoxPHFitter(penalizer=0.1).fit(
        frame, "time", "event", fit_options={"precision": 1e-13}
    )
    curves = fitter.predict_survival_function(frame[["a", "b"]].head(3), times=TIMES)
    return {
        "time": time.tolist(),
        "event": event.tolist(),
        "x": x.tolist(),
        "score": score.tolist(),
        "times": TIMES.tolist(),
        "tau": TAU,
        "untied": len(order) == n,
        "sksurv_harrell": float(concordance_index_censored(event, time, score)[0]),
        "sksurv_uno": float(concordance_index_ipcw(y, y, score, tau=TAU)[0]),
        "sksurv_auc": auc.tolist(),
        "sksurv_brier": brier_score(y, y, chances, TIMES)[1].tolist(),
        "sksurv_integrated": float(integrated_brier_score(y, y, chances, TIMES)),
        "sksurv_ridge": cox.coef_.tolist(),
        "lifelines_coef": fitter.params_.tolist(),
        "lifelines_survival": curves.to_numpy().T.tolist(),
        "torchsurv_harrell": float(ConcordanceIndex()(*tensors)),
        "torchsurv_uno": float(
            ConcordanceIndex()(*(t.float() if t.is_floating_point() else t for t in tensors),
                               weight=inverse.float(), tmax=torch.tensor(TAU))
        ),
        "torchsurv_auc": Auc()(*tensors, weight=inverse, new_time=at,
                               weight_new_time=inverse_at).tolist(),
        "torchsurv_brier": BrierScore()(torch.tensor(chances), *tensors[1:], new_time=at,
                                        weight=inverse, weight_new_time=inverse_at).tolist(),
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps([record(80, 1, 0.0), record(80, 2, 0.125), record(300, 3, 0.0)]))
