# The modules of this repository: the gateway (.), the Go SDK, the example converters, and the tests that need a Kubernetes
# API server, whose dependencies are large.
MODULES  := . sdk/go plugins test
GO       ?= go
BIN      := bin

# The limit of one package's tests. Go's default of ten minutes is too short for some on a busy machine.
TESTTIME := -timeout 60m

# skips runs tests, and keeps a list of those that were skipped. -vet=off: go test would analyse all dependencies again for its
# selection of go vet's analyzers, and the targets below run all of these.
SKIPPED  := $(CURDIR)/$(BIN)/skipped
SKIPS    := $(CURDIR)/$(BIN)/skips $(SKIPPED)
GOTEST   := $(SKIPS) $(GO) test -json -vet=off $(TESTTIME)

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "; print "Targets:"} /^[a-z0-9-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the gateway to bin/gateway, and the authors' tool to bin/crosswalk
	@[ ! -e $(ENGINE) ] || cmp -s $(ENGINE) $(EMBEDDED) || cp $(ENGINE) $(EMBEDDED)
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/ ./cmd/gateway ./cmd/crosswalk

# The JavaScript engine of crosswalk compile is part of the binary if it was built: a build needs Go alone.
ENGINE   := sdk/javascript/build/engine.wasm
EMBEDDED := cmd/crosswalk/script/engine/engine.wasm

.PHONY: engine
engine: ## Build the JavaScript engine, which the next build puts into bin/crosswalk (Node.js 20)
	node sdk/javascript/engine/build.mjs
	cp $(ENGINE) $(EMBEDDED)

.PHONY: gateway
gateway: ## Build the gateway alone, which needs few libraries
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/ ./cmd/gateway

.PHONY: plugins
plugins: ## Build every example converter that there is a toolchain for, to bin/plugins/<language>/
	@OUT=$(CURDIR)/$(BIN)/plugins plugins/build.sh
	@[ ! -e $(ENGINE) ] || cmp -s $(ENGINE) $(EMBEDDED) || cp $(ENGINE) $(EMBEDDED) # the tests of the tool need it

.PHONY: interpreter
interpreter: ## Build the interpreter of declarative rules, which is in the repository, after a change of sdk/rules or sdk/c (clang-19)
	sdk/rules/build.sh $(CURDIR)/cmd/crosswalk/rules/interpreter/interpreter.wasm
	sed -i "s/^const digest = .*/const digest = \"$$(sha256sum cmd/crosswalk/rules/interpreter/interpreter.wasm | cut -d' ' -f1)\"/" cmd/crosswalk/rules/interpreter/interpreter_test.go

.PHONY: dictionary
dictionary: ## Build the dictionary for zstd files again (needs its release of Go, and zstd); a dictionary that was released must not change
	internal/dictionary/build.sh go1.26

.PHONY: run
run: gateway plugins ## Serve the example converters, show a conversion, and keep serving
	@$(GO) run ./internal/testing/tour

.PHONY: demo
demo: build plugins ## The same with a real API server: objects written in v1, read in v2, a module swapped meanwhile
	@cd test && $(GO) run ./cmd/demo

# The parts wait for compilers, child processes and an API server as much as they compute, so two run at once.
# A part that fails does not stop the others: one run shows all failures. The longest come first.
.PHONY: test
test: skips ## Run all tests, and list those that were skipped (the converters come first: tests of the gateway use them)
	@rm -f $(SKIPPED)
	@$(SKIPS) $(MAKE) --no-print-directory lint build plugins
	@code=0; $(MAKE) --no-print-directory -k -j2 test-kubebuilder test-unit test-e2e test-plugins test-race test-oldest test-sdk test-deploy || code=$$?; \
	  $(SKIPS); exit $$code

.PHONY: skips
skips:
	@$(GO) build -o $(BIN)/ ./internal/testing/skips

.PHONY: vet
vet: ## Check formatting and run go vet in every module
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not gofmt-ed (make format):"; echo "$$out"; exit 1; fi
	@for m in $(MODULES); do (cd $$m && $(GO) vet ./...) || exit 1; done
	@cd test && $(GO) vet ./kubernetes/main.go # with the newest version of Kubernetes; test-kubernetes compiles it with others

# Staticcheck runs on the modules that authors and operators use; the dependencies of test/ would take it minutes and gigabytes.
LINTED := . sdk/go plugins

# The tool is for authors' machines, so it and its tests must compile for each of their systems.
.PHONY: vet-systems
vet-systems: ## Run go vet's analyzers on the tool for macOS and Windows
	@$(GO) build -o $(BIN)/ ./internal/testing/vetsource
	@for os in darwin windows; do GOGC=400 GOOS=$$os CGO_ENABLED=0 $(BIN)/vetsource ./cmd/crosswalk/... ./internal/child || exit 1; done

