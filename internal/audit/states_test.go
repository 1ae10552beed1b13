package audit

import (
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/truth"
)

func TestAStateFileThatARunWroteSinceItWasReadIsNotRepaired(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	was := carrier.State{Task: "T-0001", Run: "C-1", State: "running", Attempt: 1, PID: 7, Started: at, Updated: at}
	for name, differ := range map[string]func(*inquiry){
		"left":      func(i *inquiry) { i.leftOver("T-0001", "it was abandoned") },
		"overruled": func(i *inquiry) { i.stateAs(&board.Task{ID: "T-0001"}, was) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(st carrier.State) {
				if err := carrier.WriteState(dir, st); err != nil {
					t.Fatal(err)
				}
			}
			write(was)
			states, faults := carrier.ReadStates(dir)
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			i := &inquiry{Sources: Sources{Sources: truth.Sources{States: dir}, Now: at}, r: &truth.Reading{States: states}, story: newStory()}
			i.question = &questions[len(questions)-4]
			i.story.claims["C-1"] = true
			differ(i)
			now := was
			now.Run, now.PID = "C-2", 8
			write(now)
			if _, err := Repair(t.Context(), i.report, Hands{}); err != nil {
				t.Fatal(err)
			}
			if states, _ := carrier.ReadStates(dir); states["T-0001"].PID != 8 {
				t.Errorf("the file of the run that goes on is %+v", states)
			}
			write(was)
			if mended, err := Repair(t.Context(), i.report, Hands{}); err != nil || len(mended) != 1 {
				t.Errorf("mended %+v, %v", mended, err)
			}
			if states, _ := carrier.ReadStates(dir); len(states) > 0 {
				t.Errorf("what nobody wrote since is still %+v", states)
			}
		})
	}
}
