package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"torve/internal/git/gittest"
)

// A git that prunes removes the folders of loose objects that are empty, again and again.
func TestObjectsAreWrittenWhileTheirFoldersArePruned(t *testing.T) {
	user := gittest.New(t)
	user.Write("a", "a\n")
	user.Commit("A")
	r, err := Open(t.Context(), user.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	over := make(chan struct{})
	var pruning sync.WaitGroup
	pruning.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
			}
			folders, _ := filepath.Glob(filepath.Join(user.Dir, ".git/objects/??"))
			for _, folder := range folders {
				_ = os.Remove(folder) // only where it is empty
			}
		}
	})
	defer pruning.Wait()
	defer close(over)
	for n := range 300 {
		want := fmt.Sprintf("blob %d", n)
		id, err := r.WriteBlob(context.Background(), []byte(want))
		if err != nil {
			t.Fatalf("blob %d: %v", n, err)
		}
		if got, err := r.Blob(context.Background(), id); err != nil || string(got) != want {
			t.Fatalf("blob %d reads %q, %v", n, got, err)
		}
	}
}
