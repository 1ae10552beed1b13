package truth

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/record"
)

func revertOf(ids ...string) func(*carrier.Landing) {
	return func(l *carrier.Landing) { l.Reverts, l.At = ids, l.At.Add(time.Hour) }
}

// Rule 1.

func TestALandingOutranksEverything(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	p.ran(task, "running")
	path := p.land(task)
	s := p.want(task, board.Landed, Landing)
	if s.Landing().Path != path || s.Board() == nil || s.Host() == nil || s.File() == nil {
		t.Errorf("the landing is %+v", s.Landing())
	}
	if want := []Overruled{{Board, board.Queued}, {Host, "running"}}; !reflect.DeepEqual(s.Overruled(), want) {
		t.Errorf("overruled %v", s.Overruled())
	}
	r := p.gather()
	rows := r.Rows(noon, nil)
	if len(rows) != 1 || rows[0].State != board.Landed || rows[0].Order != 0 {
		t.Errorf("a task that git has landed may start: %+v", rows)
	}
	if got := r.Board.Tasks[task].State; got != board.Queued {
		t.Errorf("a question has changed what the record says: %s", got)
	}
}

func TestLandedMeansALandingFileWhoseNameTaskAndPlaceAgreeIsInTheTree(t *testing.T) {
	for name, spoil := range map[string]func(p *place, path string) string{
		"its task is another's": func(p *place, path string) string {
			p.repo.Write(path, strings.Replace(p.repo.Read(path), "task: T-0001", "task: T-0002", 1))
			return "the file is named for T-0001"
		},
		"its place is a spec's": func(p *place, path string) string {
			p.repo.Write(path, strings.Replace(p.repo.Read(path), "\nattempt:", "\nspec: S-0001\nattempt:", 1))
			return "belongs in .torve/specs/S-0001/execution/"
		},
		"its attempt is another": func(p *place, path string) string {
			p.repo.Write(path, strings.Replace(p.repo.Read(path), "attempt: 1\n", "attempt: 2\n", 1))
			return "the file is named for attempt 1"
		},
		"its time is another": func(p *place, path string) string {
			p.repo.Write(path, strings.Replace(p.repo.Read(path), "\nat: 2026", "\nat: 2025", 1))
			return "at is 2025"
		},
		"it is no landing": func(p *place, path string) string {
			p.repo.Write(path, "<<<<<<< ours\n")
			return "a map of keys is wanted"
		},
		"it is of a newer version": func(p *place, path string) string {
			p.repo.Write(path, strings.Replace(p.repo.Read(path), "landing/v1", "landing/v2", 1))
			return "torve/landing/v2 is newer than this torve reads"
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.ask(task)
			path := p.land(task)
			why := spoil(p, path)
			p.repo.Commit("Spoil it")
			s := p.want(task, Broken, Landing) // and nothing starts beside it
			r := p.gather()
			if r.Landed(task) || len(r.Landings) != 0 || len(r.Faults) != 1 || !strings.Contains(r.Faults[0].Err.Why, why) || s.Fault() == nil {
				t.Errorf("landed %v, %d landings, faults %v", r.Landed(task), len(r.Landings), r.Faults)
			}
		})
	}
}

func TestALandingFileThatIsCopiedRenamedOrInTheWrongFolderLandsNothingAndIsNamed(t *testing.T) {
	p := newPlace(t)
	for n, id := range []string{"T-0001", "T-0002", "T-0003", "T-0004"} {
		p.ask(id)
		path := p.land("T-0009", func(l *carrier.Landing) { l.At = l.At.Add(time.Duration(n) * time.Minute) })
		name := strings.Replace(path[strings.LastIndexByte(path, '/')+1:], "T-0009", id, 1)
		to := []string{".torve/execution/", ".torve/execution/old/", ".torve/specs/S-0001/execution/", ".torve/specs/S-1/execution/"}[n] + name
		p.repo.Write(to, strings.Replace(p.repo.Read(path), "T-0009", id, min(n, 1)))
		p.repo.Commit("Place " + to)
		if s := p.want(id, Broken, Landing); s.Fault().Path != to || p.gather().Landed(id) {
			t.Errorf("%s lands %s", to, id)
		}
	}
	if r := p.gather(); len(r.Faults) != 4 || !r.Landed("T-0009") || len(r.Landings) != 4 {
		t.Errorf("faults %v; of the four that are whole %d stand", r.Faults, len(r.Landings))
	}
}

