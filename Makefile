# Needs make, a POSIX shell and a Python 3.10 or later with venv and pip, and nothing else.
# Every path is relative, so the checkout may lie in a folder of any name.
#
# The virtual environment holds an editable install. The commands that `vectr-hooks install` writes then
# name the entry files in hooks/, and an entry file finds its packages from its own place: under -I -S an
# interpreter reads neither PYTHONPATH nor a .pth file. So demo, tests and benchmark run the code that is
# in the tree, never a copy that went stale. tests/test_wheel.py does the same with a real installation.

PY = .venv/bin/python
PIP_INSTALL = $(PY) -m pip --disable-pip-version-check install --quiet

# Pages with parts that docs/generated.py writes.
GENERATED = README.md docs/commands.md docs/configuration.md docs/hosts.md docs/schema.md docs/triggers.md

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test slow lint docs bench e2e clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9]*\):.*## \(.*\)/\1	\2/p' Makefile | while IFS='	' read -r target what; do \
		printf '  make %-6s %s\n' "$$target" "$$what"; \
	done
	@echo '  PYTHON=... chooses the interpreter for .venv; ARGS=... adds arguments to demo, test, bench and e2e.'

demo: .venv/.installed ## install into .venv, then play a recorded session through the hooks
	@.venv/bin/vectr-hooks demo $(ARGS)

test: .venv/.dev ## run the unit suite, in parallel, but for what takes minutes
	@$(PY) -m pytest -q -n auto --dist loadgroup -m 'not e2e and not slow' $(ARGS)

slow: .venv/.dev ## run what takes minutes: soaks, kills, fuzzing, whole installations
	@$(PY) -m pytest -q -n auto --dist loadgroup -m 'slow and not e2e' $(ARGS)

lint: .venv/.dev ## ruff, mypy --strict, import-linter, generated documentation
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	.venv/bin/lint-imports
	$(PY) -m cogapp -I . --check $(GENERATED)

docs: .venv/.dev ## write the generated parts of the documentation anew
	@$(PY) -m cogapp -I . -r -U $(GENERATED)

bench: .venv/.dev ## measure hooks: latency, load, a soak of 10,000 events (ARGS="soak --events 600": one)
	@$(PY) benchmarks $(ARGS)

e2e: .venv/.dev ## run the real client against a scripted API (needs npm)
	@$(PY) -m pytest -q -m e2e --timeout 1200 tests/e2e $(ARGS)

clean: ## remove .venv and everything generated
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The first interpreter that can do it: a pyenv shim may exist for a version that is not switched on, and
# Debian's python3 comes without ensurepip.
.venv/.installed: pyproject.toml
	@set -- python3 python3.13 python3.12 python3.11 python3.10 python; \
	[ -z "$${PYTHON-}" ] || set -- "$$PYTHON"; \
	for python in "$$@"; do \
		"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || continue; \
		recent=$$python; \
		"$$python" -c 'import ensurepip, sqlite3, venv' 2>/dev/null || continue; \
		chosen=$$python; \
		break; \
	done; \
	if [ -z "$${recent-}" ]; then \
		echo "error: none of these is a Python 3.10 or later: $$*" >&2; \
		echo 'hint: install one, or name it: make PYTHON=/path/to/python3' >&2; \
		exit 1; \
	elif [ -z "$${chosen-}" ]; then \
		echo "error: $$recent lacks venv, ensurepip or sqlite3" >&2; \
		echo 'hint: on Debian and Ubuntu: apt install python3-venv; or name another: make PYTHON=/path/to/python3' >&2; \
		exit 1; \
	fi; \
	echo "Creating .venv with $$("$$chosen" -c 'import platform, sys; print(sys.executable, platform.python_version())')"; \
	"$$chosen" -m venv --clear .venv
	@echo 'Installing vectr-hooks into .venv'
	@$(PIP_INSTALL) --editable .
	@touch $@

.venv/.dev: .venv/.installed
	@echo 'Installing the development tools into .venv'
	@$(PIP_INSTALL) --editable '.[dev]'
	@touch $@
