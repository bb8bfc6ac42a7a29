"""What to cite for a result: the papers of its method or test, and earnest itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from earnest.core.base import check
from earnest.core.base.errors import InputError, UnknownNameError
from earnest.core.base.provenance import list_versions
from earnest.core.results.comparison import Comparison
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.estimate import Estimate, Estimates
from earnest.core.results.papers import CitableSpec, collect_papers

FORMS = ("text", "bibtex")


def references(
    result: Estimate | Estimates | Comparison | Comparisons | str, *, form: str = "text"
) -> tuple[str, ...]:
    """Return what to cite for a result, or for a method or test by its name.

    Parameters
    ----------
    result : Estimate, Estimates, Comparison, Comparisons or str
        A result, or the name of a method or test.
    form : {'text', 'bibtex'}
        Words for a list of references, or entries of a bibliography.

    Returns
    -------
    tuple of str
        The papers of every method and test that was used, and earnest last.

    Examples
    --------
    >>> import earnest as en
    >>> print(en.results.references("delong")[0][:60])
    DeLong, E. R.; DeLong, D. M.; Clarke-Pearson, D. L. (1988).
    >>> en.results.references("bbc", form="bibtex")[0].splitlines()[0]
    '@article{tsamardinos2018,'
    """
    check.one_of("form", form, FORMS)
    return references_of([*_specs(result)], form)


def references_of(specs: Sequence[CitableSpec], form: str) -> tuple[str, ...]:
    """Return the references of methods and tests, and of earnest."""
    papers = collect_papers(specs)
    return (*(paper.words if form == "text" else paper.bibtex for paper in papers), _own(form))


def _own(form: str) -> str:
    """Return the entry of earnest itself, in the version that is used."""
    who, version = "The earnest developers", list_versions()["earnest"]
    title = "earnest: how good a tuned model really is"
    if form == "text":
        return f"{who}. {title}. Version {version}."
    fields = {"author": f"{{{who}}}", "title": f"{{{title}}}", "note": f"Version {version}"}
    lines = [f"  {name} = {{{text}}}" for name, text in fields.items()]
    return "@misc{earnest,\n" + ",\n".join(lines) + "\n}"


def _specs(result: Estimate | Estimates | Comparison | Comparisons | str) -> Iterator[CitableSpec]:
    from earnest.comparison import TESTS
    from earnest.methods import METHODS

    if isinstance(result, str):
        specs = [table[result].spec for table in (METHODS, TESTS) if result in table]
        if not specs:
            raise UnknownNameError(
                f"no method or test is called {check.show(result)}",
                needs="a name that `earnest methods` or `earnest tests` lists, or a result",
                cure=check.nearest(result, [*METHODS, *TESTS]),
            )
        yield from specs
    elif isinstance(result, (Estimate, Estimates)):
        estimates: Iterable[Estimate] = [result] if isinstance(result, Estimate) else result
        yield from (
            METHODS[estimate.method].spec for estimate in estimates if estimate.method in METHODS
        )
    elif isinstance(result, (Comparison, Comparisons)):
        pairs = (
            [result]
            if isinstance(result, Comparison)
            else [comparison for comparison, _ in result.ranked()]
        )
        yield from (TESTS[comparison.test].spec for comparison in pairs if comparison.test in TESTS)
    else:
        raise InputError(
            "only a result, a method or a test has references",
            needs="the result of estimate, estimate_all, compare or compare_many, or a name",
            got=check.show(result),
        )
