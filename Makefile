# Two commands do everything on a machine with Python >= 3.11, make and a package index:
#   make demo   classifies the two embedded datasets and prints an accuracy table
#   make test   runs the linter, the type checker, the check of imports, the doctests and the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test bench format data clean

demo: $(VENV)/demo.stamp
	$(BIN)/nask demo

test: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

# Measures nask and its peers and rewrites docs/performance.md: about an hour. NASK_DATA names the
# folder of the datasets.
bench: $(VENV)/test.stamp
	$(BIN)/python benchmarks/run.py

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Rebuilds the embedded datasets from the grakel wheel.
data: $(VENV)/test.stamp
	$(BIN)/python scripts/embed_datasets.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --editable .
	touch $@

# The constraint keeps torch to a build without gigabytes of CUDA.
$(VENV)/test.stamp: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --editable '.[dev]' --constraint constraints.txt
	touch $@ $(VENV)/demo.stamp
