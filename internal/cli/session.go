package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/truth"
)

// session is what a verb opened: the repository, its settings, and the record when
// a verb needs it. Everything is opened on first use, so that --help opens nothing.
type session struct {
	a      *app
	repo   *git.Repo
	cfg    config
	cfgErr error // errNoConfig, kept: not every verb needs the file
	named  naming
	store  store // as it was named when the record was opened
	log    record.Log
	writes bool         // the log was opened to write
	empty  bool         // the log that a read opened has no event of the partition
	memory truth.Memory // of the carriers, for a verb that gathers again and again
	person *git.Person
}

// open finds the repository and reads its settings.
func (a *app) open(ctx context.Context) (*session, error) {
	if a.s != nil {
		return a.s, nil
	}
	repo, err := a.repository(ctx)
	if err != nil {
		return nil, err
	}
	s := &session{a: a, repo: repo}
	a.s = s
	s.cfg, s.cfgErr = s.settings(ctx)
	if s.cfgErr != nil && !errors.Is(s.cfgErr, errNoConfig) {
		return nil, s.cfgErr
	}
	s.named, err = a.naming(s.cfg)
	return s, err
}

// repository finds the repository that the command is about.
func (a *app) repository(ctx context.Context) (*git.Repo, error) {
	if err := a.asksFolder(); err != nil {
		return nil, err
	}
	return git.Open(ctx, a.dir)
}

// asksFolder refuses a folder to start in that is not there.
func (a *app) asksFolder() error {
	if st, err := os.Stat(a.dir); err != nil || !st.IsDir() {
		return usage("reading the command", "torve -C DIR ...", "there is no folder %s", a.dir)
	}
	return nil
}

// settings reads the configuration of this work tree; a bare repository has none, and
// there it is the one committed on HEAD.
func (s *session) settings(ctx context.Context) (config, error) {
	if root := s.root(); root != "" {
		return readConfig(root)
	}
	data, err := s.repo.File(ctx, "HEAD", configFile)
	if errors.Is(err, git.ErrNotFound) {
		return defaultConfig(), errNoConfig
	}
	if err != nil {
		return config{}, broken("reading the configuration", "", err)
	}
	return parseConfig(data)
}

// root is the work tree that settings and drafts are read from; "" in a bare repository.
func (s *session) root() string { return first(s.repo.Worktree, s.repo.Main) }

func (s *session) close() {
	if s.log != nil {
		s.log.Close()
	}
	s.repo.Close()
}

// need asks that the repository was initialised.
func (s *session) need(verb string) error {
	if s.cfgErr != nil {
		return usage(verb, "torve init", "%v", s.cfgErr)
	}
	return nil
}

func (s *session) recordFile() string { return filepath.Join(s.repo.Common, "torve", "record.db") }

func (s *session) states() string {
	if s.repo.Main == "" {
		return filepath.Join(s.repo.Common, "torve", "wt")
	}
	return filepath.Join(s.repo.Main, ".wt")
}

// telemetry is this checkout's file of attempts; a bare repository has none.
func (s *session) telemetry() string { return s.ledger("telemetry.jsonl") }

// ledger is a file of lines in the main work tree; a bare repository has none.
func (s *session) ledger(name string) string {
	if s.repo.Main == "" {
		return ""
	}
	return filepath.Join(s.repo.Main, ".torve", name)
}

// partitioned asks that a partition of the record is named.
func (s *session) partitioned(verb string) error {
	if s.named.partition == "" {
		return usage(verb, "torve init, or --partition NAME", "no partition of the record is named")
	}
	return nil
}

// openWrite opens the record for a verb that writes.
func (s *session) openWrite(ctx context.Context, verb string) error {
	if err := s.durable(verb); err != nil || s.log != nil {
		return err
	}
	return s.opened(ctx, verb, true)
}

// durable asks that what a verb writes is kept: no carrier but the record takes a write.
func (s *session) durable(verb string) error {
	if s.a.files {
		return usage(verb, "leave --files out", "a write with no durable store: --files asks for files alone")
	}
	return s.partitioned(verb)
}

