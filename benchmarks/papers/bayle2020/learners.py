"""The four learners, trained on many training sets of one sample, and their check."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.bayle2020.compiled import network, outputs, stumps
from benchmarks.papers.bayle2020.populations import Codes, Floats, Population

C = 0.01  # of the logistic regression
ALPHA = 100.0  # of the ridge regression
TREES, SHARE, COLUMNS = 100, 0.5, 0.8  # of the forest, as the authors' code; one cut a tree
LAYERS = (8, 4)  # of the network, as the authors' code
EPOCHS, BATCH, RATE, PENALTY = 12, 50, 0.01, 0.2
SEED = 99
Train = Callable[[Population, Codes, Floats], Floats]


def logistic(population: Population, rows: Codes, y: Floats, C: float = C) -> Floats:
    """Return the labels that penalised logistic regressions give to every row: (S, N).

    Features are standardised in each training set; `rows` and `y` are (S, m).
    """
    Z, centre, spread = _standardised(population.X[rows])
    design = np.concatenate([np.ones((*Z.shape[:2], 1)), Z], axis=2)
    shrink = np.diag([0.0] + [1.0 / C] * Z.shape[2])
    models = np.zeros((len(Z), design.shape[2]))
    for _ in range(20):
        p = 1.0 / (1.0 + np.exp(-np.matmul(design, models[:, :, None])[:, :, 0]))
        slope = np.matmul((p - y)[:, None, :], design)[:, 0] + models @ shrink
        curve = np.matmul((design * (p * (1 - p))[:, :, None]).transpose(0, 2, 1), design) + shrink
        step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
        models = models - step
        if np.abs(step).max() < 1e-8:
            break
    return (_linear(population, models, centre, spread) > 0).astype(np.float64)


def ridge(population: Population, rows: Codes, y: Floats, alpha: float = ALPHA) -> Floats:
    """Return what ridge regressions say of every row: (S, N)."""
    Z, centre, spread = _standardised(population.X[rows])
    middle = y.mean(axis=1, keepdims=True)
    gram = np.matmul(Z.transpose(0, 2, 1), Z) + alpha * np.eye(Z.shape[2])
    slope = np.matmul((y - middle)[:, None, :], Z)[:, 0]
    weights = np.linalg.solve(gram, slope[:, :, None])[:, :, 0]
    return _linear(population, np.concatenate([middle, weights], axis=1), centre, spread)


def forest(population: Population, rows: Codes, y: Floats, trees: int = TREES) -> Floats:
    """Return what forests of stumps say of every row: (S, N)."""
    rng = np.random.default_rng(SEED)
    p = population.X.shape[1]
    keep = rng.random((trees, rows.shape[1])) < SHARE
    features = np.argsort(rng.random((trees, p)), axis=1)[:, : max(1, round(COLUMNS * p))]
    out = np.zeros((len(rows), len(population.X)))
    for s, (mine, outcome) in enumerate(zip(rows, y, strict=True)):
        table = stumps(population.bins[mine], outcome, keep, features)
        for j in range(p):
            out[s] += table[j][population.bins[:, j]]
    return out


def net(population: Population, rows: Codes, y: Floats) -> Floats:
    """Return the labels that networks with layers of 8 and 4 units give to every row: (S, N)."""
    Z, centre, spread = _standardised(population.X[rows])
    start, shrink = beginning(Z.shape[2])
    out = np.empty((len(rows), len(population.X)))
    for s in range(len(rows)):
        theta = network(Z[s], y[s], start, shrink, LAYERS, EPOCHS, BATCH, RATE)
        out[s] = outputs((population.X - centre[s]) / spread[s], theta, LAYERS) > 0
    return out


LEARNERS: dict[str, Train] = {"logistic": logistic, "net": net, "forest": forest, "ridge": ridge}


def beginning(p: int) -> tuple[Floats, Floats]:
    """Return where every network starts, drawn as scikit-learn does, and the penalty of each."""
    rng, start, shrink = np.random.default_rng(SEED), [], []
    for before, after in zip((p, *LAYERS), (*LAYERS, 1), strict=True):
        bound = np.sqrt((2.0 if after == 1 else 6.0) / (before + after))
        start += [rng.uniform(-bound, bound, before * after), rng.uniform(-bound, bound, after)]
        shrink += [np.full(before * after, PENALTY), np.zeros(after)]
    return np.concatenate(start), np.concatenate(shrink)


def _standardised(X: Floats) -> tuple[Floats, Floats, Floats]:
    """Return features (S, m, p) standardised in each training set, with means and spreads."""
    centre, spread = X.mean(axis=1), X.std(axis=1)
    spread[spread == 0] = 1.0
    return (X - centre[:, None]) / spread[:, None], centre, spread


def _linear(population: Population, models: Floats, centre: Floats, spread: Floats) -> Floats:
    weights = models[:, 1:] / spread
    return np.asarray(
        weights @ population.X.T + (models[:, 0] - (weights * centre).sum(axis=1))[:, None]
    )


def check(population: Population, n: int = 200) -> None:
    """Hold every learner to scikit-learn's on one sample."""
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rows, y = population.draw(n, np.random.default_rng(1))
    x = population.X[rows]
    if population.task == "binary":
        model = make_pipeline(StandardScaler(), LogisticRegression(C=C, tol=1e-10, max_iter=1000))
        wanted = model.fit(x, y).predict(population.X)
        found = logistic(population, rows[None], y[None])[0]
        assert np.mean(found != wanted) < 1e-3  # rows on the boundary
        _check_network(x, y)
    else:
        model = make_pipeline(StandardScaler(), Ridge(alpha=ALPHA)).fit(x, y)
        found = ridge(population, rows[None], y[None])[0]
        np.testing.assert_allclose(found, model.predict(population.X), rtol=1e-9, atol=1e-12)
        _check_stump(population.bins[rows], y)


def _check_network(x: Floats, y: Floats) -> None:
    """Hold a few epochs from the same start to those of scikit-learn."""
    import warnings

    from sklearn.neural_network import MLPClassifier

    settings = {"alpha": PENALTY, "batch_size": BATCH, "learning_rate_init": RATE}
    model = MLPClassifier(LAYERS, **settings, shuffle=False, warm_start=True, max_iter=1)
    start, shrink = beginning(x.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so few epochs do not converge
        model.fit(x, y)
        place = 0
        for layer, weights in enumerate(model.coefs_):
            end = place + weights.size
            model.coefs_[layer] = start[place:end].reshape(weights.shape).copy()
            place = end + weights.shape[1]
            model.intercepts_[layer] = start[end:place].copy()
        model.set_params(max_iter=3).fit(x, y)
    theta = network(x, y, start, shrink, LAYERS, 3, BATCH, RATE)
    pairs = zip(model.coefs_, model.intercepts_, strict=True)
    wanted = np.concatenate([np.append(weights.ravel(), base) for weights, base in pairs])
    np.testing.assert_allclose(theta, wanted, rtol=1e-6, atol=1e-8)


def _check_stump(codes: NDArray[np.uint8], y: Floats) -> None:
    """Hold one tree of all cases and features to scikit-learn's."""
    from sklearn.tree import DecisionTreeRegressor

    every = np.ones((1, len(y)), dtype=bool)
    table = stumps(codes, y, every, np.arange(codes.shape[1])[None])
    found = sum(table[j][codes[:, j]] for j in range(codes.shape[1]))
    tree = DecisionTreeRegressor(max_depth=1, random_state=0).fit(codes, y)
    np.testing.assert_allclose(found, tree.predict(codes), rtol=1e-9, atol=1e-12)
