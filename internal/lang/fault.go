package lang

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/ollama/ollama/api"
)

// What may come instead of an answer.
var (
	ErrUnsent   = errors.New("the question was not sent")
	ErrNoServer = errors.New("no model server answers")
	ErrNoModel  = errors.New("the server has no such model")
	ErrCut      = errors.New("the answer was cut off before its end")
	ErrTimeout  = errors.New("no whole answer within the limit")
	ErrTooLarge = errors.New("the answer is larger than the bound")
	ErrGarbled  = errors.New("this is not how a model server speaks")
	ErrRedirect = errors.New("the server sends elsewhere")
	ErrServer   = errors.New("the model server reports an error")
)

// Fault is an answer that did not come.
type Fault struct {
	Kind error  // one of the errors above, or the context's own
	Why  string // the sentence
	Hint string // a command to paste; "" where none would help
	Err  error  // what was met below; nil where there was nothing
}

func (f *Fault) Error() string { return "lang: " + f.Why }

// Unwrap gives the kind, and what was met below.
func (f *Fault) Unwrap() []error {
	if f.Err == nil {
		return []error{f.Kind}
	}
	return []error{f.Kind, f.Err}
}

// Cut is an answer that began and did not end: what had come is kept.
type Cut struct {
	Partial []byte // the text of every whole chunk
	Digest  string // of the model that was answering
	Took    time.Duration
	Err     error // why it did not end
}

func (c *Cut) Error() string {
	return fmt.Sprintf("%v; %d bytes of an answer had come", c.Err, len(c.Partial))
}

// Unwrap gives why.
func (c *Cut) Unwrap() error { return c.Err }

// fault says what went wrong in a call: outer is the caller's context, and ctx the same with
// the limit on time. err is what the client made of it, which is nil for some cuts.
func (l *Live) fault(outer, ctx context.Context, w *wire, err error) *Fault {
	switch {
	case outer.Err() != nil:
		return &Fault{Kind: outer.Err(), Why: fmt.Sprintf("asking %s at %s: %v", l.model, l.base, outer.Err())}
	case ctx.Err() != nil:
		return &Fault{Kind: ErrTimeout, Why: fmt.Sprintf("%s gave no whole answer within %v", l.base, l.Limits.Time), Err: ctx.Err()}
	case !w.sent:
		return &Fault{Kind: ErrUnsent, Why: fmt.Sprintf("nothing was sent to %s: %v", l.base, err), Err: err}
	case w.moved:
		return l.redirected(w.elsewhere)
	case w.status == "":
		return l.unmet(err)
	case w.refused:
		return l.refused(w, err)
	case errors.Is(w.err, ErrTooLarge):
		return &Fault{Kind: ErrTooLarge, Why: fmt.Sprintf("%s answered with more than %d bytes", l.base, l.bytes()), Err: w.err}
	case errors.Is(w.err, ErrGarbled):
		return l.garbled(w.err)
	case w.err != nil:
		return l.cut(w.err)
	case badJSON(err):
		return l.garbled(err)
	case err != nil:
		return &Fault{Kind: ErrServer, Why: fmt.Sprintf("the model server at %s says: %s", l.base, oneLine(err.Error())), Err: err}
	}
	return l.cut(io.ErrUnexpectedEOF)
}

// unmet is a call that no answer began to.
func (l *Live) unmet(err error) *Fault {
	if sent, is := errors.AsType[*url.Error](err); is {
		err = sent.Err // without the address, which is said once
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return l.cut(err)
	}
	f := &Fault{Kind: ErrNoServer, Why: fmt.Sprintf("no model server answers at %s: %v", l.base, err), Hint: l.look(), Err: err}
	if near(l.base) {
		f.Hint = "ollama serve"
	}
	return f
}

func (l *Live) cut(err error) *Fault {
	return &Fault{Kind: ErrCut, Why: fmt.Sprintf("the answer of %s at %s was cut off before its end: %v", l.model, l.base, err), Err: err}
}

func (l *Live) garbled(err error) *Fault {
	met := oneLine(strings.TrimPrefix(err.Error(), ErrGarbled.Error()+": "))
	return &Fault{Kind: ErrGarbled, Why: fmt.Sprintf("what answers at %s does not speak as a model server does: %s", l.base, met), Hint: l.look(), Err: err}
}

// redirected names where to, without what may be a secret: the user and the query.
func (l *Live) redirected(to string) *Fault {
	f := &Fault{Kind: ErrRedirect, Why: fmt.Sprintf("%s sends elsewhere, and is not followed there", l.base)}
	u, err := l.base.Parse(to)
	if to == "" || err != nil {
		return f
	}
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	f.Why = fmt.Sprintf("%s sends to %s, and is not followed there", l.base, oneLine(bare.String()))
	if u.Host != l.base.Host || u.Scheme != l.base.Scheme {
		f.Hint = "OLLAMA_HOST=" + u.Scheme + "://" + u.Host
	}
	return f
}

// look is the command that shows what is at an address.
func (l *Live) look() string { return "curl " + l.base.JoinPath("api/version").String() }

// refused is an answer with a status of error: the server's own message is given.
func (l *Live) refused(w *wire, err error) *Fault {
	says := w.status
	if said, is := errors.AsType[api.StatusError](err); is && said.ErrorMessage != "" {
		says += ": " + oneLine(said.ErrorMessage)
	}
	if strings.HasPrefix(w.status, "404") && strings.Contains(says, "model") && strings.Contains(says, "not found") {
		return &Fault{Kind: ErrNoModel, Why: fmt.Sprintf("the model server at %s has no model %s: it says: %s", l.base, l.model, says),
			Hint: "ollama pull " + l.model, Err: err}
	}
	return &Fault{Kind: ErrServer, Why: fmt.Sprintf("the model server at %s says: %s", l.base, says), Err: err}
}

// badJSON says whether an error is the decoder's.
func badJSON(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || kind || errors.Is(err, ErrGarbled)
}

// oneLine makes another program's words fit to print: one line, no control codes, bounded.
func oneLine(s string) string {
	const most = 300
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }), " ")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return s
}
