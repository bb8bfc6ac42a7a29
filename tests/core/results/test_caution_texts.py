"""Every code has its meaning in the package: what follows, and what to do."""

from __future__ import annotations

from earnest.core.results.cautions import explain_code, explanations


def test_every_explanation_says_what_follows_and_what_to_do_without_links() -> None:
    for each in explanations().values():
        assert each.follows
        assert each.to_do
        text = f"{each.about} {each.follows} {each.to_do}"
        assert not any(sign in text for sign in ("](", "**", "\n\n\n"))


def test_an_unknown_code_has_no_meaning() -> None:
    assert explain_code("EN000") is None
