package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"torve/internal/agent"
	"torve/internal/git"
	"torve/internal/process"
)

// detected is what init found in a repository.
type detected struct {
	target, partition   string
	agent, agentVersion string
	tests, setup        []string
	notes               []string
}

// What was looked for in vain.
const (
	noTests = "no tests found: set acceptance in " + configFile + ", or give each contract its own --accept"
	noAgent = "no agent found: name a command of yours as one in " + configFile + ", as torve help config shows"
)

func (a *app) detect(ctx context.Context, repo *git.Repo, root string) detected {
	d := detected{target: detectTarget(ctx, repo), partition: detectPartition(ctx, repo)}
	d.tests, d.setup = detectCommands(root)
	if len(d.tests) == 0 {
		d.notes = append(d.notes, noTests)
	}
	for _, known := range agent.Known() {
		if process.Look(known.Program) == "" {
			continue
		}
		d.agent = known.Name
		if ad, err := agent.Find(known.Name, nil, process.Look); err == nil {
			d.agentVersion = ad.Version(ctx)
		}
		break
	}
	if d.agent == "" {
		d.notes = append(d.notes, noAgent)
	}
	return d
}

// detectTarget is the remote's default branch, else main or master, else the current one.
func detectTarget(ctx context.Context, repo *git.Repo) string {
	if out, err := repo.Run(ctx, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"); err == nil {
		if name, ok := strings.CutPrefix(strings.TrimSpace(out), "origin/"); ok {
			return name
		}
	}
	for _, name := range []string{"main", "master"} {
		if _, err := repo.Resolve(ctx, "refs/heads/"+name); err == nil {
			return name
		}
	}
	if out, err := repo.Run(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
		return strings.TrimSpace(out)
	}
	return "main"
}

var remotePath = regexp.MustCompile(`^(?:[a-z+]+://[^/]+/|[^/:]+@?[^/:]*:)(.+?)(?:\.git)?/?$`)

// detectPartition is the origin's org/repo, else the folder's name.
func detectPartition(ctx context.Context, repo *git.Repo) string {
	if out, err := repo.Run(ctx, "config", "--get", "remote.origin.url"); err == nil {
		if m := remotePath.FindStringSubmatch(strings.TrimSpace(out)); m != nil {
			return nameFrom(partitionOf(m[1]))
		}
	}
	return nameFrom(folderName(repo.Common))
}

// partitionOf is the last two steps of a remote's path.
func partitionOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

// detectCommands finds the test and setup commands by the files at the root.
func detectCommands(root string) (tests, setup []string) {
	has := func(name string) bool { _, err := os.Stat(filepath.Join(root, name)); return err == nil }
	if has("go.mod") {
		tests = append(tests, "go test ./...")
	}
	if npmTests(root) {
		tests = append(tests, "npm test")
	}
	for _, of := range [][2]string{
		{"package-lock.json", "npm ci"}, {"yarn.lock", "yarn install --frozen-lockfile"}, {"pnpm-lock.yaml", "pnpm install --frozen-lockfile"},
	} {
		if has(of[0]) {
			setup = append(setup, of[1])
		}
	}
	if has("pyproject.toml") || has("pytest.ini") || has("setup.cfg") {
		tests = append(tests, "python -m pytest")
	}
	if has("Cargo.toml") {
		tests = append(tests, "cargo test")
	}
	if len(tests) == 0 && makeTarget(root, "test") {
		tests = append(tests, "make test")
	}
	return tests, setup
}

// npmTests reports whether package.json has a test script that is not npm's placeholder.
func npmTests(root string) bool {
	data, err := os.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return false
	}
	var p struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal(data, &p) != nil {
		return false
	}
	test := p.Scripts["test"]
	return test != "" && !strings.Contains(test, "no test specified")
}

func makeTarget(root, name string) bool {
	for _, file := range []string{"Makefile", "makefile", "GNUmakefile"} {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err == nil && regexp.MustCompile(`(?m)^`+name+`\s*:([^=]|$)`).Match(data) {
			return true
		}
	}
	return false
}
