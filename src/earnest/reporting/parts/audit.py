"""The audit table: every configuration that was tried, what became of it, and who won the draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from earnest.adapters.trials.scored import COMPLETE, DROPPED, FAILED
from earnest.core.data.weights import Weights
from earnest.core.text.estimate import print_numbers
from earnest.core.text.names import ConfigName, value_words
from earnest.core.text.numbers import decimals, prose, write_count
from earnest.kernels.score import score_table
from earnest.plotting.svg.canvas import Figure, Scale
from earnest.plotting.svg.draws import bootstrap, won_in_bag
from earnest.plotting.svg.strips import fold_dots, scale_over, score_strip, strip_axis
from earnest.reporting.model import NONE, AuditPart, AuditRow, Facts, Panel, RivalsPart
from earnest.reporting.parts.headings import audit_heading, won_heading
from earnest.reporting.sources.asking import Results
from earnest.reporting.sources.material import (
    INCOMPLETE,
    Material,
    SearchedConfiguration,
)

STRIP, DOTS = 236, 92  # pixels
OPEN = 25  # rows that stand open; a button shows all
DRAWN = 200  # rows with a strip; beyond, the page would grow past its budget
FOLDS = 30  # folds that can be told apart as dots
WINNER, NOT_WORSE, WORSE = "winner", "may be best", "worse"
ORDER = (WINNER, NOT_WORSE, WORSE, "evaluated", DROPPED, INCOMPLETE, FAILED)


def audit_of(found: Results, rivals: RivalsPart | None) -> AuditPart | None:
    """Return the table of all configurations, None if there are none."""
    material = found.material
    if not material.tried:
        return None
    shares = win_shares(found)
    states = _states(found, rivals)
    pooled = _find_pooled_scores(found)
    ranked = _rank(material, pooled)
    drawing = _Drawing.of(found, ranked)
    names = material.names
    simplest = None if rivals is None else rivals.simplest
    rows = [
        _row(one, rank, names[one.config], states, shares, simplest, drawing, i)
        for i, (rank, one) in enumerate(ranked)
    ]
    return AuditPart(
        heading=audit_heading(len(rows)),
        lede=_lede(found, rows, pooled=bool(pooled)),
        score_title="Score",
        counts=_counts(rows),
        rows=tuple(rows),
        n_folds=max((len(one.folds) for one in material.tried), default=0),
        with_ids=any(name.words != config for config, name in names.items()),
        with_models=any(name.model for name in names.values()),
        n_open=OPEN,
        axis=None if drawing.scale is None else strip_axis(drawing.scale, name="audit-axis"),
        dropped=_trace(found),
    )


def win_shares(found: Results) -> dict[str, float]:
    """Return how often each configuration won in-bag, as a share of the resamples."""
    made, pi = found.estimate, found.material.predictions
    if len(found.material.tried) < 2:
        return {}  # nothing was chosen
    if found.material.won:
        return dict(found.material.won)
    shares = getattr(None if made is None else made.details, "win_share", None)
    if shares is None and found.table is not None:
        told = [
            getattr(one.details, "win_share", None) for one in found.table if one.method == "bbc"
        ]
        shares = next((each for each in told if each is not None), None)
    if shares is None or pi is None:
        return {}
    ids = pi.usable().configs.ids
    return dict(zip(ids, shares.tolist(), strict=True)) if len(ids) == len(shares) else {}


def _states(found: Results, rivals: RivalsPart | None) -> dict[str, str]:
    kept = () if rivals is None else rivals.not_worse
    compared = {} if found.many is None else {made.b: WORSE for made in found.many}
    states = {**compared, **dict.fromkeys(kept, NOT_WORSE)}
    if found.winner is not None and len(found.material.tried) > 1:
        states[found.winner] = WINNER
    return states


def _find_pooled_scores(found: Results) -> dict[str, float]:
    """Return scores over all cases at once, where the naive score is one and the search's are not.

    Then the table shows these, so that the winner has one naive score on the whole page.
    """
    material, pi = found.material, found.material.predictions
    if not material.by_folds or material.metric is None or pi is None or not _is_pooled(found):
        return {}
    usable = pi.usable()
    scores = score_table(usable, material.metric, Weights.ones(usable.n_cases))[0]
    known = zip(usable.configs.ids, scores.tolist(), strict=True)
    return {name: score for name, score in known if score == score}


def _rank(
    material: Material, pooled: Mapping[str, float]
) -> list[tuple[int | None, SearchedConfiguration]]:
    """Return the configurations, best score first, those without a complete one last."""
    sign = -1.0 if material.scale.greater_is_better else 1.0
    tried = [
        replace(one, score=pooled[one.config])
        if one.status == COMPLETE and one.config in pooled
        else one
        for one in material.tried
    ]
    done = [one for one in tried if one.status == COMPLETE and one.score is not None]
    done.sort(key=lambda one: sign * (one.score or 0.0))
    rest = [one for one in tried if one not in done]
    rest.sort(key=lambda one: (one.status == FAILED, one.score is None, sign * (one.score or 0.0)))
    ranks: list[tuple[int | None, SearchedConfiguration]] = [
        (i + 1, one) for i, one in enumerate(done)
    ]
    return [*ranks, *((None, one) for one in rest)]


@dataclass(frozen=True)
class _Drawing:
    """The scales of strips and dots; no strips without a scale."""

    scale: Scale | None
    ends: tuple[float, float] | None
    places: int

    @classmethod
    def of(cls, found: Results, ranked: list[tuple[int | None, SearchedConfiguration]]) -> _Drawing:
        """Take the scale of the better three quarters: poor scores would squeeze the good ones."""
        made, measured = found.estimate, found.material.scale
        scores = [one.score for _, one in ranked if one.score is not None]
        if not scores:
            return cls(None, None, 3)
        whole = [one.score for rank, one in ranked if rank is not None and one.score is not None]
        shares = [0.25, 1.0] if measured.greater_is_better else [0.0, 0.75]
        good = [float(value) for value in np.quantile(whole or scores, shares)]
        folds = [value for _, one in ranked for value in one.folds if value is not None]
        error = None if made is None else made.standard_error
        return cls(
            scale_over(good, width=STRIP, limits=measured.limits),
            (min(folds), max(folds)) if folds else None,
            max(decimals(error, scores[0]), 3),
        )

    def strip(self, one: SearchedConfiguration, number: int, *, winner: bool) -> Figure | None:
        """Draw the score of a configuration."""
        if self.scale is None or number >= DRAWN:
            return None
        return score_strip(one.score, self.scale, name=f"audit-{number}", winner=winner)

    def dots(self, one: SearchedConfiguration, number: int) -> Figure | None:
        """Draw the scores of its folds."""
        if self.ends is None or number >= DRAWN or not 1 < len(one.folds) <= FOLDS:
            return None
        return fold_dots(one.folds, self.ends, name=f"folds-{number}", width=DOTS)


def _row(
    one: SearchedConfiguration,
    rank: int | None,
    name: ConfigName,
    states: Mapping[str, str],
    shares: Mapping[str, float],
    simplest: str | None,
    drawing: _Drawing,
    number: int,
) -> AuditRow:
    state = states.get(one.config, "evaluated") if one.status == COMPLETE else one.status
    share = shares.get(one.config)
    return AuditRow(
        rank=rank,
        config=one.config,
        label=name.words,
        model=name.model,
        settings=name.settings,
        params=tuple((name, value_words(value)) for name, value in one.params.items()),
        score=NONE if one.score is None else prose(one.score, drawing.places, (-np.inf, np.inf)),
        value=one.score,
        won=NONE if share is None else f"{100 * share:.1f}\u00a0%",
        share=share,
        status=state,
        reason=one.reason,
        simplest=one.config == simplest,
        folds=one.folds,
        strip=drawing.strip(one, number, winner=state == WINNER),
        dots=drawing.dots(one, number),
    )


def _counts(rows: list[AuditRow]) -> tuple[tuple[str, str], ...]:
    found = Counter(row.status for row in rows)
    return tuple((state, f"{found[state]:,}") for state in ORDER if found[state])


def _lede(found: Results, rows: list[AuditRow], *, pooled: bool) -> str:
    material = found.material
    if len(material.tried) == 1:
        return "Nothing was chosen, so there is nothing to correct."
    by_folds = material.by_folds and not pooled
    everything = "items" if material.speaker == "your scores" else "cases"
    basis = "means over folds" if by_folds else f"over all {everything}"
    said = f"Scores are those of the search, {basis}, not corrected."
    if not material.searched:
        said = (
            f"Scores are those of {material.speaker}, {basis}, not corrected for choosing the best "
            "of them."
        )
    if pooled and any(one.status != COMPLETE for one in material.tried):
        said += (
            " For configurations that were not run on every fold, they are means over the "
            "folds they have."
        )
    if pooled and rows[0].status != WINNER:
        said += " The search chose by the mean over folds, so its winner is not in the first row."
    if material.n_fits_saved and material.n_fits is not None:
        total = material.n_fits + material.n_fits_saved
        said += f" Early dropping saved {material.n_fits_saved:,} of {total:,} fits."
    elif material.n_fits is not None:
        said += f" {write_count(material.n_fits, 'fit')}."
    return said


def _is_pooled(found: Results) -> bool:
    """Tell whether a naive score is shown that is not a mean over folds."""
    made = found.estimate
    if made is None or made.naive is None or made.n_configs < 2 or not made.honest:
        return False
    return str(made.provenance.knobs.get("selector", "")) != "mean_of_folds"


def _trace(found: Results) -> Facts | None:
    """Return how early dropping went, None where nothing was dropped."""
    material = found.material
    dropped = [one for one in material.tried if one.status == DROPPED]
    if not dropped or not material.searched or not material.drop:
        return None
    after = Counter(sum(v is not None for v in one.folds) for one in dropped)
    left, rows = len(material.tried), []
    for folds in sorted(after):
        left -= after[folds]
        rows.append((f"After fold {folds}", f"{after[folds]:,} dropped, {left:,} left"))
    if material.n_fits_saved:
        rows.append(("Saved", write_count(material.n_fits_saved, "fit")))
    return Facts(f"Early dropping ({material.drop})", tuple(rows))


WIDTH = 500  # pixels
PHONE = 350


def resamples_of(found: Results) -> Iterator[Panel]:
    """Yield the panels on the resamples; none where the method has no draws."""
    made = found.estimate
    if made is None or made.draws is None or not made.n_valid:
        return
    chose = made.n_configs > 1 and made.honest
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
    labels = found.material.labels
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
