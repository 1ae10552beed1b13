// Package view answers status, why and landings as values, from a truth.Reading
// and git. It writes nothing.
package view
