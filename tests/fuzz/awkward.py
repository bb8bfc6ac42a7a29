"""Tables as people have them: numbers, marks, dates and classes written in every way but one."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

ROWS = 48
MARKS = ("?", "-", ".", "NA", "N.A.", "n/a", "none", "missing", "unknown", "*", "")
WORDS = ("abc", "k.A.", "see note", "<5", "12 kg", "-999")

FEATURES = ("age", "income", "kind", "share")  # of the model that predicts

Cells = list[str]


def write_data(seed: int, path: Path) -> list[str]:
    """Write an awkward table of cases; return the arguments of the command that reads it."""
    target = _write_cases(random.Random(seed), path)
    model = ["--model", "knn", "--method", "cv", "--cv", "2", "--rng", "1"]
    return ["assess", str(path), "--target", target, *model]


def write_training(seed: int, path: Path) -> list[str]:
    """Write an awkward table of cases; return the arguments of the command that tunes on it."""
    r = random.Random(seed)
    target = _write_cases(r, path)
    group = ["--group", r.choice(("kind", "zip", "note"))] if r.random() < 0.2 else []
    out = ["--out", str(path.with_name("run")), "--rng", "1"]
    return ["tune", str(path), "--target", target, *group, *out]


def write_new(seed: int, path: Path, run: Path) -> list[str]:
    """Write an awkward table of new cases; return the arguments of the command that predicts."""
    r = random.Random(seed)
    columns = {name: _make_column(r) for name in FEATURES if r.random() < 0.97}
    if r.random() < 0.3:
        columns["y"] = _make_outcome(r)
    names = list(columns)
    r.shuffle(names)
    _write(r, path, {name: columns[name] for name in names})
    return ["predict", str(run), str(path)]


def write_clean(path: Path) -> None:
    """Write the table that the model of `write_new` was trained on."""
    r = random.Random(0)
    makers = (_make_whole, _make_shares, _make_levels, _make_shares)
    columns = {name: make(r) for name, make in zip(FEATURES, makers, strict=True)}
    columns["kind"] = [("red", "green", "blue")[k % 3] for k in range(ROWS)]
    columns["y"] = [("no", "yes")[k % 2] for k in range(ROWS)]
    lines = [",".join(row) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([",".join(columns), *lines]) + "\n")


def _write_cases(r: random.Random, path: Path) -> str:
    """Write an awkward table of cases; return the name of the outcome as somebody types it."""
    columns = {name: _make_column(r) for name in r.sample(_NAMES, r.randint(2, 5))}
    columns["size"] = [f"{r.gauss(5, 2):.3f}" for _ in range(ROWS)]
    target = r.choice(("relapse", "Outcome", "y"))
    columns[target] = _make_outcome(r)
    _write(r, path, columns)
    return target if r.random() < 0.9 else target.upper()


def write_predictions(seed: int, path: Path) -> list[str]:
    """Write an awkward table of predictions; return the arguments of the command that reads it."""
    r = random.Random(seed)
    fold = r.choice(("fold", "fold", "fold", "Fold", "cv_fold", "part"))
    target = r.choice(("y", "y", "y_true", "outcome"))
    columns = {target: _make_outcome(r), fold: [str(k // 2 % 4) for k in range(ROWS)]}
    for name in r.sample(("svm", "rf", "tree", "age", "code"), r.randint(1, 4)):
        make = r.choice((_make_shares, _make_shares, _make_percent, _make_column))
        columns[name] = make(r)
    _write(r, path, columns)
    return ["estimate", str(path), "-m", "roc_auc", "--n-resamples", "20", "--rng", "1"]


_NAMES = ("age", "income", "bmi", "zip", "when", "kind", "patient_id", "price", "share", "note")


def _make_column(r: random.Random) -> Cells:
    cells = r.choice(_KINDS)(r)
    for words, share in ((MARKS, 0.4), (WORDS, 0.2)):
        if r.random() < share:
            few = r.sample(words, r.randint(1, 3))
            cells = [r.choice(few) if r.random() < 0.1 else cell for cell in cells]
    return cells


def _make_whole(r: random.Random) -> Cells:
    return [str(r.randint(18, 90)) for _ in range(ROWS)]


def _make_shares(r: random.Random) -> Cells:
    return [f"{r.random():.4f}" for _ in range(ROWS)]


def _make_thousands(r: random.Random) -> Cells:
    mark = r.choice((",", ".", " ", "'"))
    return [f"{r.randint(1000, 99999):,}".replace(",", mark) for _ in range(ROWS)]


def _make_decimals(r: random.Random) -> Cells:
    digits = r.choice((1, 2, 3))
    return [f"{r.uniform(1, 99):.{digits}f}".replace(".", ",") for _ in range(ROWS)]


def _make_both(r: random.Random) -> Cells:
    """Thousands and decimals of one country, or of two."""
    english = [f"{r.uniform(1, 99999):,.2f}" for _ in range(ROWS)]
    turned = [cell.translate(str.maketrans(",.", ".,")) for cell in english]
    either = [r.choice(pair) for pair in zip(english, turned, strict=True)]
    return r.choice((english, turned, either))


def _make_money(r: random.Random) -> Cells:
    form = r.choice(("$ {}", "{} €", "£{}"))
    return [form.format(f"{r.randint(10, 99999):,}") for _ in range(ROWS)]


def _make_percent(r: random.Random) -> Cells:
    sign, bare = r.choice((" %", "%")), r.choice((0.0, 0.0, 0.0, 0.05))
    return [f"{r.uniform(0, 100):.1f}{sign if r.random() >= bare else ''}" for _ in range(ROWS)]


def _make_codes(r: random.Random) -> Cells:
    return [f"{r.randint(0, 30):05d}" for _ in range(ROWS)]


def _make_dates(r: random.Random) -> Cells:
    form = r.choice(("2024-{m:02}-{d:02}", "{d:02}.{m:02}.2024", "{m}/{d}/2024"))
    return [form.format(m=r.randint(1, 12), d=r.randint(1, 28)) for _ in range(ROWS)]


def _make_levels(r: random.Random) -> Cells:
    levels = r.choice((("red", "green"), ("+", "-"), ("A", "B", "none"), ("Na", "K", "?")))
    return [r.choice(levels) for _ in range(ROWS)]


def _make_ids(r: random.Random) -> Cells:
    return [f"P{k:03}" for k in range(ROWS)]


_KINDS: tuple[Callable[[random.Random], Cells], ...] = (
    *(_make_whole, _make_thousands, _make_decimals, _make_both, _make_money, _make_percent),
    *(_make_codes, _make_dates, _make_levels, _make_ids),
)


def _make_outcome(r: random.Random) -> Cells:
    pairs = (("0", "1"), ("no", "yes"), ("ok", "defect"), ("1", "2"), ("01", "02"), ("N", "Y"))
    pair = r.choice(pairs)
    cells = [pair[k % 2] for k in range(ROWS)]
    kind = r.random()
    if kind < 0.2:
        cells = [r.choice((cell, cell.upper(), cell.title(), f"{cell} ")) for cell in cells]
    elif kind < 0.3:
        cells = _make_column(r)
    elif kind < 0.4:
        marks = ("?", "-", "none", "unknown", "NA", "#N/A")
        cells = [r.choice(marks) if r.random() < 0.05 else cell for cell in cells]
    elif kind < 0.45:
        cells = [r.choice(("yes", "no", cell)) for cell in cells]
    return cells


def _write(r: random.Random, path: Path, columns: dict[str, Cells]) -> None:
    names = list(columns)
    delimiter = r.choice((",", ",", ";", "\t", "|"))
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    if r.random() < 0.06:
        names[r.randrange(len(names))] = names[0]
    if r.random() < 0.06:
        rows[r.randrange(ROWS)].append("more")
    if r.random() < 0.06:
        rows[r.randrange(ROWS)].pop()
    lines = [delimiter.join(_quote(cell, delimiter) for cell in row) for row in (names, *rows)]
    above = r.choice((*[""] * 20, "sep=" + delimiter, "Patients of 2024", "\ufeff"))
    head = [] if above in ("", "\ufeff") else [above]
    path.write_text(("\ufeff" * (above == "\ufeff")) + "\n".join([*head, *lines]) + "\n", "utf-8")


def _quote(cell: str, delimiter: str) -> str:
    return f'"{cell}"' if delimiter in cell else cell