// openRead opens the record for a verb that only reads; where none is named, asked
// for or there, the log stays nil and the files answer.
func (s *session) openRead(ctx context.Context) error {
	if s.a.files {
		return nil
	}
	return s.openOld(ctx)
}

// openOld opens the record that is there, to read; where none is, the log stays nil.
func (s *session) openOld(ctx context.Context) error {
	if s.named.partition == "" && s.a.dsnTyped {
		return s.partitioned("opening the record")
	}
	if s.named.partition == "" || s.log != nil {
		return nil
	}
	return s.opened(ctx, "opening the record", false)
}

// opened opens the store that is named. One that cannot be reached or read is an error, and
// no other carrier answers in its place; where there is none here yet, the log stays nil.
func (s *session) opened(ctx context.Context, doing string, write bool) (err error) {
	if s.store, err = s.a.store(); err != nil {
		return err
	}
	log, err := s.openStore(ctx, write)
	if errors.Is(err, record.ErrNone) && !write {
		return nil
	}
	if err != nil {
		return s.unopened(doing, write, err)
	}
	s.log, s.writes = log, write
	return nil
}

// targetRef is the target's full name: the local branch, or with landing.push the
// remote's.
func (s *session) targetRef() string {
	if s.cfg.Landing.Push != "" {
		return "refs/remotes/" + s.cfg.Landing.Push + "/" + s.cfg.Target
	}
	return "refs/heads/" + s.cfg.Target
}

// head is the target's head as it is now; a remote's is fetched first.
func (s *session) head(ctx context.Context) (string, error) {
	if s.cfg.Landing.Push != "" {
		if err := s.repo.Fetch(ctx, s.cfg.Landing.Push); err != nil {
			return "", broken("fetching the target", "git fetch "+s.cfg.Landing.Push, err)
		}
	}
	return s.seen(ctx)
}

// seen is the target's head as this repository last knew it: a read fetches nothing.
func (s *session) seen(ctx context.Context) (string, error) {
	return s.resolveTarget(ctx, s.targetRef())
}

func (s *session) resolveTarget(ctx context.Context, ref string) (string, error) {
	sha, err := s.repo.Resolve(ctx, ref)
	if err == nil {
		return sha, nil
	}
	if !errors.Is(err, git.ErrNotFound) {
		return "", broken("finding the target", "", err)
	}
	if _, _, unborn := s.repo.Head(ctx); errors.Is(unborn, git.ErrUnborn) {
		return "", &fault{doing: "finding the target", err: unborn, hint: `git commit --allow-empty -m "First commit"`, outcome: Usage}
	}
	if s.cfgErr != nil { // a repository that never ran torve: its own branch
		if sha, err := s.repo.Resolve(ctx, "HEAD"); err == nil {
			return sha, nil
		}
	}
	return "", usage("finding the target", "git branch "+s.cfg.Target+", or target: in "+configFile, "there is no branch %s", s.cfg.Target)
}

// sources are where truth reads the carriers from.
func (s *session) sources(head string) truth.Sources {
	src := truth.Sources{
		Repo: s.repo, Target: s.cfg.Target, Ref: s.targetRef(), Head: head,
		Log: s.log, Partition: s.named.partition,
		States: s.states(), WorkTree: s.root(),
	}
	if s.writes { // who reads once learns nothing
		src.Memory = &s.memory
	}
	return src
}

// board is the record's fold as it is now.
func (s *session) board(ctx context.Context) (*board.Board, error) {
	return s.memory.Board(ctx, s.log, s.named.partition)
}

// ours is board for who asks nothing else of the carriers: a partition of another repository
// is refused.
func (s *session) ours(ctx context.Context) (*board.Board, error) {
	b, err := s.board(ctx)
	if err == nil {
		err = truth.Ours(ctx, s.repo, s.named.partition, b.Root)
	}
	return b, broken("reading the record", "", err)
}

// keep leaves what a verb has learnt that has written, for whoever reads next. Nothing is
// lost without it, so that a fault is told and no more.
func (s *session) keep(ctx context.Context) {
	if err := s.memory.Keep(context.WithoutCancel(ctx)); err != nil {
		fmt.Fprintln(s.a.err, unsecret("torve: warning: "+err.Error()))
	}
}

