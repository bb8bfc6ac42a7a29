"""Cautions about what was searched, what won, and what the number corrects for."""

from __future__ import annotations

from earnest.core.base import check
from earnest.core.cautions.reasons import Silence
from earnest.core.results.cautions import Scope, Verb, Words, caution, note, write_for
from earnest.core.text.doors import arg
from earnest.core.text.numbers import percent, prose, write_count

UNLIMITED = (float("-inf"), float("inf"))
LOOK = "Look at the configurations in the report; failed ones are left out."
UNSEEN = "Confirm the result on cases that the search never saw."


@caution("EN001", about=Scope.OPTIMISM)
def winner_too_optimistic(
    optimism: float,
    places: int,
    low: float | None,
    high: float | None,
    level: float | None,
    share: float | None,
    rival: str,
    bound_only: bool,
) -> Words:
    """The winner's own score is far too good."""
    amount = prose(abs(optimism), places, UNLIMITED)
    if low is not None and high is not None and level is not None:
        ends = [prose(max(end, 0.0), places, UNLIMITED) for end in (low, high)]
        amount += f" ({percent(level)} interval {ends[0]} to {ends[1]})"
    if share is not None:
        gain = "all" if share >= 1.0 else percent(round(share, 2))
        amount += f", {gain} of its apparent gain over {rival}"
    return Words(
        f"On average, the winner's own score in such a search is too optimistic by {amount}.",
        "Do not report it.",
        "Report the limit at the pessimistic end."
        if bound_only
        else "Report the corrected value with its interval.",
    )


@note(
    "EN005",
    about=Scope.WINNER,
    advice={
        Verb.SEARCH: f"List {arg('candidates')} from simple to complex, or let a function as "
        f"{arg('refit')} choose among the best.",
        Verb.TUNE: "Use `cheapest` of the result: what is cheapest to fit of those that score "
        "nearly as well.",
    },
)
def ties(tied: int, winner: str) -> Words:
    """Other configurations score as well as the winner."""
    return Words(
        f"{tied} more configuration{'s' * (tied > 1)} score{'s' * (tied == 1)} as well as "
        f"{winner}.",
        "The first in the given order is named.",
        "Order the configurations from simple to complex, or use "
        f"{arg('selector', 'one_standard_error')}.",
    )


@note("EN005", about=Scope.PAIR)
def same_predictions() -> Words:
    """Two configurations predict the same."""
    return Words(
        "Both made the same prediction for every case.",
        "They cannot be told apart: the difference is 0 and p is 1.",
    )


@note("EN005")
def best_not_told_apart(count: int, trials: int) -> Words:
    """Most trials may be as good as the best."""
    return Words(
        f"{count} of {trials} trials cannot be shown to be worse than the best.",
        "Which configuration won is largely chance.",
        "Choose among them by cost or simplicity.",
    )


@caution("EN006", about=Scope.SEARCH)
def dynamic_search(method: str, corrects: bool, crossed: bool) -> Words:
    """A search by scores meets a method that judges by the cases which guided it.

    `method` is empty for an ensemble. `crossed` tells of halves that the method does not use.
    """
    name = f"Method {method!r}" if method else "The estimate of an ensemble"
    if crossed:
        what = (
            "Each sampler or agent was told the scores of one half of the cases; "
            f"{name[0].lower()}{name[1:]} judges by all."
        )
    else:
        what = "The search used earlier scores to propose configurations."
    if not corrects:
        return Words(
            what,
            f"{name} treats them as fixed in advance, so the score of what was proposed or chosen "
            "is too optimistic.",
            f"Use {arg('method', 'bbc')}, or confirm the result on unseen cases.",
        )
    if crossed:
        return Words(
            what,
            "So optimism is left: in greedy searches on noise the AUC came out .07 too high, where "
            "the unseen half gave .02.",
            f"Use {arg('method', 'bbc')} for the best configuration, or confirm the result on "
            "unseen cases.",
        )
    return Words(
        what,
        f"{name} corrects for a choice among fixed configurations. After a greedy search half of "
        "the optimism remained, and 95 % bounds held in 75 to 92 %; after Optuna's default sampler "
        "on few parameters, in 96 to 98 %.",
        "Search with SearchCV(..., guide='crossed'), or confirm the result on unseen cases.",
    )


