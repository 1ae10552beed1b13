package truth

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/git/gittest"
	"torve/internal/record"
)

func TestARecordThatDoesNotHoldTheRunAskedForFallsBackToTheFiles(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.ask("T-0002")
	p.mint("T-0002")
	p.v1()
	r := p.gather()
	if s := r.Settled(task); s.State() != RanHere || s.Carrier() != Host || s.Host().Escalation.Reason != "exhausted" || r.Recorded(task) {
		t.Errorf("%s by the %s", s.State(), s.Carrier())
	}
	if s := r.Settled("T-0002"); s.Carrier() != Board || !r.Recorded("T-0002") {
		t.Errorf("beside it: %s by the %s", s.State(), s.Carrier())
	}
}

func TestAnEmptyRecordMeansAskTheFilesAndNotNothingEverRan(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.v1()
	p.want(task, RanHere, Host)
}

func TestARunFromBeforeThereWasARecordIsAnsweredFromItsStateFile(t *testing.T) {
	p := newPlace(t)
	p.ask(task)
	p.v1()
	s := p.want(task, RanHere, Host)
	if h := s.Host(); h.Attempt != 2 || h.State != "escalated" || len(h.History) != 2 {
		t.Errorf("the run is %+v", h)
	}
}

func TestFilesAreNeverSilentlyAnsweredFromTheRecord(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	s := p.sources()
	s.Log = nil
	r, err := Gather(t.Context(), s)
	if err != nil || r.Board != nil || r.Settled(task).State() != Committed || r.Rows(noon, nil) != nil {
		t.Errorf("board %v, %s, %v", r.Board, r.Settled(task).State(), err)
	}
}

func TestAStoreThatCannotBeReadIsAnErrorAndNotAFallBack(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.log.Close()
	if _, err := Gather(t.Context(), p.sources()); !errors.Is(err, record.ErrClosed) {
		t.Errorf("the error is %v", err)
	}
	p.log = nil
}

