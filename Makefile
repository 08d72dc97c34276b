# Every target sets up what it needs in .venv, from a bare clone, with python3 (3.11 or later) and make.
#   make demo     compare two models on shipped predictions, and say what to try next
#   make fast     the linters, the types, the unit tests and one case of most others: a minute
#   make test     the linters, the types and a test of every property: some minutes
#   make deep     the same with every case of every sweep: many minutes
#   make check    the linters and the types only
#   make bench    compare speed with other packages, in one run
#   make docs     write the generated pages again
#   make system   install the Debian packages the tests use, or say which are missing
#   make clean    remove what the other targets wrote, except .venv

PYTHON  ?= python3
WORKERS ?= 2

VENV := .venv
BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip --disable-pip-version-check -qq
SPEC := pyproject.toml constraints.txt

# Debian packages that some tests need, each with a program that shows it is there.
SYSTEM_PACKAGES := postgresql:pg_lsclusters default-jre-headless:java chromium:chromium npm:npm

# The tests start the command many times: without bytecode each start compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo fast test deep check bench docs system clean

help:
	@sed -n 's/^#   //p' Makefile

demo: $(VENV)/.stamp-bare
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

fast: check
	$(BIN)/python -m pytest -q -n $(WORKERS) --tier fast

test: check system
	$(BIN)/python -m pytest -q -n $(WORKERS)

deep: check system
	$(BIN)/python -m pytest -q -n $(WORKERS) --tier deep

check: $(VENV)/.stamp-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: $(VENV)/.stamp-bench
	@if [ -f bench/run.py ]; then $(BIN)/python bench/run.py; else echo "make bench: there is no bench/run.py yet."; fi

docs: $(VENV)/.stamp-dev
	@if [ -f tools/docs.py ]; then $(BIN)/python tools/docs.py; else echo "make docs: there is no tools/docs.py yet."; fi

system:
	@missing=; \
	for entry in $(SYSTEM_PACKAGES); do \
	    command -v "$${entry##*:}" >/dev/null || missing="$$missing $${entry%%:*}"; \
	done; \
	if [ -z "$$missing" ]; then echo "make system: all that is needed is installed."; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing; \
	else echo "make system: missing:$$missing. Run it as root on Debian, or install them your way." >&2; exit 1; fi

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -path ./$(VENV) -prune -o -type d -name __pycache__ -exec rm -rf {} +

$(VENV)/.stamp-venv:
	@command -v $(PYTHON) >/dev/null || { \
	    echo "There is no $(PYTHON) here: install Python 3.11 or later, or name one with make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "$(PYTHON) is $$($(PYTHON) -V), but 3.11 or later is needed: name one with make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo "$(PYTHON) cannot make environments: install its venv part (on Debian: apt install python3-venv)." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.stamp-bare: $(SPEC) | $(VENV)/.stamp-venv
	@echo "Setting up $(VENV) ..."
	@$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/.stamp-dev: $(SPEC) | $(VENV)/.stamp-venv
	@echo "Setting up $(VENV) with the test tools ..."
	@$(PIP) install -c constraints.txt -e ".[dev]"
	@touch $(VENV)/.stamp-bare $@

$(VENV)/.stamp-bench: $(SPEC) | $(VENV)/.stamp-venv
	@echo "Setting up $(VENV) with the packages to compare with ..."
	@$(PIP) install -c constraints.txt -e ".[dev,bench]"
	@touch $(VENV)/.stamp-bare $(VENV)/.stamp-dev $@
