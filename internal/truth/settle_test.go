package truth

import (
	"errors"
	"go/ast"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/strictyaml"
)

const task = "T-0001"

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func landed() Statement {
	return fromLanding("main", &LandingFile{Path: carrier.LandingPath(task, "", 1, noon), Task: task, Attempt: 1, At: noon})
}

func onBoard(s board.State) Statement {
	return fromBoard(&board.Task{ID: task, State: s, Digest: "minted"})
}

func ranHere(state string) Statement { return fromHost(carrier.State{Task: task, State: state}) }

func committed(digest string) Statement {
	return fromContract("main", File{Digest: digest, Contract: contract.Contract{ID: task}})
}

func settled(t *testing.T, statements ...Statement) Settled {
	t.Helper()
	s, err := Settle(task, statements...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// anyOf draws one thing that each carrier might say.
func anyOf(t *rapid.T) []Statement {
	states := rapid.SampledFrom([]board.State{board.Queued, board.Running, board.Ready, board.Landed, board.Reverted, board.Escalated, board.Abandoned})
	fault := Fault{Path: "x", Task: task, Err: &strictyaml.Error{File: "x", Why: "broken"}}
	pick := func(label string, choices ...Statement) Statement { return rapid.SampledFrom(choices).Draw(t, label) }
	return []Statement{
		pick("landing", landed(), landed().reverted("y"), fromRemoved(task, "main", "p", "c"), fromRemoved(task, "main", "p", "c").ended(), fromBroken(Landing, fault)),
		onBoard(states.Draw(t, "board")),
		pick("host", ranHere("running"), ranHere("escalated"), fromBroken(Host, fault)),
		pick("contract", committed("minted"), committed("other"), fromDraft("main", File{Contract: contract.Contract{ID: task}}), fromBroken(Contract, fault)),
	}
}

func TestALandingOutranksTheBoardTheBoardTheHostAndTheHostTheContractInEveryOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := anyOf(t)
		var some []Statement
		for i, st := range all {
			if rapid.Bool().Draw(t, string(all[i].carrier)) {
				some = append(some, st)
			}
		}
		want, err := Settle(task, some...)
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range permutations(some) {
			got, err := Settle(task, order...)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("in another order it is %v, want %v: %v", got, want, err)
			}
		}
		if len(some) == 0 {
			if want.Known() || want.Err() != nil {
				t.Fatalf("of nothing: %+v", want)
			}
			return
		}
		if want.Carrier() != some[0].carrier || want.State() != some[0].state || want.Because() == "" {
			t.Fatalf("%s spoke and not %s", want.Carrier(), some[0].carrier)
		}
		if want.Landing() != nil && want.Landing() != some[0].landing {
			t.Fatal("the landing is not the one that was given")
		}
	})
}

func TestTwoStatementsFromOneSourceAreRefusedInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, again := anyOf(t), anyOf(t)
		twice := rapid.IntRange(0, 3).Draw(t, "twice")
		for _, order := range permutations(append(all, again[twice])) {
			s, err := Settle(task, order...)
			if err == nil || !strings.Contains(err.Error(), "was asked twice") || s.Err() == nil {
				t.Fatalf("%s spoke twice: %v", again[twice].carrier, err)
			}
		}
	})
}

func permutations(all []Statement) [][]Statement {
	if len(all) == 0 {
		return [][]Statement{nil}
	}
	var out [][]Statement
	for i := range all {
		var rest []Statement
		rest = append(append(rest, all[:i]...), all[i+1:]...)
		for _, p := range permutations(rest) {
			out = append(out, append([]Statement{all[i]}, p...))
		}
	}
	return out
}

func TestAStatementThatNobodyMadeIsRefused(t *testing.T) {
	if _, err := Settle(task, Statement{}); err == nil {
		t.Error("the zero statement was taken")
	}
	if _, err := Settle("", landed()); err == nil {
		t.Error("a task without a name was settled")
	}
}

