# demo · test · lint · docs · bench · fuzz · test-kills: each makes what it needs first (a virtual environment, the build)
# and is quick the second time. Needs Python >= 3.10, a C compiler and a Rust toolchain.
PYTHON ?= python3
DATA ?= ../shared
TARGET ?= x86_64-unknown-linux-gnu
VENV := .venv
BIN := $(VENV)/bin
RUST := $(shell find rust/src -name '*.rs') Cargo.toml Cargo.lock

.PHONY: demo test test-rust test-python test-all test-kills fuzz fuzz-server lint lint-rust lint-python lint-style \
	lint-types docs bench format wheel test-wheel clean

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

# maturin installs with pip, which reads the pinned versions of the development tools from this variable.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt

$(VENV)/built: $(VENV)/compiled $(VENV)/tools
	$(BIN)/maturin develop --profile quick --quiet
	@touch $@

# The package alone, without the tools of developers.
$(VENV)/installed: $(VENV)/compiled
	$(BIN)/maturin develop --profile quick --quiet
	@touch $@

# Compiled while pip installs the tools; what is compiled already is not compiled again by the rule above.
$(VENV)/compiled: pyproject.toml $(RUST) $(VENV)/ready
	+$(BIN)/maturin build --profile quick --quiet --out target/wheels
	@touch $@

$(VENV)/tools: pyproject.toml constraints.txt $(VENV)/ready
	$(BIN)/python -m pip install --quiet --group dev --group docs
	@touch $@

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

# A wheel that runs on any Linux from 2018 on: zig, which maturin finds by PATH, links against an old C library.
wheel: $(VENV)/ready
	$(BIN)/python -m pip install --quiet ziglang auditwheel
	PATH="$(CURDIR)/$(BIN):$$PATH" maturin build --release --strip --zig --compatibility manylinux_2_28 --target $(TARGET) --out dist
	$(BIN)/auditwheel show dist/*.whl

test-wheel: wheel
	rm -rf $(VENV)-wheel && $(PYTHON) -m venv $(VENV)-wheel
	$(VENV)-wheel/bin/python -m pip install --quiet dist/*.whl
	cd $(VENV)-wheel && bin/graphmt --quiet demo --out demo-output

$(VENV)/ready:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet maturin
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-wheel target dist demo-output site
