package answer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"

	"torve/internal/git/gittest"
	"torve/internal/record"
	"torve/internal/truth"
)

// narrow is a task whose scope was too narrow for its work.
func narrow(t *testing.T) *ground {
	t.Helper()
	g := newGround(t)
	g.mint()
	g.claim()
	g.attempt(1, "done", refused("law"))
	g.escalate("scope", "law")
	return g
}

func TestWidenShowsTheEditAndWritesNothing(t *testing.T) {
	g := narrow(t)
	head, events := g.user.Git("rev-parse", "main"), g.task(id).Last
	w, err := g.s.Widen(g.ctx, id, []string{"mail/cart.go"})
	g.must(err)
	if w.Path != contract.PathOf(id) || string(w.Before) != contractFile {
		t.Errorf("it is about %s: %s", w.Path, w.Before)
	}
	want := strings.Replace(contractFile, "# the package\n", "# the package\n    - mail/cart.go\n", 1)
	if string(w.After) != want {
		t.Errorf("the edit gives\n%s", w.After)
	}
	if g.user.Git("rev-parse", "main") != head || g.task(id).Last != events || g.user.Git("status", "--porcelain") != "" {
		t.Error("something was written")
	}
}

func TestAWidenedTaskIsCommittedMintedAndItsKeptTreeAsked(t *testing.T) {
	g := narrow(t)
	was := g.task(id).Digest
	w, err := g.s.Widen(g.ctx, id, []string{"mail/cart.go"})
	g.must(err)
	did, err := g.s.Commit(g.ctx, w, "the mailer names it too")
	sha := did.Commit
	g.must(err)
	if g.user.Git("rev-parse", "main") != sha || g.user.Git("show", "main:"+w.Path) != strings.TrimSpace(string(w.After)) {
		t.Errorf("main is %s, and the edit was committed as %s", g.user.Git("rev-parse", "main"), sha)
	}
	if got := g.user.Git("log", "-1", "--format=%an: %s", sha); got != "torve test: Widen T-0001: mail/cart.go" {
		t.Errorf("the commit is %q", got)
	}
	if g.user.Git("status", "--porcelain") != "" || g.user.Read(w.Path) != string(w.After) {
		t.Error("the checkout did not follow")
	}
	got := g.at(board.Queued)
	if got.Digest == was || got.Answer == nil || got.Answer.Mode != Ask || got.Answer.Note != "the mailer names it too" {
		t.Errorf("the board has %.7s, %+v", got.Digest, got.Answer)
	}
	if ok, _ := got.Contract.Scope.Admits("mail/cart.go"); !ok {
		t.Error("the path is still outside")
	}
}

func TestAcceptedWorkIsAskedAgainUnderTheWiderContract(t *testing.T) {
	g := newGround(t)
	g.mint()
	g.claim()
	g.attempt(1, "done", accepted())
	g.append(record.ByDispatch, 0, "C-1", record.Released{Why: "ready"})
	w, err := g.s.Widen(g.ctx, id, []string{"mail/**"})
	g.must(err)
	_, err = g.s.Commit(g.ctx, w, "")
	g.must(err)
	if got := g.at(board.Queued); got.Answer != nil || got.Accepted == nil {
		t.Errorf("the board has %+v, accepted %+v", got.Answer, got.Accepted)
	}
}

func TestAnEditThatWasMadeByHandIsMintedAndRequeued(t *testing.T) {
	g := narrow(t)
	g.user.Write(contract.PathOf(id), strings.Replace(contractFile, "cart/**", "cart/**\n    - mail/cart.go", 1))
	head := g.user.Commit("Widen by hand")
	w, err := g.s.Widen(g.ctx, id, []string{"mail/cart.go"})
	g.must(err)
	did, err := g.s.Commit(g.ctx, w, "")
	sha := did.Commit
	if err != nil || sha != head {
		t.Errorf("%s, %v: there was nothing to commit on %s", sha, err, head)
	}
	g.at(board.Queued)
}

func TestAWideningThatDiedBeforeItsRequeueIsEndedByAskingForItOnceMore(t *testing.T) {
	g := narrow(t)
	g.user.Write(contract.PathOf(id), strings.Replace(contractFile, "cart/**", "cart/**\n    - mail/cart.go", 1))
	head := g.user.Commit("Widen T-0001")
	g.mint()
	g.at(board.Escalated)
	w, err := g.s.Widen(g.ctx, id, []string{"mail/cart.go"})
	g.must(err)
	if did, err := g.s.Commit(g.ctx, w, ""); err != nil || did.Commit != head {
		t.Errorf("%+v, %v: there was nothing to commit on %s", did, err, head)
	}
	if got := g.at(board.Queued); got.Answer == nil || got.Answer.Mode != Ask {
		t.Errorf("the board has %+v", got.Answer)
	}
}

func TestAnEditThatLetsNothingMoreInIsRefused(t *testing.T) {
	g := narrow(t)
	for glob, hint := range map[string]string{"cart/**": "torve why T-0001", "cart/old/a.go": "", "": ""} {
		_, err := g.s.Widen(g.ctx, id, []string{glob})
		g.refuses(err, board.Escalated, truth.Board, hint)
	}
}

