package carrier

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"torve/internal/failpoint"
	"torve/internal/strictyaml"
)

const stateEnd = ".state.json"

// StateFile is where a task's state stands under the .wt folder dir.
func StateFile(dir, task string) string { return filepath.Join(dir, task+stateEnd) }

// ReadState reads the state of a task's run under dir. There is none when the
// error is fs.ErrNotExist; what cannot be read as one is a *strictyaml.Error.
func ReadState(dir, task string) (State, error) {
	path := StateFile(dir, task)
	data, err := os.ReadFile(path)
	if err != nil {
		return State{}, fmt.Errorf("reading the state of %s: %w", task, err)
	}
	return DecodeState(path, data)
}

// DecodeState reads a state file's bytes strictly; path names it, and its task
// is the one that the file is named for.
func DecodeState(path string, data []byte) (State, error) {
	schema, err := asked(path, data, StateSchema)
	if err != nil {
		return State{}, err
	}
	var s State
	if err := decodeJSON(path, data, &s); err != nil {
		return State{}, err
	}
	task, _ := strings.CutSuffix(filepath.Base(path), stateEnd)
	why := ""
	switch {
	case schema == "":
		why = "there is no schema: " + StateSchema + " is wanted"
	case !ValidTask(s.Task):
		why = fmt.Sprintf("task is %q, and an id such as T-0007 is wanted", s.Task)
	case s.Task != task:
		why = fmt.Sprintf("task is %s, and the file is named for %s", s.Task, task)
	case s.Attempt < 0:
		why = fmt.Sprintf("attempt is %d, and 0 or more is wanted", s.Attempt)
	case s.State == "":
		why = "state is not given"
	}
	if why != "" {
		return State{}, &strictyaml.Error{File: path, Line: 1, Col: 1, Why: why}
	}
	return s, nil
}

// ReadStates reads every state under dir by task, and names each file that does
// not read. A folder that is not there holds none.
func ReadStates(dir string) (map[string]State, []*strictyaml.Error) {
	states := map[string]State{}
	var faults []*strictyaml.Error
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return states, []*strictyaml.Error{{File: dir, Why: err.Error()}}
	}
	for _, e := range entries {
		task, isState := strings.CutSuffix(e.Name(), stateEnd)
		if !isState || strings.HasPrefix(task, ".") {
			continue
		}
		s, err := readEntry(dir, task, e)
		var f *strictyaml.Error
		switch {
		case errors.As(err, &f):
			faults = append(faults, f)
		case errors.Is(err, fs.ErrNotExist): // its task landed while we read
		case err != nil:
			faults = append(faults, &strictyaml.Error{File: StateFile(dir, task), Why: err.Error()})
		default:
			states[task] = s
		}
	}
	return states, faults
}

// readEntry reads an ordinary file alone: opening a pipe would wait for ever.
func readEntry(dir, task string, e fs.DirEntry) (State, error) {
	if !e.Type().IsRegular() {
		return State{}, errors.New("this is not an ordinary file")
	}
	return ReadState(dir, task)
}

// EncodeState gives the one form of a state: the same state is always the same bytes.
func EncodeState(s State) ([]byte, error) {
	s.Schema, s.Started, s.Updated = StateSchema, second(s.Started), second(s.Updated)
	moves := make([]Move, len(s.History))
	for i, m := range s.History {
		m.At = second(m.At)
		moves[i] = m
	}
	s.History = moves
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("encoding the state of %s: %w", s.Task, err)
	}
	return out.Bytes(), nil
}

// WriteState replaces the state of a task's run: a temporary file, synced, then
// renamed, so that a reader never meets half of one. It makes dir, which ignores
// itself.
func WriteState(dir string, s State) error {
	if !ValidTask(s.Task) {
		return fmt.Errorf("writing a state: %q is no task", s.Task)
	}
	data, err := EncodeState(s)
	if err != nil {
		return err
	}
	if err := makeStates(dir); err != nil {
		return fmt.Errorf("writing the state of %s: %w", s.Task, err)
	}
	if err := replace(StateFile(dir, s.Task), data); err != nil {
		return fmt.Errorf("writing the state of %s: %w", s.Task, err)
	}
	return nil
}

// RemoveState drops a task's state; it is no error when there is none.
func RemoveState(dir, task string) error {
	if err := os.Remove(StateFile(dir, task)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the state of %s: %w", task, err)
	}
	return nil
}

func makeStates(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	name := filepath.Join(dir, ".gitignore")
	if info, err := os.Lstat(name); err == nil && info.Size() > 0 { // an empty one is what a death left
		return nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.StatesMade)
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// replace writes a file so that either the old or the new bytes are there, after a crash
// too. Which of both is left to the disk: the record has what a state says.
func replace(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.StateWritten)
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	failpoint.Hit(failpoint.StateRenamed)
	return nil
}

// StateTask is the task that a state file is named for; "" when its name is not one.
func StateTask(file string) string {
	task, isState := strings.CutSuffix(filepath.Base(file), stateEnd)
	if !isState || !ValidTask(task) {
		return ""
	}
	return task
}
