# Everything a clone needs, with git, Python ≥ 3.11 (with venv) and make: `make demo`, `make test`.

VENV ?= .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help demo test check check-long snapshots pictures accuracy speed remote clean

help:
	@echo "make demo        a guided investigation, nothing set up: no host, no network"
	@echo "make test        every test, with a coverage report"
	@echo "make check       ruff, mypy --strict, import-linter"
	@echo "make check-long  the tests that take minutes"
	@echo "make snapshots   take the pictures of the screens again"
	@echo "make pictures    make the README's pictures from them"
	@echo "make accuracy    score the answers against the Python runtime"
	@echo "make speed       measure speed and memory against peers"
	@echo "make remote      measure reading a distant host against rsync"

$(VENV)/.run: pyproject.toml
	@test -n "$(PYTHON)" || { echo "sondage needs Python 3.11 or newer, with venv (Debian: apt install python3-venv)" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	@touch $@

demo: $(VENV)/.run
	@$(BIN)/sondage demo

# The SSH paths are tested against a real OpenSSH server. As root on Debian it is installed; elsewhere those tests say why they are skipped.
.PHONY: sshd
sshd:
	@if [ ! -x /usr/sbin/sshd ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		echo "installing openssh-server and strace"; \
		(apt-get install -y -qq openssh-server openssh-client strace || { apt-get update -qq && apt-get install -y -qq openssh-server openssh-client strace; }) >/dev/null; fi

test: $(VENV)/.dev sshd
	@$(BIN)/python tests/support/wheels.py
	$(PYTEST) -n auto --dist loadgroup -m "not long" --cov --cov-report=term:skip-covered $(PYTEST_ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check-long: $(VENV)/.dev sshd
	@$(BIN)/python tests/support/wheels.py
	$(PYTEST) -m long $(PYTEST_ARGS)

snapshots: $(VENV)/.dev
	$(PYTEST) tests/tui/test_looks.py -q --snapshot-update --deselect tests/tui/test_looks.py::test_pictures_of_the_readme_are_those_that_were_looked_at
	$(BIN)/python tools/make_pictures.py

pictures: $(VENV)/.dev
	$(BIN)/python tools/make_pictures.py

accuracy: $(VENV)/.dev
	$(BIN)/python benchmarks/accuracy.py

speed: $(VENV)/.dev
	$(BIN)/python benchmarks/speed.py

remote: $(VENV)/.dev sshd
	$(BIN)/python benchmarks/remote.py

clean:
	rm -rf $(VENV) .coverage .pytest_cache .mypy_cache .ruff_cache .import_linter_cache snapshot_report.html
