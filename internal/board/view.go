package board

import "time"

// Row is a task as people see it at a time: View alone says waiting or queued.
type Row struct {
	*Task
	State State
	Waits []Wait // why it waits; empty unless waiting
	Order int    // place in the order of starting; 0 unless queued
}

// Wait is one thing that a task waits for.
type Wait struct {
	For    string // dependency, scope or time
	Task   string // the dependency, or the task whose scope it meets
	Glob   string // of the scope that meets
	Until  time.Time
	Person bool // the thing waited for needs a person
}

// View orders the tasks and says what each waits for: a dependency that landed does
// not know, a scope in flight, a time. shared paths never make two scopes meet.
func View(b *Board, landed func(task string) bool, shared []string, now time.Time) []Row {
	panic("unwritten")
}