func TestAStatementOfAnotherTaskIsRefused(t *testing.T) {
	if _, err := Settle("T-0002", landed()); err == nil || !strings.Contains(err.Error(), "speaks of T-0001") {
		t.Errorf("the error is %v", err)
	}
}

func TestTheZeroValueIsRejectedAndNeverPanics(t *testing.T) {
	var s Settled
	if !errors.Is(s.Err(), ErrUnsettled) || s.Known() {
		t.Errorf("%v, %v", s.Err(), s.Known())
	}
	commit, path := s.RemovedBy()
	for _, empty := range []bool{
		s.State() == "", s.Carrier() == "", s.Task() == "", len(s.Overruled()) == 0, s.Overruled() != nil, s.Landing() == nil,
		s.Board() == nil, s.Host() == nil, s.File() == nil, s.Fault() == nil, s.RevertedBy() == "", commit == "", path == "",
		s.Because() == ErrUnsettled.Error(),
	} {
		if !empty {
			t.Errorf("the zero value says something: %+v", s)
		}
	}
}

func TestNobodyOutsideCanMakeASettledOrAStatement(t *testing.T) {
	for _, v := range []reflect.Type{reflect.TypeFor[Settled](), reflect.TypeFor[Statement]()} {
		for i := range v.NumField() {
			if f := v.Field(i); f.IsExported() || f.Anonymous {
				t.Errorf("%s.%s can be set from outside", v.Name(), f.Name)
			}
		}
	}
}

func TestNothingExportedGivesAStatement(t *testing.T) {
	makers := 0
	for path, file := range sources(t) {
		if filepath.Dir(path) != "../truth" || strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, d := range file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is || f.Type.Results == nil {
				continue
			}
			for _, r := range f.Type.Results.List {
				if gives, named := r.Type.(*ast.Ident); named && gives.Name == "Statement" {
					if makers++; f.Name.IsExported() {
						t.Errorf("%s makes a statement for whoever calls it", f.Name.Name)
					}
				}
			}
		}
	}
	if makers == 0 {
		t.Error("no maker of a statement was found at all: the test looks in the wrong place")
	}
}

func TestARevertedLandingRanksAsTheLandingDid(t *testing.T) {
	s := settled(t, onBoard(board.Queued), landed().reverted("later.yaml"))
	if s.State() != board.Reverted || s.Carrier() != Landing || s.RevertedBy() != "later.yaml" || s.Landing() == nil {
		t.Errorf("%s by %s, reverted by %q", s.State(), s.Carrier(), s.RevertedBy())
	}
	if st := onBoard(board.Queued).reverted("x"); st.state != board.Queued {
		t.Error("a board's word was reverted")
	}
}

