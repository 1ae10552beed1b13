// Package audit asks whether the carriers agree: the record's own invariants, the
// files that are rendered from it, and the landings that git holds. It names every
// difference, and writes nothing but what a repair is asked for.
package audit
