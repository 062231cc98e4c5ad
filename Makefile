GO       ?= go
BIN      := bin

# Programs and tests are built with the same setting, so that their libraries are compiled once.
export CGO_ENABLED := 0

# The limit of one package's tests. Go's default of ten minutes is too short for some on a busy machine.
TESTTIME := -timeout 60m

# RECORD runs a command of the tests, and keeps its time and the tests that ran or were skipped. -vet=off: go test would analyse all
# dependencies again for its selection of go vet's analyzers, and make vet and make lint run all of these.
RESULTS := $(CURDIR)/$(BIN)/results
RECORDS := $(CURDIR)/$(BIN)/tested
RECORD   = $(RESULTS) run $(RECORDS)/$(or $(PART),$@)
GOTEST   = $(RECORD) $(GO) test -json -vet=off $(TESTTIME)

.DEFAULT_GOAL := help

.PHONY: help
help:
	@awk -F ':.*## ' '/^#@ / {printf "%s%s\n", gap, substr($$0, 4); gap = "\n"} \
	  /^[a-z0-9-]+:.*## / {line = sprintf("  %-17s", $$1); n = split($$2, words, " "); \
	    for (i = 1; i <= n; i++) {if (length(line) + length(words[i]) > 78) {print line; line = sprintf("%19s", "")} line = line " " words[i]} print line}' $(MAKEFILE_LIST)

#@ Try

.PHONY: run
run: plugins ## Serve the example converters, show a conversion, and keep serving
	@$(GO) run ./internal/testing/tour

.PHONY: demo
demo: plugins ## The same with a real API server: objects written in v1, read in v2, a module swapped meanwhile
	@cd test && $(GO) run ./cmd/demo

#@ Build

.PHONY: build
build: ## Build the gateway to bin/gateway, and the authors' tool to bin/crosswalk
	@[ ! -e $(ENGINE) ] || cmp -s $(ENGINE) $(EMBEDDED) || cp $(ENGINE) $(EMBEDDED)
	$(GO) build -o $(BIN)/ ./cmd/gateway
	$(TOOL)

# The tool, in its own module.
TOOL     := $(GO) build -C cmd/crosswalk -o $(CURDIR)/$(BIN)/

# The JavaScript engine of crosswalk compile is part of the binary if it was built: a build needs Go alone.
ENGINE   := sdk/javascript/build/engine.wasm
EMBEDDED := cmd/crosswalk/script/engine/engine.wasm

.PHONY: engine
engine: ## Build the JavaScript engine, which the next build puts into bin/crosswalk (Node.js 20)
	node sdk/javascript/engine/build.mjs
	cp $(ENGINE) $(EMBEDDED)

.PHONY: gateway
gateway: ## Build the gateway alone, which needs few libraries
	$(GO) build -o $(BIN)/ ./cmd/gateway

.PHONY: plugins
plugins: build ## Build every example converter that there is a toolchain for, to bin/plugins/<language>/ (LANGUAGES="go rules" for some)
	@OUT=$(CURDIR)/$(BIN)/plugins CROSSWALK_TOOL=$(CURDIR)/$(BIN)/crosswalk plugins/build.sh
	@[ ! -e $(ENGINE) ] || cmp -s $(ENGINE) $(EMBEDDED) || $(MAKE) --no-print-directory build # with the engine, which the tests of the tool need

.PHONY: format
format: ## Format all Go code
	gofmt -w $$(git ls-files '*.go')

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf $(BIN)

.PHONY: interpreter
interpreter: ## Build the interpreter of declarative rules, which is in the repository, after a change of sdk/rules or sdk/c (clang-19)
	sdk/rules/build.sh $(CURDIR)/cmd/crosswalk/rules/interpreter/interpreter.wasm
	sed -i "s/^const digest = .*/const digest = \"$$(sha256sum cmd/crosswalk/rules/interpreter/interpreter.wasm | cut -d' ' -f1)\"/" cmd/crosswalk/rules/interpreter/interpreter_test.go

.PHONY: dictionary
dictionary: ## Build the dictionary for zstd files again (needs its release of Go, and zstd); a dictionary that was released must not change
	internal/dictionary/build.sh go1.26

#@ Test

