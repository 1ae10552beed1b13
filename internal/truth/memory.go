package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
)

// Memory is what a process has learnt that gathers again and again, of one repository and
// one partition. Whatever it holds is named by what never changes (an event's hash, an
// object's id), so that a reading with a memory is the reading without. Its zero value
// knows nothing. Several may gather with it at once.
type Memory struct {
	boards sync.Mutex // over the two that follow
	log    record.Log
	board  *board.Follower

	mu       sync.Mutex         // over all else, for a whole reading
	recalled bool               // the store was asked what it keeps
	known    agreed             // of the landings
	kept     map[string]string  // the trees of the listings that lie in the store
	trees    map[string]listing // by folder: as it was last listed
	landed   landedFiles        // as they were last read
	files    map[blobAt]parsed  // contracts of the head
	gone     map[string]deletion
	at       string // the head whose history gone is of
}

// listing is what stands under one tree, by paths below it.
type listing struct {
	tree    string
	entries []git.Entry
}

// landedFiles are the landings of some trees.
type landedFiles struct {
	trees  map[string]string // by folder
	files  []LandingFile
	faults []Fault
}

type blobAt struct{ path, blob string }

// parsed is a contract, or why it is none.
type parsed struct {
	file File
	err  error
}

// agreed names trees of the folders of landings in which every file was asked whether its
// name, its task and its place agree, and did: what stands in them need not be asked again.
type agreed struct {
	Trees   map[string]string   `json:"trees"`   // by folder
	Reverts map[string][]string `json:"reverts"` // by path
	Listed  map[string]string   `json:"listed"`  // by folder: the trees whose listings are kept beside it
}

const (
	agreedName = "landings"
	agreedForm = "torve/landings/3" // raised when what agrees changes
	agreedPart = "trees"
)

// worthKeeping is how many files every command may list and read anew before what is known
// of them is kept.
const worthKeeping = 100

// knownOf is what this process knows of the landings, else what the last one that wrote has
// left in the store. What does not read is not known.
func (g *gathering) knownOf(ctx context.Context) (agreed, error) {
	err := g.Memory.recall(ctx, g.Log, g.Partition)
	return g.Memory.known, err
}

// recall reads what lies in the store, once. What is amiss with it is no error; a store that
// is lost is one, and is asked again when somebody needs it.
func (m *Memory) recall(ctx context.Context, log record.Log, p record.Partition) error {
	store, keeps := log.(record.Snapshots)
	if m.recalled || !keeps {
		return nil
	}
	s, err := store.Kept(ctx, p, agreedName)
	if record.Lost(err) {
		return err
	}
	m.recalled = true
	m.take(s, err)
	return nil
}

// take believes what was kept as far as git has it.
func (m *Memory) take(s record.Snapshot, err error) {
	if err != nil || s.Form != agreedForm || json.Unmarshal(s.Parts[agreedPart], &m.known) != nil {
		m.known = agreed{}
		return
	}
	m.trees, m.kept = map[string]listing{}, map[string]string{}
	for folder, tree := range m.known.Listed {
		l, whole := listingOf(tree, joined(s.Parts, folder))
		if !whole || len(l.entries) == 0 || git.TreeID(l.entries) != tree { // the store is not git
			m.known, m.trees, m.kept = agreed{}, nil, nil
			return
		}
		m.trees[folder], m.kept[folder] = l, tree
	}
}

// parts add a listing to those of a snapshot, by its first path each. Where one ends the
// paths themselves say, so that a file more changes one part, and the others stay.
func (l listing) parts(folder string, parts map[string][]byte) {
	const about = 1024 // files a part
	from := 0
	for i, e := range l.entries {
		if i+1 == len(l.entries) || ends(e.Path, about) {
			parts[folder+partMark+l.entries[from].Path] = bytesOf(l.entries[from : i+1])
			from = i + 1
		}
	}
}

// ends reports whether a part of a listing ends with a path: one in so many does.
func ends(path string, of uint64) bool {
	h := fnv.New64a()
	h.Write([]byte(path))
	return h.Sum64()>>32%of == 0
}

// partMark stands between a folder and the first path of a part of its listing.
const partMark = ":"