@note("EN006", about=Scope.SEARCH)
def crossed_search() -> Words:
    """A search by scores whose proposals are judged by cases that did not guide them."""
    return Words(
        "Each sampler or agent was told the scores of one half of the cases.",
        "The other half judges them, so the estimate is corrected for the proposals too. In greedy "
        "simulated searches 95 % bounds held in 93 to 100 %; on noise the value was up to .03 of "
        "an AUC too high, as after a random search.",
    )


@caution("EN006", about=Scope.SEARCH)
def dynamic_comparison(crossed: bool) -> Words:
    """Configurations that scores have guided are compared as if they had been fixed."""
    halves = " No case is unseen by the samplers of both halves, so all compare." if crossed else ""
    return Words(
        "The search used earlier scores to propose configurations." + halves,
        "The test is for configurations that were fixed in advance. What was proposed later looks "
        "better than it is beside what was proposed earlier.",
        "Confirm a difference on cases that the search never saw.",
    )


@caution("EN006", about=Scope.SEARCH)
def dynamic_gain() -> Words:
    """The gain of a search by scores."""
    return Words(
        "The search proposed configurations by what it had seen.",
        "The correction is for a choice among fixed configurations; some optimism is left, more "
        "at the end of the search than at its start.",
        "Confirm the gain on cases that the search never saw.",
    )


@caution("EN006", about=Scope.SEARCH)
def dynamic_threshold() -> Words:
    """A threshold for the winner of a search by scores."""
    return Words(
        "The search proposed configurations by what it had seen.",
        "The correction is for a choice among fixed configurations; some optimism is left.",
        "Confirm the threshold on cases that the search never saw.",
    )


@note("EN006", about=Scope.ORDER)
def orders_of_dynamic_search() -> Words:
    """The mean over orders of a search that could have run in one only."""
    return Words(
        "The mean over orders is of a search that proposed configurations by what it had seen.",
        "In another order it would have proposed others, so the mean is of no search that could "
        "have been run.",
        f"Use {arg('order', 'tried')}.",
    )


@caution("EN008")
def disagreement(first: str, second: str) -> Words:
    """Two corrected intervals do not meet."""
    return Words(
        f"The intervals of {first} and {second} do not overlap.",
        "At least one of them makes an assumption that does not hold for these data.",
        "Look at the folds and at the cautions of both.",
    )


@note("EN006", about=Scope.SEARCH)
def last_round(configs: int, rows: int) -> Words:
    """A halving search, of which the last round alone can be compared."""
    return Words(
        f"The search halved: {configs} of its {rows} rows are of the last round, on as many "
        "cases or resources.",
        "The value corrects for the choice among these; the rounds before chose them on the same "
        "data, so some optimism is left.",
        "Confirm the result on unseen cases, or search with earnest.SearchCV and drop='bced'.",
    )


@caution("EN014")
def another_rule(refitted: str) -> Words:
    """A search whose winner a function chose."""
    return Words(
        f"A function of `refit` chose the winner: {refitted}.",
        "The value is for the best mean over folds, which may be another configuration.",
        "Let `refit` name the score, or search with earnest.SearchCV.",
    )


@caution("EN100", about=Scope.SEARCH)
def scores_alone(tries: int, least: float, most: float) -> Words:
    """Nothing but one score per try, so that how far tries agree is assumed."""
    return Words(
        f"{tries:,} scores alone do not say how far tries agree on a case; a correlation of "
        f"{least:g} to {most:g} is assumed.",
        "The luck and the corrected score are rough, and too small if tries are missing. The "
        "interval holds for any agreement, and is wide.",
        "Keep the scores of items or folds, or predictions, for earnest.estimate.",
    )


@note("EN100", about=Scope.SEARCH)
def predictions_would_add(assumed: bool) -> Words:
    """Only fold scores are there; `assumed` if nobody said how the splits belong together."""
    read = " They are read as the folds of one cross-validation." if assumed else ""
    return Words(
        f"The search kept the scores of its folds, not the predictions.{read}",
        "Predictions would give an interval by cases, any other metric, thresholds, subgroups and "
        "tests case by case.",
        "Next time write `earnest.SearchCV` where you wrote `GridSearchCV`: it keeps them.",
    )


