"""The facts of a study in sentences, by the item of the checklist that asks for them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from earnest.core.base.check import some
from earnest.core.data.target import Task
from earnest.core.results.specs import Side
from earnest.core.text.calibration import tell as tell_calibration
from earnest.core.text.cleaning import clean_line
from earnest.core.text.counts import tell_counts
from earnest.core.text.estimate import limits_words, print_numbers
from earnest.core.text.numbers import percent, write_count
from earnest.core.text.readiness import list_verdict
from earnest.core.text.subgroups import join_names, word_bound
from earnest.core.text.subgroups import word_headline as word_subgroups
from earnest.core.text.thresholds import tell_gain
from earnest.core.text.validation import show_number, tell_validation
from earnest.core.text.validation import word_headline as word_validation
from earnest.methods.base import spec_of
from earnest.reporting.checklist.study import Study

TASKS = {
    Task.BINARY: "two classes",
    Task.MULTICLASS: "several classes",
    Task.REGRESSION: "a number",
    Task.SURVIVAL: "time to an event",
}
DEFAULT = "default"
MOST_NAMED = 8


def say_participants(study: Study) -> str:
    """Return how many rows were read, and how many were used."""
    flow = study.participants
    words = f"The table has {write_count(flow.n_rows, 'row')}"
    if flow.n_without_outcome:
        words += f"; {flow.n_without_outcome:,} without an outcome were left out"
    if flow.n_not_searched:
        words += f"; {flow.n_not_searched:,} were not searched, for lack of time"
    words += f"; {write_count(flow.n_cases, 'case')} took part in the search."
    if study.group is not None and study.n_groups is not None:
        words += f" They belong to {study.n_groups:,} groups by {_quote(study.group)}."
    return words


def say_outcome(study: Study) -> str:
    """Return the outcome, and how many cases have it."""
    names = join_names([_quote(name) for name in study.outcome])
    words = f"The outcome is {names}, {TASKS[study.task]}"
    n = study.participants.n_cases
    counts = [
        f"{each.n_cases:,} {_quote(each.label)} ({percent(round(each.n_cases / n, 3))})"
        for each in study.outcomes
    ]
    return f"{words}: {join_names(counts)}." if counts else f"{words}."


def say_predictors(study: Study) -> str:
    """Return how many columns were candidates, and which others were left out."""
    count = len(study.predictors)
    words = f"{write_count(count, 'column')} of the table {_was(count)} candidate predictors"
    if study.left_out:
        listed = some(
            (f"{_quote(name)} ({kind})" for name, kind in study.left_out.items()), limit=MOST_NAMED
        )
        words += f"; left out: {listed}"
    return f"{words}."


def say_missing(study: Study) -> str:
    """Return how much is missing, and what was done about it."""
    gaps = [each for each in study.predictors if each.n_missing]
    if not gaps:
        return "No predictor has missing values."
    listed = some((f"{_quote(each.name)} {each.n_missing:,}" for each in gaps), limit=MOST_NAMED)
    verb = "has" if len(gaps) == 1 else "have"
    words = (
        f"{len(gaps):,} of {len(study.predictors):,} predictors {verb} missing values: {listed}."
    )
    if study.portfolio == DEFAULT:
        words += (
            " Numbers were filled with the median, categories with the most frequent level, and a "
            "column marks the gaps; boosting takes gaps as they are."
        )
    return f"{words} What fills gaps was learned in the training part of every fold."


def say_performance(study: Study) -> str:
    """Return the honest number with its interval, beside the naive one."""
    estimate, shown = study.estimate, print_numbers(study.estimate)
    words = f"{study.title} {shown.value}"
    if estimate.interval is not None:
        level = percent(estimate.interval.confidence_level)
        kind = "interval" if estimate.interval.side == Side.TWO_SIDED else "bound:"
        words += f" ({level} {kind} {limits_words(estimate.interval, shown)})"
    if estimate.honest and estimate.n_configs > 1 and shown.naive is not None:
        words += f", corrected for the choice among {estimate.n_configs:,} configurations; not "
        words += f"corrected {shown.naive}"
    return f"{words}."


def say_validation(study: Study) -> str:
    """Return how performance was estimated."""
    spec = spec_of(study.estimate)
    repeats = "" if study.n_repeats < 2 else f", repeated {study.n_repeats} times"
    words = f"{study.n_folds}-fold cross-validation{repeats}"
    if study.group is not None:
        words += f", every group by {_quote(study.group)} in one fold"
    return f"Internal validation: {words}, by the method “{spec.title}” ({spec.cites})."


def say_delivered(study: Study) -> str:
    """Return what model the run delivers."""
    if len(study.members) == 1:
        words = f"The model is {next(iter(study.members))}"
    else:
        members = join_names([f"{name} ({share:.2f})" for name, share in study.members.items()])
        words = f"The model is the weighted average of {members}"
    return f"{words}, fitted to {study.participants.n_delivered:,} cases."


def _name_task(study: Study) -> Iterator[str]:
    names = join_names([_quote(name) for name in study.outcome])
    yield f"Development of a prediction model for {names}, with internal validation."


def _name_objective(study: Study) -> Iterator[str]:
    end = "; it has no new cases" if study.validation is None else ", and on new cases"
    yield f"This run develops a model and validates it internally{end}."


def _list_data(study: Study) -> Iterator[str]:
    yield f"One table, {clean_line(study.source)}."
    yield say_participants(study)


def _list_centres(study: Study) -> Iterator[str]:
    if study.group is not None and study.n_groups is not None:
        yield f"Cases are grouped by {_quote(study.group)}: {study.n_groups:,} groups."


def _tell_preparation(study: Study) -> Iterator[str]:
    if study.left_out:
        yield say_predictors(study)
    leaks = None if study.readiness is None else study.readiness.leaks
    if leaks is None:
        return
    columns = write_count(leaks.n_columns, "column")
    if not leaks.suspects:
        yield f"Screened for leaks of the outcome, each alone: {columns}, none suspect."
        return
    named = some(_quote(suspect.column) for suspect in leaks.suspects)
    yield f"Screened for leaks of the outcome: of {columns}, {named} may be known only after it."


def _define_predictors(study: Study) -> Iterator[str]:
    yield f"The table of predictors has {write_count(len(study.predictors), 'name')} and kinds."


def _tell_size(study: Study) -> Iterator[str]:
    words = f"{write_count(study.participants.n_cases, 'case')}"
    if study.n_rarest is not None:
        kind = "events" if study.task is Task.SURVIVAL else "of the rarest class"
        each = study.n_rarest / len(study.predictors)
        words += f", {study.n_rarest:,} {kind}: {each:.1f} for each candidate predictor"
    yield f"{words}."
    if study.readiness is not None:
        fact = list_verdict(study.readiness)[-1]
        yield f"{fact.title}: {fact.answer} ({fact.reason})."


def _tell_gaps(study: Study) -> Iterator[str]:
    yield say_missing(study)
    lost = study.participants.n_without_outcome
    if lost:
        yield f"{write_count(lost, 'row')} without an outcome {_was(lost)} left out."


def _tell_division(study: Study) -> Iterator[str]:
    yield (
        f"All {study.participants.n_cases:,} cases were used for development. "
        "No case judged a model that was trained on it; no test set was set aside."
    )
    yield say_validation(study)


def _tell_handling(study: Study) -> Iterator[str]:
    if study.portfolio == DEFAULT:
        yield (
            "Categories have a column for each level, above 100 levels the mean outcome of the "
            "level. Numbers are scaled for models that need it; trees find their own form."
        )
    else:
        yield f"As the portfolio {_quote(study.portfolio or 'of the run')} says."
    yield "All of it was learned in the training part of every fold."


def _tell_building(study: Study) -> Iterator[str]:
    words = f"Tuning: {tell_counts(study.counts)} of the portfolio "
    words += f"{_quote(study.portfolio or 'of the run')}, chosen by {study.estimate.metric}"
    words += f", with early dropping by {study.drop}" if study.drop else ""
    fits = "" if study.n_fits is None else f" {write_count(study.n_fits, 'fit')} in all."
    yield f"{words}.{fits}"
    yield say_validation(study)
    yield say_delivered(study)


def _tell_measures(study: Study) -> Iterator[str]:
    measures = [f"{study.title} (discrimination or overall performance)"]
    if study.calibration is not None:
        measures.append("calibration in the large, slope, expected / observed, and curves")
    if study.thresholds is not None and "net_benefit" in study.thresholds.curves:
        measures.append("net benefit at every threshold, against treating all and none")
    yield f"{'; '.join(measures)}."
    if study.compared:
        yield "The winner is compared with every other configuration, at one level for all."


def _tell_clusters(study: Study) -> Iterator[str]:
    if study.group is not None:
        yield (
            f"Groups by {_quote(study.group)} were kept together in folds and resamples, so that "
            "intervals allow for them."
        )


def _tell_cluster_results(study: Study) -> Iterator[str]:
    if _is_judged_by_group(study):
        assert study.subgroups is not None
        yield word_subgroups(study.subgroups)
    elif study.group is None:
        yield "Not examined: the run knows no clusters."
    else:
        option = f"--by {study.group}"
        yield f"Not examined; `earnest tune … {option}` judges every cluster."


def _is_judged_by_group(study: Study) -> bool:
    return study.subgroups is not None and study.group in study.subgroups.columns


def _tell_imbalance(study: Study) -> Iterator[str]:
    if not study.outcomes:
        yield "The outcome is a number, without classes."
    else:
        yield "None: cases were neither weighted nor drawn by class."


def _tell_fairness(study: Study) -> Iterator[str]:
    if study.subgroups is None:
        yield "Not examined; `earnest tune … --by COLUMN` judges subgroups."
        return
    columns = join_names([_quote(name) for name in study.subgroups.columns])
    yield f"Performance was judged in subgroups by {columns}. The model was not changed for them."


def _tell_output(study: Study) -> Iterator[str]:
    if study.calibration is not None:
        yield "A probability for each class."
    elif study.task is Task.REGRESSION:
        yield "A number."
    elif study.task is Task.SURVIVAL:
        yield "A risk: the higher, the sooner the event."
    else:
        yield "Scores of the classes."
    if study.thresholds is not None:
        yield "No threshold was fixed; the report judges all of them at once."


def _tell_code(study: Study) -> Iterator[str]:
    used = ", ".join(f"{name} {number}" for name, number in study.versions.items())
    seed = "" if study.seed is None else f", seed {study.seed}"
    yield f"{used}{seed}."
    if study.folder:
        yield f"The folder {_quote(study.folder)} holds plan, predictions and run file."


def _tell_flow(study: Study) -> Iterator[str]:
    yield say_participants(study)
    yield say_outcome(study)


def _tell_characteristics(study: Study) -> Iterator[str]:
    yield say_missing(study)
    yield "Missing values of each predictor are in the table of predictors."


def _tell_analyses(study: Study) -> Iterator[str]:
    n = study.participants.n_cases
    events = "" if study.n_rarest is None else f", {study.n_rarest:,} of the rarest outcome"
    yield f"Search and validation: {n:,} cases{events}."
    if study.estimate.training is not None:
        yield f"Models of the folds: trained on {study.estimate.training} cases."
    if study.validation is not None:
        new = study.validation
        yield f"Evaluation on new cases: {new.n_cases:,} cases, {new.n_events:,} events."
    if study.has_model:
        yield f"Delivered model: fitted to {study.participants.n_delivered:,} cases."


def _tell_model(study: Study) -> Iterator[str]:
    yield say_delivered(study)
    if study.has_model and study.folder:
        folder = shlex.quote(study.folder)
        yield f"`model.skops` holds it; `earnest predict {folder} new.csv` uses it."


def _tell_performance(study: Study) -> Iterator[str]:
    yield say_performance(study)
    if study.calibration is not None:
        yield tell_calibration(study.calibration)
    if study.thresholds is not None and "net_benefit" in study.thresholds.curves:
        yield tell_gain(study.thresholds)
    if study.subgroups is not None:
        yield word_subgroups(study.subgroups)
        yield word_bound(study.subgroups)
    if study.validation is not None:
        yield word_validation(study.validation)


def _tell_meaning(study: Study) -> Iterator[str]:
    if study.readiness is not None:
        for fact in list_verdict(study.readiness):
            yield f"{fact.title}: {fact.answer} ({fact.reason})."


def _tell_limits(study: Study) -> Iterator[str]:
    if not study.cautions:
        yield "The run warns of nothing."
    for caution in study.cautions:
        yield f"{caution.code}: {caution.what}"


def _tell_input(study: Study) -> Iterator[str]:
    yield (
        "The model takes missing values and reads unknown levels as missing, with a warning; it "
        "refuses tables that lack a column."
    )


ELSEWHERE = "Not part of this run; `earnest validate` judges the model on new cases."


def _tell_updating(study: Study) -> Iterator[str]:
    if study.validation is None:
        yield ELSEWHERE
        return
    kinds = [str(update.kind) for update in study.validation.updates]
    yield f"The model was judged {join_names(kinds)}, by cross-validation on the new cases."


def _tell_predicting(study: Study) -> Iterator[str]:
    if study.validation is None:
        yield ELSEWHERE
    else:
        yield "The delivered model predicted the new cases as it is, by `earnest validate`."


def _tell_case_mix(study: Study) -> Iterator[str]:
    if study.validation is None:
        yield ELSEWHERE
        return
    n, events = study.validation.n_cases, study.validation.n_events
    yield f"{write_count(n, 'new case')}, {events:,} with {_quote(study.validation.positive)}."
    yield list(tell_validation(study.validation))[-1]


def _tell_differences(study: Study) -> Iterator[str]:
    if study.validation is None:
        yield ELSEWHERE
    else:
        yield "Item 20c has how the cases differ by what the model says of them."


def _tell_updated(study: Study) -> Iterator[str]:
    if study.validation is None:
        yield ELSEWHERE
        return
    for update in study.validation.updates:
        line = ""
        if update.intercept is not None and update.slope is not None:
            line = (
                f" (log odds × {show_number(update.slope)}, plus {show_number(update.intercept)})"
            )
        kind = str(update.kind)
        yield f"{kind[:1].upper()}{kind[1:]}{line}: log loss {show_number(update.log_loss.value)}."
    shown = "is shown" if study.validation.is_worth_updating else "is not shown"
    yield f"An update {shown} to be better than the model as it is."


WORDS: dict[str, Callable[[Study], Iterator[str]]] = {
    "1": _name_task,
    "2": lambda study: iter((say_performance(study),)),
    "4": _name_objective,
    "5a": _list_data,
    "6a": _list_centres,
    "7": _tell_preparation,
    "8a": lambda study: iter((say_outcome(study),)),
    "9a": lambda study: iter((say_predictors(study),)),
    "9b": _define_predictors,
    "10": _tell_size,
    "11": _tell_gaps,
    "12a": _tell_division,
    "12b": _tell_handling,
    "12c": _tell_building,
    "12d": _tell_clusters,
    "12e": _tell_measures,
    "12f": _tell_updating,
    "12g": _tell_predicting,
    "13": _tell_imbalance,
    "14": _tell_fairness,
    "15": _tell_output,
    "16": _tell_differences,
    "18f": _tell_code,
    "20a": _tell_flow,
    "20b": _tell_characteristics,
    "20c": _tell_case_mix,
    "21": _tell_analyses,
    "22": _tell_model,
    "23a": _tell_performance,
    "23b": _tell_cluster_results,
    "24": _tell_updated,
    "25": _tell_meaning,
    "26": _tell_limits,
    "27a": _tell_input,
}


def tell_item(number: str, study: Study) -> tuple[str, ...]:
    """Return what the run says to an item, a sentence or two each; nothing where it cannot know."""
    words = WORDS.get(number)
    return () if words is None else tuple(text for text in words(study) if text)


def _quote(name: str) -> str:
    return f"“{clean_line(name)}”"


def _was(count: int) -> str:
    return "was" if count == 1 else "were"
