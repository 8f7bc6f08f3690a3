# Commands for those who change this package; CONTRIBUTING.md says when. Set-up first:
#   python3 -m venv .venv && .venv/bin/pip install -e '.[dev]'
BIN := .venv/bin
ARGS :=
IREE := iree-base-compiler iree-base-runtime

.PHONY: fast test lint bench gate next-iree release site

fast:  # two minutes; what is compiled is kept for the next run
	$(BIN)/pytest $(ARGS)

test:
	$(BIN)/pytest -m "" $(ARGS)

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

bench:
	$(BIN)/python -m benchmarks $(ARGS)

gate:
	.ci/run

next-iree:  # IREE's traps, and the golden values, with another IREE than the one that is required
	python3 -m venv build/next-iree
	build/next-iree/bin/pip install -q -e '.[test]'
	build/next-iree/bin/pip install -q --pre --upgrade --no-deps $(IREE)
	build/next-iree/bin/pytest -m "" -rxX tests/traps tests/numeric/test_goldens.py $(ARGS)

release:  # sdist and wheels in dist/, tried under every Python of this machine; see RELEASING.md
	$(BIN)/python release/wheels.py
	$(BIN)/twine check --strict dist/*.whl dist/*.tar.gz
	$(BIN)/check-wheel-contents dist
	$(BIN)/python release/trial.py

site:  # the documentation as HTML in site/; fails on a broken link
	$(BIN)/sphinx-build -q -W --keep-going -c docs -d build/site/doctrees . build/site/html
	rm -rf site && cp -r build/site/html site && cp site/README.html site/index.html

release: $(BIN)/twine
site: $(BIN)/sphinx-build

$(BIN)/twine $(BIN)/sphinx-build:
	@echo "$@ is missing: $(BIN)/pip install -e '.[dev]'" >&2; exit 1
