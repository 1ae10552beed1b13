package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/dispatch"
)

func TestADispatchEndsWithTheFirstThatIsTrue(t *testing.T) {
	landed := dispatch.Outcome{ID: "T-0001", Outcome: dispatch.IsLanded, Judged: true}
	refused := dispatch.Outcome{ID: "T-0002", Outcome: dispatch.IsRefused, Judged: true}
	escalated := dispatch.Outcome{ID: "T-0003", Outcome: dispatch.IsEscalated, Why: "agent_unavailable"}
	blocked := dispatch.Outcome{ID: "T-0004", Outcome: dispatch.IsReady, Blocked: true, Judged: true}
	waits := dispatch.Outcome{ID: "T-0005", Outcome: dispatch.IsWaiting}
	waitsOnYou := dispatch.Outcome{ID: "T-0006", Outcome: dispatch.IsWaiting, Person: true}
	of := func(o ...dispatch.Outcome) dispatch.Report { return dispatch.Report{Outcomes: o} }
	with := func(r dispatch.Report, change func(*dispatch.Report)) dispatch.Report { change(&r); return r }
	for _, c := range []struct {
		name string
		rep  dispatch.Report
		dry  bool
		want int
	}{
		{"all landed", of(landed), false, 0},
		{"nothing to do", of(), false, 0},
		{"held by another, who is named", with(of(), func(r *dispatch.Report) { r.HeldBy = []string{"T-0001 is held"} }), false, 0},
		{"a task waits on what is not a person's", with(of(landed), func(r *dispatch.Report) { r.Waits = []dispatch.Outcome{waits} }), false, 0},
		{"interrupted, whatever else", with(of(refused), func(r *dispatch.Report) { r.Interrupted, r.Limit.By = true, dispatch.ByQuota }), false, 130},
		{"a limit, before what needs you", with(of(refused), func(r *dispatch.Report) { r.Limit.By = dispatch.ByUSD }), false, 5},
		{"no task was judged", of(escalated), false, 4},
		{"one was judged, and another's agent is missing", of(landed, escalated), false, 2},
		{"refused", of(landed, refused), false, 2},
		{"accepted and blocked", of(blocked), false, 2},
		{"all that is left waits on a person", with(of(), func(r *dispatch.Report) { r.Waits = []dispatch.Outcome{waitsOnYou} }), false, 2},
		{"the base is red", with(of(), func(r *dispatch.Report) { r.BaseRed = "sh test.sh exited 1" }), false, 2},
		{"a contract is broken, and the others ran", with(of(landed), func(r *dispatch.Report) { r.Broken = []string{"x:1:1: bad"} }), false, 3},
		{"what needs you comes before a broken contract", with(of(refused), func(r *dispatch.Report) { r.Broken = []string{"x:1:1: bad"} }), false, 2},
		{"a dry run judges nothing", with(of(), func(r *dispatch.Report) { r.Waits = []dispatch.Outcome{waitsOnYou} }), true, 0},
		{"a dry run over a broken contract", with(of(), func(r *dispatch.Report) { r.Broken = []string{"x:1:1: bad"} }), true, 3},
	} {
		if got := (closing{rep: c.rep, dry: c.dry}).outcome().Code(); got != c.want {
			t.Errorf("%s: %d, and %d was expected", c.name, got, c.want)
		}
	}
}

func TestMintEndsWithWhatIsAPersonsToMend(t *testing.T) {
	s := shop(t)
	s.ends(0, "mint")
	s.ends(0, "new", "A draft", "--allow", "x/**")
	s.ends(3, "mint") // uncommitted
	s.Git("switch", "-q", "-c", "aside")
	s.Commit("Ask for T-0001")
	s.Git("switch", "-q", "main")
	s.ends(3, "mint", "T-0001") // elsewhere
	s.Git("merge", "-q", "aside")
	s.ends(0, "mint")
	s.ends(0, "mint", "T-0001") // unchanged is an answer
	s.Write(".torve/tasks/T-0002/contract.yaml", "schema: torve/contract/v1\nid: T-0002\ntitle: x\nscop: {}\n")
	s.Commit("Broken")
	s.ends(3, "mint")
	s.Git("rm", "-rq", ".torve/tasks/T-0002")
	s.Commit("Not that one")
	s.ends(0, "new", "By a ghost", "--allow", "x/**", "--agent", "ghost", "--commit")
	s.ends(2, "mint") // refused
}

