package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// choice is a setting with a closed list of values; later is what this version
// knows by name and cannot do yet, which is refused and never taken silently.
type choice struct {
	key, value   string
	known, later []string
}

func (c config) check() error {
	if c.Schema != configSchema {
		return newerConfig(c.Schema)
	}
	if err := requires(c.Requires); err != nil {
		return err
	}
	if err := partitionName("config.yaml", c.Record.Partition); err != nil {
		return err
	}
	for _, ch := range []choice{
		{"worktree.sparse", c.Worktree.Sparse, []string{"inherit"}, nil},
		{"worktree.submodules", c.Worktree.Submodules, []string{"auto"}, nil},
		{"worktree.lfs", c.Worktree.LFS, []string{"skip"}, nil},
		{"sandbox.mode", c.Sandbox.Mode, []string{"auto", "none"}, []string{"landlock", "bwrap"}},
		{"sandbox.network", c.Sandbox.Network, []string{"on"}, []string{"off"}},
		{"landing.mode", c.Landing.Mode, []string{"auto", "manual"}, []string{"pr"}},
		{"landing.sign", c.Landing.Sign, []string{"inherit", "on", "off"}, nil},
		{"law.secrets", c.Law.Secrets, []string{"on", "off"}, nil},
		{"review.blocks_at", c.Review.BlocksAt, []string{"minor", "major", "blocker"}, nil},
	} {
		if err := ch.check(); err != nil {
			return err
		}
	}
	for name, a := range c.Agents {
		if slices.ContainsFunc(a.Env, func(e string) bool { return e == "TORVE_DSN" || strings.HasPrefix(e, "TORVE_DSN=") }) {
			return usage("reading "+configFile, "take it out, as this file is committed: export TORVE_DSN=@FILE", "agents.%s.env names TORVE_DSN, and no agent reaches the record", name)
		}
	}
	return c.later()
}

func (ch choice) check() error {
	for _, k := range ch.known {
		if ch.value == k {
			return nil
		}
	}
	for _, k := range ch.later {
		if ch.value == k {
			return notYet(ch.key + ": " + ch.value)
		}
	}
	return usage("reading "+configFile, ch.key+": "+ch.known[0], "%s is %q, and it may be %s", ch.key, ch.value, strings.Join(ch.known, ", "))
}

// later refuses the settings that this version reads and cannot act on yet.
func (c config) later() error {
	set := []struct {
		key string
		on  bool
	}{
		{"sandbox.required", c.Sandbox.Required},
		{"sandbox.hide", len(c.Sandbox.Hide) > 0},
		{"review.by", c.Review.By != ""},
		{"notify.run", len(c.Notify.Run) > 0},
	}
	for _, s := range set {
		if s.on {
			return notYet(s.key)
		}
	}
	for name, a := range c.Agents {
		if a.Sees != "" || len(a.Price) > 0 {
			return notYet("agents." + name + ": sees or price")
		}
	}
	return c.checkNumbers()
}

func (c config) checkNumbers() error {
	if c.Dispatch.Workers < 1 || c.Dispatch.Workers > 64 {
		return usage("reading "+configFile, "dispatch: {workers: 2}", "dispatch.workers is %d, and it may be 1 to 64", c.Dispatch.Workers)
	}
	if err := c.checkLimits(); err != nil {
		return err
	}
	if c.Law.Stale < 0 {
		return usage("reading "+configFile, "law: {stale: 200}", "law.stale is %d, and it counts commits (0: no cap)", c.Law.Stale)
	}
	if strings.TrimSpace(c.Target) == "" {
		return usage("reading "+configFile, "target: main", "target is empty")
	}
	return nil
}

// checkLimits asks what ends a run, and how many of an agent run at once.
func (c config) checkLimits() error {
	d := c.Dispatch
	if err := checkUSD("reading "+configFile, "dispatch.usd", "dispatch: {usd: 20}", d.USD); err != nil {
		return err
	}
	if d.Until != "" {
		if _, err := untilAt(d.Until, time.Time{}); err != nil { // one that is past is refused when a run begins
			return usage("reading "+configFile, `dispatch: {until: "07:00"}`, "dispatch.until: %v", err)
		}
	}
	if d.StopOnEscalations < 0 {
		return usage("reading "+configFile, "dispatch: {stop_on_escalations: 3}", "dispatch.stop_on_escalations is %d, and it counts tasks (0: never)", d.StopOnEscalations)
	}
	for name, a := range c.Agents {
		if a.Slots < 0 {
			return usage("reading "+configFile, "agents: {"+name+": {slots: 2}}", "agents.%s.slots is %d, and it counts runs (0: any number)", name, a.Slots)
		}
	}
	return nil
}

// checkUSD asks that an amount of money can hold a run.
func checkUSD(doing, key, hint string, usd float64) error {
	if usd < 0 || math.IsNaN(usd) || math.IsInf(usd, 0) {
		return usage(doing, hint, "%s is %v, and it is an amount of dollars (0: no cap)", key, usd)
	}
	return nil
}

func notYet(key string) error {
	return usage("reading "+configFile, "take it out: this version of torve cannot act on it", "%s is a setting that this torve %s does not have", key, Version)
}

func newerConfig(schema string) error {
	return usage("reading "+configFile, "schema: "+configSchema, "its schema is %q, and this torve reads %s", schema, configSchema)
}

// requires asks a lower bound such as ">=0.1" of this version.
func requires(bound string) error {
	if bound == "" {
		return nil
	}
	want, ok := strings.CutPrefix(strings.ReplaceAll(bound, " ", ""), ">=")
	var major, minor int
	if _, err := fmt.Sscanf(want+".0", "%d.%d", &major, &minor); !ok || err != nil {
		return usage("reading "+configFile, `requires: ">=0.1"`, "requires is %q, and it is written like >=0.1", bound)
	}
	var haveMajor, haveMinor int
	fmt.Sscanf(Version, "%d.%d", &haveMajor, &haveMinor)
	if major > haveMajor || major == haveMajor && minor > haveMinor {
		return usage("reading "+configFile, "install torve "+want+" or newer", "it requires torve %s, and this is %s", bound, Version)
	}
	return nil
}
