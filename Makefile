# Every target works from a bare checkout; `make help` lists them.
.DEFAULT_GOAL := help
python := .venv/bin/python
# What one process has compiled the next one reads, also on a machine that is set up to keep no bytecode.
unexport PYTHONDONTWRITEBYTECODE
compile := uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --upgrade
stylesheets := "src/steward/web/static/*.css" "src/steward/web/static/css/**/*.css"
# Two processes for each of the two cores that we aim at: tests wait for other processes.
pytest := $(python) -m pytest -n 4 --dist loadfile --no-loadscope-reorder --durations=25
# Where tests are that are marked so; the others need not be read for them.
long_tests := tests/client tests/client_cli tests/e2e tests/faults tests/fuzz tests/limits tests/mcp tests/observability tests/openapi tests/operations tests/plans tests/security tests/supervisor tests/tutorials tests/upkeep tests/web tests/webhook_delivery
.PHONY: help setup hooks run test test-long test-hunt test-million test-postgres citus coverage fuzz soak check format lock bench wheels docs site site-serve screenshots tutorial-screenshots browser broker pooler proxies server

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 16

setup: ## environment and locked dependencies into .venv, browser files into src/steward/web/static/vendor
	@scripts/setup all

hooks: setup ## git hooks: what make check says of the files of a commit, and the form of its subject
	@.venv/bin/pre-commit install

run: ## everything: database, API, web app and worker with a demo organization, on http://127.0.0.1:8000 (or PORT=8080)
	@scripts/setup run
	@.venv/bin/steward up --demo --allow-local-webhooks $(if $(PORT),--port $(PORT))

test: setup ## the test suite (browser tests need Chromium: make browser)
	@$(pytest) -m "not long" --ignore=tests/openapi/test_document.py

test-long: setup ## whole starts, faults (databases that hang, full disks, kills, a short soak), guides and pages of the docs followed as they are written, requests made from the document, all by keyboard, axe on every screen, and what lists and idle jobs read
	@$(pytest) -m long $(long_tests)

test-hunt: setup ## tests that a change touches (or TESTS=tests/bookings), again and again for HUNT_MINUTES (30): random order, busy cores, midnight, other pauses, unprivileged; lists what was not green each time
	@$(python) -m scripts.hunt --minutes $${HUNT_MINUTES:-30} $(HUNT) $(TESTS)

test-million: setup ## what lists and idle jobs read with a million rows in one table after the other, on the embedded PostgreSQL and on an installed 15
	@STEWARD_TEST_MILLIONS=all $(python) -m pytest tests/plans/test_million.py

test-postgres: setup ## the test suite (or TESTS=tests/users) on any server: URL=postgresql://user:password@host:port/database, of a role that may create databases
	@[ -n "$(URL)" ] || { echo "say which server: make test-postgres URL=postgresql://user:password@host:port/database"; exit 2; }
	@STEWARD_TEST_POSTGRES_URL="$(URL)" $(pytest) -m "not long" --ignore=tests/openapi/test_document.py $(TESTS)

citus: setup ## the test suite (or TESTS=tests/citus) on a Citus cluster: an installed one, or STEWARD_CITUS_SOURCE=folder; skipped where there is none
	@$(python) -m scripts.citus -n 2 --dist loadfile --no-loadscope-reorder -m "not long" --ignore=tests/openapi/test_document.py $(TESTS)

coverage: setup ## the test suite (or TESTS=tests/kit) with lines and branches counted; a report in .coverage-data/html
	@scripts/coverage $(TESTS)

fuzz: setup ## the fuzzers of tests/fuzz with more examples than in make test (FUZZ_EXAMPLES=50)
	@FUZZ_EXAMPLES=$${FUZZ_EXAMPLES:-50} $(python) -m pytest tests/fuzz -q