// joined are the parts of a folder's listing, one after the other.
func joined(parts map[string][]byte, folder string) string {
	var names []string
	size := 0
	for name, part := range parts {
		if strings.HasPrefix(name, folder+partMark) {
			names, size = append(names, name), size+len(part)
		}
	}
	slices.Sort(names)
	var data strings.Builder
	data.Grow(size)
	for _, name := range names {
		data.Write(parts[name])
	}
	return data.String()
}

// bytesOf are entries as the store has them: mode, id and path of each.
func bytesOf(entries []git.Entry) []byte {
	var b []byte
	for _, e := range entries {
		b = append(b, e.Mode...)
		b = append(b, ' ')
		b = append(b, e.ID...)
		b = append(b, ' ')
		b = append(b, e.Path...)
		b = append(b, 0)
	}
	return b
}

// listingOf reads a listing back.
func listingOf(tree, text string) (listing, bool) {
	l := listing{tree: tree, entries: make([]git.Entry, 0, strings.Count(text, "\x00"))}
	for text != "" {
		one, rest, ended := strings.Cut(text, "\x00")
		mode, one, _ := strings.Cut(one, " ")
		id, path, whole := strings.Cut(one, " ")
		if !ended || !whole {
			return listing{}, false
		}
		l.entries = append(l.entries, git.Entry{Path: path, Mode: mode, ID: id})
		text = rest
	}
	return l, true
}

// Board is the board of a partition as it is now, by what is known of it.
func (m *Memory) Board(ctx context.Context, log record.Log, p record.Partition) (*board.Board, error) {
	return m.follow(log, p).Now(ctx)
}

func (m *Memory) follow(log record.Log, p record.Partition) *board.Follower {
	m.boards.Lock()
	defer m.boards.Unlock()
	if m.board == nil || m.log != log {
		m.log, m.board = log, board.Follow(log, p)
	}
	return m.board
}

// Keep leaves what was learnt for whoever reads next, where it is worth the writing. It is
// for who has written to the record: a read keeps nothing.
func (m *Memory) Keep(ctx context.Context) error {
	m.boards.Lock()
	log, follower := m.log, m.board
	m.boards.Unlock()
	store, keeps := log.(record.Snapshots)
	if !keeps || follower == nil {
		return nil
	}
	if err := follower.Keep(ctx); err != nil {
		return fmt.Errorf("keeping the board beside the record: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	count, trees := 0, map[string]string{}
	for folder, l := range m.trees {
		count += len(l.entries)
		trees[folder] = l.tree
	}
	if count < worthKeeping || maps.Equal(trees, m.kept) {
		return nil
	}
	b, err := follower.Glance(ctx)
	if err != nil {
		return err
	}
	m.known.Listed = trees
	data, err := json.Marshal(m.known)
	if err != nil {
		return err
	}
	parts := map[string][]byte{agreedPart: data}
	for folder, l := range m.trees {
		l.parts(folder, parts)
	}
	m.kept = trees
	err = store.Keep(ctx, follower.Partition(), record.Snapshot{
		Name: agreedName, Form: agreedForm, Seq: b.Seq, Hash: b.Hash, Parts: parts,
	})
	if err != nil {
		return fmt.Errorf("keeping what is known of the landings beside the record: %w", err)
	}
	return nil
}

// Forget drops what is kept beside a record: the next who writes keeps it anew.
func Forget(ctx context.Context, log record.Log, p record.Partition) error {
	store, keeps := log.(record.Snapshots)
	if !keeps {
		return nil
	}
	if err := board.Forget(ctx, store, p); err != nil {
		return err
	}
	return store.Keep(ctx, p, record.Snapshot{Name: agreedName})
}

// list is what stands in a folder of the head, and the folder's tree.
func (g *gathering) list(ctx context.Context, folder string) (listing, error) {
	tree, err := g.Repo.Folder(ctx, g.Head, folder)
	if err != nil || tree == "" {
		return listing{}, err
	}
	if err := g.Memory.recall(ctx, g.Log, g.Partition); err != nil {
		return listing{}, err
	}
	was := g.Memory.trees[folder]
	if was.tree == tree {
		return was, nil
	}
	l := listing{tree: tree}
	if l.entries, err = g.Repo.TreeOf(ctx, tree, len(was.entries)); err != nil {
		return l, err
	}
	if g.Memory.trees == nil {
		g.Memory.trees = map[string]listing{}
	}
	g.Memory.trees[folder] = l
	return l, nil
}
