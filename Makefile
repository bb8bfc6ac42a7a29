# Every chore of the project. A target makes the virtual environment it needs, on a machine with
# nothing but Python >= 3.11 and make, keeps it, and installs again when pyproject.toml has changed.
#
#   make test TESTS=tests/kernels    the tests of a folder or file
#   make test ARGS="-k auc -x"       more arguments for pytest, sphinx or the benchmarks
#   make test WORKERS=8              more test processes
#   make PYTHON=python3.12 test      which Python a new environment is made with

.DEFAULT_GOAL := help
.PHONY: help demo test test-portable test-slow test-all test-sklearn test-package check check-files bench reproduce fuzz mutants docs clean distclean

PYTHONS := $(or $(PYTHON),python3 python3.13 python3.12 python3.11)
USABLE  := import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))
WORKERS ?= 2
ARGS    ?=

VENV     := .venv
VENV_ALL := .venv-all
EVERY_EXTRA := all,automl
SKLEARN_EXTRAS := optuna,lightgbm
SKLEARNS := 1.6 1.7 1.8 # beside the newest, which the ordinary environment has

# Each test process keeps to one BLAS thread: the processes are the parallelism. numba gets two, so
# that tests can compare one thread with two.
THREADS := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=2
# Images for containers often forbid Python to keep what it compiled. Then every process that a test
# starts would compile the package anew, which takes several seconds.
unexport PYTHONDONTWRITEBYTECODE
PYTEST  := -m pytest -n $(WORKERS) --dist=worksteal

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.installed-plain ## tune on real data, and see how wrong the search's own score is (about a minute; leaves demo/)
	$(VENV)/bin/earnest demo --out demo

test: $(VENV)/.installed ## the ordinary tests with the doctests of the package, or make test TESTS=tests/kernels
	$(THREADS) $(VENV)/bin/python $(PYTEST) -m "not slow and not extra" $(or $(TESTS),--doctest-modules src/earnest tests) $(ARGS)

test-portable: $(VENV)/.installed ## the ordinary tests, or make test-portable TESTS=tests/kernels, as on older processors, two runs side by side
	$(THREADS) $(VENV)/bin/python scripts/portable.py -m pytest -m "not slow and not extra" $(or $(TESTS),--doctest-modules src/earnest tests) $(ARGS)

test-slow: $(VENV)/.installed ## the slow tests, all or those of TESTS: coverage of intervals, tables of the papers
	$(THREADS) $(VENV)/bin/python $(PYTEST) -m slow $(or $(TESTS),tests) $(ARGS)

test-all: $(VENV_ALL)/.installed check-files test-sklearn test-package ## the ordinary tests with every extra (gigabytes, in .venv-all), check-files, test-sklearn and test-package
	$(THREADS) $(VENV_ALL)/bin/python $(PYTEST) -m "not slow" --doctest-modules src/earnest tests $(ARGS)

# An older scikit-learn meets newer libraries that deprecate what it uses: not our warnings.
test-sklearn: $(SKLEARNS:%=.venv-sklearn-%/.installed) ## the search under every supported scikit-learn, slow checks included
	$(foreach v,$(SKLEARNS),$(THREADS) .venv-sklearn-$(v)/bin/python $(PYTEST) -W ignore::DeprecationWarning tests/training tests/peers $(ARGS) &&) true

test-package: $(VENV)/.installed-dev ## build wheel and sdist into dist/, and try both in fresh environments
	$(VENV)/bin/python scripts/package.py $(ARGS)

check: $(VENV)/.installed ## lint, format, spelling, types, and who may import whom
	$(VENV)/bin/python -m ruff check .
	$(VENV)/bin/python -m ruff format --check .
	$(VENV)/bin/typos
	$(VENV)/bin/python -m mypy
	$(VENV)/bin/lint-imports

check-files: $(VENV)/.installed-dev ## lint what others read: workflows, forms, citation, conda recipe, shell scripts
	$(VENV)/bin/python scripts/project_files.py

