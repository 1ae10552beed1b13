package process_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"syscall"
	"testing"

	"torve/internal/process"
)

func TestAnInteractiveProgramHasTheStreamsItIsGiven(t *testing.T) {
	var out, errs bytes.Buffer
	exit, err := process.Interactive(t.Context(), fake("cat"), t.TempDir(), os.Environ(), strings.NewReader("typed"), &out, &errs)
	if exit != 0 || err != nil || out.String() != "typed" || errs.String() != "" {
		t.Errorf("exit %d %v %q %q", exit, err, out.String(), errs.String())
	}
}

func TestAnInteractiveProgramsExitCodeIsNoError(t *testing.T) {
	if exit, err := process.Interactive(t.Context(), fake("exit", "3"), "", os.Environ(), nil, nil, nil); exit != 3 || err != nil {
		t.Errorf("exit %d %v", exit, err)
	}
}

func TestAnInteractiveProgramThatIsNotThereIsAnError(t *testing.T) {
	if exit, err := process.Interactive(t.Context(), []string{"torve-no-such-program"}, "", nil, nil, nil, nil); exit != -1 || err == nil {
		t.Errorf("exit %d %v", exit, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if exit, err := process.Interactive(ctx, fake("hang"), "", os.Environ(), nil, nil, nil); exit != -1 || err == nil {
		t.Errorf("exit %d %v", exit, err)
	}
	if exit, err := process.Interactive(t.Context(), nil, "", nil, nil, nil, nil); exit != -1 || err == nil {
		t.Errorf("exit %d %v", exit, err)
	}
}

func TestADaemonThatAnEditorLeavesIsLetBe(t *testing.T) {
	c := newChild()
	if exit, err := process.Interactive(t.Context(), fake("leave", "daemon", "hang"), "", os.Environ(), nil, c, nil); exit != 0 || err != nil {
		t.Fatal(exit, err)
	}
	if r := run(t, process.Cmd{Argv: fake("say", "x")}); !r.OK() || r.Left != 0 {
		t.Error(told(r))
	}
	if !runs(c.pid) {
		t.Error("it was ended with a run that had not left it")
	}
	if err := syscall.Kill(c.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