@note("EN012", about=Scope.SEARCH)
def configurations_incomplete(configs: tuple[str, ...], total: int) -> Words:
    """Configurations lack predictions."""
    return Words(
        f"{len(configs)} of {total} configurations lack predictions: {check.some(configs)}.",
        "They are left out; the result is about the others.",
    )


@note("EN012")
def configurations_undefined(configs: tuple[str, ...], total: int, metric: str) -> Words:
    """The metric has no value for some configurations."""
    return Words(
        f"{metric} is undefined for {len(configs)} of {total} configurations: "
        f"{check.some(configs)}.",
        "They are left out; the result is about the others.",
    )


@caution("EN012")
def folds_not_shared(folds: int, done: tuple[tuple[str, int], ...]) -> Words:
    """One of two configurations lacks folds that the other has."""
    return Words(
        f"Not every fold was evaluated for both: {list_folds(folds, done)}.",
        "They are compared on the folds that both have; if one was dropped because it did badly, "
        "the comparison is too hard on it.",
        "Evaluate the missing folds.",
    )


def list_folds(folds: int, done: tuple[tuple[str, int], ...]) -> str:
    """Return in how many folds each configuration was evaluated."""
    return ", ".join(f"{config} in {count} of {folds} folds" for config, count in done)


@caution("EN014", advice={Verb.TUNE: UNSEEN})
def refit_differs(selector: str, chosen: str, refitted: str, winner: str) -> Words:
    """A search refits another configuration than the resamples choose."""
    return Words(
        _describe_rules(selector, chosen, refitted),
        f"The value corrects for a choice by that rule, and is no better than the score of "
        f"{winner}.",
        "If both are about equally good, you lose little. For a metric that is a mean over cases, "
        "use method=BBC(selector='mean_of_folds').",
    )


@caution("EN014", advice={Verb.TUNE: UNSEEN})
def refit_not_repeated(
    selector: str, chosen: str, refitted: str, winner: str, resampled: str
) -> Words:
    """A search refits a configuration whose choice the resamples cannot repeat."""
    return Words(
        _describe_rules(selector, chosen, refitted),
        f"The choice of {winner} cannot be repeated in the resamples, so the value is its own "
        f"out-of-sample score, not that of {resampled}.",
        f"Let {arg('refit')} choose by the score, or confirm the result on cases that the search "
        "never saw.",
    )


def _describe_rules(selector: str, chosen: str, refitted: str) -> str:
    return (
        f"The search refits {refitted}; the resamples choose by {selector!r}, which on these data "
        f"chooses {chosen}."
    )


@caution("EN014", advice={Verb.TUNE: "Use fewer and larger folds if you want the mean over folds."})
def no_mean_scores(first: str) -> Words:
    """No configuration has a mean score to be chosen by."""
    return Words(
        "No configuration has a mean score: all are NaN.",
        f"The search took the first configuration, {first}, as scikit-learn does. It was not "
        "chosen for being good.",
        "Use folds large enough to be scored one by one, or another score; `failures_` shows what "
        "failed.",
    )


@caution("EN014", about=Scope.SCORING)
def another_score(scoring: str, metric: str) -> Words:
    """The winner was chosen by something else than it is judged by."""
    return Words(
        f"The winner was chosen by {scoring}, but the estimate is of {metric}.",
        f"It corrects for a choice by {metric}, which may be more or less optimistic.",
        f"Use the same {arg('scoring')} and {arg('metric')}.",
    )


@note(
    "EN015",
    about=Scope.SELECTION,
    advice={
        Verb.SEARCH: f"If others were tried, list them in {arg('candidates')}.",
        Verb.TUNE: f"Try more configurations with a longer {arg('budget')} or a larger "
        f"{arg('n_configs')}.",
    },
)
def one_configuration(narrower: str, fewest: int) -> Words:
    """There was nothing to select from; `narrower` names a method for that, if any."""
    hint = ""
    if narrower:
        hint = f" If not, {arg('method', narrower)} scores all cases and is narrower."
    if narrower and fewest:
        hint = (
            f" If not, {arg('method', narrower)} is narrower, for the AUC and for means over "
            f"cases, with {fewest} cases or more."
        )
    return Words(
        "There is only one configuration.",
        "Nothing was selected, so there is nothing to correct.",
        f"If others were tried, add their predictions.{hint}",
    )