func TestOfTwoLandingsOfOneTaskTheNewestSpeaksAndBothAreListed(t *testing.T) {
	p := newPlace(t)
	p.ask(task)
	p.land(task)
	newest := p.land(task, func(l *carrier.Landing) { l.Attempt, l.At = 2, l.At.Add(time.Hour) })
	s := p.want(task, board.Landed, Landing)
	if r := p.gather(); s.Landing().Path != newest || len(r.Landings) != 2 || len(r.Faults) != 0 {
		t.Errorf("%s speaks of %d landings, faults %v", s.Landing().Path, len(r.Landings), r.Faults)
	}
}

func TestAFileAmongTheLandingsWhoseNameIsNoneIsNamed(t *testing.T) {
	p := newPlace(t)
	p.repo.Write(".torve/execution/T-0001.yaml", "x: y\n")
	p.repo.Write(".torve/execution/README.md", "what lies here\n")
	p.repo.Commit("Odd names")
	if r := p.gather(); len(r.Faults) != 1 || r.Faults[0].Path != ".torve/execution/T-0001.yaml" || len(r.Tasks()) != 0 {
		t.Errorf("faults %v, tasks %v", r.Faults, r.Tasks())
	}
}

func TestReadyWithoutALandingSatisfiesNothing(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.ask("T-0002", "depends_on: [T-0001]\n")
	p.mint(task)
	p.mint("T-0002")
	p.try(task)
	p.release(task, "ready")
	p.want(task, board.Ready, Board)
	r := p.gather()
	if rows := r.Rows(noon, nil); r.Landed(task) || rows[1].State != board.Waiting || rows[1].Waits[0].Task != task {
		t.Errorf("beside accepted work: %+v", rows[1].Waits)
	}
	p.land(task)
	r = p.gather()
	if rows := r.Rows(noon, nil); !r.Landed(task) || rows[1].State != board.Queued {
		t.Errorf("after the landing: %+v", rows[1])
	}
}

func TestADependencyIsSatisfiedByAFileInTheTreeAndNotByTheRecordsWord(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	p.heard(task, carrier.LandingPath(task, "", 1, noon))
	if r := p.gather(); r.Landed(task) {
		t.Error("the record's word satisfied a dependency")
	}
}

func TestADependencyIsAskedOfTheTreeOfTheBaseThatTheDependentIsCutFrom(t *testing.T) {
	p := newPlace(t)
	before := p.ask(task)
	p.land(task)
	landed := p.repo.Git("rev-parse", "HEAD")
	p.land("T-0002", revertOf(task))
	for head, want := range map[string][]string{
		before: {"T-0003", "T-0002", task}, landed: {"T-0003", "T-0002"}, p.repo.Git("rev-parse", "HEAD"): {"T-0003", task},
	} {
		got, err := Unlanded(t.Context(), p.git, head, []string{"T-0003", "T-0002", task})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("at %s %v have not landed, want %v: %v", head, got, want, err)
		}
		if known, err := p.memory.Unlanded(t.Context(), p.git, head, []string{"T-0003", "T-0002", task}); err != nil || !reflect.DeepEqual(known, want) {
			t.Errorf("with a memory at %s %v have not landed, want %v: %v", head, known, want, err)
		}
	}
	if got, err := Unlanded(t.Context(), p.git, "nowhere", nil); got != nil || err != nil {
		t.Errorf("of none: %v, %v", got, err)
	}
}

func TestALandingThatGitHoldsAndTheRecordDoesNotIsNeverOverruled(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	p.event(task, 0, "", record.ByPerson, record.Resolved{Answer: "abandoned"})
	p.land(task)
	p.want(task, board.Landed, Landing)
}

// Rule 2.

func TestTheBoardOutranksTheHost(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	p.ran(task, "escalated")
	s := p.want(task, board.Queued, Board)
	if want := []Overruled{{Host, "escalated"}}; !reflect.DeepEqual(s.Overruled(), want) {
		t.Errorf("overruled %v", s.Overruled())
	}
}

func TestTheHostDecidesOnlyWhetherAContractIsMinted(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.ran(task, "escalated")
	p.want(task, RanHere, Host)
	// A requeue mints it and puts it on the board: from then on no file on a machine overrules it.
	p.mint(task)
	p.event(task, 0, "", record.ByPerson, record.Resolved{Answer: "requeued", Mode: "fresh"})
	p.want(task, board.Queued, Board)
	p.ran(task, "running")
	p.want(task, board.Queued, Board)
}