bench: $(VENV)/.installed ## measure the speed claims
	$(VENV)/bin/python -m benchmarks.speed $(ARGS)

reproduce: $(VENV)/.installed ## run papers again: PAPER=bayle2020 (all by default), SCALE=smoke, small (by default) or full
	$(THREADS) $(VENV)/bin/python -m benchmarks.papers.reproduce $(PAPER) --scale $(or $(SCALE),small) --jobs $(WORKERS) $(ARGS)

fuzz: $(VENV)/.installed ## damaged files, odd arguments and hard data for MINUTES=10 in WORKERS processes; findings in fuzz-findings/
	$(THREADS) $(VENV)/bin/python -m tests.fuzz.run --minutes $(or $(MINUTES),10) --processes $(WORKERS) $(ARGS)

mutants: $(VENV)/.installed ## change COUNT=60 places one at a time, and tell which no test notices: mutants.jsonl
	$(THREADS) $(VENV)/bin/python scripts/mutants.py --count $(or $(COUNT),60) $(ARGS)

docs: $(VENV)/.installed-docs ## build the documentation; a warning or a broken link is an error
	$(VENV)/bin/python -m sphinx -W --keep-going -b html $(ARGS) docs docs/_build/html
	$(VENV)/bin/python docs/check_links.py docs/_build/html
	@echo "Open docs/_build/html/index.html"

clean: ## remove what the other targets made, except the environments
	rm -rf build dist demo fuzz-findings docs/_build docs/reference/api docs/examples docs/tutorials/*.ipynb
	rm -rf .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis
	find . -path './.venv*' -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove the environments too
	rm -rf $(VENV) $(VENV_ALL) .venv-sklearn-*

# $(call install,folder,extras,groups,more): make the environment unless it works already, then install
# into it. The groups are read by a script, since the pip of a new environment may be too old for them.
define install
	@if ! $(1)/bin/python -c '' 2>/dev/null; then \
	  python=; \
	  for candidate in $(PYTHONS); do \
	    if $$candidate -c '$(USABLE)' >/dev/null 2>&1; then python=$$candidate; break; fi; \
	  done; \
	  if [ -z "$$python" ]; then \
	    echo "error: earnest needs Python 3.11 or newer with its venv module; tried: $(PYTHONS). Install one, or name it: make PYTHON=/path/to/python" >&2; \
	    exit 1; \
	  fi; \
	  echo "Making $(1) with $$($$python --version)"; \
	  $$python -m venv --clear $(1); \
	fi
	@echo "Installing earnest$(if $(2),[$(2)])$(if $(3), with the groups $(3)) into $(1); the first time takes a few minutes"
	@$(if $(3),$(1)/bin/python scripts/requirements.py $(3) > $(1)/groups.txt)
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.$(if $(2),[$(2)])' $(if $(3),--requirement $(1)/groups.txt) $(4)
	@touch $@
endef

$(VENV)/.installed: pyproject.toml
	$(call install,$(VENV),,test)

# The demo needs what a user needs; the tests bring ten times as much.
$(VENV)/.installed-plain: pyproject.toml
	$(call install,$(VENV))

$(VENV)/.installed-docs: $(VENV)/.installed
	$(call install,$(VENV),,docs)

$(VENV)/.installed-dev: $(VENV)/.installed
	$(call install,$(VENV),,dev)

$(VENV_ALL)/.installed: pyproject.toml
	$(call install,$(VENV_ALL),$(EVERY_EXTRA),docs dev)

# The test group asks for a newer scikit-learn, for its oracles; the tests of the search need less.
.venv-sklearn-%/.installed: pyproject.toml
	$(call install,.venv-sklearn-$*,$(SKLEARN_EXTRAS),,'scikit-learn~=$*.0' 'pytest>=8.3' 'pytest-xdist>=3.6' 'hypothesis>=6.131' 'pandas>=2.2.3' 'polars>=1.12')
