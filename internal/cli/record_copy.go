package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/truth"
	"torve/internal/view"
)

func (s *session) runCopy(ctx context.Context, from, to string, as record.Partition, claimed bool) error {
	const verb = "record copy"
	if err := cmp.Or(s.outside(verb), partitionName("--as", string(as))); err != nil {
		return err
	}
	src, err := s.source(from)
	if err != nil {
		return err
	}
	dst, err := s.endpoint("--to", to)
	if err != nil {
		return err
	}
	p := s.named.partition
	if as == "" {
		as = p
	}
	if p == as && src.same(dst) {
		return usage(verb, "torve record copy --to OTHER, or --as NAME", "%s of %s would be copied onto itself", p, src.where())
	}
	in, err := s.ownAt(ctx, verb, src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := dst.open(ctx, s.a, verb, true)
	if err != nil {
		return err
	}
	defer out.Close()
	in.free = s.free(dst, out, claimed)
	c, err := record.Copy(ctx, in, out, p, as)
	if errors.Is(err, record.ErrNotEmpty) {
		return s.taken(ctx, dst, in, out, as)
	}
	if err != nil {
		return err
	}
	s.a.say("%s", s.a.labelled("copied", "", fmt.Sprintf("%s of %s from %s to %s%s; both end at event %d with the hash %s, and the copy is whole",
		view.Count(int(c.Events), "event"), p, src.where(), dst.where(), called(p, as), c.Events, view.Short(c.Hash))))
	s.warnOpen(c)
	if dst.dsn == "" && !dst.own {
		s.warnLoose(ctx, dst.path)
	}
	s.a.next(s.use(dst, as))
	return nil
}

// called says the name of a partition where it is another than it was.
func called(p, as record.Partition) string {
	if p == as {
		return ""
	}
	return " as " + string(as)
}

// taken says what is where a copy was to go: where it is the copy itself, a try before came to
// its end and could not say so.
func (s *session) taken(ctx context.Context, dst endpoint, in, out record.Log, as record.Partition) error {
	n, same, err := record.Holds(ctx, out, in, as, s.named.partition)
	if err != nil {
		return err
	}
	what := "a copy goes into an empty partition"
	if same {
		what = "they are the source's own: it is the source itself, or was copied before"
	}
	hint := "name another partition with --as"
	if as == s.named.partition {
		hint = s.a.typed() + " --as " + board.Quoted(string(as)+"-2")
	}
	return usage("record copy", hint, "%s in %s holds %s, and %s", as, dst.where(), view.Count(int(n), "event"), what)
}

// use is the command that goes on with a copy; where it is a file that is kept, with the source.
func (s *session) use(dst endpoint, as record.Partition) string {
	set, unset := "", ""
	if as != s.named.partition || s.named.by == "--partition" {
		set = " TORVE_PARTITION=" + board.Quoted(string(as))
	}
	switch {
	case dst.by == "TORVE_DSN": // it is set
	case dst.dsn != "":
		set = " TORVE_DSN=" + dst.shown() + set
	case !dst.own:
		return "torve status"
	case s.a.dsnTyped, s.a.env("TORVE_DSN") != "": // said, so that nothing that was typed is put in
		unset = "unset TORVE_DSN; "
	}
	if set != "" {
		set = "export" + set + "; "
	}
	return unset + set + "torve status"
}

// ownAt opens an end to read what is this repository's, and asks first that there is some.
func (s *session) ownAt(ctx context.Context, verb string, e endpoint) (*ownLog, error) {
	log, err := e.open(ctx, s.a, verb, false)
	if err != nil {
		return nil, err
	}
	own := &ownLog{Log: log, s: s}
	err = record.Carried(ctx, log, s.named.partition)
	for _, first := range own.Read(ctx, s.named.partition, 1) {
		err = cmp.Or(err, first)
		break
	}
	if err != nil {
		log.Close()
		return nil, err
	}
	return own, nil
}

// ownLog reads a partition from its start only where it is this repository's.
type ownLog struct {
	record.Log
	s    *session
	free func(open []record.Event) error // asked of the claims that are open at its end
}

// Read is the log's.
func (l *ownLog) Read(ctx context.Context, p record.Partition, from record.Seq) iter.Seq2[record.Event, error] {
	if from > 1 {
		return l.Log.Read(ctx, p, from)
	}
	return l.s.own(ctx, p, l.Log.Read(ctx, p, from), l.free)
}

// own gives a partition's events on. It ends with an error where the first that names a root
// commit names one that is not in this repository, as every verb does; where there is none; and
// where what is open at their end may not be.
func (s *session) own(ctx context.Context, p record.Partition, events iter.Seq2[record.Event, error], free func([]record.Event) error) iter.Seq2[record.Event, error] {
	return func(yield func(record.Event, error) bool) {
		var c record.Copied
		asked := false
		for e, err := range c.Through(events) {
			if err == nil && !asked {
				asked, err = s.rooted(ctx, p, e)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
		var err error
		switch {
		case c.Events == 0:
			err = usage("reading the record", "torve status", "%s has no event: there is nothing to take", p)
		case free != nil:
			err = free(c.Open)
		}
		if err != nil {
			yield(record.Event{}, err)
		}
	}
}

// rooted reports whether an event names the partition's root commit, which it asks.
func (s *session) rooted(ctx context.Context, p record.Partition, e record.Event) (bool, error) {
	if e.Kind != record.KindSource {
		return false, nil
	}
	payload, err := record.Decode(e)
	if err != nil {
		return false, nil // it is named by whoever checks the events
	}
	root := payload.(record.Source).Root
	return root != "", truth.Ours(ctx, s.repo, p, root)
}
