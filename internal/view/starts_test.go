package view_test

import (
	"strings"
	"testing"

	"torve/internal/git/gittest"
	"torve/internal/truth"
	"torve/internal/view"
)

func TestABoardIsReadWithFewStartsOfGit(t *testing.T) {
	for name, c := range map[string]struct {
		most int // opening the repository, asking what the target follows; without a record, history
		read func(*shop) (*truth.Reading, view.Options)
	}{
		"with a record": {2, (*shop).here},
		"in a clone":    {3, (*shop).clone},
	} {
		t.Run(name, func(t *testing.T) {
			s := night(t)
			s.Git("status")
			starts := gittest.Counted(t)
			r, o := c.read(s)
			status(t, r, o)
			all := starts()
			if strings.Contains(all[0], "clone") {
				all = all[1:] // the test's own
			}
			if len(all) > c.most {
				t.Errorf("git was started %d times:\n%s", len(all), strings.Join(all, "\n"))
			}
		})
	}
}
