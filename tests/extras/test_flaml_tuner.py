"""The recipe of the page for the tuner of FLAML: it proposes, and SearchCV trains and judges."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "search-with-optuna.md"

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def recipe() -> dict[str, Any]:
    """Run the block of the page that begins with the import of FLAML's searcher."""
    pytest.importorskip("flaml")
    (block,) = re.findall(r"```py\n(from flaml.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    return names


def test_the_tuner_of_flaml_is_crossed(recipe: dict[str, Any]) -> None:
    search = recipe["search"]
    assert search.estimate_.guide == "crossed"
    guides = search.predictions_.guides
    assert guides.guided_by[:2].tolist() == [-1, -1]
    assert set(guides.guided_by[2:].tolist()) == {0, 1}
    assert len({str(trial.params) for trial in search.trials_}) > 10


def test_the_same_seed_and_scores_give_the_same_proposals(recipe: dict[str, Any]) -> None:
    def propose(seed: int) -> list[dict[str, object]]:
        asker, rng = recipe["Flaml"](recipe["space"], 12).start(seed), np.random.default_rng(0)
        proposals = []
        while asked := asker.ask():
            proposals += asked
            asker.tell(rng.random(len(asked)))
        return proposals

    assert len(propose(1)) == 12
    assert propose(1) == propose(1) != propose(2)
