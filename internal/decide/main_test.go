package decide_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"torve/internal/record/postgres/pgtest"
)

var update = flag.Bool("update", false, "write the golden files, and the recording's hashes, anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }

// golden compares with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; it is now:\n%s", file, got)
	}
}