# The tests that a change needs first: those of -short, which need Go, git and make alone.
.PHONY: test
test: results ## Test all that needs Go alone and takes minutes: formatting, vet, build, Go and rules examples, packages, and a run of the built gateway
	@rm -rf $(RECORDS)
	@code=0; $(RECORD) $(MAKE) --no-print-directory PART=$@ test-short LANGUAGES="go rules" || code=1; \
	  $(RESULTS) show $(RECORDS)/*; \
	  echo; echo "make test-all runs the tests that were skipped here, and $(PARTS)."; \
	  echo "These take longer and have targets of their own (make help): $(LONG)."; exit $$code

# Two of these run at once, for tests wait more than half of their time. What they share is built before them, and once.
SHORT := short-tool short-gateway vet short-rest

.PHONY: test-short $(SHORT)
test-short: plugins
	@$(MAKE) --no-print-directory -k -j2 $(SHORT)

short-tool:
	@cd cmd/crosswalk && $(GOTEST) -short ./...

short-gateway:
	@$(GOTEST) -short ./...

short-rest:
	@code=0; for m in deploy sdk plugins; do (cd $$m && $(GOTEST) -short ./...) || code=1; done; \
	  $(RECORD) $(GO) run ./internal/testing/tour -once || code=1; exit $$code

# The parts of test-all, the longest first. Each runs alone, too, and then makes first what MADE says that test-all has made. Parts wait for
# compilers, child processes and an API server as much as they compute, so two run at once. One that fails does not stop the others.
PARTS := test-adopt test-tool test-kube test-race test-gateway test-languages lint test-deploy
LONG  := attack catalogue cluster mutants soak swaps test-arm64 test-kubernetes test-lifecycle test-operators test-rollback

.PHONY: test-all $(PARTS)
test-all: results plugins ## Run all other tests: the long ones of all packages, and all other parts
	@rm -f $(PARTS:%=$(RECORDS)/%)
	@code=0; $(MAKE) --no-print-directory -k -j2 MADE=1 $(PARTS) || code=1; $(RESULTS) show $(RECORDS)/* || code=1; exit $$code

ifndef MADE
$(PARTS): results plugins
endif

.PHONY: results
results:
	@$(GO) build -o $(BIN)/ ./internal/testing/results

# The modules that authors and operators use: the gateway (.), the tool with the controller, the programs of a release, the SDKs, and the
# example converters. The dependencies of the others would take staticcheck minutes and gigabytes.
SHIPPED := . cmd/crosswalk deploy sdk plugins

.PHONY: vet
vet: ## Check formatting, and run go vet on the modules that authors and operators use
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not gofmt-ed (make format):"; echo "$$out"; exit 1; fi
	@for m in $(SHIPPED); do (cd $$m && $(GO) vet ./...) || exit 1; done

# The tool is for authors' machines, so it and its tests must compile for each of their systems.
.PHONY: vet-systems
vet-systems: ## Run go vet's analyzers on the tool for macOS and Windows
	@$(GO) build -o $(BIN)/ ./internal/testing/vetsource
	@for os in darwin windows; do (cd cmd/crosswalk && GOGC=400 GOOS=$$os $(CURDIR)/$(BIN)/vetsource ./... github.com/crosswalk-gateway/crosswalk/internal/child) || exit 1; done

.PHONY: lint-all
lint-all: vet vet-systems
	@cd test && $(GO) vet ./... && $(GO) vet ./kubernetes/main.go # with the newest version of Kubernetes; test-kubernetes compiles it with others
	@mkdir -p $(BIN)
	@$(GO) build -C test -o $(CURDIR)/$(BIN)/ honnef.co/go/tools/cmd/staticcheck golang.org/x/vuln/cmd/govulncheck
	@for m in $(SHIPPED); do (cd $$m && $(CURDIR)/$(BIN)/staticcheck ./...) || exit 1; done
	@out=$$($(BIN)/govulncheck ./... 2>&1) || case "$$out" in \
	  *"fetching vulnerabilities"*) echo "skipped govulncheck: its database (https://vuln.go.dev) cannot be reached";; \
	  *) echo "$$out"; exit 1;; esac

lint: ## Run vet on all modules and systems, staticcheck, and govulncheck where its database can be reached
	@$(RECORD) $(MAKE) --no-print-directory lint-all

.PHONY: outdated
outdated: ## List the direct requirements that have a newer version
	@for m in $(SHIPPED) test; do (cd $$m && $(GO) list -m -u -e -f '{{if and .Update (not .Indirect)}}{{.Path}} {{.Version}}: {{.Update.Version}} is out{{end}}' all); done 2>/dev/null | grep . | sort -u || echo "none"

# The packages with tests that make test leaves out, or that it ran without the examples in other languages.
longer = $$(grep -rlE --include='*_test.go' --exclude-dir=testdata 'testing\.Short\(\)|bin/plugins|\bEngine\(\)' $(1) | xargs -n1 dirname | sort -u)

test-gateway: ## Test the packages of the gateway and of releases, with the long tests
	$(GOTEST) $(call longer,./cmd/gateway ./host ./runtime ./internal)
	cd deploy && $(GOTEST) ./release

test-tool: ## Test the packages of crosswalk, with the long tests: projects in every language, planted mistakes, conformance, the examples of pages
	cd cmd/crosswalk && $(GOTEST) $(call longer,.)

test-race: ## Test the packages that share state between goroutines, with the race detector (needs cc)
	@if [ "$$(env -u CGO_ENABLED $(GO) env CGO_ENABLED)" = 0 ]; then $(RECORD) echo "skipped test-race: no cc (apt-get install gcc)"; else set -x; \
	  CGO_ENABLED=1 $(GOTEST) -race -short ./host/... ./runtime ./runtime/load ./runtime/module ./runtime/watch/... \
	    ./internal/child ./runtime/codecache ./cmd/gateway/... && cd cmd/crosswalk && CGO_ENABLED=1 $(GOTEST) -race -short ./attach/... ./oci; fi

test-languages: ## Test the SDKs natively, and run the golden cases against every example, in all languages that there is a toolchain for
	cd sdk && $(GOTEST) ./...
	cd plugins && $(GOTEST) ./...
	env -u MAKEFLAGS $(RECORD) sdk/test.sh # cargo would look for the jobserver of an outer make

test-adopt: ## Adopt an operator of each form of conversion, compare a module with the operator's webhook, and attack the comparison
	cd test/operators && $(RECORD) $(GO) vet ./... && $(GOTEST) ./adopt ./list ./mutants ./oracle ./table ./unstructured
	cd deploy && $(GOTEST) ./catalogue

.PHONY: check
check: ## All tests, then fail if they or the build changed the tree
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory test-all
	@if [ -n "$$(git status --porcelain)" ]; then echo "the tree changed:"; git status --short; exit 1; fi

.PHONY: test-proof
test-proof: ## Have Coq check the theorem about rules, and compare its conversions with those of compiled rules (needs coq)
	@command -v coqc >/dev/null || { echo "coqc is not installed: apt-get install --no-install-recommends coq"; exit 1; }
	@$(GO) test -C cmd/crosswalk -count=1 -vet=off ./rules -run 'TestProof'

.PHONY: test-operators
test-operators: ## The same with all operators of the list (hours, and 4 GB of memory)
	cd test/operators && $(GO) vet ./... && OPERATORS=all $(GO) test -timeout 10h ./...

.PHONY: operators-table
operators-table: ## Adopt operators from the Go module proxy, and write docs/author/operators.md's table (hours; KIND=Task or OPERATOR=Tekton for its rows)
	$(TOOL)
	cd test/operators && $(GO) run ./table $(if $(KIND),-kind $(KIND)) $(if $(OPERATOR),-operator "$(OPERATOR)")

.PHONY: operators-oracle
operators-oracle: ## Compare modules with the operators' own webhooks, and write what is found to the same table (an hour of CPU; KIND=BGPPeer for one)
	@code=0; cd test/operators && \
	  { OPERATORS=all $(GO) test -v -count=1 -timeout 10h -run 'TestWebhooks/$(if $(KIND), $(KIND))$$' ./oracle -update || code=$$?; \
	  $(GO) run ./table -rows && exit $$code; } # the rows of kinds that differ, too

.PHONY: mutants
mutants: ## Attack the comparison of crosswalk adopt: put mistakes into adopted conversions (half an hour of CPU; KIND=BGPPeer for one)
	$(TOOL)
	cd test/operators && $(GO) run ./mutants -each 25 $(if $(KIND),-kind $(KIND)) $(if $(WORK),-work $(WORK))

.PHONY: catalogue
catalogue: build ## Adopt the operators of deploy/catalogue, publish their modules in REGISTRY=HOST/PATH (default: a docker-registry of its own), and write their pages there
	$(GO) build -C deploy -o $(CURDIR)/$(BIN)/deploy/ ./catalogue && $(BIN)/deploy/catalogue $(if $(REGISTRY),-registry $(REGISTRY)) $(if $(OPERATOR),-operator "$(OPERATOR)")

.PHONY: test-lifecycle
test-lifecycle: plugins ## Take definitions through their life on a full control plane (CROSSWALK_KUBE names Kubernetes' binary)
	@test -n "$(CROSSWALK_KUBE)" || { echo "set CROSSWALK_KUBE to the multi-call binary of Kubernetes that make cluster builds"; exit 1; }
	cd test && CROSSWALK_KUBE=$(CROSSWALK_KUBE) go test -v -count=1 -timeout 60m ./lifecycle

test-kube: ## Drive the gateway with real API servers, of the newest version and the oldest (the first build takes some ten minutes of CPU)
	cd test && $(GOTEST) ./...
	$(MAKE) --no-print-directory test-kubernetes MADE=1 PART=$@ KUBERNETES=1.29 RUN='^Test(Attach|FieldManager|ManagedFields|Metadata|Retire|ReviewVersions|ServerOffences|StorageVersion|WithdrawnParts|WithdrawnSchedule)'

# Each version of Kubernetes has a module file in test/kubernetes; test/go.mod has the newest.
KUBERNETES := 1.29 1.34 1.35 1.36

.PHONY: test-kubernetes
test-kubernetes: $(if $(MADE),,results plugins) ## Run the end-to-end tests with the API servers of older versions of Kubernetes (KUBERNETES=1.29 for one; each takes minutes of CPU to build)
	@for v in $(KUBERNETES); do \
	  (cd test/kubernetes && $(RECORD) $(GO) build -modfile $$v.mod -o $(CURDIR)/$(BIN)/kubernetes-$$v .) || exit 1; \
	  (cd test && CROSSWALK_APISERVER=$(CURDIR)/$(BIN)/kubernetes-$$v $(GOTEST) -count=1 -run '$(RUN)' ./e2e) || exit 1; done

.PHONY: test-rollback
test-rollback: plugins ## Swap the gateway and the one of an earlier revision to and fro over one cache (FROM=v0.1.0)
	@rm -rf $(BIN)/previous && mkdir -p $(BIN)/previous && git archive $(FROM) | tar -x -C $(BIN)/previous
	cd $(BIN)/previous && $(GO) build -o ../gateway-previous ./cmd/gateway
	@rm -rf $(BIN)/previous
	cd test && CROSSWALK_PREVIOUS=$(CURDIR)/$(BIN)/gateway-previous $(GO) test $(TESTTIME) -count=1 -run TestGatewayRollback -v ./e2e

test-deploy: ## Render and lint the chart with Helm's library, and evaluate alerts and dashboard with Prometheus' engine
	cd test/chart && $(RECORD) $(GO) vet ./... && $(GOTEST) -count=1 ./... # the files lie outside of the module, where the cache does not see changes
	cd test/monitoring && $(RECORD) $(GO) vet ./... && $(GOTEST) -count=1 ./...

.PHONY: cluster
cluster: plugins ## Start a Kubernetes cluster of two nodes, install the chart, and test it there (root; half an hour of CPU the first time)
	test/cluster/run.sh

.PHONY: cluster-quick
cluster-quick: plugins ## The same with five of the scenarios: install, swap, rollout, killed gateway, an operator's webhook retired (ten minutes, once built)
	OTHERS=metallb test/cluster/run.sh -test.run 'TestCluster/(install|a_module_swapped|a_rollout|a_killed|an_operator)'

.PHONY: test-arm64
test-arm64: ## Run the tests of the meter and of hostile modules on arm64, in an emulator (qemu-aarch64-static, of Debian's qemu-user-static)
	GOARCH=arm64 $(GO) test -vet=off $(TESTTIME) -short -exec qemu-aarch64-static ./runtime/meter ./runtime/module ./runtime/load $(if $(RUN),-run '$(RUN)')

.PHONY: testdata
testdata: ## Compile the .wat fixtures again (needs wabt); the tree must not change by it
	@for f in $$(git ls-files '*/testdata/*.wat'); do wat2wasm $$f -o $${f%.wat}.wasm || exit 1; done
	@git status --porcelain -- '*.wasm'

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (default 20s)
	@for m in . cmd/crosswalk sdk; do (cd $$m && for pkg in $$($(GO) list ./...); do \
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
	  for part in '^TestLemmas$$' '^TestAttack$$' '^TestAttackReal$$' '^TestAttackChains$$' '^TestAttackTwins$$' '^TestAttackNesting$$'; do \
	    $(GO) test -C cmd/crosswalk -v -count=1 -timeout 20h -run "$$part" ./prove || code=1; done; \
	  $(GO) test -C cmd/crosswalk -count=1 -timeout 20h -run '^TestProposalsOfMutatedDefinitions$$' ./propose || code=1; exit $$code

.PHONY: soak
soak: plugins ## Load, reloads, rollbacks, and hostile modules, files and clients together for SOAK (default 10m)
	$(GO) run ./internal/testing/soak -for $${SOAK:-10m}

.PHONY: swaps
swaps: ## Swap the module of a running gateway SWAPS times (default 2000) as a kubelet does, under load
	SWAPS=$${SWAPS:-2000} $(GO) test ./cmd/gateway -run '^TestSwapsOfAVolume$$' -count 1 -v -timeout 60m

#@ Measure

.PHONY: bench
bench: ## Benchmark packages, and whole reviews against controller-runtime's handler and the documentation's, ROUNDS=5 turns each (make plugins first)
	@mkdir -p $(BIN)
	$(GO) test -run '^$$' -bench . -benchmem ./host/... ./runtime/... ./internal/... | tee $(BIN)/bench-packages.txt
	cd test && $(GO) test -run '^$$' -bench '^Benchmark(Review|Limit)' -benchtime 1x -timeout 60m ./bench $(if $(ROUNDS),-rounds=$(ROUNDS)) | tee ../$(BIN)/bench.txt
	@cd test && $(GO) run ./bench/report ../$(BIN)/bench-packages.txt ../$(BIN)/bench.txt

.PHONY: fleet
fleet: plugins ## Measure the memory and CPU of a gateway with 20 modules and 100 definitions
	$(GO) run ./internal/testing/fleet

.PHONY: review-files
review-files: ## Print the files of the gateway that one review passes
	$(GO) test -count=1 -run '^TestFilesOfReview$$' -v ./cmd/gateway

.PHONY: bench-cold
bench-cold: ## Print what one review costs over TLS in counts: allocations, timers, system calls, switches (make plugins first; perf and strace, root)
	cd test && $(GO) test -run '^$$' -bench '^BenchmarkCold$$' -benchtime 1x ./bench

.PHONY: bench-split
bench-split: ## Print where the CPU time of one review goes, by phase (make plugins first)
	cd test && $(GO) test -run '^$$' -bench '^BenchmarkSplit$$' -benchtime 1x ./bench

.PHONY: bench-e2e
bench-e2e: ## The same over TLS, one object at a time, with the API server's own client; lists of 10,000 objects by an API server; and starts
	@mkdir -p $(BIN)
	cd test && $(GO) test -run '^$$' -bench '^Benchmark(TLS|List|First)' -benchtime 1x -timeout 60m ./bench $(if $(ROUNDS),-rounds=$(ROUNDS)) $(if $(PEER),-peer=$(PEER) -peer-ca=$(abspath $(PEER_CA)) -peer-pid=$(PEER_PID)) | tee ../$(BIN)/bench-e2e.txt
	@cd test && $(GO) run ./bench/report ../$(BIN)/bench-e2e.txt

.PHONY: bench-docs
bench-docs: ## Write docs/use/performance.md and its chart from the last output of make bench and make bench-e2e
	cd test && $(GO) run ./bench/report -docs ../docs/use ../$(BIN)/bench-packages.txt ../$(BIN)/bench.txt ../$(BIN)/bench-e2e.txt

.PHONY: sdk-table
sdk-table: ## Write the table of languages in sdk/README.md from the modules in bin/plugins and what make bench measured last
	cd test && $(GO) run ./bench/report -sdk ../sdk/README.md -modules ../$(BIN)/plugins ../$(BIN)/bench.txt

#@ Release

# The engine and its packages are not tracked, so those that lie there may be of another revision. The flags are those of the programs, so that
# their libraries are compiled once for this machine.
.PHONY: release
release: ## Make the files of a release in bin/release: make release VERSION=v0.1.0 KEY=release.pem (Node.js 20; without KEY, unsigned)
	rm -rf sdk/javascript/build sdk/javascript/node_modules
	@$(MAKE) --no-print-directory engine
	$(GO) build -C deploy -trimpath -o $(CURDIR)/$(BIN)/deploy/ ./release
	$(BIN)/deploy/release --version "$(VERSION)" --out $(BIN)/release
	@[ -z "$(KEY)" ] || openssl pkeyutl -sign -rawin -inkey "$(KEY)" -in $(BIN)/release/SHA256SUMS -out $(BIN)/release/SHA256SUMS.sig

.PHONY: pictures
pictures: plugins ## Draw make demo and the status page again for README.md (chromium)
	@cd test && $(GO) run ./cmd/demo -pictures ../docs/use

.PHONY: site
site: ## Build the documentation as a site to bin/site/html (python3, and PyPI the first time)
	@rm -rf $(BIN)/site/pages
	$(GO) build -C deploy -o $(CURDIR)/$(BIN)/deploy/ ./site && $(BIN)/deploy/site $(BIN)/site
	@[ -x $(BIN)/site/venv/bin/zensical ] || { python3 -m venv $(BIN)/site/venv && $(BIN)/site/venv/bin/pip install -q -r deploy/site/requirements.txt; }
	cd $(BIN)/site && venv/bin/zensical build --clean --strict
