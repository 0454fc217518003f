# Everything one does with dicelab, from a machine that has Python 3.11 or later, pip and make.
# Each target does all the set-up it needs; `make` alone lists them.

PY ?= python3
JOBS ?= 2
# More arguments for pytest, as in: make test PYTEST_ARGS='-k hazard -x'
PYTEST_ARGS ?=
# Which tables to measure, as in: make bench TABLES='games threads' (all of them when empty)
TABLES ?=
# Random games that `make fuzz` compares, another seed for other games, the first of them, and how many are not compiled
# for one that is (0: none), as in: make fuzz N=2000 SEED=7
N ?= 200
SEED ?= 1
FIRST ?= 0
COMPILED ?= 100
# Which defects to put back, as in: make fuzz-defects DEFECTS=outcome N=500 (all of them when empty)
DEFECTS ?=
# More arguments for the locks, as in: make lock LOCK_ARGS=--upgrade
LOCK_ARGS ?=
# A Python whose packages `make cuda` and `make bench` use as they are, without a network, as in: make cuda PYTHON=python3
PYTHON ?=
# The version of a release, as in: make release VERSION=0.1.0
VERSION ?=

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
RIVALS := .venv-bench
DOCS := .venv-docs
CUDA := .venv-cuda
KERNELS := .cache/kernels.ready

# Only interpreters that are already on the machine are used.
export UV_PYTHON_DOWNLOADS = never

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo lab test test-all tiers fuzz fuzz-defects coverage record written check cuda bench answers browser docs release-check release lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

setup: $(READY) ## make .venv with everything in requirements/dev.txt, and dicelab itself

# The environment is made without pip (that part of venv is a package of its own on Debian) and the pip of $(PY)
# installs uv into it from outside, which a system Python allows. uv and the build backend come from the lock as well.
# Byte code is made now: where Python may not write it later, importing Numba would take three times as long each time.
$(READY): requirements/dev.txt pyproject.toml
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dicelab needs Python 3.11 or later: make PY=...")'
	@test ! -L $(VENV) || { echo "$(VENV) is a link, and setup would empty what it leads to; run make -o $(READY) TARGET, or remove the link"; exit 1; }
	$(PY) -m venv --without-pip --clear $(VENV)
	@awk '/^[^ #]/ { wanted = /^uv==/ } wanted' requirements/dev.txt > $(VENV)/uv.txt
	$(PY) -m pip --python $(BIN)/python install --quiet --no-deps --require-hashes -r $(VENV)/uv.txt
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements/dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

browser: $(READY) ## install what the tests of the lab in a real browser need; Chromium is Debian's package
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/browser.txt
	@command -v chromium > /dev/null || echo "Chromium is missing: apt-get install chromium"

demo: $(READY) ## answer the questions of the five texts that dicelab started from
	$(BIN)/dicelab demo

lab: $(READY) ## start the lab in the browser; its address is printed
	$(BIN)/dicelab lab --open

# Tests start hundreds of processes, each of which would compile dicelab to byte code where that may not be kept.
test test-all tiers coverage: export PYTHONDONTWRITEBYTECODE =

