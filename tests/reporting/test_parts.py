"""Laws of single parts of a report, each once broken."""

from __future__ import annotations

import re

import numpy as np
import pytest

import earnest as en
from earnest.core import places_of
from earnest.reporting import RegionNode
from tests.e2e.conftest import many
from tests.reporting.scenes import scene
from tests.snapshots import Golden


def two_classes(n: int = 80, count: int = 4, folds: int | None = 5) -> en.Predictions:
    rng = np.random.default_rng(21)
    y = np.tile([0, 1], n // 2)
    scores = 0.5 * y[:, None] + rng.random((n, count))
    fold = None if folds is None else np.arange(n) // 2 % folds
    return en.Predictions.from_arrays(y, np.clip(scores / 1.5, 0, 1), fold)


@pytest.fixture(scope="module")
def told() -> en.results.Report:
    return en.report(two_classes(), metric="roc_auc", n_resamples=200)


def test_areas_of_curves_have_the_decimals_of_the_headline(told: en.results.Report) -> None:
    made = told.content
    assert made.curves is not None
    roc = made.curves.square[0].figure
    areas = re.findall(r"AUC (0\.\d+)<", roc.svg)
    assert areas == [made.answer.value, made.answer.naive]


def test_what_may_lie_outside_a_band_follows_its_level() -> None:
    made = en.report(two_classes(), metric="roc_auc", confidence_level=0.9, n_resamples=200).content
    assert made.curves is not None
    assert "90\u00a0%, pointwise: 10\u00a0% of the points" in made.curves.note


def test_nothing_is_said_of_bands_that_are_not_there() -> None:
    made = scene("regression")
    assert made.content.curves is not None
    assert made.content.curves.note == ""
    assert "pointwise" not in made.to_html()


def test_folds_of_a_survival_count_events(golden: Golden) -> None:
    page = scene("survival").to_html()
    counted = re.search(r"[^>]*of them with[^<]*", page)
    assert counted is not None
    golden.check(counted[0])
    assert "of them positive" not in page


def test_a_count_is_not_taken_for_a_class(told: en.results.Report) -> None:
    made = told.content
    assert made.curves is not None
    assert made.curves.confusion is not None
    assert [row.label for row in made.curves.confusion.rows] == ["1 (40 cases)", "0 (40 cases)"]


def test_with_many_classes_no_table_is_promised() -> None:
    rng = np.random.default_rng(22)
    y = np.repeat([f"class {i:02d}" for i in range(13)], 8)
    scores = rng.random((104, 2, 1, 13)) + 0.6 * (y[:, None] == np.unique(y))[:, None, None, :]
    scores /= scores.sum(axis=-1, keepdims=True)
    pi = en.Predictions.from_arrays(y, scores, np.arange(104) % 8)
    curves = en.report(pi, metric="accuracy", n_resamples=200).content.curves
    assert curves is not None
    assert curves.confusion is None
    assert "shows them" not in " ".join(curves.left_out)
    assert "up to 12 classes" in " ".join(curves.left_out)


def test_without_folds_no_training_size_is_said() -> None:
    for pi in (two_classes(folds=None), two_classes(count=1, folds=None)):
        made = en.report(pi, metric="roc_auc", n_resamples=200)
        assert made.content.methods is not None
        assert all("of 0" not in group.note for group in made.content.methods.groups)
        assert "1 fold" not in made.to_markdown()


def test_one_configuration_was_not_chosen() -> None:
    methods = en.report(two_classes(count=1), metric="roc_auc", n_resamples=200).content.methods
    assert methods is not None
    titles = " ".join(group.title for group in methods.groups)
    assert "chosen" not in titles
    assert "winner" not in titles


def test_refused_cases_are_not_said_to_lack_a_fold(golden: Golden) -> None:
    pi = en.Predictions.from_arrays([0, 1], [[0.2, 0.3], [0.7, 0.9]])
    answer = en.report(pi, metric="roc_auc", n_resamples=200).content.answer
    golden.check(answer.sentence)
    assert "class 0 has one case" in answer.lede
    assert "every fold" not in " ".join(answer.meaning)


def test_the_paragraph_says_what_the_estimate_is_before_the_naive_score(
    told: en.results.Report,
    golden: Golden,
) -> None:
    said = told.content.computed.paragraph
    assert said.index("It estimates the performance") < said.index("which is not corrected")
    golden.check_sentence(said, "compared with the")


def test_the_paragraph_names_the_winner_the_rule_and_the_method(
    told: en.results.Report, golden: Golden
) -> None:
    said = told.content.computed.paragraph
    golden.check_sentence(said, "The selected")
    assert "“Bootstrap bias corrected CV”" in said
    assert "(method bbc)" in said


def test_one_comparison_is_not_adjusted(golden: Golden) -> None:
    made = en.report(two_classes(count=2), metric="roc_auc", n_resamples=200)
    assert made.content.rivals is not None
    assert "Bonferroni" not in made.to_markdown()
    assert "Thin bar" not in made.content.rivals.test
    golden.check_sentence(made.content.computed.paragraph, "compared with the")


def test_one_sided_bounds_are_bounds_in_the_paragraph() -> None:
    told = en.report(
        two_classes(), metric="roc_auc", side="lower", n_resamples=200
    ).content.computed.paragraph
    assert re.search(r"\(95\u00a0% one-sided bound: above 0\.\d+\)", told)


def nodes(node: RegionNode) -> list[RegionNode]:
    return [node, *(each for child in node.children for each in nodes(child))]


@pytest.fixture(scope="module")
def whole() -> en.results.Report:
    return en.report(many(n=300, count=40), metric="roc_auc", n_resamples=200)


def test_each_node_of_each_tree_shows_its_curves(whole: en.results.Report) -> None:
    learned = whole.content.learned
    assert learned is not None
    assert len(learned.regions) > 1
    for tree in learned.regions:
        told = {panel.heading for panel in learned.effects + learned.flat} - {tree.param}
        for node in nodes(tree.root):
            assert {panel.heading for panel in node.others} == told
    ids = re.findall(r' id="([^"]+)"', whole.to_html())
    assert len(ids) == len(set(ids))


def test_the_cheapest_is_the_first_in_order_that_scores_within_the_margin(
    whole: en.results.Report,
) -> None:
    rivals = whole.content.rivals
    assert rivals is not None
    audit = whole.content.audit
    assert audit is not None
    depth = {each.config: int(dict(each.params)["model__depth"]) for each in audit.rows}
    winner = audit.rows[0].config
    margin = whole.content.results["comparison"]["margin"]
    near = [row.config for row in rivals.rows if not row.worse and row.ahead_by <= margin]
    assert rivals.cheapest in (winner, *near)
    assert depth[rivals.cheapest] == min(depth[name] for name in (winner, *near))
    assert f"at most {rivals.margin} worse here" in rivals.lede
    assert float(rivals.margin) == pytest.approx(margin, abs=0.0006)


def test_a_name_is_not_said_twice_in_the_audit(told: en.results.Report) -> None:
    made = told
    assert made.content.audit is not None
    assert not made.content.audit.with_ids  # an id is the name where no parameters are known
    assert '<td class="par">c1</td>' in made.to_html()
    assert 'class="id' not in made.to_html().split('id="audit"')[1]


def test_decimals_of_the_answer_are_those_of_its_standard_error(told: en.results.Report) -> None:
    made = told.content.answer
    places = places_of([en.estimate(two_classes(), metric="roc_auc", n_resamples=200, rng=0)])
    assert made.value is not None
    assert len(made.value.split(".")[1]) == places


def test_two_naive_scores_are_told_apart(golden: Golden) -> None:
    rng = np.random.default_rng(23)
    y = np.tile([0, 1], 40)
    folds = np.arange(80) // 2 % 5
    scores = y[:, None] + rng.standard_normal((80, 3)) + 2.0 * folds[:, None]  # folds differ
    pi = en.Predictions.from_arrays(y, scores, folds)
    methods = en.report(pi, metric="roc_auc", n_resamples=200).content.methods
    assert methods is not None
    notes = {row.title: row.note for group in methods.groups for row in group.rows}
    golden.check(notes["Naive winner’s score"])
    assert notes["BBC"] == "bbc, 200 resamples"


def test_another_score_of_the_winner_is_explained_beside_the_number() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(24)
    y = np.tile([0, 1], 40)
    X = rng.standard_normal((80, 2)) + 0.8 * y[:, None]
    search = en.SearchCV(
        KNeighborsClassifier(),
        {"n_neighbors": [5, 9]},
        scoring="roc_auc",
        cv=8,
        random_state=1,
        n_resamples=200,
    ).fit(X, y)
    made = en.report(search, explain=False).content
    assert made.audit is not None
    naive, by_folds = search.estimate_.naive, search.best_score_
    assert naive is not None
    assert abs(naive - by_folds) > 0.005
    told = " ".join(made.answer.meaning)
    assert f"over all cases, {naive:.3f}; as a mean over folds" in told
    assert f"it is {by_folds:.3f}." in told
    winner = next(row for row in made.audit.rows if row.status == "winner")
    assert winner.value == pytest.approx(naive)  # one naive score, in the table as at the top


def test_cautions_of_the_comparisons_are_told_once() -> None:
    made = scene("grouped")
    assert made.content.rivals is not None
    codes = [each.code for each in made.content.rivals.cautions]
    assert codes == ["EN036"]
    assert made.to_html().count("There are 20 groups.") == 2  # of the number, and of the test


def test_no_sentence_has_two_signs_in_a_row(golden: Golden) -> None:
    made = en.report(many(n=60, count=6), metric="roc_auc", explain=False, n_resamples=200).content
    golden.check(made.answer.lede)
    assert not re.search(r"[,;:.][,;:]", made.answer.lede)
    for name in ("binary", "folder", "imported"):
        assert not re.search(r"[,;:.][,;:]", scene(name).content.answer.lede)


def test_of_one_configuration_nothing_speaks_of_a_winner_or_a_choice() -> None:
    content = scene("single").content
    assert content.audit is not None
    assert content.methods is not None
    assert [row.status for row in content.audit.rows] == ["evaluated"]
    assert content.audit.rows[0].won == "–"
    words = [group.title for group in content.methods.groups]
    words += [row.title for group in content.methods.groups for row in group.rows]
    assert not [each for each in words if "selected" in each or "inner" in each]
    assert "naive" not in content.methods.kinds


def test_where_two_scores_of_the_winner_stand_the_page_says_why(golden: Golden) -> None:
    search, predictions = scene("binary").content, scene("imported").content
    assert search.audit is not None
    assert predictions.audit is not None
    golden.check(search.audit.lede)
    golden.check(predictions.audit.lede)
    golden.check_sentence(" ".join(search.answer.meaning), "; as a mean")


def test_a_long_list_of_winners_is_named_in_full() -> None:
    figure = scene("binary").content.resamples[1].figure
    assert "…" not in figure.svg
    assert "none above" in figure.svg


def test_a_wide_interval_leaves_the_scale_and_the_page_says_so(golden: Golden) -> None:
    rng = np.random.default_rng(17)
    y = np.tile([0, 1], 200)
    pi = en.Predictions.from_arrays(
        y, 3.2 * y[:, None] + rng.standard_normal((400, 4)), np.arange(400) // 2 % 20
    )
    made = en.report(pi, metric="roc_auc", n_resamples=200)
    part = made.content.methods
    assert part is not None
    assert part.cut
    golden.check_sentence(made.to_html(), "an arrow means")
    assert part.axis is not None
    whole = scene("multiclass").content.methods
    assert whole is not None
    assert not whole.cut
    assert "an arrow" not in scene("multiclass").to_html()
