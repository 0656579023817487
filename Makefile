# demo · test · lint · docs · bench · fuzz · test-kills: each makes what it needs first (a virtual environment, the build)
# and is quick the second time. Needs Python >= 3.10, a C compiler and a Rust toolchain.
PYTHON ?= python3
DATA ?= ../shared
TARGET ?= x86_64-unknown-linux-gnu
PLATFORM ?= manylinux_2_28
VENV := .venv
BIN := $(VENV)/bin
# maturin installs into this environment.
export VIRTUAL_ENV := $(abspath $(VENV))
# The extras that tests use, and the versions of what users install: pinned, or the lowest or newest of pyproject.toml.
comma := ,
EXTRAS := selection,serve,thot,udpipe
VERSIONS ?= pinned
RUST := $(shell find rust/src -name '*.rs') Cargo.toml Cargo.lock

.PHONY: demo test test-rust test-python test-all test-kills fuzz fuzz-server lint lint-rust lint-python lint-style \
	lint-types docs bench format wheel test-wheel try-wheel sdist test-sdist clean

demo: $(VENV)/installed
	$(BIN)/graphmt demo --out demo-output

test:
	@$(MAKE) --no-print-directory -j3 test-rust lint-python
	@$(MAKE) --no-print-directory test-python

# A plus: cargo takes part in make's limit on what runs at once.
test-rust: lint-rust
	+cargo test --quiet

test-python: $(VENV)/built
	$(BIN)/python -m pytest -n auto --dist loadfile

# The checks that take long as well: whole tables beside Moses', Spark, more kills, more damaged files.
test-all: test $(VENV)/spark $(VENV)/meteor
	GRAPHMT_LONG=1 GRAPHMT_KILLS=20 $(BIN)/python -m pytest -n auto --dist loadfile --timeout 3600
	@$(MAKE) --no-print-directory fuzz FUZZ_INPUTS=2000

# Damaged files for every reader (fuzz/README.md). A stopped run is resumed; one with FUZZ_SEED begins anew.
FUZZ_INPUTS ?= 1000000
fuzz: $(VENV)/built
	$(BIN)/python -m fuzz --resume --minimise --inputs $(FUZZ_INPUTS) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED)) $(FUZZ_READERS)
	@$(if $(FUZZ_READERS),,$(MAKE) --no-print-directory fuzz-server)

# Attacks on a server with a small model.
FUZZ_ATTACKS ?= 1000
fuzz-server: $(VENV)/built
	$(BIN)/python bench/serve_attacks.py --attacks $(FUZZ_ATTACKS) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED))

# Every verb that writes, killed at so many random moments.
KILLS ?= 100
test-kills: $(VENV)/built
	GRAPHMT_LONG=1 GRAPHMT_KILLS=$(KILLS) $(BIN)/python -m pytest tests/robustness/test_kills.py --timeout 7200

lint:
	@$(MAKE) --no-print-directory -j3 lint-rust lint-python

lint-rust:
	cargo fmt --check
	+cargo clippy --quiet --all-targets --features python -- -D warnings

lint-python: lint-style lint-types docs

lint-style: $(VENV)/built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

lint-types: $(VENV)/built
	$(BIN)/mypy
	$(BIN)/stubtest graphmt._core --ignore-disjoint-bases --allowlist .stubtest-allow

# The documentation as pages in site/. Strict: broken links and anchors and missing docstrings fail.
docs: $(VENV)/built
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# Figures, side by side with peers where they are installed. DATA is the folder that holds data/ and peers/.
bench: $(VENV)/bench
	@for script in bench/*.py; do echo "== $$script"; $(BIN)/python $$script --data $(DATA) || exit 1; done

format: $(VENV)/built
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .
	cargo fmt

# maturin installs with pip, which reads the pinned versions from this variable.
TOOLS_PINNED := $(abspath constraints.txt)
LOWEST := $(abspath $(VENV)/lowest.txt)
PINNED_pinned := $(abspath constraints-runtime.txt)
PINNED_lowest := $(LOWEST)
export PIP_CONSTRAINT := $(TOOLS_PINNED) $(PINNED_$(VERSIONS))
# Some tools for checks need newer versions than the lowest.
GROUPS := $(if $(filter lowest,$(VERSIONS)),test,dev --group docs)

$(VENV)/built: $(VENV)/compiled $(VENV)/tools
	$(BIN)/maturin develop --profile quick --quiet --extras $(EXTRAS)
	@touch $@

# The package alone, without the tools of developers.
$(VENV)/installed: $(VENV)/compiled $(PIP_CONSTRAINT)
	$(BIN)/maturin develop --profile quick --quiet
	@touch $@

# Compiled while pip installs the tools; what is compiled already is not compiled again by the rule above.
$(VENV)/compiled: pyproject.toml $(RUST) $(VENV)/ready
	+$(BIN)/maturin build --profile quick --quiet --out target/wheels
	@touch $@

$(VENV)/tools: pyproject.toml $(PIP_CONSTRAINT) $(VENV)/ready
	$(BIN)/python -m pip install --quiet --group $(GROUPS)
	@touch $@

$(LOWEST): pyproject.toml $(VENV)/ready
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --no-annotate --python $(BIN)/python --resolution lowest-direct \
		$(patsubst %,--extra %,$(subst $(comma), ,$(EXTRAS))) --output-file $@ pyproject.toml

# Spark is large, and its tests take more than a minute.
$(VENV)/spark: $(VENV)/built
	$(BIN)/maturin develop --profile quick --quiet --extras spark
	@touch $@

# The program of METEOR is large.
$(VENV)/meteor: $(VENV)/built
	$(BIN)/maturin develop --profile quick --quiet --extras meteor
	@touch $@

$(VENV)/bench: $(VENV)/built
	$(BIN)/maturin develop --release --quiet --extras bench
	@touch $@

# A wheel that runs on any Linux from 2018 on: zig, which maturin finds by PATH, links against an old C library. For musl:
# make wheel TARGET=x86_64-unknown-linux-musl PLATFORM=musllinux_1_2
wheel: $(VENV)/ready
	$(BIN)/python -m pip install --quiet ziglang auditwheel
	PATH="$(CURDIR)/$(BIN):$$PATH" maturin build --release --strip --zig --compatibility $(PLATFORM) --target $(TARGET) --out dist
	$(BIN)/auditwheel show dist/*.whl

test-wheel: wheel
	@$(MAKE) --no-print-directory try-wheel

# The wheel in dist, installed into an empty environment.
try-wheel:
	rm -rf $(VENV)-wheel && $(PYTHON) -m venv $(VENV)-wheel
	$(VENV)-wheel/bin/python -m pip install --quiet dist/*.whl
	cd $(VENV)-wheel && bin/graphmt --quiet demo --out demo-output

sdist: $(VENV)/ready
	$(BIN)/maturin sdist --out dist

# Compiled by the toolchain that is active outside this folder, as a packager does.
test-sdist: sdist
	rm -rf $(VENV)-sdist && $(PYTHON) -m venv $(VENV)-sdist
	$(VENV)-sdist/bin/python -m pip install --quiet dist/*.tar.gz
	cd $(VENV)-sdist && bin/graphmt --quiet demo --out demo-output

$(VENV)/ready $(LOWEST): PIP_CONSTRAINT := $(TOOLS_PINNED)
$(VENV)/ready:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet maturin
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-wheel $(VENV)-sdist target dist demo-output site
