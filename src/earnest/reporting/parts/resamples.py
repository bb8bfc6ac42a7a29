"""Where the number comes from: its draws, and who won them."""

from __future__ import annotations

from collections.abc import Iterator

from earnest.core.text.estimate import print_numbers
from earnest.plotting.svg.figures import bootstrap, won_in_bag
from earnest.reporting.model import Panel
from earnest.reporting.parts.audit import win_shares
from earnest.reporting.parts.headings import won_heading
from earnest.reporting.sources.asking import Results
from earnest.reporting.sources.material import label_tried

WIDTH = 500  # pixels
PHONE = 350


def resamples_of(found: Results) -> Iterator[Panel]:
    """Yield the panels on the resamples; none where the method has no draws."""
    made = found.estimate
    if made is None or made.draws is None or not made.n_valid:
        return
    chose = made.n_configs > 1 and found.corrected
    yield Panel(
        heading=f"Where {print_numbers(made).value} comes from"
        if made.n_configs > 1
        else "Where the interval comes from",
        text=f"{made.n_resamples:,} times, a winner was chosen on a resample and scored on the "
        "cases left out. Count of scores."
        if chose
        else f"{made.n_resamples:,} resamples of the cases. Count of scores.",
        figure=bootstrap(made, name="draws", width=WIDTH),
        phone=bootstrap(made, name="draws-phone", width=PHONE),
        data={"draws": made.draws},
    )
    shares = win_shares(found)
    if made.winner is None or len(shares) < 2:
        return
    labels = label_tried(found.material.tried)
    total = made.n_valid
    own = shares.get(made.winner, 0.0)
    leader = max(shares, key=lambda name: shares[name])
    ahead = labels.get(leader, leader) if shares[leader] > own else None
    named = {labels.get(name, name): share for name, share in shares.items()}
    best = labels.get(made.winner, made.winner)
    yield Panel(
        heading=won_heading(round(own * total), total, ahead),
        text="Share of resamples in which each configuration was chosen. A low share means that "
        "the choice was close to a tie.",
        figure=won_in_bag(named, winner=best, name="won", width=WIDTH),
        phone=won_in_bag(named, winner=best, name="won-phone", width=PHONE),
        data={"shares": shares},
    )
