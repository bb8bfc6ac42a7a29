"""A ledger tells each agent the scores of one half, and loses nothing."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import earnest as en
from earnest.core import Guides
from earnest.errors import EarnestError, EvidenceError, FormatError, InputError
from tests.snapshots import Golden

ROOT = Path(__file__).parents[2]
N = 40
Y = np.tile([0, 1], N // 2)
IDS = [f"é{case}" for case in range(N)]
FOLDS = np.arange(N) // 2 % 4


def predict(seed: int, name: str = "m", **options: object) -> en.Predictions:
    """Predictions of one configuration that knows a little."""
    scores = Y + np.random.default_rng(seed).standard_normal(N)
    known = {"ids": IDS, "fold": FOLDS, "configs": [name]} | options
    return en.Predictions.from_arrays(Y, scores, **known)  # type: ignore[arg-type]


def begin(path: Path, **options: object) -> en.Ledger:
    """A ledger on these cases; seed 1."""
    known: dict[str, object] = {"metric": "roc_auc", "rng": 1} | options
    return en.Ledger.create(path, predict(0, "in use"), **known)  # type: ignore[arg-type]


def find_halves(ledger: en.Ledger) -> np.ndarray:
    """The half of each case, as a ledger begun with one configuration keeps it."""
    evidence = ledger.to_source(hidden=True).evidence
    assert isinstance(evidence, en.Predictions)
    assert evidence.guides is not None
    return evidence.guides.halves


def test_an_agent_is_told_the_score_of_his_half_alone(tmp_path: Path) -> None:
    ledger = begin(tmp_path / "work.db", agents=["ada", "bob"])
    halves = find_halves(ledger)
    for half, agent in enumerate(("ada", "bob")):
        pi = predict(half + 1)
        rows = halves == half
        told = ledger.score(pi, f"try of {agent}", agent=agent)
        assert told == pytest.approx(roc_auc_score(Y[rows], pi.responses[rows, 0, 0]), abs=1e-12)
        other = {"ada": "score_b", "bob": "score_a"}[agent]
        shown = ledger.show(agent).tries
        assert [each.agent for each in shown] == [None, agent]
        assert all(getattr(each, other) is None for each in shown)
    nobody = ledger.show().tries
    assert [(each.agent, each.score_a, each.score_b) for each in nobody] == [(None, None, None)]


def test_nothing_that_an_open_ledger_tells_depends_on_the_half_that_judges(tmp_path: Path) -> None:
    """Tries that differ only in their predictions of judging cases are told in the same words."""
    heard = []
    for variant in (0, 1):
        ledger = begin(tmp_path / f"{variant}.db")
        judges = find_halves(ledger) == 1
        words: list[object] = []
        for seed in range(1, 5):
            pi = predict(seed)
            responses = pi.responses.copy()
            responses[judges] += (
                3.0 * variant * np.random.default_rng(seed).random((judges.sum(), 1, 1))
            )
            words.append(ledger.score(replace(pi, responses=responses), f"try {seed}"))
        view = ledger.show()
        words += [replace(view, digest=""), repr(ledger), view.find_best("A")]
        heard.append(words)
    assert heard[0] == heard[1]


def test_a_finished_ledger_gives_what_was_tried_with_the_half_that_guided_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "work.db"
    ledger = begin(path, agents=["ada", "bob"])
    halves = find_halves(ledger)
    for seed in range(1, 5):
        ledger.score(predict(seed), f"try {seed}", agent=("ada", "bob")[seed % 2])
    ledger.finish()
    names = ["in use", *(f"try {seed}" for seed in range(1, 5))]
    whole = predict(0, "in use").concat(*(predict(s, f"try {s}") for s in range(1, 5)))
    guides = Guides(halves, np.array([-1, 1, 0, 1, 0], dtype=np.int8))
    direct = replace(whole, guides=guides, configs=en.Configs(ids=tuple(names), static=False))
    evidence = ledger.to_source().evidence
    assert evidence.fingerprint == direct.fingerprint
    expected = en.estimate(direct, metric="roc_auc", n_resamples=100, rng=1)
    for source in (path, str(path), ledger):
        found = en.estimate(source, n_resamples=100)  # its metric and its seed are known
        assert (found.value, found.guide) == (expected.value, "crossed")
    assert en.gain(path, n_resamples=50).winner in names
    assert len(list(en.compare_many(path))) == 4
    assert en.gate(path, above=0.1).outcome in ("pass", "undecided")
    assert "try 4" in en.report(path, n_resamples=50).to_html()


VERBS: dict[str, Callable[[Path], object]] = {
    "estimate": en.estimate,
    "estimate_all": en.estimate_all,
    "gain": en.gain,
    "compare_many": en.compare_many,
    "report": en.report,
    "thresholds": en.thresholds,
    "plan": lambda path: en.plan(path, width=0.1),
    "calibrate": en.calibrate,
    "gate": lambda path: en.gate(path, above=0.5),
    "gate against": lambda path: en.gate(predict(3), against=path, metric="roc_auc"),
    "gate beyond its ledger": lambda path: en.gate(
        path, config="try", above=0.5, ledger=path.with_name("looks.db")
    ),
    "explain": en.explain,
    "predictions_from": en.predictions_from,
    "trials_from": en.trials_from,
}


def test_no_verb_reads_an_open_ledger(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    begin(path).score(predict(1), "try")
    for name, verb in VERBS.items():
        try:
            result = verb(path)
        except EarnestError:
            continue
        pytest.fail(f"{name} gave {result!r}")


def test_halves_follow_the_seed_and_keep_classes_and_groups_together(tmp_path: Path) -> None:
    halves = find_halves(begin(tmp_path / "a.db"))
    assert [int(halves[label == Y].sum()) for label in (0, 1)] == [N // 4, N // 4]
    assert np.array_equal(halves, find_halves(begin(tmp_path / "b.db")))
    assert not np.array_equal(halves, find_halves(begin(tmp_path / "c.db", rng=2)))
    groups = np.arange(N) // 4
    ledger = en.Ledger.create(tmp_path / "d.db", predict(0, groups=groups), metric="roc_auc", rng=1)
    assert all(len(set(find_halves(ledger)[groups == g].tolist())) == 1 for g in range(10))


def test_items_are_dealt_alike_in_task_and_in_how_hard_they_were(tmp_path: Path) -> None:
    right = np.repeat([0, 1, 0, 1], 25)
    tasks = np.repeat(["easy", "hard"], 50)
    scores = en.Scores(right[:, None], tasks=tasks, id=[f"q{i}" for i in range(100)])
    ledger = en.Ledger.create(tmp_path / "work.db", scores, rng=0)
    evidence = ledger.to_source(hidden=True).evidence
    assert isinstance(evidence, en.Scores)
    assert evidence.parts.guides is not None
    halves = evidence.parts.guides.halves
    counts = [
        int(halves[(tasks == t) & (right == r)].sum()) for t in ("easy", "hard") for r in (0, 1)
    ]
    assert all(count in (12, 13) for count in counts)


def test_scores_of_items_in_any_order_and_with_more_samples_are_judged_by_the_unseen_half(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(5)
    ids = np.array([f"q{i}" for i in range(N)])
    first = en.Scores((rng.random((N, 1)) < 0.5).astype(int), id=ids)
    path = tmp_path / "work.db"
    ledger = en.Ledger.create(path, first, rng=3)
    for number in range(6):
        values = (rng.random((N, 1, 2)) < 0.5).astype(int)
        order = rng.permutation(N)
        told = ledger.score(en.Scores(values[order], id=ids[order]), f"try {number}")
        evidence = ledger.to_source(hidden=True).evidence
        assert isinstance(evidence, en.Scores)
        assert evidence.parts.guides is not None
        seen = evidence.parts.guides.halves == 0
        assert told == pytest.approx(values[seen, 0].mean())
    ledger.finish()
    answer = en.estimate(path, n_resamples=100)
    assert (answer.method, answer.guide) == ("bbc", "crossed")
    saved = evidence.save(tmp_path / "scores.parquet")
    assert en.Scores.load(saved).fingerprint == evidence.fingerprint


def test_no_try_builds_on_what_the_other_half_has_guided(tmp_path: Path, golden: Golden) -> None:
    ledger = begin(tmp_path / "work.db", agents=["ada", "bob"])
    ledger.score(predict(1), "hers", agent="ada", builds_on=["in use"])
    ledger.score(predict(2), "hers too", agent="ada", builds_on="hers")
    for parent in ("hers", "hers too", "herz"):
        with golden.raises(InputError):
            ledger.score(predict(3), "his", agent="bob", builds_on=[parent, "in use"])
    for agent in (None, "adda", "  ", 3):
        with golden.raises(InputError):
            ledger.score(predict(3), "his", agent=agent)  # type: ignore[arg-type]
    assert ledger.show().n_tries == 2


def test_a_try_again_is_told_again_and_another_one_of_its_name_is_refused(
    tmp_path: Path, golden: Golden
) -> None:
    ledger = begin(tmp_path / "work.db")
    told = ledger.score(predict(1), "th\u00e9 \u2615")
    digest = ledger.show().digest
    assert ledger.score(predict(1), unicodedata.normalize("NFD", "th\u00e9 \u2615")) == told
    assert ledger.show().digest == digest
    for name in ("th\u00e9 \u2615", "in use"):
        with golden.raises(InputError):
            ledger.score(predict(2), name)
    for name in ("", "two\nlines", "\u202eturned", "\ud800", "x" * 201):
        with pytest.raises(InputError):
            ledger.score(predict(2), name)


def test_cases_in_another_order_are_the_same_try(tmp_path: Path) -> None:
    order = np.random.default_rng(0).permutation(N)
    digests = []
    for number in range(2):
        ledger = begin(tmp_path / f"{number}.db")
        pi = predict(1)
        ledger.score(pi.take(order) if number else pi, "try")
        digests.append(ledger.show().digest)
    assert digests[0] == digests[1]


def test_the_content_knows_no_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    digests = []
    for number in range(2):
        ledger = begin(tmp_path / f"{number}.db")
        for seed in (1, 2):
            ledger.score(predict(seed), f"try {seed}")
            monkeypatch.setattr(time, "time", lambda clock=-1e9 * number: clock)
        digests.append((ledger.show().digest, [each.name for each in ledger.show().tries]))
    assert digests[0] == digests[1]


def test_what_is_not_of_the_cases_is_refused_before_anything_is_written(
    tmp_path: Path, golden: Golden
) -> None:
    ledger = begin(tmp_path / "work.db")
    flipped = Y.copy()
    flipped[3] = 1 - flipped[3]
    noise = np.random.default_rng(0).standard_normal(N)
    holes = np.where(FOLDS == 1, np.nan, noise)
    many = en.Predictions.from_arrays(Y, np.stack([noise, noise], 1), FOLDS, ids=IDS)
    others = [
        en.Predictions.from_arrays(flipped, noise, FOLDS, ids=IDS),
        predict(1).take(np.arange(N - 1)),
        predict(1, ids=[*IDS[:-1], "another"]),
        predict(1, fold=np.arange(N) % 5),
        en.Predictions.from_arrays(Y, holes, FOLDS, ids=IDS),
        en.Predictions.from_arrays(Y, (noise > 0).astype(int), FOLDS, ids=IDS, response="label"),
        en.Predictions.from_arrays(
            np.where(Y, "sick", "well"), noise, FOLDS, ids=IDS, positive="sick"
        ),
        many,
        en.Scores(noise[:, None]),
    ]
    for other in others:
        with golden.raises((InputError, EvidenceError)):
            ledger.score(other, "try")
    assert ledger.show().n_tries == 0


def test_what_a_ledger_cannot_begin_with_is_refused(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "work.db"
    pi = predict(0)
    adaptive = replace(pi, configs=replace(pi.configs, static=False))
    tiny = pi.take(np.array([0, 1]))
    with golden.raises(EvidenceError):
        en.Ledger.create(path, adaptive, metric="roc_auc")
    with golden.raises(EvidenceError):
        en.Ledger.create(path, tiny, metric="roc_auc", rng=0)
    with golden.raises(InputError):
        en.Ledger.create(path, pi, metric=lambda y, s: 0.0)  # type: ignore[arg-type]
    with golden.raises(InputError):
        en.Ledger.create(path, pi, metric="roc_auc", agents=["ada", " ada"])
    assert not path.exists()
    begin(path)
    with golden.raises(InputError):
        begin(path)


def test_a_finished_ledger_takes_no_more_and_tells_both_halves(
    tmp_path: Path, golden: Golden
) -> None:
    ledger = begin(tmp_path / "work.db")
    ledger.score(predict(1), "try")
    ledger.finish()
    ledger.finish()  # twice is nothing
    assert all(
        each.score_a is not None and each.score_b is not None for each in ledger.show().tries
    )
    with golden.raises(InputError):
        ledger.score(predict(2), "late")


def test_a_gate_judges_a_try_by_the_unseen_half_and_each_bound_is_a_look(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    ledger = begin(path)
    for seed in range(1, 4):
        ledger.score(predict(seed), f"try {seed}")
    unseen = np.flatnonzero(find_halves(ledger) == 1)
    alone = predict(2, "try 2").take(unseen)
    bounds = (0.3, 0.55, 0.95)
    for look, bound in enumerate(bounds, start=1):
        verdict = en.gate(path, config="try 2", above=bound)
        level = 1.0 - 0.05 / (look * (look + 1))
        direct = en.gate(alone, metric="roc_auc", above=bound, confidence_level=level)
        assert verdict.passed == direct.passed
        assert (verdict.look, verdict.level) == (look, pytest.approx(level))
        assert verdict.outcome in ("pass", "undecided")
        assert np.isnan(verdict.value)
        assert (verdict.low, verdict.high, verdict.more_items) == (-np.inf, np.inf, None)
        assert verdict.n_items == len(unseen)
    assert en.gate(path, config="try 2", above=0.3).look == 1
    rival = en.gate(path, config="try 2", against=path, margin=0.4)
    base = predict(0, "in use").take(unseen)
    direct = en.gate(
        alone, against=base, metric="roc_auc", margin=0.4, confidence_level=rival.level
    )
    assert (rival.look, rival.passed, rival.baseline) == (4, direct.passed, "in use")
    for text in (rival.to_comment(), rival.to_markdown(), rival.to_latex(), rival.to_junit()):
        assert f"{direct.value:.2f}" not in text
    with pytest.raises(InputError):  # it counts the looks at its own tries
        en.gate(alone, metric="roc_auc", above=0.5, ledger=path)
    again = en.results.Verdict.from_dict(json.loads(json.dumps(rival.to_dict())))
    assert again.hidden
    assert again.sentence == rival.sentence


WRITER = """
import sys
from tests.adapters.test_ledger import predict
import earnest as en
ledger = en.Ledger(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[4])):
    ledger.score(predict(int(sys.argv[3]) + number), f"{sys.argv[2]} {number}", agent=sys.argv[2])
    print(number, flush=True)
