# Everything a developer needs: make run, make test, make check.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test check bench screenshots clean

$(BIN)/.run: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable .
	touch $@

$(BIN)/.dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable '.[test,check]'
	touch $@ $(BIN)/.run

# A mock of the model APIs that others wrote, for tests/providers. It has a place of its own, because it brings click,
# and where click is httpx loads its own command line, which a user's program does not.
$(VENV)/mock/.done: Makefile
	$(PYTHON) -m venv $(VENV)/mock
	$(VENV)/mock/bin/pip install --quiet 'llmock>=0.2,<1'
	touch $@

# Starts the program; without a configured model it plays the demo.
run: $(BIN)/.run
	$(BIN)/pyagent-tui --demo-without-model

test: $(BIN)/.dev $(VENV)/mock/.done
	$(BIN)/python -m pytest -q -n auto --dist worksteal

check: $(BIN)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright --warnings

# Our own figures of speed; what each row means: benchmarks/speed.py --help.
bench: $(BIN)/.dev
	$(BIN)/python benchmarks/speed.py

screenshots: $(BIN)/.dev
	$(BIN)/python screenshots/make.py
	$(BIN)/python screenshots/export.py

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache
