package carrier

import "time"

// StateSchema names the only state version this program reads.
const StateSchema = "torve/state/v1"

// State is the run that an attempt loop drives on this host: .wt/<task>.state.json.
type State struct {
	Schema     string      `json:"schema"`
	Task       string      `json:"task"`
	Run        string      `json:"run"` // the claim's id
	State      string      `json:"state"`
	Attempt    int         `json:"attempt"`
	Worktree   string      `json:"worktree,omitempty"`
	Base       string      `json:"base,omitempty"`
	PID        int         `json:"pid,omitempty"`
	PGID       int         `json:"pgid,omitempty"`
	StartedAt  string      `json:"started_at,omitempty"` // process start, as the platform gives it
	Boot       string      `json:"boot,omitempty"`
	Host       string      `json:"host,omitempty"`
	Agent      string      `json:"agent,omitempty"`
	Started    time.Time   `json:"started,omitzero"`
	Updated    time.Time   `json:"updated,omitzero"`
	Escalation *Escalation `json:"escalation,omitempty"`
	History    []Move      `json:"history"`
}

// Escalation is why the run needs a person.
type Escalation struct {
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

// Move is one change of the run's state and the fact that made it.
type Move struct {
	At   time.Time `json:"at"`
	From string    `json:"from"`
	To   string    `json:"to"`
	Fact string    `json:"fact"`
}