.PHONY: lint
lint: vet vet-systems ## Run vet and staticcheck, and govulncheck where its database can be reached
	@mkdir -p $(BIN)
	@$(GO) build -o $(BIN)/staticcheck honnef.co/go/tools/cmd/staticcheck
	@for m in $(LINTED); do (cd $$m && $(CURDIR)/$(BIN)/staticcheck ./...) || exit 1; done
	@out=$$($(GO) tool govulncheck ./... 2>&1) || case "$$out" in \
	  *"fetching vulnerabilities"*) echo "skipped govulncheck: its database (https://vuln.go.dev) cannot be reached";; \
	  *) echo "$$out"; exit 1;; esac

.PHONY: test-unit
test-unit: skips ## Test the gateway's packages
	$(GOTEST) ./...

.PHONY: test-race
test-race: skips ## Test the packages that share state between goroutines, with the race detector (test-unit lists what they skip)
	@if [ "$$($(GO) env CGO_ENABLED)" = 0 ]; then $(SKIPS) echo "skipped test-race: no cc (apt-get install gcc)"; else set -x; \
	  $(GO) test -vet=off $(TESTTIME) -race -short ./host/... ./runtime ./runtime/load ./runtime/module ./runtime/watch/... ./internal/attach/... \
	    ./internal/child ./runtime/codecache ./cmd/gateway/... ./cmd/crosswalk/oci; fi

.PHONY: test-sdk
test-sdk: plugins skips ## Test the SDKs natively, of all languages that there is a toolchain for
	cd sdk/go && $(GOTEST) ./...
	env -u MAKEFLAGS $(SKIPS) sdk/test.sh # cargo would look for the jobserver of an outer make

.PHONY: test-plugins
test-plugins: plugins skips ## Run the golden cases against every example converter, natively and as WebAssembly
	cd plugins && $(GOTEST) ./...

.PHONY: test-kubebuilder
test-kubebuilder: skips ## Adopt an operator of each form of conversion, compare modules with Go types written by hand and with webhooks, and attack the comparison
	cd test/operators && $(GO) vet ./... && $(GOTEST) ./adopt ./externaljob ./list ./mutants ./oracle ./table ./unstructured

.PHONY: test-operators
test-operators: ## The same with all operators of the list (hours, and 4 GB of memory)
	cd test/operators && $(GO) vet ./... && OPERATORS=all $(GO) test -timeout 10h ./...

.PHONY: operators-table
operators-table: ## Adopt operators from the Go module proxy, and write sdk/README.md's table (hours; KIND=Task or OPERATOR=Tekton for its rows)
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/ ./cmd/crosswalk
	cd test/operators && $(GO) run ./table $(if $(KIND),-kind $(KIND)) $(if $(OPERATOR),-operator "$(OPERATOR)")

.PHONY: operators-oracle
operators-oracle: ## Compare modules with the operators' own webhooks, and write what is found to the same table (an hour of CPU; KIND=BGPPeer for one)
	@code=0; cd test/operators && \
	  { OPERATORS=all $(GO) test -v -count=1 -timeout 10h -run 'TestWebhooks/$(if $(KIND), $(KIND))$$' ./oracle -update || code=$$?; \
	  $(GO) run ./table -rows && exit $$code; } # the rows of kinds that differ, too

.PHONY: mutants
mutants: ## Attack the comparison of crosswalk adopt: put mistakes into adopted conversions (half an hour of CPU; KIND=BGPPeer for one)
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/ ./cmd/crosswalk
	cd test/operators && $(GO) run ./mutants -each 25 $(if $(KIND),-kind $(KIND)) $(if $(WORK),-work $(WORK))

.PHONY: catalogue
catalogue: build ## Adopt the operators of deploy/catalogue, publish their modules in REGISTRY=HOST/PATH (default: a docker-registry of its own), and write their pages there
	$(GO) run ./deploy/catalogue $(if $(REGISTRY),-registry $(REGISTRY)) $(if $(OPERATOR),-operator "$(OPERATOR)")

.PHONY: test-lifecycle
test-lifecycle: build plugins ## Take definitions through their life on a full control plane (CROSSWALK_KUBE names Kubernetes' binary)
	@test -n "$(CROSSWALK_KUBE)" || { echo "set CROSSWALK_KUBE to the multi-call binary of Kubernetes that make cluster builds"; exit 1; }
	cd test && CROSSWALK_KUBE=$(CROSSWALK_KUBE) go test -v -count=1 -timeout 60m ./lifecycle

