# The versions of the linter, the formatter, benchstat and govulncheck are pinned in lab/lint/go.mod, and
# built from source on first use. Nothing is installed outside the Go caches but what
# `tools` says.

GO        ?= go
TOOL      := $(GO) tool -modfile=lab/lint/go.mod
PACKAGES  ?= ./...
DEBIAN    := yosys iverilog verilator nextpnr-ice40 fpga-icestorm fpga-icestorm-chipdb berkeley-abc g++ tcl chromium \
             ghdl graphviz python3-numpy python3-onnx qemu-user binutils-aarch64-linux-gnu qemu-system-arm gcc-arm-none-eabi \
             libnewlib-arm-none-eabi openmpi-bin libopenmpi-dev pkg-config gcc

# Set these for `bench`, `fuzz`, `fuzz-compile` and `mutate`, such as: make bench PACKAGES=./internal/engine COUNT=10
BENCH     ?= .
COUNT     ?= 6
BENCHFILE ?= runs/bench.txt
FUZZTIME  ?= 30s

# Set these for `bench-compile`, such as: make bench-compile PARTS=core MODELS=my.safetensors
PARTS     ?= map,core,scale
MODELS    ?= $(IALGN_MODELS)
COMPARE   ?= -runs 2

# Set this for `dist`, such as: make dist DIST='-only linux-arm64'
DIST      ?=

# What test-newer tests.
NEWER     ?= ./internal/verilog ./internal/flow ./internal/synth ./internal/verify/...

# Tests make small networks: with Go's standard of 100, a collection every 4 MB takes a fifth of their time. Without the
# tables of a debugger, test binaries are linked in two thirds of the time.
TESTGC    := GOGC=400 GOMEMLIMIT=3GiB
TESTFLAGS := -vet=off -ldflags='-s -w'

.DEFAULT_GOAL := help
.PHONY: help demo build mpi quick test test-all check dist race cover vulncheck generate fmt bench bench-compile fuzz fuzz-compile mutate kill-test test-newer tools clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## train, compile and verify the digits, and make a bitstream, into demo/
	@lab/debian.sh iverilog yosys nextpnr-ice40 fpga-icestorm fpga-icestorm-chipdb
	$(GO) run ./cmd/ialgn demo -o demo

build: ## build bin/ialgn, which is static, as those of dist are
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ialgn ./cmd/ialgn

mpi: ## build bin/ialgn-mpi, which trains one network on several machines by Open MPI
	@lab/debian.sh openmpi-bin libopenmpi-dev pkg-config gcc
	CGO_ENABLED=1 $(GO) build -trimpath -tags mpi -o bin/ialgn-mpi ./cmd/ialgn

quick: ## check what changed since main in a minute: go vet, the import policy, short tests
	@GO='$(GO)' lab/quick.sh

test: tools ## run the tests that every change has to pass; $IALGN_DATA names the folder of the data sets
	$(TESTGC) $(GO) test $(TESTFLAGS) -timeout 20m $(PACKAGES)

test-all: tools ## run the long tests as well: emulators, browsers, other simulators, whole documents
	IALGN_LONG=1 $(TESTGC) $(GO) test $(TESTFLAGS) -timeout 40m $(PACKAGES)

check: ## check formatting, the wording of changed lines, and golangci-lint, which vets; the import policy is a test
	@unformatted=$$($(TOOL) gofumpt -l .) && if [ -n "$$unformatted" ]; then \
		echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi
	@lab/words.sh
	$(TOOL) golangci-lint run ./...

dist: ## build archives, Debian packages, bills of materials and checksums for all systems, into dist/
	$(GO) run ./lab/dist -o dist $(DIST)

race: tools ## run the short tests under the race detector
	$(GO) test -race -short -timeout 60m $(PACKAGES)

cover: tools ## run all tests and say how many statements of each package its own tests reach
	$(GO) test -cover -timeout 30m $(PACKAGES)

vulncheck: ## look for known vulnerabilities, in a database that it fetches
	$(TOOL) govulncheck ./...

fmt: ## format all Go files with gofumpt
	$(TOOL) gofumpt -w .

bench: ## run BENCH in PACKAGES, COUNT times, and summarise; the raw lines go to BENCHFILE
	@mkdir -p $(dir $(BENCHFILE))
	$(GO) test -run '^$$' -bench '$(BENCH)' -count $(COUNT) -timeout 60m $(PACKAGES) > $(BENCHFILE) || { cat $(BENCHFILE); exit 1; }
	$(TOOL) benchstat $(BENCHFILE)

bench-compile: ## PARTS (map,core,scale) of the compiler beside yosys and abc, as Markdown tables
	@lab/debian.sh yosys berkeley-abc
	$(GO) run ./lab/benchcompile -parts '$(PARTS)' -models '$(MODELS)' $(COMPARE)

fuzz: ## run each fuzz target for FUZZTIME
	@for file in $$(grep -rl --include='*_test.go' '^func Fuzz' .); do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' $$file); do \
			echo "$$target of $$(dirname $$file)"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x $$(dirname $$file) || exit 1; \
		done; \
	done

fuzz-compile: COUNT = 1000
fuzz-compile: build ## compile COUNT random networks (1000), compare and prove; FUZZ has more options
	@lab/debian.sh berkeley-abc iverilog yosys
	$(GO) run ./lab/fuzzcompile -ialgn bin/ialgn -count $(COUNT) $(FUZZ)

mutate: COUNT = 600
mutate: build ## break compiled designs in the recorded ways and in COUNT others (600), which verify must find; MUTATE has more options
	@lab/debian.sh berkeley-abc iverilog yosys
	$(GO) run ./lab/mutate -count $(COUNT) $(MUTATE)

kill-test: COUNT = 200
kill-test: ## kill training COUNT times (200) at random instants, resume it and compare the models
	IALGN_KILLS=$(COUNT) $(GO) test -run '^TestKillCount$$' -count 1 -timeout 4h -v ./trainer

test-newer: ## test what yosys and nextpnr do by newer versions, which npm fetches into runs/newer
	@lab/debian.sh nodejs npm iverilog berkeley-abc fpga-icestorm fpga-icestorm-chipdb
	lab/newer/install.sh runs/newer
	PATH="$(CURDIR)/runs/newer/bin:$$PATH" $(GO) test -count 1 -timeout 60m $(NEWER)

generate: ## write the vector kernels of internal/kernel, internal/kernel/shared, trainer/internal/augment and internal/diagnose anew
	for of in kernel shared augment probe; do lab/avo/generate.sh $$of || exit 1; done

tools: ## install the Debian packages that are missing, if permitted, else name them
	@lab/debian.sh $(DEBIAN)

clean: ## remove what build, demo, dist and bench made
	rm -rf bin demo dist $(BENCHFILE)
