"""Configurations before and after their pipelines are made, and their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from typing import Any

from earnest.training.inputs import Inputs
from earnest.training.portfolio_file import Contents, Entry
from earnest.training.portfolio_tables import MODELS, SELECTIONS, Value


@dataclass(frozen=True, eq=False)
class Configuration:
    """One configuration of a portfolio: a whole pipeline, and what it is in plain words.

    `SearchCV` takes a list of them as `candidates`, and shows `params`.

    Attributes
    ----------
    name : str
        What it is called, different for each of a portfolio.
    params : dict
        Its knobs by readable names: `model`, `select`, `encode`, `C`, ...; only those that apply.
    estimator : Pipeline
        The unfitted steps `prepare`, `select` and `model`.
    family : str
        The name of its model.
    cost : float
        About how many seconds a fit takes on one core; good for comparing, not for promises.
    """

    name: str
    params: Mapping[str, Value]
    estimator: Any = field(repr=False)
    family: str
    cost: float


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

    def params(self) -> dict[str, Value]:
        """Return the knobs that apply."""
        made: dict[str, Value] = {"model": self.model, "select": self.select}
        beside = {"encode": self.encode, "impute": self.impute}
        made |= {key: value for key, value in beside.items() if value is not None}
        made |= {f"{self.select}_{k}": v for k, v in self.select_params.items()}
        return made | dict(self.model_params)

    def name(self) -> str:
        """Return a name by what differs within the family."""
        words = [self.model]
        words += [f"{k}={_short(v)}" for k, v in self.shown.items()]
        if self.select != "none":
            words += ["after", self.select]
            words += [f"{k}={_short(v)}" for k, v in self.select_params.items()]
        return " ".join(words)

    def made(
        self, task: str, inputs: Inputs, seed: int, indicator: bool, probabilities: bool
    ) -> Configuration:
        """Return the configuration with its pipeline."""
        from sklearn.pipeline import Pipeline

        from earnest.training.calibrated import Calibrated
        from earnest.training.preprocessing import Preprocess

        kind, selection = MODELS[self.model], SELECTIONS[self.select]
        prepare = Preprocess(
            inputs.categorical,
            impute=self.impute or "median",
            indicator=indicator,
            encode=self.encode or "one_hot",
            scale=kind.scales or self.select != "none",
        )
        model = kind.make(task, self.model_params, seed)
        calibrates = probabilities and kind.decides_only and task in ("binary", "multiclass")
        if calibrates:
            model = Calibrated(model, random_state=seed)
        chosen = selection.make(task, self.select_params, seed)
        steps = [("prepare", prepare), ("select", chosen), ("model", model)]
        return Configuration(
            self.name(),
            self.params(),
            Pipeline(steps),
            self.model,
            self._seconds(inputs) * (5 / 3 if calibrates else 1.0),
        )

    def _seconds(self, inputs: Inputs) -> float:
        columns = inputs.n_columns if self.encode == "ordinal" else inputs.n_encoded
        before = SELECTIONS[self.select].seconds(inputs.n_cases, columns, self.select_params)
        return before + MODELS[self.model].seconds(inputs.n_cases, columns, self.model_params)


def family(entry: Entry, contents: Contents, task: str, inputs: Inputs) -> list[Draft]:
    """Return the configurations of a model that fit the data, nearest to the best guess first."""
    if not entry.fits(task, inputs.n_cases, inputs.n_columns):
        return []
    ranked: list[tuple[int, Draft]] = []
    for far_select, select, select_params in _selections(entry, contents, task, inputs):
        for far_encode, encode in _encodings(entry, inputs):
            for far_impute, impute in _imputations(entry, inputs, select):
                beside = {"encode": encode, "impute": impute}
                for far, params in entry.settings():
                    shown = {k: v for k, v in params.items() if len(entry.grid[k]) > 1}
                    shown |= _several(beside, entry)
                    draft = Draft(entry.name, params, select, select_params, encode, impute, shown)
                    ranked.append((far + far_select + far_encode + far_impute, draft))
    return [draft for _, draft in sorted(ranked, key=lambda pair: pair[0])]


def _several(beside: Mapping[str, str | None], entry: Entry) -> dict[str, Value]:
    lists = {"encode": entry.encode, "impute": entry.impute}
    return {k: v for k, v in beside.items() if v is not None and len(lists[k]) > 1}


def _selections(
    entry: Entry, contents: Contents, task: str, inputs: Inputs
) -> Iterator[tuple[int, str, dict[str, Value]]]:
    """Yield the selections that a model goes with, and how far each is from the first."""
    place = 0
    for one in contents.selections:
        if one.name not in entry.select or not one.fits(task, inputs.n_cases, inputs.n_columns):
            continue
        for far, params in one.settings():
            yield place + far, one.name, params
        place += 1


def _encodings(entry: Entry, inputs: Inputs) -> list[tuple[int, str | None]]:
    return list(enumerate(entry.encode)) if inputs.categorical else [(0, None)]


def _imputations(entry: Entry, inputs: Inputs, select: str) -> list[tuple[int, str | None]]:
    """Return how gaps are filled; a selection cannot work with gaps."""
    if not inputs.has_missing:
        return [(0, None)]
    usable = [one for one in entry.impute if one != "none" or select == "none"]
    return list(enumerate(usable or ["median"]))


def in_turns(families: list[list[Draft]]) -> list[Draft]:
    """Return the first of every family, then the second of every family, and so on, each once.

    Where tables of one model give two configurations one name, it is told by all their knobs.
    """
    turns = [draft for draft in chain.from_iterable(zip_longest(*families)) if draft is not None]
    once = list(
        {tuple(sorted(draft.params().items())): draft for draft in reversed(turns)}.values()
    )
    times = Counter(draft.name() for draft in once)
    return [
        draft if times[draft.name()] == 1 else replace(draft, shown=draft.model_params)
        for draft in reversed(once)
    ]


def _short(value: Value) -> str:
    return str(value).removesuffix(".0")
