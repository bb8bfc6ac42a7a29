"""The rank metrics by their definitions: slow and plain, for one column and one resample."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score


def repeated(weights, *arrays):
    """Repeat rows as often as their weight says."""
    return [np.repeat(array, weights) for array in arrays]


def auc(scores, labels, weights):
    """Compare every positive with every negative; integers up to the division."""
    scores, weights = scores.astype(np.float64), weights.astype(np.int64)
    up, down = labels == 1, labels == 0
    credit = np.sign(scores[up][:, None] - scores[down][None]).astype(np.int64) + 1
    pairs2 = int(weights[up] @ credit @ weights[down])
    return quotient(pairs2, 2 * int(weights[up].sum()) * int(weights[down].sum()))


def long_auc(scores, labels, weights):
    """The same for many rows: weights by distinct score, then every score meets those below it."""
    weights = weights.astype(np.int64)
    _, score = np.unique(scores, return_inverse=True)
    up, down = np.zeros((2, score.max() + 1), np.int64)
    np.add.at(up, score[labels == 1], weights[labels == 1])
    np.add.at(down, score[labels == 0], weights[labels == 0])
    pairs2 = int((up * (2 * (np.cumsum(down) - down) + down)).sum())
    return quotient(pairs2, 2 * int(up.sum()) * int(down.sum()))


def roc_auc(scores, labels, weights, max_fpr=None):
    """scikit-learn's value on repeated rows, NaN if a class is missing."""
    labels, scores = repeated(weights, labels, scores)
    labels, scores = labels[labels >= 0], scores[labels >= 0]
    if len(set(labels)) < 2:
        return np.nan
    return roc_auc_score(labels, scores, max_fpr=max_fpr)


def average_precision(scores, labels, weights):
    """scikit-learn's value on repeated rows, NaN without positives."""
    labels, scores = repeated(weights, labels, scores)
    labels, scores = labels[labels >= 0], scores[labels >= 0]
    return average_precision_score(labels, scores) if 1 in labels else np.nan


def ks(scores, labels, weights):
    """Look for the largest difference of the rates at every distinct score of the repeated rows."""
    labels, scores = repeated(weights, labels, scores)
    up, down = scores[labels == 1], scores[labels == 0]
    if up.size == 0 or down.size == 0:
        return np.nan
    cuts = np.unique(np.append(up, down))
    return max(abs(np.mean(up >= cut) - np.mean(down >= cut)) for cut in cuts)


def concordance(risk, time, event, weights):
    """Compare every pair of cases; integers up to the division."""
    weights = weights.astype(np.int64)
    earlier = (time[:, None] < time[None]) | ((time[:, None] == time[None]) & ~event[None])
    comparable = (event[:, None] & earlier).astype(np.int64)
    credit = np.sign(risk[:, None] - risk[None]).astype(np.int64) + 1
    pairs2 = int(weights @ (comparable * credit) @ weights)
    return quotient(pairs2, 2 * int(weights @ comparable @ weights))


def quotient(part, whole):
    """Divide two integers as float64 numbers, NaN for 0 / 0."""
    return float(part) / float(whole) if whole else np.nan
