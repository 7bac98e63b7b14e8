# Dicetower: one command a chore. `make help` lists them.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

.DEFAULT_GOAL := help
.PHONY: help demo test check format soak bench firmware flash clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/run.stamp ## play the bundled tapes, then serve them in the browser; needs no hardware
	$(BIN)/dicetower demo

test: $(VENV)/dev.stamp check ## everything that must hold, installing what it needs
	$(PYTEST) -m "not soak" --ignore tests/browser
	$(BIN)/python -m pytest -m "not soak" tests/browser

soak: $(VENV)/dev.stamp ## the long counts: kill -9, lossy links, many dice
	$(BIN)/python -m pytest -m soak --timeout 7200

check: $(VENV)/dev.stamp ## format, lint and types, changing nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/dev.stamp ## put the code in the house's form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/dev.stamp ## accuracy and speed of the reader beside the usual recipe
	$(BIN)/dicetower bench vision

firmware: ## build the e-die's firmware and print its flash and RAM
	$(MAKE) -s -C firmware avr

flash: ## write it to a board: PORT=/dev/ttyUSB0, BAUD=57600 for a Nano with the old bootloader
	$(MAKE) -s -C firmware flash PORT=$(or $(PORT),/dev/ttyUSB0) BAUD=$(BAUD)

clean: ## remove what was built, not what was rolled
	rm -rf $(VENV) build dist out firmware/build .mypy_cache .ruff_cache .pytest_cache .hypothesis

# What running needs, and what working on it needs besides.
$(VENV)/run.stamp: pyproject.toml tools/system-packages.sh
	PYTHON=$(PYTHON) tools/system-packages.sh run
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/dev.stamp: pyproject.toml tools/system-packages.sh tests/support/chromium.py
	PYTHON=$(PYTHON) tools/system-packages.sh test
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,bench]'
	$(BIN)/python -m tests.support.chromium
	@touch $@ $(VENV)/run.stamp