@caution("EN022", about=Scope.SELECTION)
def not_corrected(configs: int) -> Words:
    """A winner is treated as if nothing had been selected."""
    return Words(
        f"The winner of {configs} configurations is treated as if it had been the only one.",
        "The value is too optimistic, and so are its limits if it has any.",
        f"Report {arg('method', 'bbc')} instead.",
    )


@caution("EN022", about=Scope.SELECTION)
def refit_not_corrected(winner: str, configs: int) -> Words:
    """A choice that the resamples cannot repeat is not corrected for."""
    return Words(
        f"The choice of {winner} among {configs} configurations is not corrected for.",
        "If it was chosen for being good, the value is too optimistic, and so are its limits.",
        UNSEEN,
    )


@caution("EN039")
def best_in_hindsight() -> Words:
    """P-values are adjusted as if the best had been fixed in advance."""
    return Words(
        "The best configuration was found on the same cases that compare it.",
        "It looks better than it is, so p-values against it are too small; the set of those not "
        "shown to be worse allows for this.",
        f"Use {arg('adjust', 'simultaneous')}, which allows for this too.",
    )


@caution("EN039", about=Scope.TABLE, changes_with_level=True)
def best_of_its_table(config: str, configs: int, p: float) -> Words:
    """One of the two that are compared is the best of its table; p holds for all its pairs."""
    from earnest.core.text.comparison import p_words

    return Words(
        f"{config} is the best of the {configs} configurations of this table.",
        "If you compare it because it looked best, p does not allow for that choice. For all pairs "
        f"of the table, {p_words(p)}.",
        "Compare all configurations, as compare_many does. If you chose this pair before you saw "
        "any scores, p is valid.",
    )


@caution("EN045", advice={Verb.TUNE: LOOK})
def fits_failed(fits: int, configs: tuple[str, ...], total: int) -> Words:
    """Fits of a search failed."""
    return Words(
        f"{fits} fits failed or gave no usable predictions, of {len(configs)} of {total} "
        f"configurations: {check.some(configs)}.",
        "A configuration without all its predictions is left out; the estimate is about the "
        "others.",
        "Read `failures_` of the search.",
    )


@caution("EN045", advice={Verb.TUNE: LOOK})
def scores_failed(fits: int, configs: tuple[str, ...], total: int, error: str) -> Words:
    """Scores of a search failed, although its fits did not; `error` is the first."""
    return Words(
        f"{fits} fits could not be scored, of {len(configs)} of {total} configurations: "
        f"{check.some(configs)}" + (f" ({error})." if error else "."),
        "Their predictions are kept and the estimate includes them, but a mean score used by the "
        "search may be missing.",
        "Read `failures_` of the search.",
    )


@caution("EN045")
def samples_failed(failed: int, samples: int, error: str) -> Words:
    """Bootstrap samples have no model."""
    return Words(
        f"{failed} of {samples} bootstrap samples have no model ({error}).",
        "They are left out, which favours samples that are easy to learn from.",
        "Find out what fails on samples with repeated and missing cases.",
    )


@caution("EN047")
def search_weighted(scored: bool) -> Words:
    """The search weighed cases, and the estimate does not."""
    return Words(
        f"Configurations were {'scored' if scored else 'fitted'} with sample weights"
        f"{'' if scored else ', and compared without'}.",
        "The estimate weights every case equally, so it is about a different population.",
        "Use a metric that takes weights, and pass them to the scorer.",
    )


@caution("EN047")
def fitted_unweighted(kind: str) -> Words:
    """Weights of cases choose and judge, and models are fitted without them."""
    return Words(
        f"The {kind} weights choose and judge configurations; models were fitted without them.",
        "A model that is fitted with the weights may do better where they are large.",
        "To fit with weights, use SearchCV and fit(X, y, sample_weight=...).",
    )


