# make help lists the targets.
GO ?= go
COMMIT := $(shell git describe --always --dirty --tags 2>/dev/null)
LDFLAGS := -s -w -X torve/internal/cli.Commit=$(COMMIT)
FUZZTIME ?= 10s
BENCH ?= .

.PHONY: help build install demo test race crash check fuzz bench microbench

help: ## the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

build: ## bin/torve, static
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/torve ./cmd/torve

install: ## torve into GOBIN
	CGO_ENABLED=0 $(GO) install -trimpath -ldflags '$(LDFLAGS)' ./cmd/torve

demo: build ## the whole story in a scratch repository, offline
	bin/torve demo

test: ## everything that the README claims; what was skipped for want of a PostgreSQL server is counted at the end
	@skips=$$(mktemp) && TORVE_TEST_SKIPS=$$skips $(GO) test -timeout 30m ./...; code=$$?; cat $$skips; rm -f $$skips; exit $$code

race: ## the packages that run things side by side, under the race detector
	$(GO) test -race ./internal/process ./internal/record/... ./internal/dispatch ./internal/landing ./internal/attempt ./internal/lang
	$(GO) test -race -run '^TestTheSameLifeComesToTheSameBytes$$' -cpu 1,2 ./internal/village

crash: ## three hundred kills over runs of forty tasks, thirty of the store, and sixty-four workers at once (CRASH_KILLS, CRASH_SEED)
	@CRASH_KILLS=$${CRASH_KILLS:-300} CRASH_TASKS=$${CRASH_TASKS:-40} STORE_RESTARTS=$${STORE_RESTARTS:-30} MANY_WORKERS=$${MANY_WORKERS:-64} \
		$(GO) test ./cmd/torve -count=1 -timeout 2h -v -run '^(TestKilledAgainAndAgainARunComesToItsEnd|TestARunGoesOnOverARestartOfItsStore|TestManyWorkersOverDisjointScopesAllLand)$$'

check: ## format, vet, modules, sizes
	@out=$$(gofmt -l cmd internal); test -z "$$out" || { echo "gofmt: $$out"; exit 1; }
	$(GO) vet ./...
	$(GO) mod verify
	$(GO) mod tidy -diff
	$(GO) run ./internal/sizes

fuzz: ## every fuzz target for FUZZTIME each
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "fuzz $$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

bench: ## figures beside their floors, in one table (docs/speed.md)
	$(GO) test -run '^$$' -bench 'Land$$|Attempt$$' -benchtime 20x ./internal/landing ./internal/attempt
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime 1x -timeout 90m ./internal/bench

microbench: ## every benchmark of every package
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...
