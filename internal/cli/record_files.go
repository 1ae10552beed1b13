package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"torve/internal/board"
	"torve/internal/failpoint"
	"torve/internal/record"
	"torve/internal/view"
)

// stream is how stdout and stdin are named as a file.
const stream = "-"

func (s *session) runExport(ctx context.Context, file string) error {
	const verb = "record export"
	src, err := s.source("")
	if err != nil {
		return err
	}
	in, err := s.ownAt(ctx, verb, src)
	if err != nil {
		return err
	}
	defer in.Close()
	p := s.named.partition
	var c record.Copied
	write := func(w io.Writer) error {
		buffered := bufio.NewWriterSize(w, 1<<16)
		if c, err = record.WriteLines(buffered, p, in.Read(ctx, p, 1)); err != nil {
			return err
		}
		return buffered.Flush()
	}
	if file == stream {
		if err := write(s.a.out); err != nil {
			return outOf(err)
		}
		s.a.warn("%s", exported(c, p, src, "stdout"))
	} else {
		if err := writeWhole(s.a.inDir(file), write); err != nil {
			return err
		}
		s.a.say("%s", s.a.labelled("exported", "", exported(c, p, src, file)))
		s.warnLoose(ctx, s.a.inDir(file))
	}
	s.warnOpen(c)
	if file != stream {
		s.a.next("torve status")
	}
	return nil
}

// warnLoose says of a file with the record in it that git would take it in with the next add.
func (s *session) warnLoose(ctx context.Context, file string) {
	dir := filepath.Dir(file)
	if top, err := s.repo.Run(ctx, "-C", dir, "rev-parse", "--show-toplevel"); err != nil || top == "" {
		return // it is in no work tree
	}
	if loose, err := s.repo.Run(ctx, "-C", dir, "ls-files", "--others", "--exclude-standard", "--", filepath.Base(file)); err == nil && loose != "" {
		s.a.warn("warning: %s is in the work tree and not ignored: git add takes it in", filepath.Base(file))
	}
}

func exported(c record.Copied, p record.Partition, src endpoint, file string) string {
	return fmt.Sprintf("%s of %s from %s to %s, up to event %d with the hash %s",
		view.Count(int(c.Events), "event"), p, src.where(), file, c.Events, view.Short(c.Hash))
}

// outOf is an error of writing to stdout: an export that nobody reads to its end is not done,
// other than a list.
func outOf(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return errors.New("whoever read it stopped before its end")
	}
	return err
}

// writeWhole writes a file beside its name, and gives it that when all of it is on the disk. What
// is there already stays.
func writeWhole(path string, write func(io.Writer) error) error {
	there := usage("record export", "name another file, or move that one", "%s is there already", path)
	if _, err := os.Lstat(path); err == nil {
		return there
	}
	dir, name := filepath.Split(path)
	part, err := os.CreateTemp(filepath.Clean(dir), name+".*.part")
	if errors.Is(err, fs.ErrNotExist) {
		return usage("record export", "mkdir -p "+board.Quoted(filepath.Clean(dir)), "there is no folder %s", filepath.Clean(dir))
	}
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	err = write(part)
	if err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	failpoint.Hit(failpoint.ExportWritten)
	if err = os.Link(part.Name(), path); errors.Is(err, fs.ErrExist) {
		return there
	}
	if err != nil { // a file system without links
		err = os.Rename(part.Name(), path)
	}
	return errors.Join(err, syncFolder(filepath.Clean(dir)))
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (s *session) runImport(ctx context.Context, file string, claimed bool) error {
	const verb = "record import"
	if err := s.outside(verb); err != nil {
		return err
	}
	dst, err := s.source("")
	if err != nil {
		return err
	}
	in, err := s.input(ctx, file)
	if err != nil {
		return err
	}
	defer in.Close()
	was, events, err := record.ReadLines(in)
	if err != nil {
		return ofFile(file, err)
	}
	as := s.named.partition
	if was != as && s.named.by != "--partition" {
		return usage(verb, importing(as, file), "%s is of partition %s, and %s is named by %s", fileName(file), was, as, s.named.by)
	}
	var free func([]record.Event) error
	events, stop, err := begun(s.own(ctx, was, events, func(open []record.Event) error { return free(open) }))
	if err != nil {
		return ofFile(file, err)
	}
	defer stop()
	out, err := dst.open(ctx, s.a, verb, true)
	if err != nil {
		return err
	}
	defer out.Close()
	free = s.free(dst, out, claimed)
	c, err := record.Take(ctx, out, as, events)
	if errors.Is(err, record.ErrNotEmpty) {
		return &fault{verb, fmt.Errorf("%s: %w", dst.where(), err), importing(as+"-2", file), Usage}
	}
	if err != nil {
		return ofFile(file, err)
	}
	s.a.say("%s", s.a.labelled("imported", "", fmt.Sprintf("%s of %s from %s to %s%s; both end at event %d with the hash %s, and what is there is whole",
		view.Count(int(c.Events), "event"), was, fileName(file), dst.where(), called(was, as), c.Events, view.Short(c.Hash))))
	s.warnOpen(c)
	s.a.next(s.use(dst, as))
	return nil
}

// importing is the command that imports a file under a name.
func importing(as record.Partition, file string) string {
	return strings.TrimSuffix("torve record import --partition "+board.Quoted(string(as))+" "+board.Quoted(file), " "+stream)
}

// fileName is a file as people read it.
func fileName(file string) string {
	if file == stream {
		return "stdin"
	}
	return file
}

// begun takes the first of some events, so that what is none of ours is refused before a store
// is opened, and perhaps made, for it.
func begun(events iter.Seq2[record.Event, error]) (all iter.Seq2[record.Event, error], stop func(), err error) {
	next, stop := iter.Pull2(events)
	e, err, more := next()
	if err != nil {
		stop()
		return nil, nil, err
	}
	return func(yield func(record.Event, error) bool) {
		for more && yield(e, err) && err == nil {
			e, err, more = next()
		}
	}, stop, nil
}

// input opens what is imported. A read that waits, of a pipe, ends with the context.
func (s *session) input(ctx context.Context, file string) (in io.ReadCloser, err error) {
	const verb = "record import"
	path := s.a.inDir(file)
	switch {
	case file != stream && isFolder(path):
		return nil, usage(verb, "ls -l "+board.Quoted(path), "%s is a folder", file)
	case file != stream:
		in, err = os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usage(verb, "ls -l "+board.Quoted(filepath.Dir(path)), "there is no file %s", file)
		}
		if err != nil {
			return nil, err
		}
	case isTerminal(s.a.in):
		return nil, usage(verb, "torve record import FILE", "no file is named, and stdin is a terminal")
	default:
		r, w := io.Pipe()
		go func() {
			_, err := io.Copy(w, s.a.in)
			w.CloseWithError(err)
		}()
		in = r
	}
	context.AfterFunc(ctx, func() { in.Close() })
	return in, nil
}

// ofFile is an error of a file, by its name; stdin has none.
func ofFile(file string, err error) error {
	var line *record.LineError
	if file == stream || !errors.As(err, &line) {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}
