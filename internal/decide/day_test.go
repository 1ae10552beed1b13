package decide_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"torve/configs"
	"torve/internal/decide"
	"torve/internal/lang"
	"torve/internal/law"
)

// recorded is the day that ships.
func recorded(t *testing.T) *lang.Recorded {
	t.Helper()
	text, err := configs.Files.ReadFile(configs.Day)
	if err != nil {
		t.Fatal(err)
	}
	r, err := lang.NewRecorded(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// With -update the hashes are written anew: what a change of the prompt asks for, as long as
// the answers are authored.
func TestEveryPromptOfTheDayIsTheRecordedOne(t *testing.T) {
	day := recorded(t)
	rows, err := decide.Rehash(t.Context(), decide.Options{Law: law.Lawless{}, Recorded: day})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "configs", configs.Day)
	if *update {
		if err := os.WriteFile(file, lang.Write(rows), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, was := range day.Rows() {
		if i >= len(rows) || rows[i].Prompt != was.Prompt || rows[i].Settings != was.Settings {
			t.Errorf("row %d, %s at tick %d: the prompt or the settings are other ones now; -update writes them", i+1, was.Villager, was.Tick)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, lang.Write(rows)) {
		t.Error("the file is not as a recording is written")
	}
}
