package carrier

// LogSchema names the only log version this program reads.
const LogSchema = "torve/log/v1"

// Log is a task's divergences, rendered from the record; it lands with the work.
type Log struct {
	Schema  string  `yaml:"schema" json:"schema"`
	Task    string  `yaml:"task" json:"task"`
	Base    string  `yaml:"base" json:"base"`
	Entries []Entry `yaml:"entries" json:"entries"`
}
