# Needs Python 3.11 or newer with pip, and make.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint editor wheel-test lock clean

demo: .venv/installed
	$(BIN)/kg build examples/*.txt
	$(BIN)/kg validate
	$(BIN)/kg export -o exports/example.ttl
	@echo
	@echo "The graph lies in graph/, its Turtle in exports/example.ttl. Try next:"
	@echo "  $(BIN)/kg show 'induction head'"
	@echo "  $(BIN)/kg query --name shared-concepts -p first='Ada Lindqvist' -p second='João Ferreira'"
	@echo "  $(BIN)/kg serve"

test: .venv/installed
	$(BIN)/python -m pytest

lint: .venv/installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# The editor of the query page, from npm by its lock file; without it the page is a plain form.
editor: kg/serve/static/editor/editor.js
kg/serve/static/editor/editor.js: editor/package-lock.json editor/editor.js editor/build.mjs
	cd editor && npm ci --ignore-scripts --silent && node build.mjs

# The wheel by itself: installed into an empty environment, run outside of the checkout.
wheel-test: .venv/installed
	rm -rf dist && $(BIN)/python -m build --wheel --no-isolation --outdir dist .
	bash .ci/wheel-test "$(PYTHON)" dist/*.whl

# Everything with its hash checked; kg itself is linked, so that edits count at once.
.venv/installed: requirements-dev.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

# requirements.lock is what kg runs with, requirements-dev.lock what it is made and tested with.
# Needs uv, which is on PyPI.
LOCK := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-header --quiet
lock:
	$(LOCK) --output-file requirements.lock
	$(LOCK) --group dev --constraints requirements.lock --output-file requirements-dev.lock

clean:
	rm -rf .venv graph dist editor/node_modules kg/serve/static/editor screenshots
