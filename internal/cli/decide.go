package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"torve/configs"
	"torve/internal/decide"
	"torve/internal/lang"
	"torve/internal/law"
	"torve/internal/record"
)

// bench is the partition that the bench of the world's law keeps its rows in.
const bench = "bench/decide"

// decideFlags are the bench's, as they were typed.
type decideFlags struct {
	decide.Options
	shipped    bool // the law that ships
	dsn, at    string
	model, out string
	wait       time.Duration
	set        map[string]bool // those that were typed
	typed      [][2]string     // the same with what they were given, the mode first
}

// Decide runs the bench of the world's law and gives its exit code.
func Decide(args []string, in io.Reader, out, errs io.Writer) int {
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{args: args, in: in, out: out, err: errs, dir: ".", now: time.Now, env: os.Getenv}
	return a.decide(ctx, args)
}

// decide is Decide with everything that a test may want to hand in.
func (a *app) decide(ctx context.Context, args []string) int {
	f, err := readDecide(args)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(a.out, decideHelp())
	} else if err == nil {
		err = a.runDecide(ctx, f)
	}
	if err == nil {
		return Done.Code()
	}
	return a.failDecide(err, f)
}

// readDecide reads the command and asks that its flags say something to its mode.
func readDecide(args []string) (decideFlags, error) {
	f := decideFlags{set: map[string]bool{}}
	set := flag.NewFlagSet("decide", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.Mode, "mode", "", "")
	set.StringVar(&f.Who, "who", "Ander", "")
	set.IntVar(&f.Now, "now", 1400, "")
	set.IntVar(&f.Late, "late", 0, "")
	set.IntVar(&f.Stale, "stale", 0, "")
	set.BoolVar(&f.Reversed, "reversed", false, "")
	set.BoolVar(&f.NoSchema, "noschema", false, "")
	set.BoolVar(&f.shipped, "law", false, "")
	set.StringVar(&f.dsn, "dsn", "", "")
	set.StringVar(&f.at, "partition", bench, "")
	set.StringVar(&f.model, "model", "", "")
	set.DurationVar(&f.wait, "wait", 0, "")
	set.StringVar(&f.out, "out", "", "")
	if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
		return f, err
	} else if err != nil {
		text, _, _ := strings.Cut(err.Error(), ": parse error")
		return f, usage("reading the command", "go run ./cmd/decide -h", "%s", text)
	}
	set.Visit(func(one *flag.Flag) {
		f.set[one.Name], f.typed = true, append(f.typed, [2]string{one.Name, one.Value.String()})
	})
	if set.NArg() > 0 {
		return f, usage("reading the command", "go run ./cmd/decide -h", "%q is no flag: the mode is named with -mode", set.Arg(0))
	}
	return f, f.fit()
}

// fit refuses a mode that there is not, and flags that say nothing to the one that is named.
func (f *decideFlags) fit() error {
	var names []string
	for _, m := range decide.Modes() {
		names = append(names, m.Name)
		if m.Name != f.Mode {
			continue
		}
		switch odd := f.odd(m); {
		case len(odd) == 1:
			return usage("reading the command", "go run ./cmd/decide -h", "%s says nothing to the mode %s", odd[0], f.Mode)
		case len(odd) > 1:
			return usage("reading the command", "go run ./cmd/decide -h", "%s says nothing to the mode %s, nor do %s", odd[0], f.Mode, joined(odd[1:]))
		case f.set["stale"] && f.Stale < 1:
			return usage("reading the command", "-stale 60", "-stale %d: a staleness cap of %d ticks would refuse every proposal", f.Stale, f.Stale)
		case f.set["wait"] && f.wait <= 0:
			return usage("reading the command", "-wait 2m", "-wait %v: no answer comes within it", f.wait)
		case f.at == "":
			return usage("reading the command", "-partition "+bench, "-partition names no partition: it is empty")
		}
		return partitionName("-partition", f.at)
	}
	what := fmt.Sprintf("there is no mode %q", f.Mode)
	if f.Mode == "" {
		what = "no mode is named"
	}
	return usage("reading the command", "go run ./cmd/decide -mode day", "%s; there are %s", what, joined(names))
}

