package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"torve/internal/view"
	"torve/internal/village"
)

// outdoors is a folder that is in no repository.
func outdoors(t *testing.T) *stage {
	t.Helper()
	s := empty(t)
	s.Repo.Dir = t.TempDir()
	return s
}

func TestTheValleyIsDrawnWhereNothingIsSetUp(t *testing.T) {
	s := outdoors(t)
	r := s.ends(0, "world")
	s.verbatim("world.txt", r.out)
	if r.err != "" {
		t.Errorf("%s", r.err)
	}
	if found, err := os.ReadDir(s.Dir); err != nil || len(found) > 0 {
		t.Errorf("it left %v (%v)", found, err)
	}
	if again := s.ends(0, "world", "--at", "1400"); again.out != r.out {
		t.Error("a second look shows another world")
	}
	if other := shop(t).ends(0, "world"); other.out != r.out {
		t.Error("a repository shows another world")
	}
}

func TestTheWorldsDocumentIsAsItIsWritten(t *testing.T) {
	s := outdoors(t)
	doc := s.document(0, "world")
	for _, field := range []string{"schema", "tick", "day", "clock", "hour", "digest", "rows", "crop", "most", "bodies", "buried", "witness"} {
		if _, there := doc[field]; !there {
			t.Errorf("torve world --json has no %s", field)
		}
	}
	s.verbatim("json/world.json", s.ends(0, "world", "--json").out)
	r, err := village.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(worldAt); err != nil {
		t.Fatal(err)
	}
	if doc["digest"] != r.Digest() {
		t.Errorf("the digest is %v, and the state's is %s", doc["digest"], r.Digest())
	}
}

func TestWhatTheWorldCannotShowIsRefusedWithTheCommandThatDoes(t *testing.T) {
	s := outdoors(t)
	s.shows("world-refused",
		words("world --at 899"), words("world --at -1"), words("world --at 13140001"), words("world --at noon"), words("world 1400"),
		words("world --until 1500"), words("world --speed 2"), words("world --speed 0"), words("world --follow"), words("world --follow --until 1399"),
		words("world --follow --until 1500 --speed 0"), words("world --follow --until 1500 --speed 1001"), words("world --follow --until 1500 --json"))
	for _, at := range []string{"900", "901"} {
		s.ends(0, "world", "--at", at)
	}
}

func TestAFollowedWorldIsAPictureAnHourWhereThereIsNoTerminal(t *testing.T) {
	s := outdoors(t)
	r := s.ends(0, words("world --follow --until 1820")...)
	var ticks []string
	for l := range strings.Lines(r.out) {
		if _, tick, heads := strings.Cut(l, "  tick "); heads && strings.HasPrefix(l, "The valley") {
			ticks = append(ticks, strings.TrimSpace(tick))
		}
	}
	if got := strings.Join(ticks, " "); got != "1400 1500 1650 1800 1820" {
		t.Errorf("pictures of %s", got)
	}
	if strings.Contains(r.out, "\x1b") || strings.Count(r.out, "next: ") != 1 || !strings.HasSuffix(r.out, "next: torve world --at 1820\n") {
		t.Errorf("%s", r.out)
	}
	if last := s.ends(0, words("world --at 1820")...).out; !strings.Contains(r.out, last[:strings.Index(last, "next: ")]) {
		t.Error("the last picture is another than that of its tick")
	}
	if r := s.ends(0, words("world --follow --at 1500 --until 1500")...); strings.Count(r.out, "The valley") != 1 {
		t.Errorf("%s", r.out)
	}
}

// livedOn runs a follower that draws in place over so many frames, and gives what it wrote.
func livedOn(t *testing.T, by, until, frames int) string {
	t.Helper()
	r, err := village.New()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	due, done := make(chan time.Time), make(chan error)
	var out bytes.Buffer
	w := &follower{
		out: &out, valley: r, style: func() view.Style { return view.Style{Width: 80} }, rows: func() int { return 24 },
		frames: due, by: by, until: until, inPlace: true,
	}
	go func() { done <- w.live(ctx) }()
	for range frames {
		due <- noon()
	}
	if until == worldLast {
		stop()
	}
	defer stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAFollowedWorldIsDrawnInPlaceAndTheTerminalGivenBack(t *testing.T) {
	out := livedOn(t, 7, worldLast, 3)
	begin, rest, _ := strings.Cut(out, leave)
	if !strings.HasPrefix(begin, enter) || strings.Count(begin, "\x1b[H") != 4 || strings.Count(out, enter) != 1 || strings.Contains(rest, "\x1b") {
		t.Errorf("%q", out)
	}
	if !strings.Contains(begin, "70 ticks a second; Ctrl-C ends it") || !strings.Contains(begin, "tick 921") || !strings.HasSuffix(rest, "next: torve world --at 921\n") {
		t.Errorf("%q", out)
	}
	for picture := range strings.SplitSeq(begin, "\x1b[H") {
		if strings.Count(picture, "\n") > 23 || strings.Contains(picture, "…") {
			t.Errorf("a picture does not fit a screen of 24 rows: %q", picture)
		}
	}
}

func TestAFollowedWorldEndsAtItsTick(t *testing.T) {
	out := livedOn(t, 100, 1130, 3)
	if !strings.HasSuffix(out, "next: torve world --at 1130\n") || strings.Contains(out, "tick 1200") {
		t.Errorf("%q", out)
	}
}

func TestAPictureEndsWithTheNextGiftAndWithTheWorldLivingOnFromThere(t *testing.T) {
	s := outdoors(t)
	for at, want := range map[string]string{
		"1400": "next: torve world --at 1857                        Ander gives to Mose\n      torve world --follow --at 1400 --until 1550  lives on\n",
		"1857": "next: torve world --at 1876                        Ander gives to Mose\n      torve world --follow --at 1857 --until 2007  lives on\n",
	} {
		if out := s.ends(0, "world", "--at", at).out; !strings.HasSuffix(out, want) {
			t.Errorf("%s: %s", at, out)
		}
	}
	if out := s.ends(0, "world", "--at", "1857").out; !strings.Contains(out, "gives") {
		t.Errorf("at the tick that is named nobody gives:\n%s", out)
	}
	s.ends(0, words("world --follow --at 1857 --until 2007")...)
}

func TestAWorldToStartInAFolderThatIsNotThereIsRefused(t *testing.T) {
	if r := outdoors(t).ends(3, "-C", "/nowhere/at-all", "world"); r.out != "" || !strings.Contains(r.err, "there is no folder /nowhere/at-all") {
		t.Errorf("%q %q", r.out, r.err)
	}
}

func TestWhoAsksForTheLawIsToldOfTheChecks(t *testing.T) {
	s := outdoors(t)
	for _, word := range []string{"law", "seam"} {
		if r := s.ends(3, "help", word); !strings.Contains(r.err, "hint: torve help checks\n") {
			t.Errorf("%s: %s", word, r.err)
		}
	}
	if r := s.ends(3, "help", "lans"); strings.Contains(r.err, "help checks") {
		t.Errorf("%s", r.err)
	}
	s.ends(0, "help", "checks")
}
