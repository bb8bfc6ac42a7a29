"""The joint effect in the winner's region is told apart from that of the whole space."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import earnest as en
from tests.snapshots import Golden


def explain(seed: int, *, together: bool) -> en.results.Explanation:
    """Explain trials of a score in which a decides what b does, or in which all only add up."""
    rng = np.random.default_rng(seed)
    configs = [
        {"a": rng.random(), "b": rng.random(), "kind": str(rng.choice(["x", "y"]))}
        for _ in range(60)
    ]

    def score(config: dict[str, object]) -> float:
        a, b, kind = float(config["a"]), float(config["b"]), config["kind"] == "x"  # type: ignore[arg-type]
        if together:
            return (0.6 if a > 0.6 else -0.6) * b * (1.0 if kind else -1.0) + 0.3 * a
        return 0.3 * a + 0.5 * b + 0.2 * kind

    values = [score(config) + 0.01 * rng.standard_normal() for config in configs]
    return en.explain(
        configs, objective_values=values, direction="maximize", n_points=80, regions=2, rng=0
    )


def test_a_shape_that_differs_in_the_region_is_flagged(tmp_path: Path, golden: Golden) -> None:
    found = explain(0, together=True)
    joint = found.joint_effect
    assert joint is not None
    assert joint.differs
    tree = found.winner_tree
    assert tree is not None
    assert tree.best is not None
    assert joint.where == tree.best.words
    inner = found.effect2d(*joint.params, grid_size=5, within=tree.best)
    whole = found.effect2d(*joint.params, grid_size=5)
    assert inner.where == tree.best.words
    shown = inner.list_apart(whole, found.confidence_level)
    assert np.nanmax(np.abs(shown)) == pytest.approx(abs(joint.largest), rel=0.35)  # other points
    page = found.save(tmp_path / "page.html").read_text(encoding="utf-8")
    golden.check_sentence(page, "⚑ The joint", hide="^.*?(?=⚑)|[0-9]+[.][0-9]+|[0-9]+ of")
    plain = explain(0, together=False).save(tmp_path / "plain.html").read_text(encoding="utf-8")
    assert "⚑" not in plain


def test_effects_that_add_up_are_not_flagged() -> None:
    """None of 8 searches: the bands hold for all pairs at once at 95 %, and two of them are added.

    With a rate of 5 % no more than 2 of 8 are expected in 99 % of cases; bands that must not touch
    are wider than that by a factor of up to root 2, which leaves 0.5 % of searches.
    """
    flagged = [explain(seed, together=False).joint_effect for seed in range(8)]
    assert sum(joint is not None for joint in flagged) >= 5
    assert not any(joint.differs for joint in flagged if joint is not None)


def test_the_joint_effect_is_written_and_read() -> None:
    found = explain(0, together=True)
    again = en.results.Explanation.from_dict(found.to_dict())
    assert again.joint_effect == found.joint_effect
