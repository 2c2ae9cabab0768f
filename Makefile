# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run page test check bench soak boundscheck clean

run: page
	$(BIN)/lissom studio

page: $(STAMP)
	$(BIN)/python hatch_build.py

test: page
	$(BIN)/python tests/browser/chromium.py
	$(BIN)/python -m pytest -m "not soak" -n 2 --dist worksteal --durations 15 --ignore tests/browser --ignore tests/studio $(ARGS)
	$(BIN)/python -m pytest -m "not soak" --durations 15 tests/studio tests/browser $(ARGS)

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/python -m benchmarks.rod
	$(BIN)/python -m benchmarks.contact
	$(BIN)/python -m benchmarks.studio
	$(BIN)/python -m benchmarks.motion
	$(BIN)/python -m benchmarks.machines
	$(BIN)/python -m benchmarks.kinematic
	$(BIN)/python -m benchmarks.haptic

soak: $(STAMP)
	$(BIN)/python -m pytest -m soak $(ARGS)

boundscheck: $(STAMP)
	XDG_CACHE_HOME=$(VENV)/boundscheck NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -m "not soak" tests/rods $(ARGS)

$(STAMP): pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "lissom needs Python 3.11 or newer; set PYTHON=…")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $(STAMP)

clean:
	rm -rf $(VENV) out dist build client/node_modules src/lissom/studio/page
