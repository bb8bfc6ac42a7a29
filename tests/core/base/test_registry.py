"""Named things."""

from __future__ import annotations

import pytest

import earnest as en
from earnest.core import Registry


@pytest.fixture
def fruits() -> Registry[int]:
    made: Registry[int] = Registry("fruit")
    made.add("pear", 1, aliases=("pyrus",))
    made.add("apple", 2)
    return made


def test_names_and_aliases_lead_to_the_thing(fruits: Registry[int]) -> None:
    assert fruits["pear"] == fruits["pyrus"] == 1
    assert fruits.canonical("pyrus") == "pear"
    assert fruits.canonical("plum") == "plum"


@pytest.mark.parametrize("name", ["Pear", "PEAR", " pear", "pe-ar", "Pyrus", "py rus", "p_e_a_r"])
def test_capitals_blanks_and_hyphens_do_not_matter(fruits: Registry[int], name: str) -> None:
    assert name in fruits
    assert fruits[name] == 1
    assert fruits.canonical(name) == "pear"


@pytest.mark.parametrize(
    ("name", "aliases"), [("Pear", ()), ("p_ear", ()), ("py-rus", ()), ("fig", ("Apple", "figs"))]
)
def test_a_name_that_is_read_as_another_is_refused(
    fruits: Registry[int], name: str, aliases: tuple[str, ...]
) -> None:
    with pytest.raises(ValueError, match=r"already stands for '(pear|apple)'"):
        fruits.add(name, 3, aliases)
    assert (list(fruits), "figs" in fruits) == (["apple", "pear"], False)


def test_an_alias_may_be_the_name_itself_written_otherwise() -> None:
    made: Registry[int] = Registry("fruit")
    made.add("a_b", 1, aliases=("ab", "A-B"))
    assert (made["a_b"], made["ab"], made["A B"]) == (1, 1, 1)


def test_aliases_do_not_count(fruits: Registry[int]) -> None:
    assert (len(fruits), list(fruits), fruits.values()) == (2, ["apple", "pear"], [2, 1])
    assert "pyrus" in fruits
    assert "plum" not in fruits


@pytest.mark.parametrize(("name", "aliases"), [("pear", ()), ("pyrus", ()), ("fig", ("apple",))])
def test_a_word_is_given_once(fruits: Registry[int], name: str, aliases: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="registered twice"):
        fruits.add(name, 3, aliases)
    assert len(fruits) == 2
    assert "fig" not in fruits


def test_an_unknown_name_is_answered_with_the_known_and_the_nearest(fruits: Registry[int]) -> None:
    with pytest.raises(en.errors.UnknownNameError) as refusal:
        fruits["appel"]
    assert isinstance(refusal.value, LookupError)
    assert "apple, pear" in str(refusal.value)
    assert "Did you mean 'apple'?" in str(refusal.value)


def test_a_name_that_cannot_be_hashed_is_refused_as_unknown(fruits: Registry[int]) -> None:
    with pytest.raises(en.errors.EarnestError):
        fruits[["pear"]]


def test_what_is_removed_is_gone_with_its_aliases_and_can_be_added_again(
    fruits: Registry[int],
) -> None:
    assert fruits.remove("Pyrus") == 1
    assert (list(fruits), "pyrus" in fruits, "Pear" in fruits) == (["apple"], False, False)
    fruits.add("pear", 3, aliases=("pyrus",))
    assert fruits["pyrus"] == 3
    with pytest.raises(en.errors.UnknownNameError):
        fruits.remove("plum")
