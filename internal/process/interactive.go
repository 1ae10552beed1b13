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
// process group, so that the terminal's signals and job control reach it.
func Interactive(ctx context.Context, argv []string, dir string, env []string, in io.Reader, out, errs io.Writer) (exit int, err error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	err = cmd.Run()
	var left *exec.ExitError
	if errors.As(err, &left) {
		return left.ExitCode(), nil
	}
	if err != nil {
		return -1, fmt.Errorf("running %s: %w", argv[0], err)
	}
	return 0, nil
}
