"""Portfolios: which configurations `earnest tune` tries, from a small file of plain data."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import chain, product, zip_longest
from pathlib import Path

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError, UnknownNameError
from earnest.core.base.extras import tell_install
from earnest.core.base.rng import Purpose, RngLike, Seeds
from earnest.core.text.names import join_name
from earnest.training.learners.catalogue import (
    COUNT,
    MODELS,
    PART,
    REGRESSION,
    SELECTIONS,
    TASKS,
    Knob,
    Value,
)
from earnest.training.learners.encoding import ColumnEncoder
from earnest.training.learners.preprocessing import Inputs
from earnest.training.protocols import Estimator

USUAL_SHARE = 0.2  # of the time of a search that one family may take


@dataclass(frozen=True, eq=False)
class PortfolioConfiguration:
    """One configuration of a portfolio: a whole pipeline, and what it is in plain words.

    `SearchCV` takes a list of them as `candidates`, and shows `params`.

    Attributes
    ----------
    name : str
        What it is called, different for each of a portfolio.
    params : dict
        Its knobs by readable names: `model`, `select`, `encode`, `C`, ...; only those that apply.
    estimator : Pipeline
        The unfitted steps `prepare`, `select` and `model`, and before them `encode` where there
        is text or a category with many levels. A regression stays near the range of
        its training outcomes, see `BoundedRegressor`.
    family : str
        The name of its model.
    cost : float
        About how many seconds a fit takes on one core; good for comparing, not for promises.
    share : float
        The largest share of the time of a search that its family may take.
    """

    name: str
    params: Mapping[str, Value]
    estimator: Estimator = field(repr=False)
    family: str
    cost: float
    share: float = USUAL_SHARE


@dataclass(frozen=True)
class Draft:
    """A configuration before its pipeline is made."""

    model: str
    model_params: Mapping[str, Value]
    select: str
    select_params: Mapping[str, Value]
    encode: str | None
    impute: str | None
    shown: Mapping[str, Value]  # what of these differs within the family, for the name
    share: float = USUAL_SHARE

    def params(self) -> dict[str, Value]:
        """Return the knobs that apply."""
        params: dict[str, Value] = {"model": self.model, "select": self.select}
        beside = {"encode": self.encode, "impute": self.impute}
        params |= {key: value for key, value in beside.items() if value is not None}
        params |= {f"{self.select}_{k}": v for k, v in self.select_params.items()}
        return params | dict(self.model_params)

    def name(self) -> str:
        """Return a name by what differs within the family."""
        return join_name(self.model, self.shown, self.select, self.select_params)

    def made(
        self, task: str, inputs: Inputs, seed: int, indicator: bool, probabilities: bool
    ) -> PortfolioConfiguration:
        """Return the configuration with its pipeline."""
        from sklearn.pipeline import Pipeline

        from earnest.training.learners.bounded import BoundedRegressor
        from earnest.training.learners.calibrated import CalibratedClassifier
        from earnest.training.learners.category_boosting import take_categories
        from earnest.training.learners.preprocessing import Preprocessor

        kind, selection = MODELS[self.model], SELECTIONS[self.select]
        encoded = inputs.encode()
        prepare = Preprocessor(
            encoded.categorical,
            impute=self.impute or "median",
            indicator=indicator,
            encode=self.encode or "one_hot",
            scale=kind.scales or self.select != "none",
        )
        model = kind.make(task, self.model_params, seed)
        assert not isinstance(model, str)  # only a selection can be none
        if self.encode == "native":
            model = take_categories(model, len(encoded.categorical))
        calibrates = probabilities and kind.decides_only and task in ("binary", "multiclass")
        if calibrates:
            model = CalibratedClassifier(model, random_state=seed)
        if task == REGRESSION:
            model = BoundedRegressor(model)
        chosen = selection.make(task, self.select_params, seed)
        steps = [("prepare", prepare), ("select", chosen), ("model", model)]
        if not inputs.is_plain:
            encoder = ColumnEncoder(inputs.coded, inputs.texts, random_state=seed)
            steps.insert(0, ("encode", encoder))
        return PortfolioConfiguration(
            self.name(),
            self.params(),
            Pipeline(steps),
            self.model,
            self._seconds(encoded) * (FITS_TO_CALIBRATE if calibrates else 1.0),
            self.share,
        )

    def _seconds(self, inputs: Inputs) -> float:
        columns = inputs.n_encoded if self.encode == "one_hot" else inputs.n_columns
        before = SELECTIONS[self.select].seconds(inputs.n_cases, columns, self.select_params)
        return before + MODELS[self.model].seconds(inputs.n_cases, columns, self.model_params)


def family(entry: Entry, contents: Contents, task: str, inputs: Inputs) -> list[Draft]:
    """Return the configurations of a model that fit the data, nearest to the best guess first."""
    if not entry.fits(task, inputs.n_cases, inputs.n_columns) or not MODELS[entry.name].installed:
        return []
    ranked: list[tuple[int, Draft]] = []
    for far_select, select, select_params in _list_selections(entry, contents, task, inputs):
        for far_encode, encode in _list_encodings(entry, inputs, select):
            for far_impute, impute in _list_imputations(entry, inputs, select):
                beside = {"encode": encode, "impute": impute}
                for far, params in entry.list_combinations():
                    shown = {k: v for k, v in params.items() if len(entry.grid[k]) > 1}
                    shown |= _list_several(beside, entry)
                    draft = Draft(
                        entry.name,
                        params,
                        select,
                        select_params,
                        encode,
                        impute,
                        shown,
                        entry.share,
                    )
                    ranked.append((far + far_select + far_encode + far_impute, draft))
    return [draft for _, draft in sorted(ranked, key=lambda pair: pair[0])]


def _list_several(beside: Mapping[str, str | None], entry: Entry) -> dict[str, Value]:
    lists = {"encode": entry.encode, "impute": entry.impute}
    return {k: v for k, v in beside.items() if v is not None and len(lists[k]) > 1}


def _list_selections(
    entry: Entry, contents: Contents, task: str, inputs: Inputs
) -> Iterator[tuple[int, str, dict[str, Value]]]:
    """Yield the selections that a model goes with, and how far each is from the first."""
    position = 0
    for selection in contents.selections:
        if selection.name not in entry.select or not selection.fits(
            task, inputs.n_cases, inputs.n_columns
        ):
            continue
        for far, params in selection.list_combinations():
            yield position + far, selection.name, params
        position += 1


def _list_encodings(entry: Entry, inputs: Inputs, select: str) -> list[tuple[int, str | None]]:
    """Return how categories are encoded; where columns are selected, none can have its place."""
    if not inputs.categorical:
        return [(0, None)]
    usable = [encoding for encoding in entry.encode if encoding != "native" or select == "none"]
    return list(enumerate(usable or ["ordinal"]))


def _list_imputations(entry: Entry, inputs: Inputs, select: str) -> list[tuple[int, str | None]]:
    """Return how gaps are filled; a selection cannot work with gaps."""
    if not inputs.has_missing:
        return [(0, None)]
    usable = [imputation for imputation in entry.impute if imputation != "none" or select == "none"]
    return list(enumerate(usable or ["median"]))


def take_in_turns(families: list[list[Draft]], counts: Sequence[int] = ()) -> list[Draft]:
    """Return the first of every family, then the second of every family, and so on, each once.

    If two configurations would have the same name, it lists all their parameters.

    Parameters
    ----------
    families : list of list of Draft
        The configurations of each.
    counts : sequence of int
        How many each family has in a turn after the first; one if not given.
    """
    sizes = counts or [1] * len(families)
    parcels = [
        [drafts[:1], *(drafts[at : at + size] for at in range(1, len(drafts), size))]
        for drafts, size in zip(families, sizes, strict=True)
    ]
    rounds = chain.from_iterable(zip_longest(*parcels, fillvalue=[]))
    turns = [draft for parcel in rounds for draft in parcel]
    once = list(
        {tuple(sorted(draft.params().items())): draft for draft in reversed(turns)}.values()
    )
    times = Counter(draft.name() for draft in once)
    return [
        draft if times[draft.name()] == 1 else replace(draft, shown=draft.model_params)
        for draft in reversed(once)
    ]


__all__ = [
    "PortfolioConfiguration",
    "Portfolio",
    "load_portfolio",
    "list_packaged",
]

FOLDER = Path(__file__).parents[2] / "data" / "portfolios"
FITS_TO_CALIBRATE = 3.0  # three on two thirds of the cases, and one on all
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
    >>> portfolio = en.learners.load_portfolio("default")
    >>> made = portfolio.configurations("binary", en.learners.Inputs.of(np.zeros((5, 3))))
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
    ) -> tuple[PortfolioConfiguration, ...]:
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
            Whether every classifier must give probabilities; those that have none are calibrated,
            for three more fits on two thirds of the cases.
        """
        task = check.one_of("task", str(task), TASKS)
        if n is not None:
            check.whole_number("n", n, low=1)
        self._refuse(task)
        models = self.contents.models
        drafts = take_in_turns(
            [family(entry, self.contents, task, inputs.encode()) for entry in models],
            [entry.turns for entry in models],
        )
        lacking = [MODELS[entry.name].package for entry in models]
        lacking = [name for name in dict.fromkeys(lacking) if name and find_spec(name) is None]
        if not drafts and lacking:
            raise InputError(
                f"the models of portfolio {self.name!r} need a package that is not installed",
                needs=check.some(lacking),
                cure=tell_install(lacking[0]),
            )
        if not drafts:
            raise InputError(
                f"portfolio {self.name!r} has no configuration for these data",
                needs="models and selections whose limits include them",
                got=f"{inputs.n_cases} cases, {inputs.n_columns} columns, a {task} task",
            )
        seed = int(Seeds.of(rng).generator(Purpose.TRAINING, STREAM).integers(0, 2**31 - 1))
        indicator = self.contents.indicator
        return tuple(
            draft.made(task, inputs, seed, indicator, probabilities) for draft in drafts[:n]
        )

    def _refuse(self, task: str) -> None:
        if task not in self.contents.tasks:
            raise InputError(
                f"portfolio {self.name!r} is not for a {task} task",
                needs=check.some(self.contents.tasks),
                got=task,
                cure="Use the portfolio 'default'.",
            )


