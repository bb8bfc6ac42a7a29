"""What every store does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from earnest.core import Store, TaskOutcome
from earnest.errors import InputError, StoreError
from earnest.store import MemoryStore, SqliteStore, as_store, read_run
from tests.snapshots import Golden
from tests.store.examples import IDENTITY, outcomes, same

Make = Callable[[], Store]


@pytest.fixture(params=["memory", "sqlite"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    memory = MemoryStore()
    return (lambda: memory) if request.param == "memory" else lambda: SqliteStore(tmp_path / "r.db")


def test_what_was_put_is_there_when_opened_again(make: Make) -> None:
    with make() as store:
        store.open(IDENTITY)
        for outcome in outcomes():
            store.put(outcome)
        store.put_document("candidates", '["ß"]')
    with make() as store:
        store.open(IDENTITY)
        done = store.done()
        assert list(done) == [o.key for o in outcomes()]
        assert all(same(done[o.key], o) for o in outcomes())
        assert store.documents() == {"candidates": '["ß"]'}


def test_what_is_in_memory_is_what_a_file_would_hold(tmp_path: Path) -> None:
    memory, path = MemoryStore(), tmp_path / "run.db"
    for store in (memory, SqliteStore(path)):
        with store:
            store.open(IDENTITY)
            for outcome in outcomes():
                store.put(outcome)
            store.put_document("candidates", '["ß"]')
    found, read = memory.to_run(path), read_run(path, arrays=False)
    assert (found.path, found.identity, found.documents) == (path, read.identity, read.documents)
    assert list(found.outcomes) == list(read.outcomes)
    assert all(same(found.outcomes[key], read.outcomes[key]) for key in read.outcomes)


def test_what_is_put_is_there_at_once(make: Make) -> None:
    with make() as store:
        store.open({})
        done = store.done()
        assert (0,) not in done
        store.put(TaskOutcome((0,)))
        store.flush()
        assert (0,) in store.done()
        assert len(store.done()) == 1
        with pytest.raises(KeyError):
            store.done()[5,]


def test_the_last_of_a_key_stays(make: Make) -> None:
    with make() as store:
        store.open({})
        for score in (0.1, 0.2):
            store.put(TaskOutcome((0,), {}, {"score": score}))
            store.put_document("name", str(score))
        assert store.done()[0,].numbers == {"score": 0.2}
        assert dict(store.documents()) == {"name": "0.2"}
        assert len(store.done()) == 1


def test_another_identity_is_refused_by_what_differs(make: Make, golden: Golden) -> None:
    with make() as store:
        store.open(IDENTITY)
    with make() as store, pytest.raises(StoreError) as refused:
        store.open({"data": IDENTITY["data"], "seed": "8", "space": "{'C': [1]}"})
    text = str(refused.value)
    assert "another seed ('7' there, '8' now)" in text
    golden.check_sentence(text, "another space (nothing")
    assert "data" not in text
    assert "use another `store`" in text
    with make() as store:
        store.open(IDENTITY)  # a refusal changes nothing


def test_what_differs_inside_is_named_and_words_fit(golden: Golden) -> None:
    there = {"splits": "3", "estimator": "A 1", "estimator: C": "1.0", "estimator: tol": "0.1"}
    now = {"splits": "4", "estimator": "A 2", "estimator: C": "2.0", "estimator: tol": "0.1"}
    store = MemoryStore()
    store.open(there)
    with pytest.raises(StoreError) as refused:
        store.open(now)
    text = str(refused.value)
    golden.check_sentence(text, "got other splits")
    assert "another estimator: C ('1.0' there, '2.0' now)." in text
    assert "tol" not in text
    assert "A 1" not in text


def test_a_store_in_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    with SqliteStore("~/run.db") as store:
        store.open(IDENTITY)
        assert store.path == tmp_path / "run.db"
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]
    assert read_run("~/run.db").identity == IDENTITY


@pytest.mark.parametrize("name", ["", " "])
def test_a_store_without_a_name_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="`store` has no name"):
        as_store(name)


def test_opening_an_open_store_again_asks_for_the_same_run(make: Make) -> None:
    with make() as store:
        store.open(IDENTITY)
        store.open(IDENTITY)
        with pytest.raises(StoreError, match="another run"):
            store.open({"seed": "1"})
        store.put(TaskOutcome((0,)))


def test_closing_twice_is_nothing(make: Make) -> None:
    store = make()
    store.open({})
    store.close()
    store.close()


def test_a_store_satisfies_the_protocol(make: Make) -> None:
    assert isinstance(make(), Store)
    assert as_store(store := make()) is store


def test_a_path_is_a_run_file(tmp_path: Path) -> None:
    for path in (tmp_path / "r.db", str(tmp_path / "r.db")):
        store = as_store(path)
        assert isinstance(store, SqliteStore)
        assert store.path == tmp_path / "r.db"
    assert as_store(None) is None


@pytest.mark.parametrize("given", [3, MemoryStore, {}], ids=["number", "class", "dict"])
def test_anything_else_is_no_store(given: object) -> None:
    with pytest.raises(InputError, match="`store` cannot keep a run"):
        as_store(given)  # type: ignore[arg-type]  # that is the test
