package dispatch

import (
	"context"
	"fmt"
)

// Green is what is known of the target's tree when a run ends that landed something.
type Green struct {
	Asked bool   // its acceptance was run for this, since no landing of the run had that very tree
	Red   string // the line and why; "" when it is green or was not asked
	Why   string // why it was not asked, where it should have been
}

// green makes sure at the end that the target's tree is green. The gate passed the tree of
// each landing; another one, which a person or another run made of it, is asked now. Where
// nothing landed nothing is paid.
func (r *run) green(ctx context.Context) {
	head := r.report.To
	if len(r.landed) == 0 || r.landed[head] || r.Hands.Green == nil {
		return
	}
	if r.stopping(ctx) {
		r.report.Green.Why = "others moved it, and the run was stopped"
		return
	}
	r.note(Note{Kind: "asks", Text: fmt.Sprintf("others moved the target to %.7s: its acceptance is run", head)})
	r.report.Green.Asked = true
	red, err := r.Hands.Green(ctx, head)
	if err != nil {
		r.report.Green.Why = err.Error()
	}
	r.report.Green.Red = red
}
