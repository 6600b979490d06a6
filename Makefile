# Each target makes .venv and installs what it needs, once; a second run reinstalls nothing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check install
# Tests keep their machine code apart from the user's, so that a fresh clone starts from none.
TEST_CACHE := $(CURDIR)/build/kernel-cache
# One thread a process: two test processes share two cores.
TEST_ENV := NUMBA_CACHE_DIR=$(TEST_CACHE) NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1

.PHONY: help demo test lint bench soak docs pictures clean
.DEFAULT_GOAL := help

help:
	@echo "make demo   watch two arms at work: warnings, cycle times, clearance.png"
	@echo "make test   run all tests"
	@echo "make lint   ruff, mypy, and which folder may import which"
	@echo "make bench  benchmarks, with other engines in the same run"
	@echo "make soak   the long proofs at full length"
	@echo "make docs   the documents as a site, in build/site"
	@echo "make clean  remove .venv and build/"

$(VENV)/base: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Standoff needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12 …" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "Making $(VENV) (once)"; $(PYTHON) -m venv $(VENV); }
	@echo "Installing standoff (once)"
	@$(PIP) -e '.[plot,view,streams]'
	@touch $@

$(VENV)/dev: $(VENV)/base
	@echo "Installing what the tests need (once)"
	@$(PIP) -e '.[dev]'
	@touch $@

$(VENV)/peers: $(VENV)/dev
	@echo "Installing the peers to measure against (once)"
	@$(PIP) -e '.[dev,peers]'
	@touch $@

$(VENV)/docs: $(VENV)/base
	@echo "Installing what the site is made with (once)"
	@$(PIP) -e '.[docs]'
	@touch $@

demo: $(VENV)/base
	@$(BIN)/standoff demo

test: $(VENV)/dev
	@$(TEST_ENV) $(BIN)/standoff compile
	$(TEST_ENV) $(BIN)/python -m pytest -n 2 --dist worksteal
	@echo "Once more, some of them interpreted: bounds are checked there and compiled code skips it"
	$(TEST_ENV) NUMBA_DISABLE_JIT=1 NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2 -m interpreted

soak: $(VENV)/dev
	$(TEST_ENV) STANDOFF_SOAK=1 $(BIN)/python -m pytest -n 2 -m soak

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/peers
	@for file in $(filter-out %/versus.py,$(wildcard benchmarks/*.py)); do echo; echo "== $$file"; $(BIN)/python $$file || exit 1; done

docs: $(VENV)/docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "The site is in build/site"

pictures: $(VENV)/dev
	@for file in $(filter-out %/style.py,$(wildcard docs/pictures/*.py)); do $(BIN)/python $$file || exit 1; done

clean:
	rm -rf $(VENV) build