func TestAStateFileThatDoesNotReadKeepsAContractFromBeingTakenForNew(t *testing.T) {
	p := newPlace(t)
	p.ask(task)
	p.repo.Write(".wt/T-0001.state.json", "{")
	p.want(task, Broken, Host)
	if r := p.gather(); len(r.Faults) != 1 {
		t.Errorf("faults %v", r.Faults)
	}
}

// Rule 3.

func TestTheContractOutranksTheCorpusAtMint(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	row := record.Row{ID: "S-0001/D-1", Grade: "ASSUMED", Text: "two hundred", Paths: []string{}}
	p.event("", 0, "", record.ByMint, record.Decision{ID: row.ID, Grade: "ASSUMED", Text: row.Text})
	p.mint(task, row)
	p.event("", 0, "", record.ByMint, record.Decision{ID: row.ID, Grade: "LOCKED", Text: "three hundred", Paths: []string{"law/**"}})
	r := p.gather()
	if got := r.Settled(task).Board().Rows; !reflect.DeepEqual(got, []record.Row{row}) {
		t.Errorf("the task carries %+v", got)
	}
	if got := r.Board.Decisions[row.ID].Grade; got != "LOCKED" {
		t.Errorf("the corpus is %s", got)
	}
}

// Rule 4.

func TestTheMintedContractOutranksTheFileOnceMinted(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	p.ask(task, "priority: 9\n")
	s := p.want(task, board.Queued, Board)
	if s.Board().Contract.Priority != 0 || s.File().Contract.Priority != 9 {
		t.Errorf("minted with priority %d, filed with %d", s.Board().Contract.Priority, s.File().Contract.Priority)
	}
	if want := []Overruled{{Contract, Committed}}; !reflect.DeepEqual(s.Overruled(), want) || !s.Edited() {
		t.Errorf("overruled %v, edited %v", s.Overruled(), s.Edited())
	}
	minted := s.Board().Digest
	for _, c := range []struct{ how, digest string }{{"edited", minted}, {"same", s.File().Digest}} {
		if how, path := p.gather().FileToday(task, c.digest); how != c.how || path != contract.PathOf(task) {
			t.Errorf("the file is %s at %q, want %s", how, path, c.how)
		}
	}
	p.repo.Write(contract.PathOf(task), text(task)) // the work tree has what was minted
	if how, _ := p.gather().FileToday(task, minted); how != "same" {
		t.Errorf("the file in the work tree is %s", how)
	}
	if how, path := p.gather().FileToday("T-0099", minted); how != "missing" || path != "" {
		t.Errorf("no file is %s at %q", how, path)
	}
}

func TestAContractIsReadFromTheTargetsHeadAndNeverFromTheDirtyWorkTree(t *testing.T) {
	p := newPlace(t)
	p.ask(task)
	p.repo.Write(contract.PathOf(task), text(task, "priority: 9\n"))
	r := p.gather()
	if s := r.Settled(task); s.State() != Committed || s.File().Contract.Priority != 0 {
		t.Errorf("%s with priority %d", s.State(), s.File().Contract.Priority)
	}
	if f, there := r.Drafts[task]; !there || f.Contract.Priority != 9 || f.Staged {
		t.Errorf("the edit is %+v", f)
	}
	p.repo.Git("add", "-A")
	if f := p.gather().Drafts[task]; !f.Staged {
		t.Error("the edit that is in the index is not said to be")
	}
}

func TestACleanWorkTreeHasNoDraft(t *testing.T) {
	p := newPlace(t)
	p.ask(task)
	if r := p.gather(); len(r.Drafts) != 0 {
		t.Errorf("drafts %v", r.Drafts)
	}
	p.repo.Write(contract.PathOf(task), strings.ReplaceAll(text(task), "\n", "\r\n"))
	if r := p.gather(); len(r.Drafts) != 0 {
		t.Error("the line ends of another system make a draft")
	}
}

// What was removed, and what was reverted.