def load_portfolio(source: str | Path) -> Portfolio:
    """Read a portfolio by its name or from a file of your own.

    Parameters
    ----------
    source : str or Path
        A packaged name ('default', 'tsamardinos2018'), or the path of a .toml file.

    Returns
    -------
    Portfolio
        The portfolio, checked.

    Examples
    --------
    >>> from earnest.training.learners.preprocessing import Inputs
    >>> from earnest.training.learners.portfolio import load_portfolio
    >>> inputs = Inputs(("a", "b"), (0, 0), (False, False), n_cases=100)
    >>> grid = load_portfolio("tsamardinos2018").configurations("binary", inputs, rng=0)
    >>> len(grid)
    610
    """
    names = list_packaged()
    if str(source) in names:
        return Portfolio(str(source), read_file(FOLDER / f"{source}.toml"))
    path = Path(source)
    if path.suffix == ".toml" or path.is_file():
        return Portfolio(path.stem, read_file(path))
    raise UnknownNameError(
        f"portfolio {check.show(str(source))} is unknown",
        needs=", ".join(map(repr, names)) + ", or the path of a .toml file",
        cure=check.nearest(str(source), names),
    )


def list_packaged() -> tuple[str, ...]:
    """Return the names of the portfolios that come with the package."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


FORMAT = 1
TOP = ("format", "about", "tasks", "preprocessing", "selection", "model")
LIMITS = ("min_cases", "max_cases", "min_columns", "max_columns")  # of the data, for an entry
IMPUTE = Knob(words=("median", "mean", "none"))
ENCODE = Knob(words=("one_hot", "ordinal", "native"))


@dataclass(frozen=True)
class Entry:
    """One table of a portfolio file: a model or a selection with the values of its knobs.

    Attributes
    ----------
    name : str
        Which model or selection.
    grid : mapping of str to tuple
        The values of each knob, the best guess first.
    limits : mapping of str to int
        For which data it is used.
    tasks : tuple of str
        For which tasks.
    select : tuple of str
        Of a model: the selections that it goes with.
    encode, impute : tuple of str
        Of a model: how categories are encoded and gaps filled.
    turns : int
        Of a model: how many of its configurations come in each turn after the first.
    share : float
        Of a model: the largest share of the time that its family may take.
    """

    name: str
    grid: Mapping[str, tuple[Value, ...]]
    limits: Mapping[str, int]
    tasks: tuple[str, ...]
    select: tuple[str, ...] = ()
    encode: tuple[str, ...] = ()
    impute: tuple[str, ...] = ()
    turns: int = 1
    share: float = USUAL_SHARE

    def list_combinations(self) -> list[tuple[int, dict[str, Value]]]:
        """Return every combination of values, with how far it is from the best guess.

        That is the sum of the places of its values in their lists.
        """
        places = product(*(range(len(values)) for values in self.grid.values()))
        return [
            (sum(at), {k: v[i] for (k, v), i in zip(self.grid.items(), at, strict=True)})
            for at in places
        ]

    def fits(self, task: str, cases: int, columns: int) -> bool:
        """Tell whether it is used for such data."""
        return (
            task in self.tasks
            and self.limits.get("min_cases", 0) <= cases <= self.limits.get("max_cases", cases)
            and self.limits.get("min_columns", 0) <= columns
            and columns <= self.limits.get("max_columns", columns)
        )


@dataclass(frozen=True)
class Contents:
    """What a portfolio file says."""

    about: str
    tasks: tuple[str, ...]
    indicator: bool
    selections: tuple[Entry, ...]
    models: tuple[Entry, ...]


def read_file(path: Path) -> Contents:
    """Read a portfolio file, and refuse what it cannot mean."""
    check.refuse_stream(path)
    try:
        contents = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise FormatError(f"portfolio {path.name!r} cannot be read", got=str(error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(
            f"portfolio {path.name!r} is not valid TOML",
            got=str(error),
            cure="Start from a copy of a packaged portfolio.",
        ) from error
    return _Reader(path.name).read_contents(contents)


@dataclass(frozen=True)
class _Reader:
    """Reads the tables of one file, whose name is in every message."""

    file: str

    def read_contents(self, table: Mapping[str, object]) -> Contents:
        self._check_keys(table, TOP, "")
        if table.get("format") != FORMAT:
            raise self._make_error(
                "`format` is unknown", needs=str(FORMAT), got=table.get("format")
            )
        tasks = self._read_words(table, "tasks", TASKS, "")
        common = self._check_table(table.get("preprocessing", {}), "[preprocessing]")
        self._check_keys(common, ("impute", "encode", "indicator"), " in [preprocessing]")
        indicator = common.get("indicator", True)
        if not isinstance(indicator, bool):
            raise self._make_error(
                "`indicator` in [preprocessing] is unknown", needs="true or false", got=indicator
            )
        selections = [
            self._read_entry("selection", "select", selection, ())
            for selection in self._list(table, "selection")
        ]
        names = tuple(dict.fromkeys(selection.name for selection in selections)) or ("none",)
        if not selections:
            selections = [Entry("none", {}, {}, TASKS)]
        models = [
            self._read_model(selection, names, common) for selection in self._list(table, "model")
        ]
        if not models:
            raise self._make_error("there is no model", needs="at least one [[model]]", got="none")
        about = table.get("about", "")
        if not isinstance(about, str):
            raise self._make_error("`about` is not text", needs="a text", got=about)
        return Contents(about, tasks, indicator, tuple(selections), tuple(models))

    def _read_model(
        self, table: Mapping[str, object], names: tuple[str, ...], common: Mapping[str, object]
    ) -> Entry:
        more = ("select", "encode", "impute", "turns", "share")
        entry = self._read_entry("model", "model", table, more)
        kind, where = MODELS[entry.name], f" of model {entry.name!r}"
        usual_impute = "none" if kind.takes_missing else "median"
        impute = self._choose_words(table, common, "impute", IMPUTE, (usual_impute,), where)
        if "none" in impute and not kind.takes_missing:
            raise self._make_error(
                f"`impute`{where} cannot be 'none', because it cannot handle missing values",
                needs="'median', 'mean'",
                got="none",
            )
        encode = self._choose_words(table, common, "encode", ENCODE, (kind.encode,), where)
        if "native" in encode and not kind.takes_categories:
            raise self._make_error(
                f"`encode`{where} cannot be 'native', because it takes numbers only",
                needs="'one_hot', 'ordinal'",
                got="native",
            )
        if "native" in encode and impute != ("none",):
            raise self._make_error(
                f"`encode`{where} can be 'native' only where gaps are not filled",
                needs="`impute` 'none'",
                got=", ".join(impute),
            )
        place = f"portfolio {self.file!r}: "
        return replace(
            entry,
            turns=int(COUNT.read(table.get("turns", 1), f"{place}`turns`{where}")),
            share=float(PART.read(table.get("share", USUAL_SHARE), f"{place}`share`{where}")),
            select=self._read_words(table, "select", names, where),
            encode=encode,
            impute=impute,
        )

    def _read_entry(
        self, table: str, key: str, entry: Mapping[str, object], more: tuple[str, ...]
    ) -> Entry:
        kinds = MODELS if table == "model" else SELECTIONS
        name = entry.get(key)
        if not isinstance(name, str) or name not in kinds:
            raise self._make_error(
                f"`{key}` of a [[{table}]] is unknown",
                needs=", ".join(map(repr, kinds)),
                got=name,
                cure=check.nearest(str(name), list(kinds)),
            )
        name = kinds.canonical(name)
        kind, where = kinds[name], f" of {table} {name!r}"
        self._check_keys(entry, (key, "tasks", *LIMITS, *more, *kind.knobs), where)
        grid = {
            knob: self._read_values(entry[knob], kind.knobs[knob], f"`{knob}`{where}")
            for knob in entry
            if knob in kind.knobs
        }
        limits = {
            limit: int(COUNT.read(entry[limit], f"portfolio {self.file!r}: `{limit}`{where}"))
            for limit in LIMITS
            if limit in entry
        }
        return Entry(name, grid, limits, self._read_words(entry, "tasks", kind.tasks, where))

    def _choose_words(
        self,
        entry: Mapping[str, object],
        common: Mapping[str, object],
        key: str,
        knob: Knob,
        usual: tuple[str, ...],
        where: str,
    ) -> tuple[str, ...]:
        """Return the words of an entry, of the file, or what suits the model, in this order."""
        for source, within in ((entry, where), (common, " in [preprocessing]")):
            if key in source:
                return tuple(map(str, self._read_values(source[key], knob, f"`{key}`{within}")))
        return usual

    def _read_words(
        self,
        entry: Mapping[str, object],
        key: str,
        allowed: tuple[str, ...],
        where: str,
    ) -> tuple[str, ...]:
        return self._choose_words(entry, {}, key, Knob(words=allowed), allowed, where)

    def _read_values(self, listing: object, knob: Knob, where: str) -> tuple[Value, ...]:
        listed = listing if isinstance(listing, list) else [listing]
        if not listed:
            raise self._make_error(f"{where} has no values", needs=str(knob), got="[]")
        values = tuple(knob.read(value, f"portfolio {self.file!r}: {where}") for value in listed)
        if len(set(values)) < len(values):
            raise self._make_error(
                f"the values of {where} are not unique", needs="unique values", got=listing
            )
        return values

    def _check_keys(self, entry: Mapping[str, object], keys: tuple[str, ...], where: str) -> None:
        for key in entry:
            if key not in keys:
                raise self._make_error(
                    f"key `{key}`{where} is unknown",
                    needs=", ".join(keys),
                    got=key,
                    cure=check.nearest(key, keys),
                )

    def _check_table(self, entry: object, where: str) -> Mapping[str, object]:
        if not isinstance(entry, Mapping):
            raise self._make_error(f"{where} is not a table", needs="keys with values", got=entry)
        return entry

    def _list(self, entry: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
        listed = entry.get(key, [])
        if not isinstance(listed, list):
            raise self._make_error(
                f"`{key}` is not a list of tables",
                needs=f"tables that begin with [[{key}]]",
                got=listed,
                cure=f"Write [[{key}]] with two brackets.",
            )
        return [self._check_table(item, f"[[{key}]]") for item in listed]

    def _make_error(self, what: str, *, needs: str, got: object, cure: str = "") -> FormatError:
        shown = got if isinstance(got, str) and " " in got else check.show(got)
        return FormatError(f"portfolio {self.file!r}: {what}", needs=needs, got=shown, cure=cure)
