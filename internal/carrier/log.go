package carrier

import "fmt"

// LogSchema names the only log version this program reads.
const LogSchema = "torve/log/v1"

// Log is a task's divergences, rendered from the record; it lands with the work.
type Log struct {
	Schema  string  `yaml:"schema" json:"schema"`
	Task    string  `yaml:"task" json:"task"`
	Base    string  `yaml:"base" json:"base"`
	Entries []Entry `yaml:"entries" json:"entries"`
	Cut     []Cut   `yaml:"cut,omitempty" json:"cut,omitempty"` // what did not fit, by digest
}

// LogPath is where a task's log stands in the tree.
func LogPath(task string) string { return ".torve/tasks/" + task + "/log.yaml" }

// ReadLog reads a log strictly; its task and place agree. The error is a *strictyaml.Error.
func ReadLog(path string, data []byte) (Log, error) {
	var l Log
	d, err := document(path, data, LogSchema, &l)
	if err != nil {
		return Log{}, err
	}
	if path != LogPath(l.Task) {
		return Log{}, d.Fault(fmt.Sprintf("the log is of %s, and stands at %s", l.Task, path), "it belongs at "+LogPath(l.Task), "task")
	}
	if at, why := wrongEntry(l.Entries); why != "" {
		return Log{}, d.Fault(why, "", "entries", at)
	}
	return l, nil
}

// WriteLog gives the one form of a log: the same log is always the same bytes,
// and never more than Cap of them.
func WriteLog(l Log) ([]byte, error) {
	l.Schema, l.Entries = LogSchema, inSeconds(l.Entries)
	if at, why := wrongEntry(l.Entries); why != "" {
		return nil, fmt.Errorf("the log of %s: entry %d: %s", l.Task, at+1, why)
	}
	if !ValidTask(l.Task) {
		return nil, fmt.Errorf("writing a log: %q is no task", l.Task)
	}
	return fit(func(c *cutter) any {
		out := l
		out.Entries = cutEntries(c, l.Entries)
		out.Cut = c.cuts
		return out
	})
}