check: setup ## lint, format, types, undeclared and unused dependencies, known vulnerabilities of the locked ones
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy
	@$(python) -m scripts.node node_modules/eslint/bin/eslint.js --max-warnings=0 --no-error-on-unmatched-pattern src/steward/web/static/js scripts/browser
	@$(python) -m scripts.node node_modules/stylelint/bin/stylelint.mjs --max-warnings=0 $(stylesheets)
	@$(python) -m scripts.node node_modules/prettier/bin/prettier.cjs --check --log-level=warn $(stylesheets)
	@.venv/bin/deptry src
	@cd clients/python && ../../.venv/bin/deptry src
	@.venv/bin/deptry --config scripts/deptry.toml tests bench soak scripts
	@.venv/bin/deptry --config scripts/deptry-peers.toml bench/peers
	@$(python) -m scripts.audit

format: setup ## let ruff and prettier fix what they can
	@.venv/bin/ruff check --fix-only --quiet .
	@.venv/bin/ruff format --quiet .
	@$(python) -m scripts.node node_modules/prettier/bin/prettier.cjs --write --log-level=warn $(stylesheets)

bench: setup ## benchmarks beside floors and peers, about a quarter of an hour; the figures go into bench/results, README and docs
	@$(python) -m bench

soak: setup ## kills, outages and attacks for SOAK_MINUTES (20), then counts what was lost; SOAK_SEED repeats a run
	@$(python) -m soak

wheels: setup ## both packages as wheels, into dist/
	@$(python) -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist . ./clients/python

docs: setup ## write openapi.json, the generated reference pages and the generated part of the client anew
	@$(python) -m scripts.generate
	@$(python) -m scripts.client

site: setup ## the documentation as a site, into site/
	@$(python) -m scripts.site build

site-serve: setup ## the documentation on http://127.0.0.1:8001, anew with every change
	@$(python) -m scripts.site serve

screenshots: setup ## every screen of the demo in light, dark and phone width, into screenshots/ (needs Chromium: make browser)
	@$(python) -m scripts.screenshots $(SCREENS)

tutorial-screenshots: setup ## the pictures of the facility manager's tutorial, into docs/images/tutorial (needs Chromium: make browser)
	@$(python) -m scripts.tutorial_screenshots

browser: ## Chromium without its windows, for the browser tests (Debian, as root); a whole Chromium does, too
	@command -v chromium-headless-shell >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium-headless-shell; }

broker: ## Mosquitto for the MQTT tests and the soak (Debian, as root)
	@[ -x /usr/sbin/mosquitto ] || command -v mosquitto >/dev/null || { apt-get update -qq && apt-get install -y -qq mosquitto; }

pooler: ## PgBouncer for the tests of poolers (Debian, as root); those of transaction mode need 1.21 or newer (STEWARD_PGBOUNCER=path)
	@[ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null || { apt-get update -qq && apt-get install -y -qq pgbouncer; }

proxies: ## nginx and Caddy for the tests of deploy/ (Debian, as root)
	@{ [ -x /usr/sbin/nginx ] && command -v caddy >/dev/null; } || { apt-get update -qq && apt-get install -y -qq --no-install-recommends nginx-light caddy; }

server: ## PostgreSQL 15 for the test of the guide for several machines (Debian, as root); no cluster is made
	@[ -x /usr/lib/postgresql/15/bin/initdb ] || { apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql-common \
		&& mkdir -p /etc/postgresql-common/createcluster.d && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.d/steward.conf \
		&& apt-get install -y -qq --no-install-recommends postgresql-15; }

lock: ## resolve requirements*.in anew, with hashes; what is tested is what is shipped (needs uv)
	@$(compile) requirements-dev.in -o requirements-dev.txt
	@for part in requirements requirements-build requirements-extras; do $(compile) -c requirements-dev.txt $$part.in -o $$part.txt || exit; done
	@for part in requirements-node requirements-bench; do $(compile) $$part.in -o $$part.txt || exit; done