func TestALandingFileInHistoryAndNoLongerInTheTreeIsRemoved(t *testing.T) {
	for _, name := range []string{"with a record", "without a record", "with a record that was lost"} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.ask(task)
			if name != "without a record" {
				p.opened()
			}
			path := p.land(task)
			if name == "with a record" {
				p.mint(task)
				p.heard(task, path)
			}
			p.repo.Git("revert", "--no-edit", "HEAD")
			s := p.want(task, Removed, Landing)
			commit, was := s.RemovedBy()
			if commit != p.repo.Git("rev-parse", "HEAD") || was != path || !strings.Contains(s.Because(), "its landing was removed by "+commit[:7]) {
				t.Errorf("removed by %q: %s", commit, s.Because())
			}
			if p.gather().Landed(task) {
				t.Error("it satisfies a dependency")
			}
		})
	}
}

func TestALandingThatAMergeDropsIsRemovedByTheMerge(t *testing.T) {
	for name, merge := range map[string][]string{
		"its changes are dropped whole":   {"merge", "-q", "-s", "ours", "--no-edit", "side"},
		"its file is dropped by a person": {"merge", "-q", "--no-commit", "--no-ff", "side"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.ask(task)
			p.repo.Git("checkout", "-q", "-b", "side")
			p.land(task)
			p.repo.Git("checkout", "-q", "main")
			p.repo.Write("other", "work\n")
			p.repo.Commit("Work beside it")
			p.repo.Git(merge...)
			if name == "its file is dropped by a person" {
				p.repo.Git("rm", "-q", "-r", "-f", ".torve/execution")
				p.repo.Git("commit", "-q", "--no-edit", "-m", "Merge side")
			}
			s := p.want(task, Removed, Landing)
			if commit, _ := s.RemovedBy(); commit != p.repo.Git("rev-parse", "HEAD") {
				t.Errorf("removed by %q", commit)
			}
		})
	}
}

func TestOfSeveralRemovalsTheNewestIsNamed(t *testing.T) {
	p := newPlace(t)
	p.ask(task)
	p.land(task)
	for range 2 {
		p.repo.Git("revert", "--no-edit", "HEAD")
		p.want(task, Removed, Landing)
		p.repo.Git("revert", "--no-edit", "HEAD")
		p.want(task, board.Landed, Landing)
	}
	p.repo.Git("revert", "--no-edit", "HEAD")
	s := p.want(task, Removed, Landing)
	if commit, _ := s.RemovedBy(); commit != p.repo.Git("rev-parse", "HEAD") {
		t.Errorf("removed by %q", commit)
	}
}

func TestALandingIsAnOrdinaryFile(t *testing.T) {
	p := newPlace(t)
	path := p.land(task)
	p.repo.Git("update-index", "--chmod=+x", path)
	p.repo.Git("commit", "-q", "-m", "Run it")
	p.want(task, board.Landed, Landing)
	p.repo.Git("update-index", "--cacheinfo", "120000,"+p.repo.Git("rev-parse", "HEAD:"+path)+","+path)
	p.repo.Git("commit", "-q", "-m", "Link it")
	if s := p.want(task, Broken, Landing); !strings.Contains(s.Because(), "a landing is an ordinary file, and this is of mode 120000") {
		t.Errorf("because %s", s.Because())
	}
}

func TestARevertThatWasMergedIsNamedAndNotTheMerge(t *testing.T) {
	p := newPlace(t)
	p.ask(task)
	p.land(task)
	p.repo.Git("checkout", "-q", "-b", "side")
	p.repo.Write("other", "work\n")
	p.repo.Commit("Work beside it")
	p.repo.Git("checkout", "-q", "main")
	p.repo.Git("revert", "--no-edit", "HEAD")
	revert := p.repo.Git("rev-parse", "HEAD")
	p.repo.Git("merge", "-q", "--no-edit", "side")
	s := p.want(task, Removed, Landing)
	if commit, _ := s.RemovedBy(); commit != revert {
		t.Errorf("removed by %q, and the revert is %s", commit, revert)
	}
}

func TestAPersonDecidesOfALandingThatWasRemoved(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.ask("T-0002", "depends_on: [T-0001]\n")
	p.mint(task)
	p.mint("T-0002")
	p.heard(task, p.land(task))
	p.repo.Git("revert", "--no-edit", "HEAD")
	rows := p.gather().Rows(noon, nil)
	if rows[0].State != Removed || rows[1].State != board.Waiting || !rows[1].Waits[0].Person {
		t.Errorf("what depends on it waits for %+v", rows[1].Waits)
	}
	p.event(task, 0, "", record.ByPerson, record.Resolved{Answer: "requeued", Mode: "fresh"})
	p.want(task, board.Queued, Board)
}

