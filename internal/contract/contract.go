// Package contract is a task contract: what a person asks for, where the work
// may touch, and what must hold before it lands. It parses strictly, writes one
// canonical form, and answers scope questions.
package contract

// Schema names the only contract version this program reads.
const Schema = "torve/contract/v1"

// Contract is a task contract with every default filled in.
type Contract struct {
	Schema     string   `yaml:"schema" json:"schema"`
	ID         string   `yaml:"id" json:"id"`
	Title      string   `yaml:"title" json:"title"`
	Owner      string   `yaml:"owner,omitempty" json:"owner,omitempty"`
	Spec       string   `yaml:"spec,omitempty" json:"spec,omitempty"`
	Intent     string   `yaml:"intent,omitempty" json:"intent,omitempty"`
	Workload   string   `yaml:"workload,omitempty" json:"workload"`
	DependsOn  []string `yaml:"depends_on,omitempty" json:"depends_on"`
	Scope      Scope    `yaml:"scope,omitempty" json:"scope"`
	Verbs      []string `yaml:"verbs,omitempty" json:"verbs"`
	Tests      string   `yaml:"tests,omitempty" json:"tests"`
	Base       string   `yaml:"base,omitempty" json:"base"`
	Acceptance []string `yaml:"acceptance,omitempty" json:"acceptance"`
	Budget     Budget   `yaml:"budget,omitempty" json:"budget"`
	Agent      Agents   `yaml:"agent,omitempty" json:"agent"`
	Role       string   `yaml:"role,omitempty" json:"role"`
	Targets    []string `yaml:"targets,omitempty" json:"targets"`
	Priority   int      `yaml:"priority,omitempty" json:"priority"`
	World      *World   `yaml:"world,omitempty" json:"world,omitempty"`
}

// Scope is where the work may touch, as gitignore-style globs; deny wins.
type Scope struct {
	Allow []string `yaml:"allow,omitempty" json:"allow"`
	Deny  []string `yaml:"deny,omitempty" json:"deny"`
}

// Budget bounds a task. Zero is no limit.
type Budget struct {
	Attempts int     `yaml:"attempts" json:"attempts"` // agent runs in all
	Minutes  float64 `yaml:"minutes" json:"minutes"`   // each attempt
	USD      float64 `yaml:"usd" json:"usd"`           // the whole task
	Changes  int     `yaml:"changes" json:"changes"`   // paths in one attempt
	Lines    int     `yaml:"lines" json:"lines"`       // lines in one attempt
}

// Agents is one adapter or adapter@model, or a list that is gone up one an attempt.
type Agents []string

// World is what a task of the world workload asks for.
type World struct {
	Villager string `yaml:"villager" json:"villager"`
	At       int    `yaml:"at" json:"at"`
	Profile  string `yaml:"profile" json:"profile"`
}
