"""The audit table: every configuration that was tried, what became of it, and who won the draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from earnest.core.data.weights import Weights
from earnest.core.results.counts import COMPLETE, DROPPED, FAILED
from earnest.core.results.specs import Standing
from earnest.core.text.estimate import print_numbers
from earnest.core.text.names import ConfigName, value_words
from earnest.core.text.numbers import decimals, prose, write_count
from earnest.kernels.score import score_table
from earnest.plotting.svg.canvas import Axis, Figure
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
WINNER, NOT_WORSE, WORSE = "winner", str(Standing.NOT_WORSE), str(Standing.WORSE)
ORDER = (WINNER, NOT_WORSE, WORSE, "evaluated", DROPPED, INCOMPLETE, FAILED)


def audit_of(results: Results, rivals: RivalsPart | None) -> AuditPart | None:
    """Return the table of all configurations, None if there are none."""
    material = results.material
    if not material.tried:
        return None
    shares = win_shares(results)
    states = _states(results, rivals)
    pooled = _find_pooled_scores(results)
    ranked = _rank(material, pooled)
    drawing = _Drawing.of(results, ranked)
    names = material.names
    cheapest = None if rivals is None else rivals.cheapest
    rows = [
        _row(configuration, rank, names[configuration.config], states, shares, cheapest, drawing, i)
        for i, (rank, configuration) in enumerate(ranked)
    ]
    return AuditPart(
        heading=audit_heading(material.counts.tried),
        lede=_lede(results, rows, pooled=bool(pooled)),
        score_title="Score",
        counts=_counts(rows),
        rows=tuple(rows),
        n_folds=max((len(configuration.folds) for configuration in material.tried), default=0),
        with_ids=any(name.words != config for config, name in names.items()),
        with_models=any(name.model for name in names.values()),
        n_open=OPEN,
        axis=None if drawing.scale is None else strip_axis(drawing.scale, name="audit-axis"),
        dropped=_trace(results),
    )


def win_shares(results: Results) -> dict[str, float]:
    """Return how often each configuration won in-bag, as a share of the resamples."""
    estimate, pi = results.estimate, results.material.predictions
    if len(results.material.tried) < 2:
        return {}  # nothing was chosen
    if results.material.won:
        return dict(results.material.won)
    shares = getattr(None if estimate is None else estimate.details, "win_share", None)
    if shares is None and results.table is not None:
        shares_of_bbc = [
            getattr(estimate.details, "win_share", None)
            for estimate in results.table
            if estimate.method == "bbc"
        ]
        shares = next((each for each in shares_of_bbc if each is not None), None)
    if shares is None or pi is None:
        return {}
    ids = pi.usable().configs.ids
    return dict(zip(ids, shares.tolist(), strict=True)) if len(ids) == len(shares) else {}


def _states(results: Results, rivals: RivalsPart | None) -> dict[str, str]:
    not_worse = () if rivals is None else rivals.not_worse
    compared = {} if results.many is None else {comparison.b: WORSE for comparison in results.many}
    states = {**compared, **dict.fromkeys(not_worse, NOT_WORSE)}
    if results.winner is not None and len(results.material.tried) > 1:
        states[results.winner] = WINNER
    return states


def _find_pooled_scores(results: Results) -> dict[str, float]:
    """Return scores over all cases at once, where the naive score is one and the search's are not.

    Then the table shows these, so that the winner has one naive score on the whole page.
    """
    material, pi = results.material, results.material.predictions
    if not material.by_folds or material.metric is None or pi is None or not _is_pooled(results):
        return {}
    usable = pi.usable()
    scores = score_table(usable, material.metric, Weights.ones(usable.n_cases))[0]
    scores_by_name = zip(usable.configs.ids, scores.tolist(), strict=True)
    return {name: score for name, score in scores_by_name if score == score}


def _rank(
    material: Material, pooled: Mapping[str, float]
) -> list[tuple[int | None, SearchedConfiguration]]:
    """Return the configurations, best score first, those without a complete one last."""
    sign = -1.0 if material.scale.greater_is_better else 1.0
    tried = [
        replace(configuration, score=pooled[configuration.config])
        if configuration.status == COMPLETE and configuration.config in pooled
        else configuration
        for configuration in material.tried
    ]
    done = [
        configuration
        for configuration in tried
        if configuration.status == COMPLETE and configuration.score is not None
    ]
    done.sort(key=lambda configuration: sign * (configuration.score or 0.0))
    others = [configuration for configuration in tried if configuration not in done]
    others.sort(
        key=lambda configuration: (
            configuration.status == FAILED,
            configuration.score is None,
            sign * (configuration.score or 0.0),
        )
    )
    ranks: list[tuple[int | None, SearchedConfiguration]] = [
        (i + 1, configuration) for i, configuration in enumerate(done)
    ]
    return [*ranks, *((None, configuration) for configuration in others)]


@dataclass(frozen=True)
class _Drawing:
    """The scales of strips and dots; no strips without a scale."""

    scale: Axis | None
    ends: tuple[float, float] | None
    places: int

    @classmethod
    def of(
        cls, results: Results, ranked: list[tuple[int | None, SearchedConfiguration]]
    ) -> _Drawing:
        """Take the scale of the better three quarters: poor scores would squeeze the good ones."""
        estimate, measured = results.estimate, results.material.scale
        scores = [
            configuration.score for _, configuration in ranked if configuration.score is not None
        ]
        if not scores:
            return cls(None, None, 3)
        whole = [
            configuration.score
            for rank, configuration in ranked
            if rank is not None and configuration.score is not None
        ]
        shares = [0.25, 1.0] if measured.greater_is_better else [0.0, 0.75]
        good = [float(value) for value in np.quantile(whole or scores, shares)]
        folds = [
            value
            for _, configuration in ranked
            for value in configuration.folds
            if value is not None
        ]
        error = None if estimate is None else estimate.standard_error
        return cls(
            scale_over(good, width=STRIP, limits=measured.limits),
            (min(folds), max(folds)) if folds else None,
            max(decimals(error, scores[0]), 3),
        )

    def strip(
        self, configuration: SearchedConfiguration, number: int, *, winner: bool
    ) -> Figure | None:
        """Draw the score of a configuration."""
        if self.scale is None or number >= DRAWN:
            return None
        return score_strip(configuration.score, self.scale, name=f"audit-{number}", winner=winner)

    def dots(self, configuration: SearchedConfiguration, number: int) -> Figure | None:
        """Draw the scores of its folds."""
        if self.ends is None or number >= DRAWN or not 1 < len(configuration.folds) <= FOLDS:
            return None
        return fold_dots(configuration.folds, self.ends, name=f"folds-{number}", width=DOTS)


def _row(
    configuration: SearchedConfiguration,
    rank: int | None,
    name: ConfigName,
    states: Mapping[str, str],
    shares: Mapping[str, float],
    cheapest: str | None,
    drawing: _Drawing,
    number: int,
) -> AuditRow:
    state = (
        states.get(configuration.config, "evaluated")
        if configuration.status == COMPLETE
        else configuration.status
    )
    share = shares.get(configuration.config)
    return AuditRow(
        rank=rank,
        config=configuration.config,
        label=name.words,
        model=name.model,
        settings=name.settings,
        params=tuple((name, value_words(value)) for name, value in configuration.params.items()),
        score=NONE
        if configuration.score is None
        else prose(configuration.score, drawing.places, (-np.inf, np.inf)),
        value=configuration.score,
        won=NONE if share is None else f"{100 * share:.1f}\u00a0%",
        share=share,
        status=state,
        reason=configuration.reason,
        cheapest=configuration.config == cheapest,
        folds=configuration.folds,
        strip=drawing.strip(configuration, number, winner=state == WINNER),
        dots=drawing.dots(configuration, number),
    )


def _counts(rows: list[AuditRow]) -> tuple[tuple[str, str], ...]:
    counts = Counter(row.status for row in rows)
    return tuple((state, f"{counts[state]:,}") for state in ORDER if counts[state])


def _lede(results: Results, rows: list[AuditRow], *, pooled: bool) -> str:
    material = results.material
    if len(material.tried) == 1:
        return "Nothing was chosen, so there is nothing to correct."
    by_folds = material.by_folds and not pooled
    everything = "items" if material.speaker == "your scores" else "cases"
    basis = "means over folds" if by_folds else f"over all {everything}"
    words = f"Scores are those of the search, {basis}, not corrected."
    if not material.searched:
        words = (
            f"Scores are those of {material.speaker}, {basis}, not corrected for choosing the best "
            "of them."
        )
    if pooled and material.counts.complete < material.counts.tried:
        words += (
            " For configurations that were not run on every fold, they are means over the "
            "folds they have."
        )
    estimate = results.estimate
    if estimate is not None and estimate.ensemble is not None and estimate.winner is None:
        words += " The delivered model averages some of them."
    elif pooled and rows[0].status != WINNER:
        words += " The search chose by the mean over folds, so its winner is not in the first row."
    if material.n_fits_saved and material.n_fits is not None:
        total = material.n_fits + material.n_fits_saved
        words += f" Early dropping saved {material.n_fits_saved:,} of {total:,} fits."
    elif material.n_fits is not None:
        words += f" {write_count(material.n_fits, 'fit')}."
    return words


def _is_pooled(results: Results) -> bool:
    """Tell whether a naive score is shown that is not a mean over folds."""
    estimate = results.estimate
    if estimate is None or estimate.naive is None or estimate.n_configs < 2 or not estimate.honest:
        return False
    return str(estimate.provenance.knobs.get("selector", "")) != "mean_of_folds"


def _trace(results: Results) -> Facts | None:
    """Return how early dropping went, None where nothing was dropped."""
    material = results.material
    dropped = [configuration for configuration in material.tried if configuration.status == DROPPED]
    if not dropped or not material.searched or not material.drop:
        return None
    after = Counter(sum(v is not None for v in configuration.folds) for configuration in dropped)
    left, rows = material.counts.tried, []
    for folds in sorted(after):
        left -= after[folds]
        rows.append((f"After fold {folds}", f"{after[folds]:,} dropped, {left:,} left"))
    if material.n_fits_saved:
        rows.append(("Saved", write_count(material.n_fits_saved, "fit")))
    return Facts(f"Early dropping ({material.drop})", tuple(rows))


WIDTH = 500  # pixels
PHONE = 350


def resamples_of(results: Results) -> Iterator[Panel]:
    """Yield the panels on the resamples; none where the method has no draws."""
    estimate = results.estimate
    if estimate is None or estimate.draws is None or not estimate.n_valid:
        return
    chose = estimate.n_configs > 1 and estimate.honest
    yield Panel(
        heading=f"Where {print_numbers(estimate).value} comes from"
        if estimate.n_configs > 1
        else "Where the interval comes from",
        text=f"{estimate.n_resamples:,} times, a winner was chosen on a resample and scored on the "
        "cases left out. Count of scores."
        if chose
        else f"{estimate.n_resamples:,} resamples of the cases. Count of scores.",
        figure=bootstrap(estimate, name="draws", width=WIDTH),
        phone=bootstrap(estimate, name="draws-phone", width=PHONE),
        data={"draws": estimate.draws},
    )
    shares = win_shares(results)
    if estimate.winner is None or len(shares) < 2:
        return
    labels = results.material.labels
    total = estimate.n_valid
    share = shares.get(estimate.winner, 0.0)
    leader = max(shares, key=lambda name: shares[name])
    ahead = labels.get(leader, leader) if shares[leader] > share else None
    named = {labels.get(name, name): share for name, share in shares.items()}
    best = labels.get(estimate.winner, estimate.winner)
    yield Panel(
        heading=won_heading(round(share * total), total, ahead),
        text="Share of resamples in which each configuration was chosen. A low share means that "
        "the choice was close to a tie.",
        figure=won_in_bag(named, winner=best, name="won", width=WIDTH),
        phone=won_in_bag(named, winner=best, name="won-phone", width=PHONE),
        data={"shares": shares},
    )
