package carrier

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestIdsAreReadAsTheirPatternsSay(t *testing.T) {
	task := regexp.MustCompile(`^[A-Z]+-[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$`)
	spec := regexp.MustCompile(`^S-[0-9]{4,}$`)
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringOfN(rapid.SampledFrom([]rune("STAZaz019-_.é[`{/\n")), 0, 8, -1).Draw(t, "id")
		if ValidTask(id) != task.MatchString(id) {
			t.Fatalf("%q as a task", id)
		}
		for _, id := range []string{id, "S-" + id, "S-0" + id, "S-000" + id} {
			if validSpec(id) != spec.MatchString(id) {
				t.Fatalf("%q as a specification", id)
			}
		}
	})
}

func TestEveryPathOfALandingIsTheOneThatWouldBeWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.SampledFrom([]string{"1", "01", "+1", "0", "-1", "12", "1e1", " 1"}).Draw(t, "number")
		at := rapid.SampledFrom([]string{"20260131T120000Z", "20260131T120060Z", "20261331T120000Z", "00000101T000000Z", "20260131T1200000Z", "20260131T120000.0Z"}).Draw(t, "at")
		dir := rapid.SampledFrom([]string{landingPlace, specPlace + "S-0001/execution/", specPlace + "S-1/execution/", specPlace + "execution/", ".torve/"}).Draw(t, "dir")
		path := fmt.Sprintf("%sT-0001-%s-%s.yaml", dir, number, at)
		task, attempt, when, ok := ParseLandingPath(path)
		if !ok {
			return
		}
		_, _, in := LandingPlace(path)
		if !in || LandingPath(task, specOf(dir), attempt, when) != path || when.Equal(time.Time{}) {
			t.Fatalf("%s is taken for a landing", path)
		}
	})
}