.PHONY: test-e2e
test-e2e: build plugins skips ## Drive the gateway with a real API server (the first build takes some ten minutes of CPU)
	cd test && $(GOTEST) ./...

# Each version of Kubernetes has a module file in test/kubernetes; test/go.mod has the newest.
KUBERNETES := 1.29 1.34 1.35 1.36

.PHONY: test-kubernetes
test-kubernetes: build plugins ## Run the end-to-end tests with the API servers of older versions of Kubernetes (KUBERNETES=1.29 for one; each takes minutes of CPU to build)
	@for v in $(KUBERNETES); do \
	  (cd test/kubernetes && $(GO) build -modfile $$v.mod -o $(CURDIR)/$(BIN)/kubernetes-$$v .) || exit 1; \
	  (cd test && CROSSWALK_APISERVER=$(CURDIR)/$(BIN)/kubernetes-$$v $(GO) test -vet=off $(TESTTIME) -count=1 -run '$(RUN)' ./e2e) || exit 1; done

# The tests that depend most on the API server.
.PHONY: test-oldest
test-oldest: KUBERNETES := 1.29
test-oldest: RUN := ^Test(Attach|ManagedFields|Metadata|Retire|ReviewVersions|ServerOffences|StorageVersion)
test-oldest: test-kubernetes ## Run the most telling of them with the oldest version

.PHONY: test-rollback
test-rollback: build plugins ## Swap the gateway and the one of an earlier revision to and fro over one cache (FROM=v0.1.0)
	@rm -rf $(BIN)/previous && mkdir -p $(BIN)/previous && git archive $(FROM) | tar -x -C $(BIN)/previous
	cd $(BIN)/previous && CGO_ENABLED=0 $(GO) build -trimpath -o ../gateway-previous ./cmd/gateway
	@rm -rf $(BIN)/previous
	cd test && CROSSWALK_PREVIOUS=$(CURDIR)/$(BIN)/gateway-previous $(GO) test $(TESTTIME) -count=1 -run TestGatewayRollback -v ./e2e

.PHONY: test-deploy
test-deploy: skips ## Render and lint the chart with Helm's library, and evaluate alerts and dashboard with Prometheus' engine
	cd test/chart && $(GO) vet ./... && $(GOTEST) -count=1 ./... # the files lie outside of the module, where the cache does not see changes
	cd test/monitoring && $(GO) vet ./... && $(GOTEST) -count=1 ./...

.PHONY: cluster
cluster: plugins ## Start a Kubernetes cluster of two nodes, install the chart, and test it there (root; half an hour of CPU the first time)
	test/cluster/run.sh

.PHONY: cluster-quick
cluster-quick: plugins ## The same with five of the scenarios: install, swap, rollout, killed gateway, an operator's webhook retired (ten minutes, once built)
	OTHERS=metallb test/cluster/run.sh -test.run 'TestCluster/(install|a_module_swapped|a_rollout|a_killed|an_operator)'

