package village

import (
	"encoding/json"
	"testing"

	"torve/internal/beast"
	"torve/internal/law"
	"torve/internal/sim"
)

// BenchmarkAsk is what a question costs: who is in sight, what is remembered, the prompt and
// its hash.
func BenchmarkAsk(b *testing.B) {
	r, how := born(b), how(b)
	if err := r.Run(1400); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Ask(2, how); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadPlan is what the strict read of a model's answer costs.
func BenchmarkReadPlan(b *testing.B) {
	text := answer(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadPlan(text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUnmarshal is the floor of it: encoding/json reads the same bytes, and is not strict.
func BenchmarkUnmarshal(b *testing.B) {
	text := answer(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var p law.Plan
		if err := json.Unmarshal(text, &p); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLegal is the floor of a judgement: one question of the world's own rule.
func BenchmarkLegal(b *testing.B) {
	r := born(b)
	if err := r.Run(1400); err != nil {
		b.Fatal(err)
	}
	ander := r.Body(2)
	b.ReportAllocs()
	for b.Loop() {
		if err := ander.Legal(beast.Walk, r.View()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkArrival is what an answer costs that comes in: it is read, and all six checks are
// asked over a reading of the valley.
func BenchmarkArrival(b *testing.B) {
	r, text := born(b), answer(b)
	if err := r.Run(1400); err != nil {
		b.Fatal(err)
	}
	terms := law.Terms{Caps: how(b).Caps, Law: law.Lawless{}, Stale: 200}
	b.ReportAllocs()
	for b.Loop() {
		p, err := ReadPlan(text)
		if err != nil {
			b.Fatal(err)
		}
		reading, err := r.Reading(2)
		if err != nil {
			b.Fatal(err)
		}
		proposal := law.Proposal{Plan: p, Asked: 1400, Set: []sim.EntityID{1, 2, 3}, Profile: "villager"}
		if v := law.Validate(proposal, terms, reading); !v.OK {
			b.Fatal(v)
		}
	}
}

// BenchmarkPost is what a plan costs at the boundary where a step comes due: it is asked, and
// its act put into the slot.
func BenchmarkPost(b *testing.B) {
	r := born(b)
	terms := law.Terms{Caps: how(b).Caps, Law: law.Lawless{}, Stale: 200}
	wait := law.Proposal{Plan: law.Plan{Steps: []law.Step{{Verb: law.Wait}}}, Asked: 900}
	b.ReportAllocs()
	for b.Loop() {
		drive, err := r.Drive(2, wait, terms)
		if err != nil {
			b.Fatal(err)
		}
		if on, err := drive.Post(); err != nil || drive.now().Posted != 1 {
			b.Fatal(on, err)
		}
		r.alive(2).slot = nil
	}
}