func TestTheAnswerNamesTheCarrierThatSpokeAndWhy(t *testing.T) {
	broken := Fault{Path: "c.yaml", Task: task, Err: &strictyaml.Error{File: "c.yaml", Line: 3, Col: 1, Why: `there is no key "acept"`}}
	for _, c := range []struct {
		s       Settled
		carrier Carrier
		state   board.State
		because string
	}{
		{settled(t, landed(), onBoard(board.Ready)), Landing, board.Landed,
			"a landing file is in main's tree: .torve/execution/T-0001-1-20260131T120000Z.yaml"},
		{settled(t, landed().reverted("r.yaml")), Landing, board.Reverted,
			"a landing file is in main's tree: .torve/execution/T-0001-1-20260131T120000Z.yaml, and r.yaml reverts it"},
		{settled(t, fromRemoved(task, "main", "l.yaml", "4e1f0aab70c2d9"), onBoard(board.Landed)), Landing, Removed, "its landing was removed by 4e1f0aa: l.yaml"},
		{settled(t, fromRemoved(task, "main", "l.yaml", ""), onBoard(board.Landed)), Landing, Removed,
			"the record has it landed, and no commit of main holds its landing file: l.yaml"},
		{settled(t, fromRemoved(task, "main", "l.yaml", "4e1f0aab70c2d9").ended(), onBoard(board.Landed)), Landing, board.Withdrawn,
			"its landing was removed by 4e1f0aa: l.yaml, and its contract is gone too"},
		{settled(t, onBoard(board.Queued)), Board, board.Queued, "the record has it on the board"},
		{settled(t, onBoard(board.Queued), committed("minted")), Board, board.Queued, "the record has it on the board"},
		{settled(t, onBoard(board.Queued), ranHere("escalated")), Board, board.Queued,
			"the record has it on the board, and a board outranks this host's state file"},
		{settled(t, onBoard(board.Queued), committed("edited")), Board, board.Queued,
			"the record has it on the board, and the minted contract outranks the file"},
		{settled(t, ranHere("escalated"), committed("c")), Host, RanHere, "it ran here, says this host's state file, and no record knows it"},
		{settled(t, committed("c")), Contract, Committed, "its contract is committed on main, and nothing says that it was ever minted"},
		{settled(t, fromDraft("main", File{Contract: contract.Contract{ID: task}})), Contract, Draft, "its contract is in the work tree, and is not on main"},
		{settled(t, fromBroken(Contract, broken)), Contract, Broken, `c.yaml:3:1: there is no key "acept"`},
		{settled(t), "", "", "no carrier knows it"},
	} {
		if c.s.Carrier() != c.carrier || c.s.State() != c.state || c.s.Because() != c.because {
			t.Errorf("%s by %q because %q; want %s by %q because %q", c.s.State(), c.s.Carrier(), c.s.Because(), c.state, c.carrier, c.because)
		}
	}
}

func TestWhoSaidOtherwiseIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		s    Settled
		want []Overruled
	}{
		"all agree":                       {settled(t, landed(), onBoard(board.Landed), ranHere("landed"), committed("minted")), []Overruled{}},
		"a board that has not heard":      {settled(t, landed(), onBoard(board.Ready)), []Overruled{{Board, board.Ready}}},
		"a state file that is older":      {settled(t, onBoard(board.Queued), ranHere("escalated")), []Overruled{{Host, "escalated"}}},
		"a file that was edited":          {settled(t, onBoard(board.Queued), committed("edited")), []Overruled{{Contract, Committed}}},
		"a state file that does not read": {settled(t, onBoard(board.Queued), fromBroken(Host, Fault{Task: task, Err: &strictyaml.Error{}})), []Overruled{{Host, Broken}}},
		"everyone": {settled(t, landed(), onBoard(board.Queued), ranHere("running"), committed("edited")),
			[]Overruled{{Board, board.Queued}, {Host, "running"}, {Contract, Committed}}},
	} {
		if got := c.s.Overruled(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestAReadingSettlesAsSettleDoes(t *testing.T) {
	all := []Statement{landed(), onBoard(board.Queued), ranHere("escalated"), committed("edited")}
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.SliceOfNDistinct(rapid.IntRange(0, len(all)-1), 0, len(all), rapid.ID).Draw(t, "said")
		g := gatheringOf(Sources{})
		var statements []Statement
		for _, i := range said {
			statements = append(statements, all[i])
			g.say(all[i])
			g.say(all[i]) // who has spoken is not heard again
		}
		r, err := g.settle()
		if err != nil {
			t.Fatal(err)
		}
		want, err := Settle(task, statements...)
		if got := r.Settled(task); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, want %+v, %v", got, want, err)
		}
		for id, s := range r.All() {
			if id != task || !reflect.DeepEqual(s, want) {
				t.Fatalf("among all it is %+v, want %+v", s, want)
			}
		}
	})
}

func TestAReadingWithWhatNobodySaidIsRefused(t *testing.T) {
	for name, st := range map[string]Statement{"no carrier": {task: task}, "no task": {carrier: Board}} {
		g := gatheringOf(Sources{})
		g.say(st)
		if _, err := g.settle(); err == nil {
			t.Errorf("%s: it was settled", name)
		}
	}
}
