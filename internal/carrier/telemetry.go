package carrier

import "time"

// TelemetrySchema names the only telemetry version this program writes.
const TelemetrySchema = "torve/telemetry/v1"

// Row is one attempt in .torve/telemetry.jsonl. Absent stays absent, never zero.
type Row struct {
	Schema    string    `json:"schema"`
	At        time.Time `json:"at"`
	Task      string    `json:"task"`
	Attempt   int       `json:"attempt"`
	Base      string    `json:"base"`
	Head      string    `json:"head"`
	Agent     Agent     `json:"agent"`
	Regime    string    `json:"regime"`
	Verdict   string    `json:"verdict"` // accepted, refused or none
	Check     string    `json:"check,omitempty"`
	Reason    string    `json:"reason,omitempty"`
	Seconds   *float64  `json:"seconds,omitempty"`
	TokensIn  *int64    `json:"tokens_in,omitempty"`
	TokensOut *int64    `json:"tokens_out,omitempty"`
	USD       *float64  `json:"usd,omitempty"`
	Source    string    `json:"usd_source"`
}
