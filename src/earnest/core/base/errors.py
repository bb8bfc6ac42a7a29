"""Errors that say what is wrong, what was expected, what was found, and how to fix it."""

from __future__ import annotations

from earnest.core.text.cleaning import clean_text
from earnest.core.text.doors import PYTHON, arg, render


class EarnestError(Exception):
    """Base of every error that earnest raises on purpose.

    Parameters
    ----------
    what : str
        The fault, as a clause without a full stop.
    needs, got, cure : str, optional
        What was expected, what was found instead, and how to fix it.

    Examples
    --------
    >>> from earnest.core.base.errors import InputError
    >>> print(InputError("`side` is unknown", needs="'lower' or 'upper'", got="'left'"))
    `side` is unknown. Expected 'lower' or 'upper', got 'left'.
    """

    def __init__(self, what: str, *, needs: str = "", got: str = "", cure: str = "") -> None:
        self._parts = what, needs, got, cure  # with marks for arguments, see `arg`
        super().__init__(clean_text(render(_message(what, needs, got, cure), PYTHON)))

    @property
    def what(self) -> str:
        """The fault, in the words of the reader's door."""
        return render(self._parts[0])

    @property
    def needs(self) -> str:
        """What was expected."""
        return render(self._parts[1])

    @property
    def got(self) -> str:
        """What was found instead."""
        return render(self._parts[2])

    @property
    def cure(self) -> str:
        """How to fix it."""
        return render(self._parts[3])

    def __str__(self) -> str:
        """Return the sentences, in the words of the reader's door."""
        return clean_text(_message(self.what, self.needs, self.got, self.cure))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by the parts, so that an error survives the way back from a worker."""
        return _rebuild, (type(self), *self._parts)


class InputError(EarnestError, ValueError):
    """An argument or a data set cannot be used.

    Examples
    --------
    >>> import earnest as en
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1], [0.2, 0.7, 0.4, 0.6])
    >>> try:
    ...     en.estimate(pi, metric="roc_auc", confidence_level=95)
    ... except en.errors.InputError as error:
    ...     print(error)
    `confidence_level` is out of range. Expected a number between 0 and 1, got 95. For 95
    percent use 0.95.
    """


class EvidenceError(EarnestError, ValueError):
    """A method was given evidence that it cannot work with.

    Examples
    --------
    >>> import earnest as en
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1], [0.2, 0.7, 0.4, 0.6])
    >>> try:
    ...     en.estimate(pi, method="lpob", metric="roc_auc")
    ... except en.errors.EvidenceError as error:
    ...     print(error)
    method 'lpob' cannot use this evidence. Expected bootstrap-trained replicates, got
    out-of-sample predictions. Make them with earnest.bootstrap_train(estimator, X, y), or
    use method='bbc'.
    """


class MetricError(EarnestError, ValueError):
    """A metric does not fit the task or the kind of response.

    Examples
    --------
    >>> import earnest as en
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1], [0.2, 0.7, 0.4, 0.6])
    >>> try:
    ...     en.estimate(pi, metric="rmse")
    ... except en.errors.MetricError as error:
    ...     print(error)
    metric 'rmse' is not defined for a binary task. Expected a task that is regression, got
    binary. Try 'roc_auc' or 'accuracy'.
    """


class UnknownNameError(EarnestError, ValueError, LookupError):
    """A name is not in its registry.

    Examples
    --------
    >>> import earnest as en
    >>> try:
    ...     en.learners.load_portfolio("quick")
    ... except en.errors.UnknownNameError as error:
    ...     print(error)
    portfolio 'quick' is unknown. Expected 'default', 'tsamardinos2018', or the path of a
    .toml file.
    """


class FormatError(EarnestError, ValueError):
    """A file cannot be read or written in the requested format.

    Examples
    --------
    >>> import earnest as en
    >>> try:
    ...     en.Predictions.load("nowhere.csv")
    ... except en.errors.FormatError as error:
    ...     print(error)
    there is no file 'nowhere.csv'. Expected a file of predictions.
    """


class StoreError(EarnestError, RuntimeError):
    """A run file cannot be used: held by another process, of another run, or out of room.

    Examples
    --------
    >>> import earnest as en
    >>> try:
    ...     en.read_run("no/folder/run.db")
    ... except en.errors.StoreError as error:
    ...     print(error)
    'no/folder/run.db' cannot hold a run. Expected a file name in a folder that exists,
    got no folder '...'.
    """


class ClusterError(EarnestError, RuntimeError):
    """The cluster that runs the tasks is lost; what is finished and stored is not.

    Parameters
    ----------
    what, needs, got, cure : str
        As of every error; `cure` says how to get a cluster again.
    stored : int, optional
        How many finished tasks are stored, where that is known.
    resumes_by : str, optional
        The argument of the call by which it continues, such as 'store'; None if nothing is stored.

    Examples
    --------
    >>> from earnest.errors import ClusterError
    >>> print(ClusterError("the cluster is gone", stored=12, resumes_by="resume"))
    the cluster is gone. 12 finished tasks are stored. Repeat the call with `resume`, on a
    cluster or without one, to run only the others.
    """

    def __init__(
        self,
        what: str,
        *,
        needs: str = "",
        got: str = "",
        cure: str = "",
        stored: int | None = None,
        resumes_by: str | None = None,
    ) -> None:
        self.stored, self.resumes_by, self._remedy = stored, resumes_by, cure
        cure = f"{cure} {_tell_way_back(stored, resumes_by)}".strip()
        super().__init__(what, needs=needs, got=got, cure=cure)

    def resume_by(self, argument: str, stored: int | None = None) -> ClusterError:
        """Return the error of a call that continues by an argument."""
        what, needs, got, _ = self._parts
        return ClusterError(
            what,
            needs=needs,
            got=got,
            cure=self._remedy,
            stored=self.stored if stored is None else stored,
            resumes_by=argument,
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by the parts, with what is stored."""
        what, needs, got, _ = self._parts
        parts = (what, needs, got, self._remedy, self.stored, self.resumes_by)
        return _rebuild_cluster_error, parts


class PluginWarning(UserWarning):
    """An installed package offers something for earnest that cannot be used.

    Examples
    --------
    >>> import warnings
    >>> import earnest as en
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", en.errors.PluginWarning)  # stop instead
    ...     value = en.metric("roc_auc").name
    """


def _message(what: str, needs: str, got: str, cure: str) -> str:
    """Return the sentences: the fault, what was expected and what was found, the fix."""
    if needs:
        parts = [what, f"Expected {needs}, got {got}" if got else f"Expected {needs}", cure]
    else:
        parts = [f"{what}: {got}" if got else what, cure]
    return " ".join(_make_sentence(sentence) for sentence in parts if sentence)


def _make_sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."


def _tell_way_back(stored: int | None, argument: str | None) -> str:
    """Return what is left of a call whose cluster is lost, and how to go on."""
    if argument is None:
        return "Then repeat the call, or repeat it without a cluster."
    number = "Finished tasks" if stored is None else f"{stored} finished tasks"
    again = f"Repeat the call with {arg(argument)}, on a cluster or without one"
    return f"{number} are stored. {again}, to run only the others."


def _rebuild_cluster_error(
    what: str, needs: str, got: str, cure: str, stored: int | None, resumes_by: str | None
) -> ClusterError:
    return ClusterError(what, needs=needs, got=got, cure=cure, stored=stored, resumes_by=resumes_by)


def _rebuild(kind: type[EarnestError], what: str, needs: str, got: str, cure: str) -> EarnestError:
    return kind(what, needs=needs, got=got, cure=cure)