.PHONY: testdata
testdata: ## Compile the .wat fixtures again (needs wabt); the tree must not change by it
	@for f in $$(git ls-files '*/testdata/*.wat'); do wat2wasm $$f -o $${f%.wat}.wasm || exit 1; done
	@git status --porcelain -- '*.wasm'

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (default 20s)
	@for m in . sdk/go; do (cd $$m && for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "== $$pkg $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $${FUZZTIME:-20s} -fuzzminimizetime 1x $$pkg || exit 1; \
	  done; done) || exit 1; done

# One go test for each part: each has its own time limit, and a part that fails does not stop the others. At two busy cores the whole takes
# a day: 80 minutes for the lemmas, 2 to 9 hours for each sort of attacks. It ran as a whole with ATTACKS=250 LEMMA_OBJECTS=2000 PROPOSALS=8, in 36
# minutes and without a loss: 245 of 1,000 attacks were proved, 68 of them on real definitions.
.PHONY: attack
attack: ## Attack the proofs of rules for hours: 100,000 objects for each lemma, 20,000 attacks of each sort, and proposals for 100 definitions (fewer with LEMMA_OBJECTS, ATTACKS and PROPOSALS; ATTACK_SEED=n for others)
	@code=0; export LEMMA_OBJECTS=$${LEMMA_OBJECTS:-100000} ATTACKS=$${ATTACKS:-20000} PROPOSALS=$${PROPOSALS:-100}; \
	  for part in '^TestLemmas$$' '^TestAttack$$' '^TestAttackReal$$' '^TestAttackChains$$' '^TestAttackTwins$$'; do \
	    $(GO) test -v -count=1 -timeout 20h -run "$$part" ./cmd/crosswalk/prove || code=1; done; \
	  $(GO) test -count=1 -timeout 20h -run '^TestProposalsOfMutatedDefinitions$$' ./cmd/crosswalk/propose || code=1; \
	  HELD_OUT=1 $(GO) test -count=1 -timeout 20h -run '^TestFuzzFindsHeldOutMistakesInGo$$' ./cmd/crosswalk || code=1; exit $$code

.PHONY: soak
soak: build plugins ## Load, reloads, rollbacks, shadow modules, and hostile modules, files and clients together for SOAK (default 10m)
	$(GO) run ./internal/testing/soak -for $${SOAK:-10m}

.PHONY: swaps
swaps: ## Swap the module of a running gateway SWAPS times (default 2000) as a kubelet does, under load
	SWAPS=$${SWAPS:-2000} $(GO) test ./cmd/gateway -run '^TestSwapsOfAVolume$$' -count 1 -v -timeout 60m

.PHONY: bench
bench: ## Benchmark packages, and whole reviews against controller-runtime's handler and the documentation's, ROUNDS=5 turns each (make plugins first)
	@mkdir -p $(BIN)
	$(GO) test -run '^$$' -bench . -benchmem ./host/... ./runtime/... ./internal/... | tee $(BIN)/bench-packages.txt
	cd test && $(GO) test -run '^$$' -bench '^Benchmark(Review|Limit)' -benchtime 1x -timeout 60m ./bench $(if $(ROUNDS),-rounds=$(ROUNDS)) | tee ../$(BIN)/bench.txt
	@cd test && $(GO) run ./bench/report ../$(BIN)/bench-packages.txt ../$(BIN)/bench.txt

.PHONY: fleet
fleet: gateway plugins ## Measure the memory and CPU of a gateway with 20 modules and 100 definitions
	$(GO) run ./internal/testing/fleet

.PHONY: bench-split
bench-split: ## Print where the CPU time of one review goes, by phase (make plugins first)
	cd test && $(GO) test -run '^$$' -bench '^BenchmarkSplit$$' -benchtime 1x ./bench

.PHONY: bench-e2e
bench-e2e: ## The same over TLS, one object at a time, with the API server's own client; lists of 10,000 objects by an API server; and starts
	@mkdir -p $(BIN)
	cd test && $(GO) test -run '^$$' -bench '^Benchmark(TLS|List|First)' -benchtime 1x -timeout 60m ./bench $(if $(ROUNDS),-rounds=$(ROUNDS)) | tee ../$(BIN)/bench-e2e.txt
	@cd test && $(GO) run ./bench/report ../$(BIN)/bench-e2e.txt

.PHONY: bench-docs
bench-docs: ## Write docs/use/performance.md and its chart from the last output of make bench and make bench-e2e
	cd test && $(GO) run ./bench/report -docs ../docs/use ../$(BIN)/bench-packages.txt ../$(BIN)/bench.txt ../$(BIN)/bench-e2e.txt

.PHONY: sdk-table
sdk-table: ## Write the table of languages in sdk/README.md from the modules in bin/plugins and what make bench measured last
	cd test && $(GO) run ./bench/report -sdk ../sdk/README.md -modules ../$(BIN)/plugins ../$(BIN)/bench.txt

# The engine and its packages are not tracked, so those that lie there may be of another revision. The flags are those of the programs, so that
# their libraries are compiled once for this machine.
.PHONY: release
release: ## Make the files of a release in bin/release: make release VERSION=v0.1.0 (Node.js 20)
	rm -rf sdk/javascript/build sdk/javascript/node_modules
	@$(MAKE) --no-print-directory engine
	CGO_ENABLED=0 $(GO) run -trimpath ./deploy/release --version "$(VERSION)" --out $(BIN)/release

.PHONY: pictures
pictures: build plugins ## Draw make demo and the status page again for README.md (chromium)
	@cd test && $(GO) run ./cmd/demo -pictures ../docs/use

.PHONY: site
site: ## Build the documentation as a site to bin/site/html (python3, and PyPI the first time)
	@rm -rf $(BIN)/site/pages
	$(GO) run ./deploy/site $(BIN)/site
	@[ -x $(BIN)/site/venv/bin/zensical ] || { python3 -m venv $(BIN)/site/venv && $(BIN)/site/venv/bin/pip install -q -r deploy/site/requirements.txt; }
	cd $(BIN)/site && venv/bin/zensical build --clean --strict

.PHONY: format
format: ## Format all Go code
	gofmt -w $$(git ls-files '*.go')

.PHONY: check
check: test ## All tests, then fail if they or the build changed the tree
	@if [ -n "$$(git status --porcelain)" ]; then echo "the tree changed:"; git status --short; exit 1; fi

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf $(BIN)
