"""Learners by name: each a pipeline that imputes, encodes, scales where it matters, and fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.registry import Registry
from earnest.core.data.target import TASKS, Task
from earnest.training.learners.preprocessing import Inputs
from earnest.training.protocols import Estimator

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

CLASSES = (Task.BINARY, Task.MULTICLASS)
BOTH = (*CLASSES, Task.REGRESSION)
Make = Callable[[bool, int | None], Estimator]  # whether it classifies, and the seed


@dataclass(frozen=True)
class LearnerKind:
    """A learner that has a name.

    Attributes
    ----------
    name, title : str
        The word for code and command line, and the words for people.
    tasks : tuple of Task
        What it can learn.
    scaled : bool
        Whether columns are brought to one scale first, because it measures distances or penalises.
    make : callable
        `make(classifies, seed)` to an unfitted estimator.
    """

    name: str
    title: str
    tasks: tuple[Task, ...]
    scaled: bool
    make: Make


LEARNERS: Registry[LearnerKind] = Registry("learner")


def make_learner(
    name: str, task: Task | str, inputs: Inputs | None = None, seed: int | None = None
) -> Pipeline:
    """Return an unfitted learner by name, ready for a table with gaps and categories.

    Gaps are filled and categories encoded by what the training cases show, again in every training
    part, so that nothing leaks from test cases. Settings are scikit-learn's, but for those that
    would fail on small or unscaled data.

    Parameters
    ----------
    name : str
        A name of `LEARNERS`, such as 'rf' or 'logistic'.
    task : {'binary', 'multiclass', 'regression'}
        What is learned.
    inputs : Inputs, optional
        What the columns are; without it all are numbers.
    seed : int, optional
        The seed of learners that draw.

    Examples
    --------
    >>> from earnest.training.learners.named import make_learner
    >>> made = make_learner("rf", "binary", seed=7)
    >>> list(made.named_steps)
    ['columns', 'rf']
    """
    from sklearn.pipeline import Pipeline

    from earnest.training.learners.encoding import ColumnEncoder
    from earnest.training.learners.preprocessing import Preprocessor

    kind = LEARNERS[name]
    wanted = Task(check.one_of("task", str(task), [str(each) for each in TASKS]))
    if wanted not in kind.tasks:
        others = [each for each in LEARNERS if wanted in LEARNERS[each].tasks]
        raise InputError(
            f"learner {kind.name!r} cannot learn a {wanted} task",
            needs=", ".join(str(each) for each in kind.tasks),
            got=str(wanted),
            cure=f"Use one of {', '.join(others)}." if others else "Pass your own estimator.",
        )
    categories = () if inputs is None else inputs.encode().categorical
    columns = Preprocessor(categorical=categories, scale=kind.scaled)
    steps = [("columns", columns), (kind.name, kind.make(wanted in CLASSES, seed))]
    if inputs is not None and not inputs.is_plain:
        encoder = ColumnEncoder(inputs.coded, inputs.texts, random_state=seed)
        steps.insert(0, ("encode", encoder))
    return Pipeline(steps)


def _add(
    name: str,
    title: str,
    make: Make,
    *aliases: str,
    tasks: tuple[Task, ...] = BOTH,
    scaled: bool = False,
) -> None:
    LEARNERS.add(name, LearnerKind(name, title, tasks, scaled, make), aliases)


def _make_forest(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestClassifier if classifies else RandomForestRegressor
    return kind(n_estimators=300, random_state=seed)


def _make_extra_trees(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    kind = ExtraTreesClassifier if classifies else ExtraTreesRegressor
    return kind(n_estimators=300, random_state=seed)


def _make_boosting(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingClassifier if classifies else HistGradientBoostingRegressor
    return kind(random_state=seed)


def _make_logistic(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=5000, random_state=seed)


def _make_ridge(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.linear_model import Ridge, RidgeClassifier

    return (RidgeClassifier if classifies else Ridge)(random_state=seed)


def _make_linear(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def _make_svm(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.svm import SVC, SVR

    return SVC(random_state=seed) if classifies else SVR()


def _make_knn(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    return KNeighborsClassifier() if classifies else KNeighborsRegressor()


def _make_tree(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeClassifier if classifies else DecisionTreeRegressor
    return kind(random_state=seed)


def _make_lda(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis()


def _make_qda(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    # a little shrinkage: one-hot columns are never of full rank within a class
    return QuadraticDiscriminantAnalysis(reg_param=1e-3)


def _make_naive_bayes(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def _make_dummy(classifies: bool, seed: int | None) -> Estimator:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    return DummyClassifier(strategy="prior") if classifies else DummyRegressor()


_add("rf", "random forest", _make_forest, "random_forest", "forest")
_add("extra_trees", "extremely randomised trees", _make_extra_trees)
_add("gradient_boosting", "gradient boosted trees", _make_boosting, "boosting", "gbm")
_add("logistic", "logistic regression", _make_logistic, "lr", tasks=CLASSES, scaled=True)
_add("ridge", "ridge regression", _make_ridge, scaled=True)
_add("linear", "linear regression", _make_linear, tasks=(Task.REGRESSION,), scaled=True)
_add("svm", "support vector machine", _make_svm, "svc", "svr", scaled=True)
_add("knn", "nearest neighbours", _make_knn, scaled=True)
_add("tree", "decision tree", _make_tree, "decision_tree")
_add("lda", "linear discriminant analysis", _make_lda, tasks=CLASSES, scaled=True)
_add("qda", "quadratic discriminant analysis", _make_qda, tasks=CLASSES, scaled=True)
_add("naive_bayes", "Gaussian naive Bayes", _make_naive_bayes, "nb", tasks=CLASSES, scaled=True)
_add("dummy", "no information: the class proportions, or the mean", _make_dummy)
