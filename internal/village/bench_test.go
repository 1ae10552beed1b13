package village

import (
	"fmt"
	"strings"
	"testing"

	"torve/configs"
	"torve/internal/beast"
)

// wide is a valley of ground with ten cells for each of so many villagers, who go from one
// of their cells to the next by the hour.
func wide(t testing.TB, villagers int) *Roster {
	t.Helper()
	side := 10
	for side*side < 10*villagers {
		side += 10
	}
	rows := strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat(".", side)+`",`, side), ",")
	valley := `{"rows":[` + rows + `],"crop_cap":100,"crop_start":100,"regrow":0.03}`
	var people []string
	for i := range villagers {
		x, y := i*10%side, i*10/side
		var rounds []string
		for k := range 9 {
			rounds = append(rounds, fmt.Sprintf("[%d,%d,%d,%d]", k*Day/9, x+k*7%10, y, (i+k)%beast.Headings))
		}
		people = append(people, fmt.Sprintf(`{"id":%d,"name":"v%d","kind":"villager","profile":"villager",
			"cell":{"x":%d,"y":%d},"heading":0,"store":%d,"rounds":[%s]}`, i+1, i+1, x, y, 90+i%100, strings.Join(rounds, ",")))
	}
	fauna, err := configs.Files.ReadFile(configs.Fauna)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Found([]byte(valley), fauna, []byte(`{"start":900,"villagers":[`+strings.Join(people, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// BenchmarkTick is a tick of the valley, and of ever more villagers of whom each has as much
// room: what one body costs stays flat.
func BenchmarkTick(b *testing.B) {
	b.Run("valley", func(b *testing.B) { ticks(b, born(b)) })
	for _, n := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { ticks(b, wide(b, n)) })
	}
}

func ticks(b *testing.B, r *Roster) {
	bodies := len(r.bodies)
	if err := r.Run(1000); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Step()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*bodies), "ns/body")
	if len(r.buried) > 0 {
		b.Fatalf("%d of %d died", len(r.buried), bodies)
	}
}

// BenchmarkFloor is what no tick of a thousand can do without: the crop grows on each cell,
// and each body pays a rest.
func BenchmarkFloor(b *testing.B) {
	r := wide(b, 1000)
	crop := make([]int64, r.valley.Bed.W*r.valley.Bed.H)
	for b.Loop() {
		for i := range crop {
			crop[i] = min(crop[i]+r.regrow, r.most)
		}
		for _, o := range r.bodies {
			o.Store -= o.Kind.Rest
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*1000), "ns/body")
}

// BenchmarkReading is what a check's view of the valley costs.
func BenchmarkReading(b *testing.B) {
	r := born(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Reading(2); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDigest is what the state's bytes and their digest cost.
func BenchmarkDigest(b *testing.B) {
	r := born(b)
	if err := r.Run(1400); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Digest()
	}
}

// born is the valley at its first tick.
func born(t testing.TB) *Roster {
	t.Helper()
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return r
}
