package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"torve/configs"
	"torve/internal/decide"
	"torve/internal/process"
	"torve/internal/record"
)

// benchLog is a store that holds a bench's rows.
type benchLog interface {
	record.Log
	decide.Store
}

// benchStore opens where the rows of mode live go: what -dsn names, else TORVE_DSN.
func (a *app) benchStore(ctx context.Context, f decideFlags) (benchLog, error) {
	const verb = "opening the store"
	by, given := "-dsn", f.dsn
	if !f.set["dsn"] {
		by, given = "TORVE_DSN", a.env("TORVE_DSN")
	}
	if given != "" && !isFile(given) {
		a.hideDSN(given)
	}
	if given != "" || a.env("PGPASSWORD") != "" {
		process.Hide()
	}
	e, is, err := a.endpoint(by, given)
	switch {
	case err != nil:
		return nil, err
	case given == "":
		return nil, usage(verb, "go run ./cmd/decide -mode live -dsn bench.db", "mode live keeps its rows in a store: -dsn DSN, @FILE or PATH.db names it, or TORVE_DSN")
	case !is:
		return nil, usage(verb, "-dsn bench.db", "%s names no store; -dsn takes DSN, @FILE or PATH.db", given)
	}
	log, err := e.open(ctx, a, verb, true)
	if err != nil {
		return nil, err
	}
	store, is := log.(benchLog)
	if !is {
		log.Close()
		return nil, broken(verb, "", errors.New("it keeps no rows of a bench"))
	}
	return store, nil
}

// keepRow puts a row that the store did not take into a file of its own.
func (a *app) keepRow(row record.Proposal) (string, error) {
	text, err := json.MarshalIndent(row, "", "  ")
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(a.dir, fmt.Sprintf("decide-%s-%d-*.json", strings.ToLower(row.Actor), row.Tick))
	if err != nil {
		return "", err
	}
	_, err = f.Write(append(text, '\n'))
	return f.Name(), errors.Join(err, f.Sync(), f.Close())
}

// recording gives what puts a recording into its file: the one named, else the one of the
// module that the command runs in. It is there whole or as it was.
func (a *app) recording(out string) (func([]byte) error, error) {
	path := filepath.Join(a.dir, out)
	if filepath.IsAbs(out) {
		path = out
	}
	if out == "" {
		root, err := moduleOf(a.dir)
		if err != nil {
			return nil, err
		}
		path = filepath.Join(root, "configs", configs.Day)
	}
	switch { // before a model is asked for minutes
	case !isFolder(filepath.Dir(path)):
		return nil, usage("recording the day", "-out day.json", "there is no folder %s", filepath.Dir(path))
	case isFolder(path):
		return nil, usage("recording the day", "-out "+filepath.Join(path, "day.json"), "%s is a folder", path)
	}
	return func(text []byte) error { return broken("writing the recording", "", putWhole(path, text)) }, nil
}

// moduleOf is the folder of this module that a folder is in.
func moduleOf(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module torve\n") {
			return dir, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
			continue
		}
		return "", usage("recording the day", "-out day.json", "this is not torve's source, whose configs/%s is written; -out names another file", configs.Day)
	}
}

// putWhole writes a file beside and renames it to its name.
func putWhole(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(f.Name(), path), syncFolder(filepath.Dir(path)))
}
