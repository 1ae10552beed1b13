package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"torve/internal/failpoint"
	"torve/internal/git"
)

func (a *app) initCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "write one config file; finds your agent, tests and branch",
		Args:  noArgs("init"),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.runInit(c.Context())
		},
	}
}

const torveIgnore = "telemetry.jsonl\nfeedback.jsonl\nfindings.jsonl\nschemas/\n"

func (a *app) runInit(ctx context.Context) error {
	repo, err := a.repository(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	root := repo.Worktree
	if root == "" {
		return usage("init", "git worktree add ../work && cd ../work && torve init", "a bare repository has no work tree to write the settings into")
	}
	d := a.detect(ctx, repo, root)
	wrote, err := fill(root, configFile, d.file())
	if err != nil {
		return broken("writing "+configFile, "", err)
	}
	if wrote {
		a.say("%s", a.wrapped("", d.line(), 2))
		a.say("wrote %s", configFile)
	} else if err := a.keepConfig(ctx, root, &d); err != nil {
		return err
	}
	failpoint.Hit(failpoint.InitConfig)
	if _, err := fill(root, ".torve/.gitignore", torveIgnore); err != nil {
		return broken("writing .torve/.gitignore", "", err)
	}
	failpoint.Hit(failpoint.InitIgnore)
	if err := writeSchemas(root); err != nil {
		return err
	}
	for _, n := range d.notes {
		a.say("%s", a.wrapped("note: ", n, 6))
	}
	if _, _, err := repo.Head(ctx); errors.Is(err, git.ErrUnborn) {
		a.next(`git add .torve && git commit -m "First commit"`)
		return nil
	}
	a.next(`torve new "what you want" --allow 'where/**' --edit`)
	return nil
}

// keepConfig leaves settings that are there as they are, and says what they say rather than
// what would be detected.
func (a *app) keepConfig(ctx context.Context, root string, d *detected) error {
	cfg, err := readConfig(root)
	if err != nil {
		return err
	}
	kept := detected{target: first(cfg.Target, d.target), agent: cfg.Agent.Default, tests: cfg.Acceptance, setup: cfg.Worktree.Setup}
	if kept.agent == d.agent {
		kept.agentVersion = d.agentVersion
	}
	kept.notes = slices.DeleteFunc(d.notes, func(n string) bool {
		return n == noTests && len(kept.tests) > 0 || n == noAgent && kept.agent != ""
	})
	*d = kept
	a.say("%s", a.wrapped("", d.line(), 2))
	a.say("kept %s as it is", configFile)
	return nil
}

// fill writes a file that is not there yet, or that a death left empty; one that says
// anything stays as it is.
func fill(root, path, text string) (bool, error) {
	full := filepath.Join(root, path)
	if info, err := os.Lstat(full); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		if err := os.Remove(full); err != nil {
			return false, err
		}
	}
	return writeNew(root, path, text)
}

// writeNew writes a file that is not there yet; one that is there stays as it is.
func writeNew(root, path, text string) (bool, error) {
	full := filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return false, err
	}
	f, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	failpoint.Hit(failpoint.InitMade)
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return false, err
	}
	return true, f.Close()
}

func (d detected) line() string {
	agent := "none found"
	if d.agent != "" {
		agent = strings.TrimSpace(d.agent + " " + d.agentVersion)
	}
	tests := "none found"
	if len(d.tests) > 0 {
		tests = fmt.Sprintf("%q", strings.Join(d.tests, "; "))
	}
	setup := ""
	if len(d.setup) > 0 {
		setup = fmt.Sprintf(" · setup %q", strings.Join(d.setup, "; "))
	}
	return fmt.Sprintf("target %s · agent %s · tests %s%s · walls none", d.target, agent, tests, setup)
}

// file writes the configuration that was detected, and nothing that has a default.
func (d detected) file() string {
	var b strings.Builder
	b.WriteString("# torve help config shows every setting and its default.\n")
	fmt.Fprintf(&b, "schema: %s\ntarget: %s\nrecord: {partition: %s}\n", configSchema, yamlText(d.target), yamlText(d.partition))
	if len(d.tests) > 0 {
		b.WriteString("acceptance: " + yamlList(d.tests) + "\n")
	}
	if d.agent != "" {
		b.WriteString("agent: {default: " + yamlText(d.agent) + "}\n")
	}
	if len(d.setup) > 0 {
		b.WriteString("worktree: {setup: " + yamlList(d.setup) + "}\n")
	}
	return b.String()
}

func yamlList(items []string) string {
	quoted := make([]string, len(items))
	for i, s := range items {
		quoted[i] = yamlText(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// yamlText quotes where a plain scalar inside a flow would not be read back as itself.
func yamlText(s string) string {
	plain := s != ""
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./", r)) {
			plain = false
		}
	}
	if plain && s[0] != '-' && s[0] != '.' {
		return s
	}
	return fmt.Sprintf("%q", s)
}
