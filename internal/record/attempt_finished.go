package record

import "strings"

// Finished is attempt.finished: the agent of the attempt ended and its tree is kept.
type Finished struct {
	End     string   `json:"end"` // done, halted, time, idle, money, crashed, stopped, quota, unavailable, infrastructure, isolation, interrupted
	Exit    int      `json:"exit"`
	Seconds *float64 `json:"seconds,omitempty"` // awake time of the agent; nil: unknown
	Base    string   `json:"base"`
	Head    string   `json:"head"` // the kept commit
	Tree    string   `json:"tree"`
	Ref     string   `json:"ref"`
	Changes int      `json:"changes"`
	Lines   int      `json:"lines"`
	Usage   Usage    `json:"usage"`
	Agent   Agent    `json:"agent"`
	Regime  string   `json:"regime"`
	Why     string   `json:"why,omitempty"` // the end in one sentence, when it is not done
	Summary string   `json:"summary,omitempty"`
	Output  string   `json:"output_sha256,omitempty"`
}

// Kind is attempt.finished.
func (Finished) Kind() Kind { return KindFinished }

// Validate asks what the store cannot: that the fact is whole.
func (p Finished) Validate() error {
	return first(
		oneOf("end", p.End, Ends),
		say(p.End != "done" && p.Why == "", "it ended %s, and why is empty", p.End),
		say(p.Seconds != nil && !(*p.Seconds >= 0), "seconds are below zero"),
		say(p.Changes < 0 || p.Lines < 0, "%d changes and %d lines", p.Changes, p.Lines),
		object("base", p.Base),
		p.kept(),
		p.Usage.validate(),
		p.Agent.validate(),
		maybe(digest, "output_sha256", p.Output),
	)
}

// kept asks that the tree is kept whole: its commit, its tree and its ref. An attempt
// that broke before there was a tree to keep names none of the three.
func (p Finished) kept() error {
	if p.Head == "" && p.Tree == "" && p.Ref == "" {
		return say(p.End == "done" || p.End == "halted", "it ended %s, and no tree is kept", p.End)
	}
	return first(
		object("head", p.Head),
		object("tree", p.Tree),
		say(!strings.HasPrefix(p.Ref, "refs/torve/attempts/"), "ref %q is no kept tree's", p.Ref),
	)
}
