"""What we say of decision thresholds: the heading, a choice, and what the bands hold for."""

from __future__ import annotations

from earnest.core.results.thresholds import BENEFITS, TREAT_ALL, Rate, ThresholdChoice, Thresholds
from earnest.core.text.numbers import MINUS, number, percent

TITLES = {
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
    "ppv": "Positive predictive value",
    "npv": "Negative predictive value",
    "flagged": "Called positive",
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "net_benefit": "Net benefit",
    "standardized_net_benefit": "Standardized net benefit",
}
SHORT = {
    **TITLES,
    "ppv": "PPV",
    "npv": "NPV",
    "flagged": "Flagged",
    "balanced_accuracy": "Balanced",
    "standardized_net_benefit": "Std. net benefit",
}
NONE = "–"
DIGITS = 2


def show_cut(threshold: float) -> str:
    """Return a threshold as people write it.

    Examples
    --------
    >>> from earnest.core.text.thresholds import show_cut
    >>> show_cut(0.3), show_cut(-1.23456)
    ('0.3', '−1.235')
    """
    return f"{threshold:.4g}".replace("-", MINUS)


def places_of_measure(thresholds: Thresholds, measure: str) -> int:
    """Return the decimals of a measure: three for a net benefit, and of a thousand cases on."""
    return DIGITS + (measure in BENEFITS or thresholds.n_cases >= 1000)


def show_value(thresholds: Thresholds, measure: str, value: float | None) -> str:
    """Return a value of a measure, a dash where it is undefined."""
    limits = (float("-inf"), 1.0) if measure in BENEFITS else (0.0, 1.0)
    if value is None:
        return NONE
    return number(value, places_of_measure(thresholds, measure), limits).replace("-", MINUS)


def show_band(thresholds: Thresholds, measure: str, rate: Rate) -> str:
    """Return the ends of the band that holds at all thresholds at once."""
    low, high = (show_value(thresholds, measure, end) for end in (rate.low, rate.high))
    if thresholds.side == "lower":
        return NONE if rate.low is None else f"above {low}"
    if thresholds.side == "upper":
        return NONE if rate.high is None else f"below {high}"
    return NONE if rate.low is None or rate.high is None else f"{low} to {high}"


def word_headline(thresholds: Thresholds) -> str:
    """Return what to expect at the usual threshold, or that a threshold is to be chosen."""
    if not thresholds.thresholds[0] <= thresholds.usual <= thresholds.thresholds[-1]:
        return (
            f"No score crosses the usual threshold of {show_cut(thresholds.usual)}: choose another."
        )
    row = thresholds.at(thresholds.usual)
    sensitivity = show_value(thresholds, "sensitivity", row.sensitivity.value)
    specificity = show_value(thresholds, "specificity", row.specificity.value)
    return (
        f"Above {show_cut(row.threshold)}, expect a sensitivity of {sensitivity} and a "
        f"specificity of {specificity}."
    )


def name_winner(thresholds: Thresholds) -> str:
    """Return what the table is about: a configuration with its parameters, or an ensemble."""
    if thresholds.n_members is not None and thresholds.n_members > 1:
        return f"ensemble of {thresholds.n_members}"
    return thresholds.winner_label or thresholds.winner


def tell_choice(thresholds: Thresholds, choice: ThresholdChoice) -> str:
    """Return what a rule chooses, what to expect there, and what it seemed to be."""
    (sensitivity, own_sensitivity), (specificity, own_specificity) = (
        (show_value(thresholds, name, rate.value), show_value(thresholds, name, rate.naive))
        for name, rate in (
            ("sensitivity", choice.sensitivity),
            ("specificity", choice.specificity),
        )
    )
    rule = choice.rule[0].upper() + choice.rule[1:]
    return (
        f"{rule}: above {show_cut(choice.threshold)}, expect a sensitivity of {sensitivity} "
        f"({own_sensitivity} on the cases that chose it) and a specificity of {specificity} "
        f"({own_specificity})."
    )


def tell_bands(thresholds: Thresholds) -> str:
    """Return what the bands hold for, or why there are none."""
    level = percent(thresholds.confidence_level)
    if not thresholds.has_bands:
        return f"There are no bands at {level}: {thresholds.n_resamples:,} resamples are too few."
    return (
        f"The bands are {level}, for each measure at all thresholds at once, so they hold at a "
        "threshold that you read off."
    )


def tell_thresholds(thresholds: Thresholds) -> str:
    """Return what stands under the heading: the best threshold, and what the bands hold for."""
    choice = [] if thresholds.draws is None else [thresholds.choose("youden")]
    chosen = (tell_choice(thresholds, each) for each in choice)
    return " ".join([*chosen, tell_bands(thresholds)])


def word_line(thresholds: Thresholds) -> str:
    """Return a table of thresholds as one line."""
    grid = thresholds.thresholds
    several = thresholds.n_members is not None and thresholds.n_members > 1
    about = name_winner(thresholds) if several else "the winner"
    return (
        f"{len(grid)} thresholds from {show_cut(grid[0])} to {show_cut(grid[-1])} of {about} by "
        f"{thresholds.metric}, {100 * thresholds.confidence_level:g} % bands "
        f"({thresholds.n_configs} config{'s' * (thresholds.n_configs != 1)}, "
        f"n={thresholds.n_cases}, {thresholds.n_positive} positive)"
    )


def tell_gain(thresholds: Thresholds) -> str:
    """Return where the net benefit is larger than that of another rule; "" where none was named."""
    gain = thresholds.against
    if gain is None:
        return ""
    other = "calling every case positive" if gain.config == TREAT_ALL else gain.config
    level = percent(thresholds.confidence_level)
    verdicts = []
    for span, word in ((gain.better, "larger"), (gain.worse, "smaller")):
        if span is not None:
            low, high = map(show_cut, span)
            at = f"at {low}" if low == high else f"from {low} to {high}"
            verdicts.append(f"{word} {at}")
    if not verdicts:
        return (
            f"At no threshold does the net benefit differ from that of {other} ({level} at once)."
        )
    return (
        f"The net benefit is {' and '.join(verdicts)} than that of {other} ({level} at all "
        "thresholds at once)."
    )


def word_subgroups(thresholds: Thresholds, threshold: float) -> str:
    """Return the heading of the rates of subgroups at a threshold."""
    level = percent(thresholds.confidence_level)
    return (
        f"In subgroups at {show_cut(thresholds.at(threshold).threshold)}; with {level} confidence "
        "the band of a measure holds in all of them at once."
    )