func TestADispatchOfBrokenContractsRunsTheOthersAndEndsWith3(t *testing.T) {
	s := shop(t)
	s.plays("T-0001", "echo id >> orders/list\n")
	s.ends(0, "new", "Log the request id", "--allow", "orders/**", "--commit")
	s.Write(".torve/tasks/T-0002/contract.yaml", "schema: torve/contract/v1\nid: T-0002\ntitle: x\nscop: {}\n")
	s.Commit("Broken")
	s.shows("broken", words("dispatch"), words("status"), words("status T-0002"), words("landings"), words("mint"))
	s.ends(3, "status")
	s.ends(0, "why", "T-0002")
	s.ends(0, "landings")
}

func TestTheBaseIsRedAndNothingIsSpent(t *testing.T) {
	s := shop(t)
	s.ends(0, "new", "Log the request id", "--allow", "orders/**", "--commit")
	s.Write("check.sh", "echo no list; false\n")
	s.Commit("Break the check")
	s.shows("red", words("dispatch"), words("status"), words("why T-0001"))
	s.ends(2, "dispatch")
}

func TestLandAndTheAnswersEndWith3WhereTheStateDoesNotAllowThem(t *testing.T) {
	s := shop(t, "landing: {mode: manual}")
	s.plays("T-0001", "echo id >> orders/list\n")
	s.ends(0, "new", "Log the request id", "--allow", "orders/**", "--commit")
	for _, args := range [][]string{words("land T-0001"), words("requeue T-0001"), words("widen T-0001 x --yes"), words("land T-0001 --as HEAD --yes"), words("abandon T-0001")} {
		if r := s.ends(3, args...); !strings.Contains(r.err, "settled by the contract") {
			t.Errorf("%s: %s", strings.Join(args, " "), r.err)
		}
	}
	s.shows("manual", words("dispatch"), words("status"), words("land --dry-run"), words("land"), words("land T-0001"))
	s.ends(0, "land") // nothing to do
}

func TestGateEndsWith1ForANoAndNothingElseDoes(t *testing.T) {
	s := shop(t)
	s.ends(0, "gate", "--prove")
	s.Git("switch", "-q", "-c", "tea")
	s.Write("orders/list", "tea\nbread\n")
	s.shows("gate", words("gate"), words("gate --task T-0009"), words("gate --base nosuch"), words("gate --task x"))
	s.ends(0, "gate")
	s.Write("orders/list", "aws_access_key_id = AKIAQWERTYUIOPASDFGH\n")
	s.ends(1, "gate")
	s.ends(3, "gate", "--task", "T-0009")
}

func TestAReadEndsWith0WhateverItFoundAndCheckWith2(t *testing.T) {
	s := shop(t)
	s.ends(0, "status", "--check")
	s = dispatched(t)
	s.ends(0, "status")
	s.ends(2, "status", "--check")
	s.ends(2, "status", "--check", "--mine")
	s.ends(0, "why", "T-0003")
	s.Git("config", "user.email", "other@example.com")
	s.ends(0, "status", "--check", "--mine")
	s.ends(3, "why", "nosuch")
}

func TestARecordThatDoesNotReadIs4AndNoFallBack(t *testing.T) {
	s := night(t)
	s.ends(0, "mint")
	file := filepath.Join(s.Dir, ".git", "torve", "record.db")
	for _, name := range []string{file + "-wal", file + "-shm"} {
		os.Remove(name)
	}
	if err := os.WriteFile(file, []byte("this is no database, and it is long enough to be looked at"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{words("status"), words("why T-0001"), words("mint"), words("dispatch")} {
		s.ends(4, args...)
	}
	if r := s.ends(4, "status"); !strings.Contains(r.err, "torve: hint: torve --files -C ") {
		t.Errorf("%s", r.err)
	}
	s.ends(0, "--files", "status")
	s.ends(0, "landings")
}

func TestAReaderThatHasReadEnoughIsNoError(t *testing.T) {
	s := night(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var errs strings.Builder
	a := &app{in: strings.NewReader(""), out: w, err: &errs, now: noon, env: os.Getenv}
	if code := a.run(t.Context(), []string{"-C", s.Dir, "status"}); code != 0 || errs.Len() > 0 {
		t.Errorf("%d, %s", code, errs.String())
	}
}
