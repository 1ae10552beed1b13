package attempt

import (
	"os"
	"path/filepath"
	"strings"

	"torve/internal/process"
)

// installers are what brings a fresh worktree its dependencies, by what is in the
// tree; the first that is there.
var installers = []struct{ file, line, says string }{
	{"package-lock.json", "npm ci", "cannot find module|command not found|not found|missing|module_not_found"},
	{"pnpm-lock.yaml", "pnpm install --frozen-lockfile", "cannot find module|not found|missing"},
	{"yarn.lock", "yarn install --frozen-lockfile", "cannot find module|not found|missing"},
	{"package.json", "npm install", "cannot find module|not found|missing"},
	{"uv.lock", "uv sync", "modulenotfounderror|no module named|not found"},
	{"requirements.txt", "pip install -r requirements.txt", "modulenotfounderror|no module named|not found"},
	{"pyproject.toml", "pip install -e .", "modulenotfounderror|no module named|not found"},
	{"Cargo.toml", "cargo fetch", "failed to download|unable to get packages|can't find crate"},
	{"go.mod", "go mod download", "missing go.sum entry|no required module|cannot find package|dial tcp"},
	{"Gemfile.lock", "bundle install", "could not find|not found|loaderror"},
}

// mend is what most likely makes a line pass on the base: dependencies that setup
// does not bring, a program that is not here, or the line itself.
func (r *run) mend(line string, res process.Result) string {
	if len(r.Settings.Setup) == 0 {
		if install := installer(r.room.dir, strings.ToLower(string(res.Output))); install != "" {
			return `worktree: {setup: ["` + install + `"]}`
		}
	}
	if res.End == process.TimedOut {
		return "limits: {acceptance: 30m}, when it needs that long"
	}
	if cannotStart(res) {
		return "install what the line runs, or correct the line: " + line
	}
	return "make it pass on the target first: " + line
}

// installer is the setup line that the tree calls for when the output reads as if
// something was not installed.
func installer(dir, output string) string {
	for _, in := range installers {
		if _, err := os.Stat(filepath.Join(dir, in.file)); err != nil {
			continue
		}
		for said := range strings.SplitSeq(in.says, "|") {
			if strings.Contains(output, said) {
				return in.line
			}
		}
	}
	return ""
}