# A worker takes tests from its neighbour only when its own are done: tests of one file, and of one game, stay together
# as long as they can, and with them the kernels that they compile.
PYTEST := $(BIN)/pytest -n $(JOBS) --dist worksteal
# A process keeps every kernel that it has loaded, and would need 3 GB in the end. So the tests run in parts, more of them
# with the slow tests, each in processes of its own; the last part is all that is in none of the others. Status 5: no
# test of a part was selected.
PARTS := "tests/conformance" "tests/exact tests/property tests/recorded tests/statistical" "tests/interface/cli tests/interface/lab"
THE_REST := $(patsubst %,--ignore=%,$(subst ",,$(PARTS)))
APART := tests/conformance/test_engines.py tests/conformance/test_chains.py
test-all tiers coverage: PARTS := $(APART:%="%") "tests/conformance $(APART:%=--ignore=%)" "tests/exact" \
    "tests/property tests/recorded tests/statistical" "tests/interface/cli tests/interface/lab" \
    "tests/questions" "tests/rules tests/translation tests/engines tests/compile" "tests/solver tests/results tests/plots"
define parts
@status=5; for part in $(PARTS) "$(THE_REST)"; do \
    if $(PYTEST) $$part $(1) $(PYTEST_ARGS); then [ $$status -ne 5 ] || status=0; \
    else [ $$? -eq 5 ] || status=1; fi; \
done; exit $$status
endef
EVERYTHING := -m 'slow or not slow'

test: $(KERNELS) ## run the tests, the examples in docstrings and those in the documents
	$(call parts,)

test-all: $(KERNELS) ## run all tests, the slow ones too: every engine at every limit, every page
	$(call parts,$(EVERYTHING))

# The tests are timed twice, the second time without the kernels of earlier runs.
FIRST_TIME := .cache/first
tiers: $(KERNELS) ## time the tests of make test, and mark those that are left to make test-all from now on
	rm -rf .cache/times $(FIRST_TIME) && mkdir -p .cache/times $(FIRST_TIME)/times
	-$(call parts,--times=.cache/times)
	DICELAB_CACHE_DIR=$(CURDIR)/$(FIRST_TIME) $(BIN)/python tests/kernels.py $(JOBS)
	-DICELAB_CACHE_DIR=$(CURDIR)/$(FIRST_TIME) $(MAKE) --no-print-directory test PYTEST_ARGS=--times=$(FIRST_TIME)/times
	$(BIN)/python tests/tiers.py .cache/times $(FIRST_TIME)/times

# Compiled kernels are not measured, only what writes them and calls them.
coverage: $(KERNELS) ## run all tests and list the lines and branches of dicelab that none of them reaches
	$(BIN)/coverage erase
	$(call parts,$(EVERYTHING) --cov --cov-append --cov-report=)
	$(BIN)/coverage report

# The kernels that tests of several files use, compiled once for all of them. Kernels are kept by what they depend on:
# when files were edited, only those that have changed are compiled.
GAMES_AND_ENGINES := $(shell find src examples verification tests/games tests/conformance tests/*.py -name '*.py')
$(KERNELS): $(READY) $(GAMES_AND_ENGINES)
	$(BIN)/python tests/kernels.py $(JOBS)
	@mkdir -p $(@D) && touch $@

record: $(READY) ## record the answers in tests/recorded anew, and say which of them changed
	$(BIN)/python tests/recorded/record.py

written: $(READY) ## write anew what is made from the code: types, the JSON Schema, docs/api.md, docs/reference
	$(BIN)/python tests/stubs.py
	$(BIN)/python tests/json_schema.py
	$(BIN)/python tests/api_page.py
	$(BIN)/python tests/reference_pages.py

FUZZ = PYTHONPATH=tests $(BIN)/python -m fuzz --jobs $(JOBS) --seed $(SEED) --first $(FIRST) --games $(N)
fuzz: $(READY) ## play and solve N random games with every engine and solver, and compare; docs/fuzzing.md
	$(FUZZ) --compiled $(COMPILED)

fuzz-defects: $(READY) ## put each defect of the past back, and verify that the fuzzer finds it
	$(FUZZ) --defects '$(DEFECTS)'

check: $(READY) ## format, lint, types, and which layer imports which
	$(BIN)/ruff format --check
	$(BIN)/ruff check --no-cache
	$(BIN)/mypy
	$(BIN)/lint-imports

# The rivals have an environment of their own, and so has the table `cuda`. Where it can't be made, their rows of the
# tables say so.
bench: $(if $(PYTHON),,$(READY)) ## measure speed, beside C, NumPy, plain Python and rivals; writes docs/speed.md
	$(if $(PYTHON),,-@$(MAKE) --no-print-directory $(RIVALS)/.ready $(if $(filter cuda,$(TABLES)),$(CUDA)/.ready))
	$(if $(PYTHON),PYTHONPATH=src $(PYTHON),$(BIN)/python) benchmarks/speed.py $(TABLES)

answers: $(READY) ## compute the pages docs/answers-*.md anew, in some minutes
	$(BIN)/python answers/tossup.py
	$(BIN)/python answers/pig.py

docs: $(DOCS)/.ready ## build the site of the documentation in build/site; a link that leads nowhere is an error
	$(DOCS)/bin/sphinx-build --quiet --fail-on-warning --keep-going -b html -c docs/site . build/site
	PYTHONPATH=src $(DOCS)/bin/python docs/site/play.py build/site/play
	@echo build/site/docs/site/index.html

# No GPU is needed: kernels are played in Numba's simulator, and compiled for GPUs that need not be there.
cuda: PYTEST := $(if $(PYTHON),PYTHONPATH=src $(PYTHON),$(CUDA)/bin/python) -m pytest -n $(JOBS)
cuda: $(if $(PYTHON),,$(CUDA)/.ready) ## test the engine for GPUs, in an environment of its own (900 MB) or with PYTHON's packages
	NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1 $(PYTEST) tests/extras/gpu/test_simulated.py $(PYTEST_ARGS)
	$(PYTEST) tests/extras/gpu/test_compiled.py tests/extras/gpu/test_device.py $(PYTEST_ARGS)

$(CUDA)/.ready: requirements/cuda.txt $(READY)
	$(PY) -m venv --without-pip --clear $(CUDA)
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(CUDA)/bin/python --require-hashes -r requirements/cuda.txt
	$(BIN)/uv pip install --quiet --python $(CUDA)/bin/python --no-deps --no-build-isolation --editable .
	@touch $@

release-check: $(READY) ## build the distributions twice, and install and try them in every Python found; leaves dist/
	$(BIN)/python tests/release/check.py

# From a clean checkout of what is to be released. Nothing is uploaded; the last lines say how.
release: $(READY) ## all of a release up to the upload, as in: make release VERSION=0.1.0
	@git diff --quiet HEAD || { echo "commit or undo your changes first"; exit 1; }
	$(BIN)/python tests/release/prepare.py $(VERSION)
	$(MAKE) check test-all docs release-check
	git commit --quiet --message 'Release $(VERSION)' src/dicelab/version.py CITATION.cff CHANGELOG.md
	git tag v$(VERSION)
	@echo "upload: git push --follow-tags, and $(BIN)/uv publish dist/dicelab-$(VERSION)*"

$(DOCS)/.ready: requirements/docs.txt $(READY)
	$(PY) -m venv --without-pip --clear $(DOCS)
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(DOCS)/bin/python --require-hashes -r requirements/docs.txt
	@touch $@

$(RIVALS)/.ready: requirements/bench.txt $(READY)
	$(PY) -m venv --without-pip --clear $(RIVALS)
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(RIVALS)/bin/python --require-hashes -r requirements/bench.txt
	@touch $@

# Versions and hashes for every platform, without the address of a registry; run.txt first, and dev.txt agrees with it.
# cuda.txt has an older NumPy.
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command 'make lock' $(LOCK_ARGS) pyproject.toml
lock: $(READY) ## lock the dependencies anew in requirements/
	$(COMPILE) --output-file requirements/run.txt
	$(COMPILE) --group dev --constraint requirements/run.txt --output-file requirements/dev.txt
	$(COMPILE) --group browser --constraint requirements/dev.txt --output-file requirements/browser.txt
	$(COMPILE) --extra cuda --group test --group build --output-file requirements/cuda.txt # an older NumPy than dev.txt
	$(COMPILE) --group bench --constraint requirements/dev.txt --output-file requirements/bench.txt
	$(COMPILE) --group docs --group extras --constraint requirements/dev.txt --output-file requirements/docs.txt

clean: ## remove .venv and everything else that was made
	rm -rf $(VENV) $(RIVALS) $(DOCS) $(CUDA) build dist .cache .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
