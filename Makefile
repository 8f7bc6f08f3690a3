# Commands for those who change this package; CONTRIBUTING.md says when. Set-up first:
#   python3 -m venv .venv && .venv/bin/pip install -e '.[dev]'
BIN := .venv/bin
ARGS :=

.PHONY: fast test lint bench gate

fast:  # some two minutes; what is compiled is kept for the next run
	$(BIN)/pytest -m "not slow" --keep-cache $(ARGS)

test:
	$(BIN)/pytest $(ARGS)

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

bench:
	$(BIN)/python -m benchmarks $(ARGS)

gate:
	.ci/run
