"""Portfolios: which configurations `earnest tune` tries, from a small file of plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from earnest.core import check
from earnest.core.errors import InputError, UnknownNameError
from earnest.core.rng import Purpose, RngLike, Seeds
from earnest.core.target import Task
from earnest.metrics.families import Metric, Need
from earnest.training.inputs import Inputs
from earnest.training.portfolio_drafts import Configuration, family, in_turns
from earnest.training.portfolio_file import Contents, read_file
from earnest.training.portfolio_tables import TASKS

__all__ = ["Configuration", "Portfolio", "load_portfolio", "needs_probabilities", "packaged"]

FOLDER = Path(__file__).parent.parent / "data" / "portfolios"
STREAM = 0x706F7274  # the block of training seeds that belongs to portfolios


@dataclass(frozen=True)
class Portfolio:
    """A set of configurations, made for a task and for the columns at hand.

    Make one with `load_portfolio`.

    Attributes
    ----------
    name : str
        What it is called.
    contents : Contents
        What its file says.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> portfolio = en.load_portfolio("default")
    >>> made = portfolio.configurations("binary", en.Inputs.of(np.zeros((5, 3))))
    >>> portfolio.name, len(made) > 0
    ('default', True)
    """

    name: str
    contents: Contents = field(repr=False)

    @property
    def about(self) -> str:
        """What it is, in words."""
        return self.contents.about

    def configurations(
        self,
        task: str,
        inputs: Inputs,
        *,
        n: int | None = None,
        rng: RngLike = None,
        probabilities: bool = False,
    ) -> tuple[Configuration, ...]:
        """Return the configurations in the order in which they are worth trying.

        Families take turns in the order of the file, and each begins with its best guess: the
        values that are first in their lists. So the first few are spread over all families, and a
        small budget cuts the list anywhere. Set and order depend on nothing but the arguments;
        `rng` seeds the learners alone.

        Parameters
        ----------
        task : {'binary', 'multiclass', 'regression', 'survival'}
            What is learned.
        inputs : Inputs
            The columns.
        n : int, optional
            How many to return at most.
        rng : int, SeedSequence, Generator, RandomState, optional
            The seed of the learners.
        probabilities : bool
            Whether every classifier must give probabilities, see `needs_probabilities`; those that
            have none are calibrated, for one more fit on two thirds of the cases.
        """
        task = check.one_of("task", str(task), TASKS)
        if n is not None:
            check.whole_number("n", n, low=1)
        self._refuse(task)
        models = self.contents.models
        drafts = in_turns([family(entry, self.contents, task, inputs) for entry in models])
        if not drafts:
            raise InputError(
                f"portfolio {self.name!r} has no configuration for these data",
                needs="models and selections whose limits include them",
                got=f"{inputs.n_cases} cases, {inputs.n_columns} columns, a {task} task",
            )
        seed = int(Seeds.of(rng).generator(Purpose.TRAINING, STREAM).integers(0, 2**31 - 1))
        indicator = self.contents.indicator
        return tuple(one.made(task, inputs, seed, indicator, probabilities) for one in drafts[:n])

    def _refuse(self, task: str) -> None:
        if task not in self.contents.tasks:
            raise InputError(
                f"portfolio {self.name!r} is not for a {task} task",
                needs=check.some(self.contents.tasks),
                got=task,
                cure="Use the portfolio 'default'.",
            )


def load_portfolio(given: str | Path) -> Portfolio:
    """Read a portfolio by its name or from a file of your own.

    Parameters
    ----------
    given : str or Path
        A packaged name ('default', 'tsamardinos2018'), or the path of a .toml file.

    Returns
    -------
    Portfolio
        The portfolio, checked.

    Examples
    --------
    >>> from earnest.training.inputs import Inputs
    >>> from earnest.training.portfolio import load_portfolio
    >>> inputs = Inputs(("a", "b"), (0, 0), (False, False), n_cases=100)
    >>> grid = load_portfolio("tsamardinos2018").configurations("binary", inputs, rng=0)
    >>> len(grid)
    610
    """
    names = packaged()
    if str(given) in names:
        return Portfolio(str(given), read_file(FOLDER / f"{given}.toml"))
    path = Path(given)
    if path.suffix == ".toml" or path.is_file():
        return Portfolio(path.stem, read_file(path))
    raise UnknownNameError(
        f"portfolio {check.show(str(given))} is unknown",
        needs=", ".join(map(repr, names)) + ", or the path of a .toml file",
        cure=check.nearest(str(given), names),
    )


def packaged() -> tuple[str, ...]:
    """Return the names of the portfolios that come with the package."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def needs_probabilities(metric: Metric | None, task: str) -> bool:
    """Tell whether a metric can only be computed from probabilities for this task.

    So it is for the log loss and its like, and for an AUC of more than two classes, which
    compares scores between classes. An order is enough for the AUC of two.
    """
    if metric is None:
        return False
    if metric.needs is Need.PROBABILITY:
        return True
    return metric.needs is Need.SCORE and str(task) == str(Task.MULTICLASS)
