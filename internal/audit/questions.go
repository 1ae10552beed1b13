package audit

import "context"

// question is one thing that is asked of the carriers. Each has a file of its own.
type question struct {
	name     string
	about    string   // for errors and for the documentation
	carriers []string // who are compared
	recorded bool     // it is about the record, and is not asked without one
	ask      func(*inquiry, context.Context) (of int, err error)
}

// questions are asked in this order: what the others rest on comes first.
var questions = []question{
	{"record", "the record's invariants R1 to R7", []string{"record"}, true, (*inquiry).askRecord},
	{"root", "the repository that the record belongs to", []string{"record", "git"}, true, (*inquiry).askRoot},
	{"board", "what the record says of attempts", []string{"record"}, true, (*inquiry).askBoard},
	{"snapshot", "what is kept beside the record", []string{"record"}, true, (*inquiry).askSnapshots},
	{"contract", "the contracts that were minted", []string{"record", "git"}, true, (*inquiry).askContracts},
	{"kept", "the trees that attempts left", []string{"record", "git"}, true, (*inquiry).askKept},
	{"landing", "the landing files", []string{"git"}, false, (*inquiry).askLandings},
	{"landed", "the landings that the record holds", []string{"record", "git"}, true, (*inquiry).askLanded},
	{"log", "the logs that landed", []string{"record", "git"}, true, (*inquiry).askLogs},
	{"telemetry", "the rows of telemetry", []string{"record", "telemetry"}, true, (*inquiry).askTelemetry},
	{"state", "this host's state files", []string{"record", "host"}, true, (*inquiry).askStates},
	{"claim", "the claims that are open", []string{"record", "host"}, true, (*inquiry).askClaims},
	{"lock", "the locks of claims", []string{"record", "host"}, true, (*inquiry).askLocks},
	{"worktree", "the worktrees that are registered", []string{"git", "host"}, false, (*inquiry).askWorktrees},
}
