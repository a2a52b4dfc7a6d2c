# Two commands do everything on a machine with Python >= 3.11, make and a package index:
#   make demo   classifies the two embedded datasets and prints an accuracy table
#   make test   runs the linter, the type checker, the check of imports, the doctests and the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One process per core, but four at most: each holds torch and the compiled code. A file stays in one process, since its
# tests share fitted models. Each has a core to itself, so linear algebra gets one thread: more would wait for each other.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n logical --maxprocesses 4 --dist loadfile --no-loadscope-reorder
# The tests start dozens of processes: each would compile all modules again where an environment forbids bytecode.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test types all-tests quick fuzz package lock licences compatibility bench format data clean

demo: $(VENV)/demo.stamp
	$(BIN)/nask demo

test: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(MAKE) --no-print-directory --jobs 2 types all-tests

# mypy has one thread, and the tests wait for processes now and then: side by side they take less time.
types:
	$(BIN)/mypy

all-tests:
	$(PYTEST)

# The tests and doctests without those that are marked slow.
quick: $(VENV)/test.stamp
	$(PYTEST) -m 'not slow'

# Hostile files for every reader and loader, for TIME seconds; finds are kept in tests/fuzz/crashes. ENGINE=atheris is led
# by coverage.
TIME ?= 600
ENGINE ?= drawn
fuzz: $(VENV)/test.stamp
	cd tests && ../$(BIN)/python -m fuzz.run --time $(TIME) --engine $(ENGINE)

# Builds the sdist, and the wheel from it, installs the wheel with its dependencies into a fresh virtual environment and
# uses it there. Bytecode that nothing imports is not made: that would double the time.
package: $(VENV)/test.stamp
	rm -rf build dist
	$(BIN)/python -m build --outdir dist . > /dev/null
	$(PYTHON) -m venv build/fresh
	build/fresh/bin/python -m pip --disable-pip-version-check --quiet install --no-compile dist/*.whl
	cd build && fresh/bin/nask --version && fresh/bin/python -c "import nask; \
	  K = nask.NASK(n_hops=2).fit_transform(nask.load_dataset('MUTAG').graphs[:20]); \
	  assert K.shape == (20, 20) and abs(K.diagonal() - 1).max() < 1e-12"
	@echo "The wheel installs into a fresh environment and works."

# Writes constraints.txt anew, with the newest versions that pyproject.toml allows; make test then tells whether all works
# with them. PYTHON is the oldest of the project. The version of torch stays: its line is changed by hand.
lock: $(VENV)/test.stamp
	grep '^torch==' constraints.txt > $(VENV)/torch.txt
	$(PIP) install --upgrade --upgrade-strategy eager --editable '.[dev]' --constraint $(VENV)/torch.txt
	$(BIN)/python scripts/lock.py

# The licences of what users install, and of what tests and measurements need.
licences: $(VENV)/test.stamp
	$(BIN)/python scripts/licences.py all
	$(BIN)/python scripts/licences.py dev > /dev/null

# The core tests on the oldest and the newest versions that pyproject.toml allows, for each Python that is found.
compatibility: $(VENV)/test.stamp
	$(BIN)/python scripts/compatibility.py --quick

# Measures nask and its peers and rewrites docs/performance.md: about an hour; then the kernels of the paper's table of
# runtimes, as far as they have no record. NASK_DATA names the folder of the datasets.
bench: $(VENV)/test.stamp
	$(BIN)/python benchmarks/run.py
	$(BIN)/nask reproduce runtime --out results

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Rebuilds the embedded datasets from the grakel wheel.
data: $(VENV)/test.stamp
	$(BIN)/python scripts/embed_datasets.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Both install exactly what constraints.txt says, so that a release of tomorrow changes nothing.
$(VENV)/demo.stamp: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --editable . --constraint constraints.txt
	touch $@

$(VENV)/test.stamp: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --editable '.[dev]' --constraint constraints.txt
	touch $@ $(VENV)/demo.stamp