"""


def start_writer(path: Path, agent: str, first: int, count: int) -> subprocess.Popen[str]:
    """A process that adds tries, once it is told to."""
    command = [sys.executable, "-c", WRITER, str(path), agent, str(first), str(count)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT)


def test_two_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    begin(path, agents=["ada", "bob"])
    writers = [start_writer(path, agent, 10 * k, 8) for k, agent in enumerate(("ada", "bob"))]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    outputs = [writer.communicate("go\n")[0] for writer in writers]
    assert [output.split()[-1] for output in outputs] == ["7", "7"]
    ledger = en.Ledger(path)
    assert ledger.show().n_tries == 16
    for agent in ("ada", "bob"):
        names = [each.name for each in ledger.show(agent).tries if each.agent]
        assert names == [f"{agent} {number}" for number in range(8)]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["work.db"]


def test_a_writer_that_is_killed_loses_nothing_that_was_told(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    begin(path)
    writer = start_writer(path, "agent", 0, 1000)
    assert writer.stdin is not None
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    writer.stdin.write("go\n")
    writer.stdin.flush()
    for _ in range(5):
        last = int(writer.stdout.readline())
    os.kill(writer.pid, signal.SIGKILL)  # at whatever step of the next try it is
    told = last + sum(1 for _ in writer.stdout) + 1
    writer.communicate()
    ledger = en.Ledger(path)
    assert told <= ledger.show().n_tries <= told + 1
    ledger.score(predict(5000), "after the crash")
    assert ledger.show().tries[-1].name == "after the crash"


FULL = """
import resource, sys
from pathlib import Path
from tests.adapters.test_ledger import predict
import earnest as en
ledger = en.Ledger(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
try:
    for number in range(1000):
        ledger.score(predict(number), f"try {number}")
except Exception as error:
    print(number, type(error).__name__)
"""


def test_a_full_disk_loses_nothing_that_was_told(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    begin(path)
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    told, kind = done.stdout.split()
    assert kind == "StoreError"
    assert int(told) > 1
    ledger = en.Ledger(path)
    assert ledger.show().n_tries == int(told)
    ledger.score(predict(int(told)), f"try {told}")


def change(path: Path, statement: str) -> None:
    """Change a file behind the back of earnest."""
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()


def test_a_ledger_that_was_changed_behind_its_back_is_refused(
    tmp_path: Path, golden: Golden
) -> None:
    def fill(name: str) -> Path:
        ledger = begin(tmp_path / name)
        for seed in range(1, 5):
            ledger.score(predict(seed), f"try {seed}")
        ledger.finish()
        return ledger.path

    whole = fill("whole.db")
    for name, statement in {
        "middle.db": "DELETE FROM outcome WHERE key = '2'",
        "last.db": "DELETE FROM outcome WHERE key = '4'",
        "swapped.db": "UPDATE outcome SET note = (SELECT note FROM outcome WHERE key = '3') "
        "WHERE key = '2'",
        "empty.db": "DELETE FROM outcome",
    }.items():
        copy = tmp_path / name
        copy.write_bytes(whole.read_bytes())
        change(copy, statement)
        with golden.raises(EarnestError):
            en.Ledger(copy)
    half = tmp_path / "half.db"
    half.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    with pytest.raises(FormatError):
        en.Ledger(half)
    (tmp_path / "text.db").write_text("not a ledger")
    for name in ("text.db", "none.db"):
        with golden.raises(FormatError):
            en.Ledger(tmp_path / name)


def test_a_copy_goes_on_where_the_ledger_was(tmp_path: Path) -> None:
    ledger = begin(tmp_path / "work.db")
    ledger.score(predict(1), "try 1")
    copy = tmp_path / "copy.db"
    copy.write_bytes(ledger.path.read_bytes())
    ledger.score(predict(2), "try 2")
    assert en.Ledger(copy).score(predict(2), "try 2") == ledger.score(predict(2), "try 2")
    assert en.Ledger(copy).show() == ledger.show()
