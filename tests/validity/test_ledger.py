"""An agent who climbs on noise and asks a gate again and again passes seldom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from benchmarks.ledger import noise
from benchmarks.ledger.noise import MemoryLedger, Noise, change, climb
from earnest.decision import level_of_look

LEDGERS, TRIES, EVERY = 400, 100, 5


def ask_gates(seed: int, *, spend: bool) -> bool:
    """Let an agent climb and ask for his best try every few steps; tell whether one passes.

    After each answer that is no pass he goes on, as every answer so far was the same.
    """
    world = Noise(10_000 + seed)
    rng = np.random.default_rng([7, seed])
    best, w = float("-inf"), rng.standard_normal(noise.FEATURES)
    ledger = MemoryLedger(world, w, seed)
    unseen = np.flatnonzero(ledger.halves == 1)
    for step in range(1, TRIES + 1):
        candidate = change(w, rng)
        told = ledger.score(step, 0, candidate)
        if told > best:
            best, w = told, candidate
        if step % EVERY == 0:
            pi = world.table([w], ["best"]).take(unseen)
            level = level_of_look(0.95, step // EVERY) if spend else 0.95
            verdict = en.gate(pi, metric="roc_auc", above=0.5, confidence_level=level)
            if verdict.passed:
                return True
    return False


@pytest.mark.slow
def test_twenty_questions_on_noise_pass_in_one_ledger_of_twenty_at_most() -> None:
    """Seeds 0 to 399: at most .05 + 2.6 sd, the 99.5 % limit of a share; unspent it is exceeded."""
    limit = 0.05 + 2.6 * (0.05 * 0.95 / LEDGERS) ** 0.5
    spent = np.mean([ask_gates(seed, spend=True) for seed in range(LEDGERS)])
    assert spent <= limit
    unspent = np.mean([ask_gates(seed, spend=False) for seed in range(LEDGERS // 4)])
    assert unspent > 0.05 + 2.6 * (0.05 * 0.95 / (LEDGERS // 4)) ** 0.5


def test_the_study_without_files_says_what_files_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "STEPS", 12)
    monkeypatch.setattr(noise, "LOOKS", (5, 12))
    monkeypatch.setattr(noise, "RESAMPLES", 50)
    for agents in (1, 2):
        on_disk, in_memory = (climb(3, agents, on_disk=kind) for kind in (True, False))
        assert [replace(row, told=0.0) for row in on_disk] == [
            replace(row, told=0.0) for row in in_memory
        ]
        assert [row.told for row in on_disk] == pytest.approx([row.told for row in in_memory])
