// Package bench measures what torve takes beside what nothing can be under, both in one
// run: a figure alone says as much of the machine as of the program.
package bench

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"torve/internal/record/postgres/pgtest"
)

// row is one line of the table.
type row struct {
	place               int
	what, figure, floor string
	ratio, aim          string
}

var (
	rows []row
	bin  string // the folder of the programs that are measured
)

// TestMain builds the programs once and prints the table at the end.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if !slices.ContainsFunc(os.Args, func(a string) bool { return strings.HasPrefix(a, "-test.bench=") }) {
		return pgtest.Main(m).Run()
	}
	dir, err := os.MkdirTemp("", "torve-bench-")
	if err == nil {
		bin = dir
		defer os.RemoveAll(dir)
		err = build()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := pgtest.Main(m).Run()
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.place, b.place) })
	fmt.Printf("\n| what | figure | floor | beside it | aim |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Printf("| %s | %s | %s | %s | %s |\n", r.what, r.figure, r.floor, r.ratio, r.aim)
	}
	return code
}

// build makes torve as the Makefile does, and a program that says hello.
func build() error {
	sources := map[string]string{"torve": "torve/cmd/torve"}
	for name, text := range map[string]string{"hello": hello, "peak": peak} {
		sources[name] = filepath.Join(bin, name+".go")
		if err := os.WriteFile(sources[name], []byte(text), 0o644); err != nil {
			return err
		}
	}
	for name, source := range sources {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(bin, name), source)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", name, err, out)
		}
	}
	return nil
}

const hello = `package main

import "os"

func main() { os.Stdout.WriteString("hello\n") }
`

// peak runs a program and says how many kilobytes it held at most. It is small: a program
// is told to have held at least what the one that started it does.
const peak = `package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	if err := cmd.Run(); err != nil {
		panic(err)
	}
	fmt.Print(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
}
`

// start runs a program in a folder and gives how long it took, and what it printed.
func start(b *testing.B, dir string, argv ...string) (time.Duration, string) {
	b.Helper()
	return startWith(b, nil, dir, argv...)
}

// startWith is start with more in the environment.
func startWith(b *testing.B, env []string, dir string, argv ...string) (time.Duration, string) {
	b.Helper()
	for i, name := range argv {
		if name == "torve" || name == "hello" || name == "peak" {
			argv[i] = filepath.Join(bin, name)
		}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if err != nil {
		b.Fatalf("%v: %v\n%s", argv, err, errs.String())
	}
	return took, out.String()
}

// memory is how many bytes a program holds at most.
func memory(b *testing.B, dir string, argv ...string) int64 {
	b.Helper()
	return memoryWith(b, nil, dir, argv...)
}

func memoryWith(b *testing.B, env []string, dir string, argv ...string) int64 {
	b.Helper()
	_, said := startWith(b, env, dir, append([]string{"peak"}, argv...)...)
	kilobytes, err := strconv.ParseInt(said, 10, 64)
	must(b, err)
	return kilobytes * 1024
}

// best is the shortest of some runs of each, one after the other in turns, so that what
// else the machine does meets all alike.
func best(rounds int, each ...func() time.Duration) []time.Duration {
	out := make([]time.Duration, len(each))
	for n := range rounds {
		for i, run := range each {
			if t := run(); n == 0 || t < out[i] {
				out[i] = t
			}
		}
	}
	return out
}

// above adds a row of a figure that is asked for as so much above its floor.
func above(b *testing.B, place int, what string, figure, floor time.Duration, floorIs, aim string) {
	b.ReportMetric(ms(figure), "ms")
	b.ReportMetric(ms(floor), "floor-ms")
	rows = append(rows, row{place, what, fmt.Sprintf("%.1f ms", ms(figure)), fmt.Sprintf("%.1f ms, %s", ms(floor), floorIs),
		fmt.Sprintf("%.1f ms above", ms(figure-floor)), aim})
}

// times adds a row of a figure that is asked for as so many times its floor.
func times(b *testing.B, place int, what string, figure, floor time.Duration, floorIs, aim string) {
	b.ReportMetric(ms(figure), "ms")
	b.ReportMetric(ms(floor), "floor-ms")
	rows = append(rows, row{place, what, fmt.Sprintf("%.1f ms", ms(figure)), fmt.Sprintf("%.1f ms, %s", ms(floor), floorIs),
		fmt.Sprintf("%.1f times", float64(figure)/float64(floor)), aim})
}

// rate adds a row of so many a second.
func rate(b *testing.B, place int, what string, n int, figure, floor time.Duration, floorIs, aim string) {
	per := func(d time.Duration) float64 { return float64(n) / d.Seconds() }
	b.ReportMetric(per(figure), "per-second")
	b.ReportMetric(per(floor), "floor-per-second")
	rows = append(rows, row{place, what, fmt.Sprintf("%.0f a second", per(figure)), fmt.Sprintf("%.0f a second, %s", per(floor), floorIs),
		fmt.Sprintf("%.0f%% of it", 100*per(figure)/per(floor)), aim})
}

// size adds a row of memory.
func size(b *testing.B, place int, what string, figure, floor int64, floorIs string) {
	b.ReportMetric(float64(figure)/1e6, "MB")
	b.ReportMetric(float64(floor)/1e6, "floor-MB")
	rows = append(rows, row{place, what, fmt.Sprintf("%.0f MB", float64(figure)/1e6), fmt.Sprintf("%.0f MB, %s", float64(floor)/1e6, floorIs),
		fmt.Sprintf("%.0f MB above", float64(figure-floor)/1e6), ""})
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
