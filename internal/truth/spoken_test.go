package truth

import (
	"testing"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/record/recordtest"
)

func TestATaskThatAnEventNamesAndNobodyMintedIsNotOnTheBoard(t *testing.T) {
	p := newPlace(t).opened()
	p.ask("T-0002")
	p.event(task, 0, "", record.ByPerson, record.Message{To: "whoever reads", Text: "it may come"})
	p.event("T-0002", 0, "", record.ByPerson, record.Message{To: "whoever reads", Text: "not minted yet"})
	if s := p.settled(task); s.Known() || s.Board() != nil {
		t.Errorf("a message makes it %s, said by the %s", s.State(), s.Carrier())
	}
	p.want("T-0002", Committed, Contract)
	p.ran("T-0003", "running")
	p.event("T-0003", 0, "", record.ByPerson, record.Message{To: "whoever reads", Text: "where is it"})
	p.want("T-0003", RanHere, Host)
	if p.gather().Recorded("T-0003") {
		t.Error("a message makes the record hold the run")
	}
}

func TestATaskWhoseContractIsGoneIsWithdrawnAndTheBoardSaysSo(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	p.event(task, 0, "", record.ByMint, record.Withdrawn{Commit: recordtest.Object("d"), Why: "its contract is gone"})
	p.repo.Git("rm", "-q", "-r", ".torve/tasks/T-0001")
	p.repo.Commit("Not wanted")
	if s := p.want(task, board.Withdrawn, Board); s.Board() == nil || s.Board().Digest == "" {
		t.Error("the board does not say what was withdrawn")
	}
}

func TestATaskThatLandedUnmintedIsOnTheBoard(t *testing.T) {
	p := newPlace(t).opened()
	p.heard(task, p.land(task))
	if !p.gather().Recorded(task) {
		t.Error("the record holds its landing, and is said not to hold it")
	}
	p.want(task, board.Landed, Landing)
}

func TestALandingCountsTheChecksThatWereAskedOnArrival(t *testing.T) {
	_, b := lived(t)
	a := b.Tasks[task].Attempts[0]
	for n, c := range map[int]record.Judged{
		6: recordtest.Accepted("arrival"),
		4: recordtest.Refused("arrival", "law", "no"), // shape, verb, grounding and law; two were not asked
		1: recordtest.Refused("arrival", "shape", "no"),
	} {
		a.Judged = []board.Judging{{Judged: recordtest.Accepted("arrival")}, {Judged: c}}
		due := recordtest.Accepted("due")
		g := LandingOf(b.Tasks[task], a, Facts{Due: &due}).Gate
		if g.Asked != n || len(g.Checks) != 12 {
			t.Errorf("it asked %d of %d answers, and %d were asked on arrival", g.Asked, len(g.Checks), n)
		}
	}
}
