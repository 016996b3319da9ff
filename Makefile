# Everything happens in .venv, which is made here; all that is needed is make and Python 3.11 or newer.
# Another interpreter: make test PYTHON=/path/to/python3.12

MINIMUM := 3.11
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
FLAGS ?=
BLENDER_PYTHON ?=

unexport PYTHONPATH
unexport PYTHONHOME

.PHONY: help demo studio test lint types test-browser test-blender bench clean
.DELETE_ON_ERROR:

help:
	@echo "make demo          walk the built-in scene, write the files into out/"
	@echo "make studio        build the page of gambol studio (node, npm)"
	@echo "make test          run the tests (FLAGS='-k name' is handed to pytest)"
	@echo "make lint types    ruff; mypy"
	@echo "make bench         timings"
	@echo "make test-browser  the studio in chromium, files in three.js and in the glTF validator (node, npm, chromium)"
	@echo "make test-blender  files opened and the example run in Blender's bpy (a Python that it has a wheel for)"
	@echo "make clean         remove .venv, out and caches"

# A venv counts when its Python starts, is new enough and has pip; anything else is made anew.
$(VENV)/made: tools/find_python.sh
	@$(BIN)/python -c "import sys, pip; sys.exit(sys.version_info < (3, 11))" 2>/dev/null \
	|| { python=`sh tools/find_python.sh $(MINIMUM) "$(PYTHON)"` && echo "making $(VENV) with $$python" \
	&& "$$python" -m venv --clear $(VENV); }
	@touch $@

$(VENV)/installed: $(VENV)/made pyproject.toml
	@echo "installing gambol into $(VENV)"
	@$(PIP) install --editable .
	@touch $@

$(VENV)/installed-test: $(VENV)/made pyproject.toml
	@echo "installing gambol and its test tools into $(VENV)"
	@$(PIP) install --editable '.[test]'
	@touch $@ $(VENV)/installed

demo: $(VENV)/installed
	@$(BIN)/gambol demo -o out

# Built into src/gambol/studio/page, from where it is served and goes into the wheel.
PAGE := src/gambol/studio/page
$(PAGE)/player.js: studio/package.json $(wildcard studio/*.ts studio/index.html studio/src/*.* studio/src/*/*.*)
	@cd studio && npm install --no-save --no-audit --no-fund --loglevel=error && npm run --silent build

studio: $(PAGE)/player.js

test: $(VENV)/installed-test
	@$(BIN)/python -m pytest $(FLAGS)

lint: $(VENV)/installed-test
	@$(BIN)/ruff check .

types: $(VENV)/installed-test
	@$(BIN)/mypy

tests/browser/node_modules/made: tests/browser/package.json
	@cd tests/browser && npm install --no-audit --no-fund --no-package-lock --loglevel=error
	@touch $@

# What drives the browser in tests; a chromium of the machine is used, none is downloaded.
$(VENV)/playwright: $(VENV)/installed-test
	@$(PIP) install 'playwright>=1.45'
	@touch $@

test-browser: $(VENV)/playwright tests/browser/node_modules/made $(PAGE)/player.js
	@cd studio && npm run --silent types && npm test --silent
	@GAMBOL_BROWSER=1 $(BIN)/python -m pytest -m browser $(FLAGS) || [ $$? -eq 5 ]

# BLENDER_PYTHON=/path/to/python takes one that has bpy already.
test-blender: $(VENV)/installed-test
	@if python=`BLENDER_PYTHON="$(BLENDER_PYTHON)" sh tools/blender_env.sh $(VENV)-blender`; then \
	GAMBOL_BLENDER="$$python" $(BIN)/python -m pytest -m blender $(FLAGS) || [ $$? -eq 5 ]; \
	else echo "skipped: no bpy"; fi

bench: $(VENV)/installed-test
	@for f in `ls bench/bench_*.py 2>/dev/null`; do echo "== $$f"; $(BIN)/python $$f || exit 1; done

clean:
	rm -rf $(VENV) $(VENV)-blender out .pytest_cache .mypy_cache .ruff_cache .hypothesis
