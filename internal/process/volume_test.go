package process

import (
	"path/filepath"
	"testing"
)

func TestAFolderThatIsNotThereStandsOnTheNearestThatIs(t *testing.T) {
	dir := t.TempDir()
	v, err := VolumeOf(filepath.Join(dir, "a", "b"))
	if err != nil || v.Folder != dir || !v.Writable || v.Free <= 0 {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := VolumeOf("/dev/null/x"); err == nil {
		t.Errorf("a folder in a device: %+v", v)
	}
}
