package truth

import (
	"context"
	"encoding/json"
	"fmt"
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

	mu    sync.Mutex         // over all else, for a whole reading
	once  bool               // of one reading alone
	known *agreed            // nil until it was asked
	asked int                // landings that were read because nothing was known of them
	trees map[string]listing // by folder: as it was last listed
	files map[blobAt]parsed  // contracts of the head
	gone  map[string]deletion
	at    string // the head whose history gone is of
}

// listing is what stands under one tree, by paths below it.
type listing struct {
	tree    string
	entries []git.Entry
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
}

const (
	agreedName = "landings"
	agreedForm = "torve/landings/1" // raised when what agrees changes
	agreedPart = "trees"
)

// worthKeeping is how many landings may be read anew by every command before what is known
// of them is kept.
const worthKeeping = 100

// knownOf is what this process knows of the landings, else what the last one that wrote has
// left in the store. What does not read is not known.
func (g *gathering) knownOf(ctx context.Context) agreed {
	if g.Memory.known != nil {
		return *g.Memory.known
	}
	var k agreed
	if store, keeps := g.Log.(record.Snapshots); keeps {
		s, err := store.Kept(ctx, g.Partition, agreedName, agreedPart)
		if err != nil || s.Form != agreedForm || json.Unmarshal(s.Parts[agreedPart], &k) != nil {
			k = agreed{}
		}
	}
	g.Memory.known = &k
	return k
}

// Board is the board of a partition as it is now, by what is known of it.
func (m *Memory) Board(ctx context.Context, log record.Log, p record.Partition) (*board.Board, error) {
	m.boards.Lock()
	if m.board == nil || m.log != log {
		m.log, m.board = log, board.Follow(log, p)
	}
	f := m.board
	m.boards.Unlock()
	return f.Now(ctx)
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
	if m.known == nil || len(m.known.Trees) == 0 || m.asked < worthKeeping {
		return nil
	}
	b, err := follower.Now(ctx)
	if err != nil {
		return err
	}
	data, err := json.Marshal(m.known)
	if err != nil {
		return err
	}
	m.asked = 0
	err = store.Keep(ctx, follower.Partition(), record.Snapshot{
		Name: agreedName, Form: agreedForm, Seq: b.Seq, Hash: b.Hash, Parts: map[string][]byte{agreedPart: data},
	})
	if err != nil {
		return fmt.Errorf("keeping what is known of the landings beside the record: %w", err)
	}
	return nil
}

// list is what stands in a folder of the head, and the folder's tree.
func (g *gathering) list(ctx context.Context, folder string) (listing, error) {
	tree, err := g.Repo.Folder(ctx, g.Head, folder)
	if err != nil || tree == "" {
		return listing{}, err
	}
	if l := g.Memory.trees[folder]; l.tree == tree {
		return l, nil
	}
	l := listing{tree: tree}
	if l.entries, err = g.Repo.Tree(ctx, tree, ""); err != nil {
		return l, err
	}
	if g.Memory.trees == nil {
		g.Memory.trees = map[string]listing{}
	}
	g.Memory.trees[folder] = l
	return l, nil
}