// odd are the flags that were typed and that a mode does not read.
func (f *decideFlags) odd(m decide.Mode) (flags []string) {
	for _, name := range slices.Sorted(maps.Keys(f.set)) {
		if name != "mode" && !slices.Contains(m.Flags, name) {
			flags = append(flags, "-"+name)
		}
	}
	return flags
}

// runDecide gathers what a mode needs and runs it.
func (a *app) runDecide(ctx context.Context, f decideFlags) error {
	o := f.Options
	o.Law, o.At, o.Keep = law.Lawless{}, record.Partition(f.at), a.keepRow
	text, err := configs.Files.ReadFile(configs.Day)
	if err != nil {
		return broken("reading the recorded day", "", err)
	}
	if o.Recorded, err = lang.NewRecorded(text); err != nil {
		return usage("reading the recorded day", "mend configs/"+configs.Day, "%s: %w", configs.Day, err)
	}
	if f.shipped {
		if o.Law, err = shippedLaw(); err != nil {
			return err
		}
	}
	if f.Mode == "live" || f.Mode == "record" {
		model, err := lang.NewLive(f.model, a.env)
		if err != nil {
			return usage("reading where the model is", "OLLAMA_HOST=127.0.0.1:11434", "%w", err)
		}
		if f.wait > 0 {
			model.Limits.Time = f.wait
		}
		o.Live = model
	}
	switch f.Mode {
	case "live":
		store, err := a.benchStore(ctx, f)
		if err != nil {
			return err
		}
		defer store.Close()
		o.Store = store
	case "record":
		if o.Write, err = a.recording(f.out); err != nil {
			return err
		}
	}
	return decide.Run(ctx, a.out, o)
}

// shippedLaw is the law of configs.
func shippedLaw() (law.Law, error) {
	text, err := configs.Files.ReadFile(configs.Law)
	if err != nil {
		return nil, broken("reading the law", "", err)
	}
	return lawOf(text)
}

// lawOf reads a law. What is wrong with one that somebody wrote is theirs to mend.
func lawOf(text []byte) (law.Law, error) {
	code, err := law.ParseCode(text)
	if err == nil {
		return code, nil
	}
	hint := "mend configs/" + configs.Law + "; the form of a clause: docs/decisions/0057-the-form-of-a-law.md"
	if idle, is := errors.AsType[*law.Idle](err); is {
		hint = fmt.Sprintf("put %s before %s in configs/%s, or take it out", idle.Clause, idle.By, configs.Law)
	}
	return nil, usage("reading the law", hint, "%s: %w", configs.Law, err)
}

// failDecide prints an error on stderr and gives the exit code.
func (a *app) failDecide(err error, f decideFlags) int {
	if errors.Is(err, syscall.EPIPE) { // whoever read has read enough
		return Done.Code()
	}
	why, hint, outcome := explain(err)
	if _, opening := errors.AsType[*fault](err); !opening {
		why = strings.TrimSpace(err.Error()) // a store's fault is not all that a run has to say
	}
	unfit, asked := errors.AsType[*decide.Unfit](err)
	model, met := errors.AsType[*lang.Fault](err)
	switch {
	case errors.Is(err, decide.ErrOdd):
		outcome = LawSaidNo
	case errors.Is(err, record.ErrCarried):
		hint, outcome = first(hint, "-partition "+bench), Usage
	case errors.Is(err, context.Canceled) && errors.Is(err, record.ErrUnreachable): // who waited for a store that is away
		why, outcome = "interrupted: "+why, Interrupted
	case errors.Is(err, context.Canceled):
		why, outcome = "interrupted", Interrupted
	case asked:
		hint, outcome = first(hint, unfit.Hint), Usage
	case met:
		hint = first(hint, model.Hint)
	}
	text := "decide: error: " + why
	if hint != "" {
		text += "\ndecide: hint: " + f.whole(hint)
	}
	fmt.Fprintln(a.err, unsecret(a.style().Print(text)))
	return outcome.Code()
}
