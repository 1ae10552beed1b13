// Package carrier is the files that people and clones read: landing, log, run
// state, telemetry and report. Each is read strictly and written in one
// canonical form; what they hold is rendered from the record by others.
package carrier