// gather reads the carriers at the target's head as it is now (fresh) or as last seen.
func (s *session) gather(ctx context.Context, fresh bool) (*truth.Reading, error) {
	return s.gathered(ctx, fresh, func(*truth.Sources) {})
}

// glance is gather for who asks no more of what has landed than that it has.
func (s *session) glance(ctx context.Context, fresh bool) (*truth.Reading, error) {
	return s.gathered(ctx, fresh, func(src *truth.Sources) { src.Brief = true })
}

// shown is glance for who reads, of what has landed, what is shown and no more.
func (s *session) shown(ctx context.Context, fresh bool) (*truth.Reading, error) {
	return s.gathered(ctx, fresh, func(src *truth.Sources) { src.Brief, src.Marked = true, true })
}

// followed is shown for who tells, too, how far the target is from what others can see.
func (s *session) followed(ctx context.Context, fresh bool) (*truth.Reading, error) {
	return s.gathered(ctx, fresh, func(src *truth.Sources) { src.Brief, src.Marked, src.Follows = true, true, true })
}

func (s *session) gathered(ctx context.Context, fresh bool, as func(*truth.Sources)) (*truth.Reading, error) {
	find := s.seen
	if fresh {
		find = s.head
	}
	head, err := find(ctx)
	if err != nil {
		return nil, err
	}
	src := s.sources(head)
	as(&src)
	r, err := truth.Gather(ctx, src)
	return r, broken("reading the carriers", "", err)
}

// landed is what landed, from git alone.
func (s *session) landed(ctx context.Context) (*truth.Reading, error) {
	head, err := s.seen(ctx)
	if err != nil {
		return nil, err
	}
	src := s.sources(head)
	src.Log = nil
	r, err := truth.GatherLandings(ctx, src)
	return r, broken("reading the landings", "", err)
}

// read opens everything that a reading verb needs and gathers.
func (a *app) read(ctx context.Context) (*session, *truth.Reading, error) {
	return a.reading(ctx, (*session).gather)
}

// readBoard is read for who asks more of a few tasks alone: see Reading.Read and ReadFiles.
func (a *app) readBoard(ctx context.Context) (*session, *truth.Reading, error) {
	return a.reading(ctx, (*session).shown)
}

func (a *app) reading(ctx context.Context, gather func(*session, context.Context, bool) (*truth.Reading, error)) (*session, *truth.Reading, error) {
	s, err := a.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := s.openRead(ctx); err != nil {
		return nil, nil, err
	}
	r, err := gather(s, ctx, false)
	if err == nil && r.Board != nil && r.Board.Events == 0 {
		r.Board, s.empty = nil, true // the files are asked: it does not mean that nothing ever ran
	}
	return s, r, err
}

// identity is the person here; without one nothing starts.
func (s *session) identity(ctx context.Context) (git.Person, error) {
	if s.person == nil {
		p, err := s.repo.Identity(ctx)
		if err != nil {
			return p, &fault{doing: "asking git who you are", err: err,
				hint: `git config user.name "..." && git config user.email "..."`, outcome: Usage}
		}
		s.person = &p
	}
	return *s.person, nil
}

func (s *session) host() string {
	h, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return h
}

// stateHome is where worktrees and caches of this repository stand, outside it.
func (s *session) stateHome(variable, fallback string) string {
	base := s.a.env(variable)
	if base == "" {
		base = filepath.Join(s.a.env("HOME"), fallback)
	}
	return filepath.Join(base, "torve", s.folderName())
}

// folderName names the repository uniquely on this machine: its folder and a hash of
// the common git directory's path.
func (s *session) folderName() string {
	return s.name() + "-" + shortHash(s.repo.Common)
}

// name is the repository's folder, as people call it.
func (s *session) name() string { return folderName(s.repo.Common) }

func folderName(common string) string {
	dir := strings.TrimSuffix(common, string(filepath.Separator)+".git")
	return strings.TrimSuffix(filepath.Base(dir), ".git")
}
