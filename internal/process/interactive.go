package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// Interactive runs a program on the person's own terminal, such as an editor or a
// pager: the streams are handed through, nothing is kept, and it stays in torve's
// process group, so that the terminal's signals and job control reach it. No limit
// holds but the context's. An exit code other than 0 is no error; exit is -1 when the
// program did not exit by itself.
func Interactive(ctx context.Context, argv []string, dir string, env []string, in io.Reader, out, errs io.Writer) (exit int, err error) {
	if len(argv) == 0 || argv[0] == "" {
		return -1, errors.New("no program to start")
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	mark := markName + "=" + newMark(Cmd{Trusted: true}) // an editor's daemon is let be
	cmd.Dir, cmd.Env = dir, append(append([]string{}, env...), mark)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	cmd.WaitDelay = DefaultGrace // a child of it that holds a stream does not hang us
	err = children.wait(cmd)
	var exited *exec.ExitError
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return cmd.ProcessState.ExitCode(), nil
	case ctx.Err() != nil:
		return -1, fmt.Errorf("running %s: %w", argv[0], context.Cause(ctx))
	case errors.As(err, &exited):
		return exited.ExitCode(), nil
	}
	return -1, fmt.Errorf("running %s: %w", argv[0], err)
}