@caution("EN047")
def tool_weighted(tool: str) -> Words:
    """A tool weighed cases, and the estimate does not."""
    return Words(
        f"{tool} was given sample weights.",
        "The estimate weights every case equally, so it is about a different population.",
        "Give them to the predictions: pi.with_weights(weights).",
    )


@note("EN051")
def configurations_dropped(dropped: int, configs: int) -> Words:
    """Configurations were dropped before their last fold."""
    return Words(
        f"{dropped} of {configs} configurations were dropped before their last fold.",
        f"The estimate is about the choice among the remaining {configs - dropped}; if all are "
        "equally good, a little optimism remains.",
    )


@caution("EN051")
def one_survived() -> Words:
    """Dropping left one configuration."""
    return Words(
        "One configuration survived early dropping.",
        "There is no choice left to resample, so the value is its own cross-validated score, "
        "uncorrected.",
        f"Raise the threshold, or use {arg('drop', 'bced_adjusted')} or none.",
    )


@caution("EN051", advice={Verb.TUNE: f"Use fewer and larger folds, or leave {arg('drop')} out."})
def dropped_on_few(predictions: int, enough: int) -> Words:
    """Configurations could be dropped on few predictions."""
    return Words(
        f"Configurations could be dropped after {predictions} predictions.",
        f"With fewer than {enough} predictions, good configurations are dropped by chance.",
        f"Use {arg('min_predictions', enough)} or more.",
    )


@caution("EN051")
def trials_pruned(pruned: int, trials: int) -> Words:
    """A pruner ended trials by their scores so far."""
    return Words(
        f"{pruned} of {trials} trials were pruned before their last fold.",
        "The estimate is about the choice among the rest; if all are equally good, a little "
        "optimism remains.",
        "If that matters, confirm the result on cases that the study never saw, or run it without "
        "a pruner.",
    )


@note("EN055")
def winners_differ(folds: int, winners: int) -> Words:
    """The outer folds did not choose the same configuration."""
    return Words(
        f"The {folds} outer folds chose {winners} different configurations.",
        "The estimate is about tuning and fitting as a whole, not about any one of them.",
    )


@caution("EN077")
def rows_left_out(used: int, rows: int) -> Words:
    """Rows were left out to save time."""
    return Words(
        f"{used:,} of {rows:,} rows were used, drawn at random, so that the search fits into its "
        "budget.",
        "The estimate and the model are those of the smaller table; with all rows the model would "
        "usually be better.",
        f"Allow more time with {arg('budget')}.",
    )


@note("EN077")
def searched_on_fewer(
    searched: int,
    delivered: int,
    metric: str,
    more: int,
    held_out: int,
    score_searched: float | None,
    score_more: float | None,
) -> Words:
    """The search saw fewer rows than the delivered model was fitted on."""
    what = (
        f"The search saw {searched:,} of {delivered:,} rows, so that it fits into its budget; the "
        "model is fitted on all."
    )
    why = "The estimate is for a model of fewer rows, so expect a little more."
    if score_searched is not None and score_more is not None:
        why = (
            f"The estimate is for fewer rows: on {held_out:,} rows that neither saw, the winner "
            f"scores {score_searched:.4g} ({metric}) trained on those of the search, and "
            f"{score_more:.4g} trained on {more:,}."
        )
    return Words(what, why, f"Allow more time with {arg('budget')}.")


@note("EN077")
def portfolio_cut(planned: int, offered: int) -> Words:
    """The budget was planned for a part of the portfolio."""
    return Words(
        f"{planned:,} of the {offered:,} configurations of the portfolio fit into the budget.",
        "The others were not tried; the estimate is about a search among those that were.",
        f"Allow more time with {arg('budget')}.",
    )


@caution("EN077")
def time_ran_out(done: int, of: int, noun: str, planned: int, offered: int | None) -> Words:
    """The time ran out before all that was planned was complete."""
    what = f"The time ran out when {done:,} of {of:,} {noun} were complete."
    if offered is not None:
        what += (
            f" The budget was planned for {planned:,} of the {offered:,} configurations of the "
            "portfolio."
        )
    return Words(
        what,
        "Incomplete ones are left out; the estimate is about the shorter search.",
        f"Use {arg('resume')} to continue, or allow more time with {arg('budget')}.",
    )