func TestAnotherRepositoryUnderThatNameIsRefused(t *testing.T) {
	p := newPlace(t).opened()
	first := p.repo.Git("rev-parse", "HEAD")
	p.event("", 0, "", record.ByMint, record.Source{Root: first})
	p.ask(task)
	p.repo.Git("checkout", "-q", "--orphan", "pages") // what is checked out does not make it another
	p.repo.Commit("Another beginning")
	if _, err := Gather(t.Context(), p.sources()); err != nil {
		t.Errorf("its own is refused: %v", err)
	}
	other := gittest.New(t)
	other.Write("README.md", "another shop\n")
	head := other.Commit("Begin")
	repo, err := git.Open(t.Context(), other.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	s := Sources{Repo: repo, Target: "main", Head: head, Log: p.log, Partition: partition}
	if _, err := Gather(t.Context(), s); !errors.Is(err, record.ErrElsewhere) || !strings.Contains(err.Error(), "acme/shop") || !strings.Contains(err.Error(), first[:7]) {
		t.Errorf("the error is %v", err)
	}
}

func TestStatesOutsideTheBoardAreToldFromTheFiles(t *testing.T) {
	p := newPlace(t)
	p.ask("T-0001")
	p.ask("T-0002")
	p.land("T-0002")
	p.repo.Write(contract.PathOf("T-0003"), text("T-0003", "acept: [x]\n"))
	p.repo.Commit("A broken one")
	p.repo.Write(contract.PathOf("T-0004"), text("T-0004"))
	p.repo.Write(contract.PathOf("T-0005"), "schema: torve/contract/v9\n")
	p.ran("T-0006", "running")
	p.want("T-0001", Committed, Contract)
	p.want("T-0002", board.Landed, Landing)
	if s := p.want("T-0003", Broken, Contract); !strings.HasPrefix(s.Because(), contract.PathOf("T-0003")+":6:1: ") {
		t.Errorf("because %s", s.Because())
	}
	p.want("T-0004", Draft, Contract)
	p.want("T-0005", Broken, Contract)
	p.want("T-0006", RanHere, Host)
	p.want("T-0007", "", "")
	r := p.gather()
	if got := strings.Join(r.Tasks(), " "); got != "T-0001 T-0002 T-0003 T-0004 T-0005 T-0006" {
		t.Errorf("tasks %s", got)
	}
	if len(r.Faults) != 2 || r.Faults[0].Uncommitted || !r.Faults[1].Uncommitted || r.Faults[1].Task != "T-0005" {
		t.Errorf("faults %+v", r.Faults)
	}
}

func TestAFreshCloneAnswersFromGitAlone(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.ask("T-0002")
	p.mint(task)
	p.mint("T-0002")
	path := p.land(task)
	clone := filepath.Join(t.TempDir(), "fresh")
	p.repo.Git("clone", "-q", p.repo.Dir, clone)
	repo, err := git.Open(t.Context(), clone)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	r, err := Gather(t.Context(), Sources{Repo: repo, Target: "main", Head: p.repo.Git("rev-parse", "main"), States: filepath.Join(clone, ".wt"), WorkTree: clone})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Settled(task); s.State() != board.Landed || s.Carrier() != Landing {
		t.Errorf("%s is %s", task, s.State())
	}
	if s := r.Settled("T-0002"); s.State() != Committed {
		t.Errorf("T-0002 is %s", s.State())
	}
	l, err := r.Landings[0].Load(t.Context())
	if err != nil || l.Task != task || r.Landings[0].Path != path || r.Landings[0].Attempt != 1 {
		t.Errorf("its landing is %+v, %v", l, err)
	}
}

func TestARepositoryWithoutACommitHasDraftsAlone(t *testing.T) {
	p := newPlace(t)
	p.repo.Write(contract.PathOf(task), text(task))
	s := p.sources()
	s.Head = ""
	r, err := Gather(t.Context(), s)
	if err != nil || r.Settled(task).State() != Draft {
		t.Errorf("%s, %v", r.Settled(task).State(), err)
	}
}

func TestAContractThatIsNoOrdinaryFileIsNamed(t *testing.T) {
	p := newPlace(t)
	p.repo.Write("elsewhere.yaml", text(task))
	p.repo.Write(".torve/tasks/T-0001/x", "")
	if err := os.Symlink("../../../elsewhere.yaml", filepath.Join(p.repo.Dir, contract.PathOf(task))); err != nil {
		t.Fatal(err)
	}
	p.repo.Commit("A link")
	p.want(task, Broken, Contract)
}

func TestAContractThatMayBeRunIsAContract(t *testing.T) {
	p := newPlace(t)
	p.ask(task)
	p.repo.Git("update-index", "--chmod=+x", contract.PathOf(task))
	p.repo.Git("commit", "-q", "-m", "Run it")
	p.want(task, Committed, Contract)
}

func TestAReadNeverWrites(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	p.land("T-0002")
	p.v1()
	p.repo.Write(contract.PathOf("T-0003"), text("T-0003"))
	before := tree(t, p.repo.Dir)
	p.gather().Rows(noon, nil)
	if after := tree(t, p.repo.Dir); !reflect.DeepEqual(before, after) {
		t.Errorf("a read left\n%v\nand found\n%v", after, before)
	}
}

// tree is every file but SQLite's own beside an open database, with its size and time.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(path, "-shm") || strings.HasSuffix(path, "-wal") || filepath.Base(path) == "torve" {
			return err
		}
		info, err := d.Info()
		if err == nil {
			out[path] = info.ModTime().String() + info.Mode().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheRecordsWordIsNotTakenForALandingFileThatDoesNotRead(t *testing.T) {
	p := newPlace(t)
	path := p.land(task)
	p.repo.Write(path, "made unreadable\n")
	p.repo.Commit("Edit what is never edited")
	p.want(task, Broken, Landing)
	p.opened()
	p.heard(task, path)
	p.want(task, Broken, Landing) // a clone without the record comes to the same
}

func TestOnlyALandingAsItIsWrittenIsTakenByItsFirstLines(t *testing.T) {
	path := carrier.LandingPath(task, "", 1, landingOf(task).At)
	f := LandingFile{Path: path, Task: task, Attempt: 1, At: landingOf(task).At}
	data, err := carrier.WriteLanding(landingOf(task))
	if err != nil || !asWritten(f, data) {
		t.Errorf("a landing as it is written is not known: %v", err)
	}
	for name, l := range map[string]carrier.Landing{
		"reverts":         landingOf(task, revertOf("T-0009")),
		"of a spec":       landingOf(task, func(l *carrier.Landing) { l.Spec = "S-0001" }),
		"of attempt 2":    landingOf(task, func(l *carrier.Landing) { l.Attempt = 2 }),
		"of another time": landingOf(task, func(l *carrier.Landing) { l.At = l.At.Add(time.Second) }),
		"of T-0002":       landingOf("T-0002"),
	} {
		data, err := carrier.WriteLanding(l)
		if err != nil || asWritten(f, data) {
			t.Errorf("one that %s is taken unread: %v", name, err)
		}
	}
	for _, key := range []string{`"reverts"`, `'reverts'`, "reverts ", "? reverts\n"} {
		if edited := append(slices.Clip(data), key+": [T-0009]\n"...); asWritten(f, edited) {
			t.Errorf("one that reverts by the key %s is taken unread", key)
		}
	}
}

func TestWhatAPersonMayTakeForAContractAndNobodyReadsIsNamed(t *testing.T) {
	p := newPlace(t)
	for path, body := range map[string]string{
		".torve/tasks/t-0001/contract.yaml": text("T-0001"), // the folder in other letters
		".torve/tasks/T-0002/contract.yml":  text("T-0002"),
		".torve/tasks/T-0003/Contract.yaml": text("T-0003"),
		".torve/tasks/T-0004":               text("T-0004"),
		".torve/tasks/T-0005/log.yaml":      "x: y\n",
		".torve/tasks/README.md":            "what lies here\n",
		".torve/tasks/T-0006/notes/a.yaml":  "x: y\n",
	} {
		p.repo.Write(path, body)
	}
	if err := os.Symlink("../../elsewhere", filepath.Join(p.repo.Dir, ".torve/tasks/T-0007")); err != nil {
		t.Fatal(err)
	}
	p.repo.Commit("Odd places")
	r := p.gather()
	var named []string
	for _, f := range r.Faults {
		named = append(named, f.Task+": "+f.Err.Why)
	}
	want := []string{
		"T-0002: a contract's file is called contract.yaml",
		"T-0003: a contract's file is called contract.yaml",
		"T-0004: a task is a folder with a contract.yaml in it, and this is a file or a link",
		"T-0007: a task is a folder with a contract.yaml in it, and this is a file or a link",
		"t-0001: id is T-0001, and the folder is t-0001",
	}
	slices.Sort(named)
	if !reflect.DeepEqual(named, want) || len(r.Contracts) != 0 {
		t.Errorf("named are\n%s", strings.Join(named, "\n"))
	}
}
