# Every target sets up what it needs in .venv, from a bare clone, with python3 (3.11 or later) and make.
#   make demo     compare two models on shipped predictions, write build/report.html, and say what to try next
#   make fast     the linters, the types, the quick tests by feature and one quick case of others
#   make test     the linters, the types and a test of every property: some minutes
#   make deep     the same with every case of every sweep: many minutes
#   make check    the linters and the types only
#   make bench    compare speed with other packages, in one run
#   make calibrate  set intervals and comparisons beside other methods; writes docs/contributing/calibration.md (20 minutes)
#   make stress   random tables over 30 orders of magnitude through every measure: 20 minutes (STRESS="--share 0.01")
#   make fuzz     look for inputs that break a parser, SECONDS=60 for each
#   make docs     write the generated pages again, and the site of the docs in build/site
#   make dist     build wheel and source archive, and try them in new environments, with the lowest versions too
#   make audit    known weaknesses of the pinned packages, and licences
#   make system   install the Debian packages the tests use, or say which are missing
#   make clean    remove what the other targets wrote, except .venv

PYTHON  ?= python3
WORKERS ?= 3
SECONDS ?= 60

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
.PHONY: help demo fast test deep check bench calibrate docs dist audit system clean stress fuzz

help:
	@sed -n 's/^#   //p' Makefile

demo: $(VENV)/.stamp-charts
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

# The tests, with the linters and the types beside them: these take one core for a part of the time. Fails if any does.
CHECK = $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports --no-logo
define TESTS
@mkdir -p build; ( $(CHECK) ) >build/check.txt 2>&1 & check=$$!; trap 'kill $$check 2>/dev/null; exit 130' INT TERM; \
$(BIN)/python -m pytest -q -n $(WORKERS) --tier $@; tests=$$?; wait $$check; check=$$?; \
echo; echo "Linters and types:"; cat build/check.txt; echo; \
if [ $$tests = 0 ] && [ $$check = 0 ]; then echo "make $@: everything passed."; \
else [ $$tests = 0 ] || echo "make $@: tests FAILED (exit code $$tests)." >&2; \
    [ $$check = 0 ] || echo "make $@: linters or types FAILED (exit code $$check)." >&2; exit 1; fi
endef

fast: $(VENV)/.stamp-dev
	$(TESTS)

test deep: $(VENV)/.stamp-dev system build/axe
	$(TESTS)

check: $(VENV)/.stamp-dev
	$(CHECK)

bench: $(VENV)/.stamp-bench
	@if [ -f bench/run.py ]; then $(BIN)/python bench/run.py; else echo "make bench: there is no bench/run.py yet."; fi

calibrate: $(VENV)/.stamp-bench
	$(BIN)/python -m bench.calibrate $(ARGS)
stress: $(VENV)/.stamp-dev
	$(BIN)/python -m bench.stress --workers $(WORKERS) $(STRESS)

fuzz: $(VENV)/.stamp-fuzz
	$(BIN)/python -m tests.fuzz.run --seconds $(SECONDS)

docs: $(VENV)/.stamp-dev
	$(BIN)/python tools/docs.py
	$(BIN)/python -m tools.site.build

dist: | $(VENV)/.stamp-venv
	@$(BIN)/python -m tools.dist

audit: $(VENV)/.stamp-dev
	@$(BIN)/python -m tools.audit

system:
	@missing=; \
	for entry in $(SYSTEM_PACKAGES); do \
	    command -v "$${entry##*:}" >/dev/null || missing="$$missing $${entry%%:*}"; \
	done; \
	if [ -z "$$missing" ]; then echo "make system: all that is needed is installed."; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing; \
	else echo "make system: missing:$$missing. Run it as root on Debian, or install them your way." >&2; exit 1; fi

# What checks pages for people who do not see them: a package of npm, which the tests of a browser look for here.
build/axe:
	@mkdir -p build
	@npm install --silent --no-save --no-package-lock --prefix $@ axe-core@4.14.0

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

$(VENV)/.stamp-charts: $(SPEC) | $(VENV)/.stamp-venv
	@echo "Setting up $(VENV) ..."
	@$(PIP) install -c constraints.txt -e ".[charts]"
	@touch $(VENV)/.stamp-bare $@

$(VENV)/.stamp-dev: $(SPEC) | $(VENV)/.stamp-venv
	@echo "Setting up $(VENV) with the test tools ..."
	@$(PIP) install -c constraints.txt -e ".[dev]"
	@touch $(VENV)/.stamp-bare $(VENV)/.stamp-charts $@

$(VENV)/.stamp-bench: $(SPEC) | $(VENV)/.stamp-venv
	@echo "Setting up $(VENV) with the packages to compare with ..."
	@$(PIP) install -c constraints.txt -e ".[dev,bench]"
	@touch $(VENV)/.stamp-bare $(VENV)/.stamp-charts $(VENV)/.stamp-dev $@

$(VENV)/.stamp-fuzz: $(SPEC) | $(VENV)/.stamp-venv
	@echo "Setting up $(VENV) with the fuzzer ..."
	@$(PIP) install -c constraints.txt -e ".[dev,fuzz]"
	@touch $(VENV)/.stamp-bare $(VENV)/.stamp-charts $(VENV)/.stamp-dev $@
