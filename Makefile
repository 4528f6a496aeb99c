# The two commands for a fresh machine are `make demo` and `make test`; each makes the environment first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READER := .venv-reader/bin
BUILD := build

.DEFAULT_GOAL := help
.PHONY: help env demo lab figures check format test notebooks notebooks-live bench clean

help: ## list the commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

env: $(READY) ## make the environment in .venv (instant when it is there)

# torch goes first and alone: the CPU build where the package index offers it, and nothing after it moves it.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "vfnb needs Python 3.11 or newer")'
	@echo "Making the environment in $(VENV): a few minutes the first time."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --disable-pip-version-check torch==2.13.0 -c constraints.txt
	$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[all,dev]' -c constraints.txt
	@touch $(READY)

demo: env ## run the quickstart from the shell and print its result table
	$(BIN)/python notebooks/execute.py notebooks/01_quickstart.ipynb --into $(BUILD) --table

lab: env ## open JupyterLab on the quickstart; elsewhere: make lab ARGS="--no-browser --port=8890"
	$(BIN)/jupyter lab notebooks/01_quickstart.ipynb $(ARGS)

figures: demo ## make the pictures of README.md again; needs Chromium
	$(BIN)/python notebooks/figure.py
	$(BIN)/python notebooks/screenshot.py

check: env ## format, lint, floors, docstrings, types (seconds)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/ruff check --preview --select DOC501 vfnb
	$(BIN)/pydoclint --quiet vfnb
	$(BIN)/mypy

format: env ## format and repair what can be repaired by machine
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

test: check ## everything: checks, all test tiers, notebooks 00 and 01 (under 20 minutes on 2 cores)
	$(BIN)/python -m pytest -n 2 --dist loadfile

notebooks-live: env .venv-reader/.ready ## execute every notebook as a reader does, within 3 minutes on one core and 1 GB each
	$(BIN)/python notebooks/fetch.py
	$(BIN)/python -m pytest -q notebooks/test_minilm.py
	$(READER)/python notebooks/execute.py notebooks/*.ipynb --into $(BUILD) --limits

# What Binder has, and whoever installs vfnb[all]: torchmetrics imports transformers in every process where a developer has it.
.venv-reader/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-reader
	$(READER)/python -m pip install -qq --disable-pip-version-check torch==2.13.0 -c constraints.txt
	$(READER)/python -m pip install -qq --disable-pip-version-check -e '.[all]' nbclient psutil -c constraints.txt
	@touch $@

notebooks: env ## the full form of every notebook (an hour or two), then keep what its live form shows
	$(BIN)/python notebooks/fetch.py
	$(BIN)/python notebooks/execute.py notebooks/*.ipynb --into $(BUILD) --timeout 7200 --full
	$(BIN)/python notebooks/execute.py notebooks/*.ipynb --into $(BUILD) --keep

bench: env ## measure the numbers of docs/benchmarks.md as ratios in one run
	$(BIN)/python benchmarks/run.py --json $(BUILD)/benchmarks.json

clean: ## remove what the commands above made
	rm -rf $(VENV) .venv-reader $(BUILD) dist vfnb.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