func TestAContractThatChangedSinceItWasShownIsNotOverwritten(t *testing.T) {
	g := narrow(t)
	w, err := g.s.Widen(g.ctx, id, []string{"mail/cart.go"})
	g.must(err)
	g.user.Write(contract.PathOf(id), contractFile+"priority: 3\n")
	head := g.user.Commit("Edit T-0001")
	_, err = g.s.Commit(g.ctx, w, "")
	g.refuses(err, board.Escalated, truth.Board, "torve widen T-0001")
	if g.user.Git("rev-parse", "main") != head {
		t.Error("main has moved")
	}
}

func TestAnEditOfTheContractInTheCheckoutIsNotRunOver(t *testing.T) {
	g := narrow(t)
	head := g.user.Git("rev-parse", "main")
	g.user.Write(contract.PathOf(id), contractFile+"priority: 3\n")
	w, err := g.s.Widen(g.ctx, id, []string{"mail/cart.go"})
	g.must(err)
	_, err = g.s.Commit(g.ctx, w, "")
	g.refuses(err, board.Escalated, truth.Board, "git status")
	if g.user.Git("rev-parse", "main") != head || g.user.Read(contract.PathOf(id)) != contractFile+"priority: 3\n" {
		t.Error("something has moved")
	}
}

func TestATargetThatIsCheckedOutNowhereIsWidenedToo(t *testing.T) {
	g := narrow(t)
	g.user.Git("switch", "-q", "-c", "other")
	w, err := g.s.Widen(g.ctx, id, []string{"mail/cart.go"})
	g.must(err)
	did, err := g.s.Commit(g.ctx, w, "")
	sha := did.Commit
	g.must(err)
	if g.user.Git("rev-parse", "main") != sha || g.user.Git("status", "--porcelain") != "" {
		t.Error("main did not move alone")
	}
}

func TestAStateThatDoesNotAllowAWideningIsNamedWithItsCarrier(t *testing.T) {
	g := newGround(t)
	widen := func(g *ground) error { _, err := g.s.Widen(g.ctx, id, []string{"mail/**"}); return err }
	g.refuses(widen(g), truth.Committed, truth.Contract, "torve mint T-0001")
	g.mint()
	g.claim()
	g.refuses(widen(g), board.Claimed, truth.Board, "torve status T-0001")
	g = narrow(t)
	g.must(g.s.Abandon(g.ctx, id, ""))
	g.refuses(widen(g), board.Abandoned, truth.Board, "torve requeue T-0001")
	g.landing()
	g.refuses(widen(g), board.Landed, truth.Landing, `torve new "what is still wanted"`)
	g = newGround(t)
	g.must(carrier.WriteState(g.s.States, carrier.State{Schema: carrier.StateSchema, Task: id, Run: "r", State: "ready", Attempt: 1, History: []carrier.Move{}}))
	g.refuses(widen(g), truth.RanHere, truth.Host, "torve requeue T-0001")
}

// pushes gives the ground a remote whose branch is the target.
func pushes(t *testing.T) (*ground, *gittest.Repo) {
	t.Helper()
	g := narrow(t)
	dir := filepath.Join(t.TempDir(), "origin.git")
	g.user.Git("clone", "-q", "--bare", g.user.Dir, dir)
	g.user.Git("remote", "add", "origin", dir)
	g.user.Git("fetch", "-q", "origin")
	g.s.Push = "origin"
	return g, gittest.At(t, dir)
}

func TestATargetThatIsARemotesIsWidenedThere(t *testing.T) {
	g, origin := pushes(t)
	local := g.user.Git("rev-parse", "main")
	w, err := g.s.Widen(g.ctx, id, []string{"mail/cart.go"})
	g.must(err)
	did, err := g.s.Commit(g.ctx, w, "")
	sha := did.Commit
	g.must(err)
	if origin.Git("rev-parse", "main") != sha || g.user.Git("rev-parse", "main") != local {
		t.Errorf("origin's main is %s, and %s was committed", origin.Git("rev-parse", "main"), sha)
	}
	g.at(board.Queued)
}

func TestOnATargetThatOneMayNotPushToABranchIsWrittenAndNamed(t *testing.T) {
	g, origin := pushes(t)
	origin.Write("hooks/pre-receive", "#!/bin/sh\necho main is protected >&2\nexit 1\n")
	g.must(os.Chmod(filepath.Join(origin.Dir, "hooks/pre-receive"), 0o755))
	head := origin.Git("rev-parse", "main")
	for range 2 { // a second try moves the branch on
		w, err := g.s.Widen(g.ctx, id, []string{"mail/cart.go"})
		g.must(err)
		_, err = g.s.Commit(g.ctx, w, "")
		g.refuses(err, board.Escalated, truth.Board, "git push origin torve/widen-T-0001")
		if !strings.Contains(err.Error(), "main is protected") {
			t.Errorf("it does not say why: %v", err)
		}
	}
	if got := g.user.Git("show", "torve/widen-T-0001:"+contract.PathOf(id)); !strings.Contains(got, "mail/cart.go") {
		t.Errorf("the branch holds %s", got)
	}
	if origin.Git("rev-parse", "main") != head {
		t.Error("origin has moved")
	}
	g.at(board.Escalated)
}
