# `make demo` and `make test` do all their own set-up; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help

bin := .venv/bin
sources := $(wildcard src tests benchmarks scripts/*.py examples)
# How many processes share the tests, and arguments for pytest: make pytest ARGS="-k ladder".
JOBS ?= 2
ARGS ?=
# The tests of a file stay in one process, which compiles and makes what they share only once.
pytest := $(bin)/pytest -n $(JOBS) --dist loadfile

.PHONY: help demo test check setup setup-base setup-extras lint format types imports warm pytest \
        test-long test-slow test-nojit test-bounds test-bounds-long test-cudasim test-gpu bench figures page \
        docs dist clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: setup-base ## install what is needed and watch two agents learn Go shape (WEB=1: on a page)
	@$(bin)/katachi demo $(if $(WEB),--web)

test: check ## install what is needed, run every check and the default tests

# Types and compiling take minutes on one core each: side by side, they take half of that.
check: setup ## what CI runs: lint, types, import contracts, default tests
	@$(MAKE) --no-print-directory --output-sync=target -j 2 lint imports warm types
	@$(MAKE) --no-print-directory pytest

setup: ## make .venv with the development tools
	@scripts/setup.sh dev

# What only the long tests and the site need; `make test` is quicker without.
setup-extras: setup
	@$(bin)/python -c 'import mkdocs, mkdocstrings, ray, sb3_contrib' 2>/dev/null || \
	  $(bin)/pip install --quiet --constraint constraints.txt --editable '.[docs,rl,ray]'

setup-base:
	@scripts/setup.sh base

lint: setup ## ruff: rules and formatting; and the README's tables
	@$(bin)/ruff check $(sources)
	@$(bin)/ruff format --check $(sources)
	@$(bin)/python scripts/write_figures.py --check

format: setup ## ruff: fix what can be fixed
	@$(bin)/ruff check --fix $(sources)
	@$(bin)/ruff format $(sources)

types: setup ## mypy (strict) and pyright, side by side
	@$(bin)/mypy $(sources) & mypy=$$!; \
	  PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(bin)/pyright $(sources); found=$$?; \
	  wait $$mypy && exit $$found

imports: setup ## the order of the rooms (import-linter)
	@$(bin)/lint-imports

warm: setup ## compile every kernel, as far as that is not done
	@$(bin)/katachi warmup

pytest: warm ## the default tests only: make pytest ARGS="-k ladder"
	@$(pytest) $(ARGS)

# Games kept outside the project are read where KATACHI_GAMES=FOLDER names them.
test-long: test-slow test-nojit test-bounds test-bounds-long test-cudasim ## the slow tests and every run mode

test-slow: setup-extras ## the tests that take minutes: make test-slow KATACHI_GAMES=FOLDER
	@$(pytest) -m slow --timeout 3600 $(ARGS)

test-nojit: setup ## the kernel suite as plain Python: overflow and bad indices show
	@NUMBA_DISABLE_JIT=1 $(pytest) -m kernel --timeout 1800 $(ARGS)

test-bounds: setup ## the kernel suite with bounds checks compiled in
	@NUMBA_BOUNDSCHECK=1 $(pytest) -m kernel $(ARGS)

test-bounds-long: setup ## every player, search and learner with bounds checks compiled in
	@NUMBA_BOUNDSCHECK=1 $(pytest) -m slow --timeout 3600 tests/attack/test_memory.py $(ARGS)

test-cudasim: setup ## the GPU tests in the CUDA simulator
	@NUMBA_DISABLE_JIT=1 NUMBA_ENABLE_CUDASIM=1 $(pytest) -m gpu --timeout 1800 $(ARGS)

test-gpu: setup ## the GPU tests on this machine's GPU
	@$(bin)/pytest -m gpu --timeout 1800 $(ARGS)

bench: setup ## every benchmark against its peer: make bench ARGS=--json
	@for file in benchmarks/[!_]*.py; do $(bin)/python $$file $(ARGS) || exit; done

figures: setup ## write the tables of README and docs, and the pictures, from results/
	@$(bin)/python scripts/write_figures.py

page: ## build the page of `katachi web` from web/ (needs npm)
	@scripts/build_page.sh

docs: setup-extras ## build the documentation site into site/; any warning or dead link fails
	@NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --quiet --strict

dist: setup ## build wheel and sdist, and try the wheel alone in an empty environment (EXTRAS=rl)
	@$(bin)/python scripts/check_dist.py $(if $(EXTRAS),--extras $(EXTRAS))

clean: ## remove .venv and everything that was built or cached in the tree
	@rm -rf .venv build dist site web/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
