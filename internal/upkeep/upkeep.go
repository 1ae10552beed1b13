// Package upkeep looks after what torve leaves on a machine: kept trees, worktrees,
// locks and caches. It says what stands where, what may go and why, and removes only
// what a ref or the record holds.
package upkeep
