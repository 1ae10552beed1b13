// Package law decides over plans: what a plan may say, and six checks in a fixed order, of
// which the last two ask the world, as a reading of it at one tick. It knows coordinates and
// bodies, and nothing else of this module: no model, no store, no clock.
package law
