package attempt

import (
	"errors"
	"fmt"
	"io/fs"

	"torve/internal/carrier"
	"torve/internal/failpoint"
	"torve/internal/process"
)

// open begins the state of a run; the history of the task's earlier attempts on
// this host goes on.
func (r *run) open() error {
	was, there, err := r.read(r.job.Task.ID)
	if err != nil {
		r.warn("the state file is written anew: " + err.Error())
	}
	if there {
		r.was = &was
	}
	r.state = carrier.State{
		Task: r.job.Task.ID, Run: r.about.claim, State: was.State, Attempt: r.job.N,
		Worktree: r.room.dir, Base: r.room.Base, Boot: process.Self().Boot, Host: r.Host,
		Agent: r.agent.Name(), Started: r.Now().UTC(), History: was.History,
	}
	return r.mark("claimed", cutFact(r.job.N)+short(r.room.Base))
}

// cutFact begins the fact that opens an attempt's state.
func cutFact(n int) string { return fmt.Sprintf("attempt %d is cut at ", n) }

// close puts back what was there before a run that started no agent.
func (r *run) close() {
	var err error
	switch {
	case r.state.Task == "":
	case r.was != nil:
		err = carrier.WriteState(r.Settings.States, *r.was)
	default:
		err = carrier.RemoveState(r.Settings.States, r.job.Task.ID)
	}
	if err != nil {
		r.warn(err.Error())
	}
}

// mark writes the state file of the run: the move, and the fact that made it.
func (r *run) mark(to, fact string) error {
	r.turned(to, fact)
	return carrier.WriteState(r.Settings.States, r.state)
}

// turned makes a move that the next mark writes.
func (r *run) turned(to, fact string) {
	now, st := r.Now().UTC(), &r.state
	st.History = append(st.History, carrier.Move{At: now, From: st.State, To: to, Fact: fact})
	st.State, st.Updated = to, now
}

// marked is mark where a state file that cannot be written stops nothing: the
// record has the fact already.
func (r *run) marked(to, fact string) {
	if err := r.mark(to, fact); err != nil {
		r.warn(err.Error())
	}
}

// began notes the process that runs for the attempt, so that whoever takes a dead
// run over can end what it left.
func (r *run) began(pid, pgid int, start string) {
	r.state.PID, r.state.PGID, r.state.StartedAt = pid, pgid, start
	r.marked("running", fmt.Sprintf("attempt %d runs as process %d", r.job.N, pid))
	failpoint.Hit(failpoint.AttemptBegun)
}

// over notes that no process runs for the attempt any more.
func (r *run) over(to, fact string) {
	r.state.PID, r.state.PGID, r.state.StartedAt = 0, 0, ""
	r.marked(to, fact)
}

// read is the state file of a task on this host.
func (s *Station) read(task string) (st carrier.State, there bool, err error) {
	st, err = carrier.ReadState(s.Settings.States, task)
	if errors.Is(err, fs.ErrNotExist) {
		return carrier.State{}, false, nil
	}
	return st, err == nil, err
}

// moved notes what the gate or a crash made of an attempt, where the run that has
// the state file is that attempt's.
func (s *Station) moved(task string, n int, to, fact string) {
	st, there, err := s.read(task)
	if err == nil && (!there || st.Attempt != n) {
		return
	}
	if err == nil {
		r := &run{Station: s, state: st, job: Job{N: n}}
		r.job.Task.ID = task
		r.over(to, fact)
		return
	}
	s.note("warn", task, n, err.Error())
}
