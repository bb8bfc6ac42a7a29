"""What every code of a caution means: the text of the page on cautions, and of a report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Meaning:
    """The meaning of a code.

    Attributes
    ----------
    code, title : str
        The code, and what it is in short.
    about, follows, to_do : str
        When it is given, what follows from it, and what to do. Words of code stand between
        backticks.
    """

    code: str
    title: str
    about: str
    follows: str
    to_do: str


_ALL = (
    Meaning(
        "EN001",
        "the winner's own score is much too optimistic",
        "Corrected, the score loses at least 5 % of its advantage over a constant prediction, "
        "and the interval of that loss excludes 0. Both are about the mean over searches like "
        "yours.",
        "The score that the search reported is too good. Expect less on new data.",
        "Report the corrected value with its interval.",
    ),
    Meaning(
        "EN002",
        "a fold has few or no cases of a class",
        "In some fold a class has fewer than five cases. Leave-one-out is exempt.",
        "Scores of single folds are rough, or undefined. Methods and selectors that score "
        "each fold suffer; pooled scores do not.",
        "Use fewer folds, or stratified ones if the class has enough cases.",
    ),
    Meaning(
        "EN003",
        "groups are split across folds",
        "Cases of one group, such as the visits of one patient, are in different folds.",
        "Models were tested on groups that they had seen in training. Every score is too "
        "good, and no method can repair that.",
        "Make the folds by group (`GroupKFold`, `StratifiedGroupKFold`) and predict again.",
    ),
    Meaning(
        "EN004",
        "the optimum lies on the edge of the space",
        "The best configuration has a number at the lowest or highest value of its range. "
        "`explain` checks this.",
        "Something better may lie outside. The estimate is still valid for what you tried.",
        "Widen the range and search again. Then count the new configurations too.",
    ),
    Meaning(
        "EN005",
        "configurations that tie or cannot be told apart",
        "Others score exactly as well as the winner, two configurations predict the same, or "
        "an explanation cannot tell most trials from the best.",
        "Which configuration is named depends on the order or on chance. The estimate hardly "
        "changes.",
        "Choose among them by cost or simplicity: order configurations from simple to "
        'complex, or use `selector="one_standard_error"` with a complexity rank.',
    ),
    Meaning(
        "EN006",
        "a dynamic search, and a method for static ones",
        "The search proposed configurations by earlier scores (Bayesian optimization, "
        "evolution, halving), but the method corrects for a choice among fixed ones.",
        "Half of the optimism can remain, unless a half that did not guide judges.",
        'Search with `guide="crossed"`, or confirm the result on unseen cases. For a gain, use '
        '`order="tried"`. You declare such a search with `Configs(..., static=False)`.',
    ),
    Meaning(
        "EN007",
        "pooled scores of folds with different scales",
        "The winner's scores differ in level from fold to fold, or its pooled AUC is better than "
        "the mean of the folds, by more than chance explains.",
        "A pooled AUC compares cases of different folds. Different levels lower it; models that "
        "found what others missed raise it.",
        'Calibrate within each fold, or use `method="bbc_fold"`, which ranks within folds.',
    ),
    Meaning(
        "EN008",
        "methods disagree",
        "The intervals of two corrected methods for the same estimand do not overlap.",
        "At least one of them makes an assumption that does not hold for these data.",
        "Look at the other cautions of both, at the fold sizes, and at the scale of the scores.",
    ),
    Meaning(
        "EN009",
        "cases in time order",
        "The cases are in time order, and the method treats them as independent, or their "
        "dependence leaves few independent ones.",
        "Losses of neighbors depend on each other, so an interval for independent cases is too "
        "narrow. Limits of fewer than 20 independent ones hold too rarely.",
        "Use `bbc` with `when` and without groups, or collect a longer series.",
    ),
    Meaning(
        "EN010",
        "resamples without a defined value",
        "On some resamples the metric has no value, for example because a class is missing.",
        "They are left out, which favors resamples that have every class.",
        'Use `undefined="stratify"`, or more cases.',
    ),
    Meaning(
        "EN011",
        "a value that was moved back into the metric's range",
        "The correction gave a number that the metric cannot take, such as an accuracy below 0.",
        "The reported value is the nearest possible one. The method overcorrects on these data.",
        'Use `method="bbc"`.',
    ),
    Meaning(
        "EN012",
        "configurations without predictions or a score",
        "Some configurations lack the predictions of a fold that others have, or the metric "
        "has no value for them.",
        "They are left out, and the result is about the others; two configurations are "
        "compared on the folds that both have.",
        "Evaluate the missing folds. Dropping for bad scores is not corrected for, except by "
        "the interval of `near_winner`.",
    ),
    Meaning(
        "EN013",
        "cases that no fold tested",
        "Some cases have no predictions, for example because the folds were stopped, by hand "
        "or by `stop_when_width`.",
        "They are left out. If the folds were stopped because of the scores so far, the "
        "interval is too narrow.",
        "Finish the folds, or fix their number in advance.",
    ),
    Meaning(
        "EN014",
        "a winner that another rule or score chose",
        "The named winner was chosen by another rule or score than the resamples use, or by "
        "none, as all mean scores were NaN.",
        "The estimate is about the other rule, but never better than the winner's own score, "
        "which you may get uncorrected (EN022).",
        'Use one selector and one score for both, such as `BBC(selector="mean_of_folds")` in '
        "`SearchCV`.",
    ),
    Meaning(
        "EN015",
        "one configuration, so nothing was selected",
        "There is only one configuration.",
        "There is nothing to correct. The value is the ordinary score, with an interval.",
        "If you discarded others, add their predictions. If not, the interval of `bbc` is "
        "wider than necessary: use `holdout` without folds, or `bayle_all_pairs` with folds "
        "and 100 cases or more.",
    ),
    Meaning(
        "EN016",
        "too few resamples or cases for the level",
        "Fewer than five draws lie beyond a limit, a tilted limit depends on fewer than "
        "twenty, or the smallest p-value of a test is above its level.",
        "The limits are rough: another seed would move them. Or the test could show no "
        "difference, however large.",
        "Use as many resamples as the caution says, more cases, or another test.",
    ),
    Meaning(
        "EN017",
        "folds in which the metric is undefined",
        "In some folds the metric has no value, for example an AUC in a fold with one class.",
        "Those folds are left out of the mean over folds.",
        "Use fewer or stratified folds, or a method that scores all cases together, such as `bbc`.",
    ),
    Meaning(
        "EN018",
        "few folds or repeats for a spread",
        "There are fewer than five folds to draw from or scores of folds, or too few repeats "
        "or halvings to measure an error.",
        "The limits are coarse, and the width of the interval is itself rough.",
        'Use more folds or repeats, or `method="bbc"`, which draws cases.',
    ),
    Meaning(
        "EN019",
        "a ranking metric on hard labels",
        "A rank metric such as the AUC is computed from labels instead of scores.",
        "It sees only one threshold, and is usually lower than the metric of the scores.",
        "Store probabilities or decision values.",
    ),
    Meaning(
        "EN020",
        "few groups",
        "There are fewer than 30 groups (10 for a statistic of your own).",
        "Whole groups are drawn, or the variance is summed over groups. With so few, the "
        "interval is rough and usually too narrow, however many cases there are.",
        "Report the number of groups next to the number of cases. Only more groups would help.",
    ),
    Meaning(
        "EN022",
        "a selection that is not corrected for",
        "The method treats the winner as if it had been the only configuration, or `refit` of "
        "a `SearchCV` chose a winner that the resamples would not choose.",
        "The value is too optimistic, and so are its limits if it has any.",
        'Report `method="bbc"` instead; after `refit`, see EN014.',
    ),
    Meaning(
        "EN023",
        "predictions that are not used to the full",
        "Some cases only select, a test uses one fold of ten, or each draw uses the folds of "
        "one repeat.",
        "The interval is wider than necessary, or depends on the seed.",
        'Use `method="bbc"`, which uses all cases and repeats, or `test="five_by_two_f"`.',
    ),
    Meaning(
        "EN025",
        "strata that were not used",
        "The cases have groups and strata. Whole groups are drawn, whatever their strata.",
        "The sizes of the strata vary from resample to resample.",
        "Nothing, or pass only one of them.",
    ),
    Meaning(
        "EN026",
        "an end of the interval by another law",
        "No reweighting of the cases goes far enough for a tilted limit, or a score near the "
        "best has so few errors that resamples would end too close to it.",
        "That end comes from another law, which the caution names, such as DeLong's or Wilson's.",
        "Nothing; more cases give a narrower interval.",
    ),
    Meaning(
        "EN028",
        "grouped cases treated as independent",
        "The cases have groups, but the formula (`hanley_mcneil`) does not account for them, "
        "or you asked for a resampler that draws single cases.",
        "Cases of a group are alike, so the interval is too narrow.",
        "Use `delong`, whose variance accounts for groups, or a method that draws whole "
        "groups; pass no resampler.",
    ),
    Meaning(
        "EN030",
        "scores that were, or seem to be, reversed",
        'With `direction="auto"` scores were reversed, as the negatives had the greater median; or '
        "the whole interval is worse than a constant prediction.",
        "An AUC that picks its direction is too optimistic. One surely below chance hints at "
        "flipped labels or mixed-up rows.",
        'Use `direction="fixed"`, the default, and declare the class with `positive`. Check that '
        "rows belong together.",
    ),
    Meaning(
        "EN031",
        "more than the theorem covers",
        "A theorem about one mean over independent cases is used for another metric, for "
        "repeats, or for groups.",
        "Functions of sums get the limits of their linear part, AUCs those of placements "
        "within folds; repeats do not narrow the interval; groups count instead of cases. In "
        "simulation such limits nearly held with 300 cases.",
        "Nothing, if folds keep groups together.",
    ),
    Meaning(
        "EN035",
        "cases or scores without a spread",
        "The variance is 0, or (nearly) all resamples agree: all labels are right, losses are "
        "equal, or classes are separated perfectly.",
        "A point is no interval. The limits show what unseen cases could do: the rule of "
        "three, pairs of cases, or normal scores for a perfect AUC.",
        "Report the bound, not the point. Only more cases tell you more.",
    ),
    Meaning(
        "EN036",
        "few cases, or few that differ",
        "There are fewer than 30 cases (10 for a learner or a statistic), or fewer than five "
        "differ from the most common loss or difference.",
        "The mean is far from normal. The interval is rough, and too short on the side of the "
        "rarer cases.",
        'Use more cases. To compare means over cases, `test="sign_flip"` needs no normal '
        "approximation.",
    ),
    Meaning(
        "EN038",
        "fold scores treated as independent",
        "A plain t test treats the scores of folds as independent, although their models "
        "share most of their training cases.",
        "The test finds differences too easily, and its interval is too narrow.",
        'Use `test="corrected_t"` to compare learners, or `test="bayle"` to compare the '
        "models at hand.",
    ),
    Meaning(
        "EN039",
        "a best configuration that was chosen on the same cases",
        "The best of a table is compared with others as if it had been fixed in advance.",
        "It owes part of its lead to luck: of 40 equally good configurations, the best "
        "differs from others with p < 0.05 in three of ten cases.",
        'Compare all with `compare_many` and `adjust="simultaneous"`, or read '
        "`p_simultaneous`. A planned pair keeps its p.",
    ),
    Meaning(
        "EN042",
        "predictions of several models read as one model's",
        "The test reads predictions of several folds as those of one fixed model.",
        "It accounts neither for the differences of the models nor for shared training cases. "
        "With random outcomes, `delong` found differences in 11 % instead of 5 %.",
        'If scores are near chance, use `test="corrected_t"`; else `test="bayle"`, or nothing '
        "if the models are alike.",
    ),
    Meaning(
        "EN044",
        "few cases of a class for the interval of an AUC, F1 or a calibration",
        "A class has ten cases or fewer (twenty for `near_winner` and a calibration), or only one "
        "in a fold.",
        "The limits assume a law that so few do not follow, and are usually too narrow: 95 % "
        "intervals of `delong` held in 82 % with five cases.",
        "Use more cases of that class or fewer folds; for F1, use `bbc`.",
    ),
    Meaning(
        "EN045",
        "fits or scores that failed",
        "Fits raised an error, ran out of time, or gave predictions that are not numbers; or "
        "a scorer failed.",
        "A configuration without predictions is left out; without a score it stays in. Failed "
        "bootstrap samples are left out, which favors easy ones.",
        "Read `failures_` of the search. If half of the fits fail, it covers half of its space.",
    ),
    Meaning(
        "EN047",
        "case weights in one part, and not in another",
        "Fits or scores of the search or tool used case weights and the estimate does not, or "
        "scores and estimate use them and the fits do not.",
        "Parts of the search are about different populations.",
        "Use a metric that takes weights and pass them to fit and scorer, or give them to "
        "`Predictions` as `sample_weight`.",
    ),
    Meaning(
        "EN049",
        "test sets that overlap",
        "Splits such as those of `ShuffleSplit` test some cases several times and others not "
        "at all. Each split becomes a repeat.",
        "The metric is computed in each repeat and averaged. Small repeats make it rough.",
        "Use a repeated K-fold, which tests each case once per repeat.",
    ),
    Meaning(
        "EN050",
        "cases that models were trained on and tested on",
        "Rows are in both parts of a split, a test set shares rows with the design set, or "
        "rows are copies of others.",
        "Models know such cases by heart: six copies of fifty rows of noise give an AUC of 1.",
        "Make the parts disjoint. Remove the copies, or keep them in one fold with `groups` "
        "(`earnest tune` does).",
    ),
    Meaning(
        "EN051",
        "configurations that were dropped early",
        "`SearchCV(drop=...)` or a pruner dropped configurations before their last fold.",
        "The estimate is about the choice among the rest. A little optimism remains: 0.004 in "
        "a simulation (0.011 with a pruner). With one left, nothing is corrected; on fewer "
        "than 50 predictions good ones are dropped.",
        "Usually nothing. Else raise the threshold or `min_predictions`.",
    ),
    Meaning(
        "EN055",
        "inner winners that differ from fold to fold",
        "The outer folds of nested cross-validation chose different configurations.",
        "The estimate is about tuning and fitting as a whole. Many different winners mean "
        "that the choice depends on chance.",
        "Read the estimate as that of the procedure. For the configuration you use, read "
        "`nested.search.estimate_`.",
    ),
    Meaning(
        "EN057",
        "scores that are not probabilities",
        "The model decides by a score, like a support vector machine.",
        "Scores only order the rows. Thresholds of several configurations are matched by the "
        "share of cases above them, without net benefit. If the scores do not rank held-out "
        "cases, they give no probabilities.",
        "If you need probabilities, tune with a metric that uses them, such as `log_loss`.",
    ),
    Meaning(
        "EN058",
        "scores that all lie on one side of the threshold",
        "The metric needs labels, and all scores lie above the threshold (0.5 for "
        "probabilities, else 0), or none does.",
        "Every case gets the same label. A common cause is percentages, which are read as "
        "decision values.",
        "Divide percentages by 100, set the `threshold` with which you use the model, or "
        "choose a rank metric.",
    ),
    Meaning(
        "EN059",
        "an outcome that is longer than what was tested",
        "The outcome has more cases than the trials of the study tested.",
        "Rows are identified by number. If the study ran on a part of the table, every "
        "prediction is compared with the outcome of another case.",
        "Pass the outcome of exactly the rows that the study used, in the same order.",
    ),
    Meaning(
        "EN060",
        "trials that add nothing",
        "Trials failed or were stopped without a value and are left out, or they repeat a "
        "configuration.",
        "The explanation does not know how those left out would have done: if they share a "
        "region, curves are too good there. Repeats show noise only.",
        "Report intermediate values, so that pruned trials inform. More than a tenth left out "
        "is a caution.",
    ),
    Meaning(
        "EN062",
        "a space that was inferred from the trials",
        "The source of the trials does not define the space, or only part of it. The caution "
        "names what was guessed.",
        "Averages are over this space, and change with it.",
        "Pass `space` if you know it.",
    ),
    Meaning(
        "EN063",
        "a surrogate that is poor or rough",
        "The surrogate predicts less than half of the variance of held-out trials, its 95 % "
        "bands hold under 85 % of them, or a shortcut was taken for many trials or levels.",
        "Curves show what it learned, which may not be what is there; bands can be too narrow.",
        "Evaluate more configurations, or try another surrogate or kernel.",
    ),
    Meaning(
        "EN065",
        "parts of the space that were hardly tried",
        "Part of a range, a branch or a region has few trials, or a hyperparameter never varied.",
        "Its curve is mostly the surrogate's guess. The effect of what never varied cannot be "
        "seen.",
        "Evaluate configurations there; `explanation.suggest(3, param=...)` proposes some. Or "
        "leave the hyperparameter out of `params`.",
    ),
    Meaning(
        "EN072",
        "columns that are not used",
        "Columns look like identifiers or names, copy the outcome, or hold nothing to learn "
        "from; or the model was not trained on them.",
        "A model could memorize rows or read the answer.",
        "Keep a column with `keep`, or pass a shared identifier as `group`.",
    ),
    Meaning(
        "EN077",
        "a search that was cut to its budget",
        "The budget was enough for a part of the rows or of the portfolio, or the time ran out.",
        "Incomplete configurations are left out. The estimate is valid for the shorter search "
        "or the smaller table; more would usually give a better model.",
        "Allow more time with `budget`; `resume` continues where a search ended.",
    ),
    Meaning(
        "EN078",
        "rows that are not used",
        "Rows have no outcome, or an AutoML tool dropped some (no outcome, weight 0, rare class).",
        "If outcomes are missing for a reason, such as a bad end, the estimate is about other "
        "cases than those you will meet.",
        "Find out which rows they are. If times are only known to be longer, use `time` and "
        "`event`.",
    ),
    Meaning(
        "EN079",
        "values that training never saw",
        "A table to predict has levels of a category that the model was not trained on. They "
        "are treated as missing.",
        "The prediction for these rows relies on the other columns.",
        "Check whether they are spelled as in training. If they are new, tune again with such "
        "rows.",
    ),
    Meaning(
        "EN081",
        "training that knew what new cases do not tell",
        "A column alone, its missing values, zeros or order, tells the outcome. Or a tool stopped "
        "training on the test fold, or made features or tuned once for all folds.",
        "Models look better than they are; no method corrects it.",
        "Leave out a column known only after the outcome (`ignore`), and such models. Instead of "
        "stopping, keep `stages`.",
    ),
    Meaning(
        "EN084",
        "few replicates",
        "The noise of few bootstrap-trained models makes the standard error uncertain by more "
        "than 10 %, or hides it; or no replicate left out some cases.",
        "The interval may be too wide or too narrow by that much. Cases never left out are "
        "not in the mean.",
        "Train as many replicates as the caution says; they extend the existing ones.",
    ),
    Meaning(
        "EN086",
        "a standard error or interval by other means",
        "The method or metric has no standard error of its own, it was moved to its bound, or "
        "the draws do not allow the interval you asked for.",
        "The caution says what is used instead, which is less accurate or rather wide.",
        "If the interval matters, report `loob` or `lpob`, use more repeats, or a smoother "
        "statistic.",
    ),
    Meaning(
        "EN090",
        "a test set that is used again, or that no file records",
        "A test set was used before, a gate looked at the same items before, or nothing "
        "counts the looks.",
        "Each look influences the next, and scores become too good. The limits of a gate "
        "allow for looks that are counted.",
        "Report the first use. Pass `store` (`ledger` for a gate), and test on new cases at times.",
    ),
    Meaning(
        "EN094",
        "as many models as cases",
        "Leave-one-out cross-validation trained more than a thousand models.",
        "The result is not affected. With so many cases, ten folds would give the same answer.",
        'Use `method="cv"`.',
    ),
    Meaning(
        "EN098",
        "a statistic that is not smooth",
        "The statistic jumps or bends when a little weight moves, or takes two or three "
        "values when each case is left out.",
        "Its derivative means little, and so does the standard error. For a median, the "
        "jackknife is always wrong.",
        "Use `earnest.inference.bootstrap`.",
    ),
    Meaning(
        "EN100",
        "configurations whose predictions were not kept",
        "Trials completed without `keep_predictions`, models of a tool have no out-of-fold "
        "predictions, a table of R holds one configuration, or a search kept only scores of folds.",
        "They took part in the choice, and nothing corrects for that. Your winner may differ "
        "from the tool's.",
        "Keep the predictions of every configuration; the caution says why some are missing.",
    ),
    Meaning(
        "EN102",
        "models of models",
        "An AutoML tool delivers an ensemble that was fitted to the out-of-fold predictions "
        "of its models.",
        "Its own score is too good. By default, `estimate` repeats a greedy ensemble in every "
        "resample, without stacked models; its members may differ from the tool's.",
        "Ask for the metric that the tool chose by. For the best single model, use "
        '`selector="pooled"`.',
    ),
    Meaning(
        "EN104",
        "unknown folds, or predictions of other splits",
        "The tool does not report which fold tested a case, averages repeats, or predicts out "
        "of bag.",
        "Cases count as one fold, so methods that need folds refuse. Out-of-bag predictions "
        "are too good if cases have groups.",
        "Pass `fold` if you know it, or use `bbc`. With groups, fit AutoGluon with "
        "`use_child_oof` off.",
    ),
    Meaning(
        "EN113",
        "a few cases that decide the metric",
        "The metric is made of squares (R², MSE, RMSE), and fewer than one case in a hundred "
        "contributes more than half of them.",
        "The number is about these cases. Resamples without them have very different values.",
        "Check these outcomes: a misplaced decimal point is common. Else use `mae`, or "
        "predict the logarithm.",
    ),
    Meaning(
        "EN114",
        "a learner that may not be stable",
        "`check_stability` found that one training case changes losses too much, or `bayle` "
        "compared models of fewer than 2000 cases, unchecked; or `holdout` with `trainings` tells "
        "what training adds.",
        "Intervals can be too short and tests reject too often: 10 to 21 % with 100 cases.",
        "Call `check_stability`, compare by `corrected_t`, judge by `brier` or `log_loss`, or "
        "average models.",
    ),
    Meaning(
        "EN120",
        "columns that may not be predictions or scores",
        "Columns have values that predictions or scores are unlikely to have, such as ages or "
        "counts of tokens.",
        "Every column is read as one configuration, so the estimate is about the best single "
        "column.",
        "Train models with `earnest tune`. Otherwise name the configurations with "
        "`configs=[...]` (`--config NAME`).",
    ),
    Meaning(
        "EN121",
        "cells that are read as something else than they look",
        "A table has formatted numbers (`1,234.50`, `45 %`), marks of missing values, codes "
        "(`00123`), dates, text, many levels, another encoding, or several sheets.",
        "Numbers are read as they must be meant, marks as missing, `00123` as a category, dates "
        "and text as numbers, and only the first sheet.",
        "Look at the examples. Set `decimal` and `thousands`, or use UTF-8.",
    ),
    Meaning(
        "EN126",
        "a rule for a threshold that cannot be satisfied",
        "`choose` was asked for a sensitivity or a specificity that no threshold of the grid "
        "reaches in more than one of twenty resamples.",
        "There the threshold at the end of the grid is used, which does not satisfy the rule.",
        "Ask for less, or pass `thresholds` that reach further.",
    ),
    Meaning(
        "EN127",
        "hyperparameters of a winner that were chosen with all training cases",
        "A learning curve trains the winner on parts of its cases, with the hyperparameters "
        "that were best for all of them.",
        "With fewer cases, others may be better, so more cases look more useful than they are.",
        "Read the last gain as an upper estimate, or run the whole search on a part of the cases.",
    ),
    Meaning(
        "EN131",
        "a winner for whom limits may not hold",
        "The winner's losses are heavy-tailed or mostly equal, its classes have unlike "
        "spreads, few repeated cases are nearly all right, or its probabilities are "
        "confident.",
        "In simulation 95 % bounds held in 82 to 93 %, or we know none, and you get those of "
        "`bbc`.",
        "Use more cases, a higher level, a lighter-tailed metric, or calibrate in each fold.",
    ),
    Meaning(
        "EN140",
        "scores that are missing",
        "Items lack the score of a configuration, a sample or a result; a log is not whole; or "
        "people did not label a random part.",
        "Missing is not 0: such items are left out. If what is missing is unlike the rest, the "
        "result is off.",
        'Run what is missing. If a failed answer is a wrong one, pass `incomplete="worst"`.',
    ),
    Meaning(
        "EN141",
        "several scores of one item",
        "Rows are about the same item and configuration, and no column numbers them; or one "
        "run scored some items more often.",
        "They are read as samples: an item counts once, with their mean. Different items with "
        "one name are mixed.",
        "Give different items different names, remove duplicates, and name the column that "
        "numbers samples with `repeat`.",
    ),
    Meaning(
        "EN143",
        "items that are drawn in batches",
        "The matrix has more than 50 million scores. Its items were put into 5,000 random "
        "batches, and batches are resampled.",
        "Values and intervals are those that items would give, up to luck. Tests of single "
        "items do not apply.",
        "Nothing. `batches=0` resamples single items, which takes far longer.",
    ),
    Meaning(
        "EN156",
        "rows that may belong together",
        "Folds keep rows together but you passed no groups, a column looks like a group, or "
        "outcomes repeat as stacked repeats do.",
        "If rows of a block belong together, models may recognize them and the interval is "
        "too narrow: with 20 groups of five, it held in 80 %.",
        "Pass `groups` (`--group`), or `id` and `repeat`; else nothing.",
    ),
)
MEANINGS = {meaning.code: meaning for meaning in _ALL}