func TestDeletingTheContractOfALandingThatWasRemovedEndsTheTask(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.ask("T-0002", "depends_on: [T-0001]\n")
	p.mint(task)
	p.mint("T-0002")
	p.heard(task, p.land(task))
	p.repo.Git("revert", "--no-edit", "HEAD")
	p.repo.Git("rm", "-q", "-r", ".torve/tasks/T-0001")
	p.repo.Commit("Not wanted any more")
	s := p.want(task, board.Withdrawn, Landing)
	if commit, _ := s.RemovedBy(); commit != p.repo.Git("rev-parse", "HEAD~1") || !strings.HasSuffix(s.Because(), ", and its contract is gone too") {
		t.Errorf("because %s", s.Because())
	}
	if rows := p.gather().Rows(noon, nil); rows[1].State != board.Waiting || !rows[1].Waits[0].Person {
		t.Errorf("what depends on it waits for %+v", rows[1].Waits)
	}
	p.ask(task)
	p.want(task, Removed, Landing)
}

func TestALandingThatNoLineOfTheTargetHoldsAnyMoreIsRemoved(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	p.heard(task, p.land(task))
	p.repo.Git("reset", "-q", "--hard", "HEAD~1")
	s := p.want(task, Removed, Landing)
	if commit, _ := s.RemovedBy(); commit != "" {
		t.Errorf("removed by %q", commit)
	}
}

func TestALandingThatCameAfterTheHeadWasReadIsNotRemoved(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	s := p.sources()
	p.heard(task, p.land(task))
	r, err := Gather(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Settled(task); got.State() != board.Landed || got.Carrier() != Board || r.Landed(task) {
		t.Errorf("%s by the %s, satisfies %v", got.State(), got.Carrier(), r.Landed(task))
	}
}

func TestALandingThatCameAfterTheRemotesHeadWasReadIsNotRemoved(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	s := p.sources()
	s.Ref = "refs/remotes/origin/main"
	p.repo.Git("update-ref", s.Ref, s.Head)
	p.repo.Git("checkout", "-q", "-b", "elsewhere") // the local branch says nothing of it
	p.heard(task, p.land(task))
	for _, c := range []struct {
		moved bool
		state board.State
	}{{false, Removed}, {true, board.Landed}} {
		if c.moved {
			p.repo.Git("update-ref", s.Ref, "elsewhere")
		}
		r, err := Gather(t.Context(), s)
		if err != nil || r.Settled(task).State() != c.state {
			t.Errorf("moved %v: %s, %v", c.moved, r.Settled(task).State(), err)
		}
	}
}

func TestWhatWasRevertedStaysSoWhenItsFilesAreGone(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	p.heard(task, p.land(task))
	p.heard("T-0002", p.land("T-0002", revertOf(task)), task)
	p.repo.Git("rm", "-q", "-r", ".torve/execution")
	p.repo.Commit("Tidy up")
	p.want(task, board.Reverted, Board) // new work takes a new id
	p.want("T-0002", board.Withdrawn, Landing)
}

func TestAMovedLandingIsNotRemoved(t *testing.T) {
	p := newPlace(t)
	p.ask(task)
	p.land(task)
	p.repo.Git("rm", "-q", "-r", ".torve/execution")
	p.land(task, func(l *carrier.Landing) { l.Spec = "S-0001" })
	p.want(task, board.Landed, Landing)
}

func TestTorvesOwnRevertAddsALandingAndTheTaskItNamesIsReverted(t *testing.T) {
	for _, known := range []bool{false, true} {
		p := newPlace(t)
		p.ask(task)
		first := p.land(task)
		second := p.land("T-0002", revertOf(task))
		if known {
			p.opened()
			p.heard(task, first)
			p.heard("T-0002", second, task)
		}
		s := p.want(task, board.Reverted, Landing)
		r := p.gather()
		if s.RevertedBy() != second || r.Landed(task) || !r.Landed("T-0002") || s.Landing().Path != first {
			t.Errorf("reverted by %q, satisfies %v", s.RevertedBy(), r.Landed(task))
		}
		if got := r.Landings[0]; got.Path != second || !reflect.DeepEqual(got.Reverts(), []string{task}) {
			t.Errorf("the newest landing is %+v", got)
		}
	}
}