@caution("EN100")
def models_without_predictions(
    tool: str, total: int, models: tuple[str, ...], reasons: tuple[Silence, ...]
) -> Words:
    """A tool kept no predictions of some models."""
    why = f" ({check.some(reasons)})" if reasons else ""
    return Words(
        f"{tool} kept no predictions of {len(models)} of {write_count(total, 'model')}: "
        f"{check.some(models)}{why}.",
        "They took part in the choice, but the estimate does not include them.",
    )


@caution("EN100")
def trials_without_predictions(trials: tuple[str, ...], harvested: bool) -> Words:
    """Trials of a study took part in the choice, and nothing is known of their predictions."""
    verb = "have" if harvested else "kept"
    return Words(
        f"{len(trials)} completed trials {verb} no predictions: {check.some(trials)}.",
        "They took part in the choice, but the estimate does not include them.",
        "Start with a new study."
        if harvested
        else "Call keep_predictions in every trial, for every fold.",
    )


KEEP_ALL = {
    "caret": 'Keep all that you tried: trainControl(savePredictions = "all").',
    "tidymodels": "Keep all that you tried: collect_predictions() without `parameters`, of "
    "tune_grid() with control_grid(save_pred = TRUE).",
}


@caution("EN100")
def winner_alone(package: str, params: tuple[str, ...]) -> Words:
    """A table of R holds one configuration of a search, which may be its winner."""
    return Words(
        f"The table of {package} holds one configuration of {check.some(map(repr, params))}.",
        "If it is the best of several, nothing corrects for that choice, and the score is too "
        "good.",
        KEEP_ALL.get(package, "Keep all that you tried."),
    )


@caution("EN102")
def ensembles_included(models: tuple[str, ...]) -> Words:
    """Ensembles of a tool are among the configurations."""
    return Words(
        f"{write_count(len(models), 'model')} learned from the out-of-fold predictions of others: "
        f"{check.some(models)}.",
        "Their weights have seen the outcome of every case, so they look too good, and no method "
        "corrects for that.",
        "Leave them out (the default), or confirm the result on cases that the tool never saw.",
    )


@note("EN102")
def ensembles_left_out(tool: str, models: tuple[str, ...], chosen_anew: bool) -> Words:
    """Ensembles of a tool are left out; the estimate may choose one anew."""
    what = (
        "Left out, because they combine others: "
        f"{write_count(len(models), 'model')}, {check.some(models)}."
    )
    if chosen_anew:
        return Words(
            what,
            f"{tool} predicts with an ensemble of its models. "
            f"{write_for(python='`estimate`', command='`earnest estimate`')} chooses such an "
            "ensemble of the rest anew, on cases that do not score it.",
            f"For the best single model, use {arg('selector', 'pooled')}.",
        )
    return Words(
        what,
        f"The result is about the best of the rest; {tool} may predict with another model.",
        f"{arg('ensembles', True)} includes them, optimistic as they are.",
    )


@caution("EN102")
def delivered_not_judged(rule: str) -> Words:
    """The tool delivers an ensemble, and the estimate is about a single model."""
    return Words(
        "The tool that made the predictions delivers an ensemble of its models.",
        "This estimate is about its best single model.",
        f"For the ensemble, leave {arg('method')} and {arg('selector')} out, or use "
        f"{arg('selector', rule)}.",
    )


@note("EN102")
def delivered_chosen_anew(rule: str) -> Words:
    """The estimate is of an ensemble that is chosen anew, as the tool does."""
    return Words(
        f"The tool delivers an ensemble of its models; this estimate is of {rule!r}, chosen on "
        "cases that do not score it.",
        "It repeats how the tool chooses, by your metric and without models that learned from "
        "others, so its members may differ.",
        "Ask for the metric that the tool chose by. For the best single model, use "
        f"{arg('selector', 'pooled')}.",
    )


@note("EN127", about=Scope.LEARNING)
def settings_of_all() -> Words:
    """A search chose the settings of a learner with all cases, and parts are trained with them."""
    return Words(
        "The settings of the winner were chosen with all training cases.",
        "With fewer cases other settings may be better, so more cases can look more useful than "
        "they are.",
        "To be sure, run the whole search on a part of the cases and compare.",
    )
