package lang_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"torve/internal/lang"
)

// hangUp breaks the connection after some bytes of an answer.
func hangUp(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		says(text)(w, r)
		panic(http.ErrAbortHandler)
	}
}

// short promises more bytes than it sends.
func short(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(text)+10))
		_, _ = io.WriteString(w, text)
	}
}

// stall sends some bytes of an answer, and then waits until the caller has gone.
func stall(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if text != "" {
			says(text)(w, r)
		}
		<-r.Context().Done()
	}
}

// mute closes the connection without a word.
func mute(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func endless(w http.ResponseWriter, r *http.Request) {
	for line := chunk(strings.Repeat("x", 1000)); r.Context().Err() == nil; {
		if _, err := io.WriteString(w, line); err != nil {
			return
		}
	}
}

func oneLine(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, `{"response":"`)
	for r.Context().Err() == nil {
		if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
			return
		}
	}
}

func moved(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusTemporaryRedirect) }
}

// fault is a way in which an answer does not come: what the error is, says and hints at
// (URL stands for the server's), and what of the answer is kept.
type fault struct {
	generate, tags http.HandlerFunc
	is             error
	says, hint     string
	kept           string
	time           time.Duration
	bytes          int64
}

var half = chunk("half ")

var faults = map[string]fault{
	"the header never comes": {generate: stall(""), time: 50 * time.Millisecond, is: lang.ErrTimeout, says: "URL gave no whole answer within 50ms"},
	"the answer stops": {generate: stall(half), time: 200 * time.Millisecond, is: lang.ErrTimeout, kept: "half ",
		says: "URL gave no whole answer within 200ms; 5 bytes of an answer had come"},
	"the list never comes":                 {tags: stall(""), time: 50 * time.Millisecond, is: lang.ErrTimeout, says: "within 50ms"},
	"a cut between chunks":                 {generate: says(half + chunk("a word")), is: lang.ErrCut, says: "the answer of MODEL at URL was cut off before its end: unexpected EOF; 11 bytes", kept: "half a word"},
	"a cut between chunks, broken off":     {generate: hangUp(half), is: lang.ErrCut, says: "unexpected EOF", kept: "half "},
	"a cut in a chunk":                     {generate: says(half + half[:40]), is: lang.ErrCut, says: "cut off before its end", kept: "half "},
	"a cut in a chunk, broken off":         {generate: hangUp(half + half[:40]), is: lang.ErrCut, says: "cut off before its end", kept: "half "},
	"a cut in the first chunk":             {generate: hangUp(half[:40]), is: lang.ErrCut, says: "cut off before its end"},
	"a cut in the last chunk":              {generate: hangUp(half + done[:len(done)-30]), is: lang.ErrCut, says: "cut off before its end", kept: "half "},
	"a body shorter than its length":       {generate: short(half), is: lang.ErrCut, says: "unexpected EOF", kept: "half "},
	"an empty body":                        {generate: says(""), is: lang.ErrCut, says: "cut off before its end: unexpected EOF"},
	"a connection closed without a word":   {generate: mute, is: lang.ErrCut, says: "cut off before its end: EOF"},
	"a list that is cut":                   {tags: short(tags[:60]), is: lang.ErrCut, says: "unexpected EOF"},
	"a list that is empty":                 {tags: says(""), is: lang.ErrGarbled, says: "does not speak as a model server does: an empty answer"},
	"a list that is no JSON":               {tags: says("<html>"), is: lang.ErrGarbled, says: "does not speak as a model server does: invalid character '<'", hint: "curl URL/api/version"},
	"a page instead of an answer":          {generate: says("<html>\n<p>hello\n"), is: lang.ErrGarbled, says: `URL does not speak as a model server does: "<html>"`, hint: "curl URL/api/version"},
	"a page of half a line":                {generate: says("hello"), is: lang.ErrGarbled, says: `"hello"`, hint: "curl URL/api/version"},
	"garbage after a chunk":                {generate: says(half + "\x1b[31m{{{\n"), is: lang.ErrGarbled, says: `"\x1b[31m{{{"`, kept: "half ", hint: "curl URL/api/version"},
	"an object where text should be":       {generate: says(`{"response":{}}` + "\n"), is: lang.ErrGarbled, says: "cannot unmarshal object", hint: "curl URL/api/version"},
	"a value that is no object":            {generate: says("null\n"), is: lang.ErrGarbled, says: `"null"`, hint: "curl URL/api/version"},
	"an endless answer":                    {generate: endless, is: lang.ErrTooLarge, says: "URL answered with more than 4194304 bytes; "},
	"an endless line":                      {generate: oneLine, is: lang.ErrTooLarge, says: "URL answered with more than 4194304 bytes"},
	"an answer above a bound of one's own": {generate: says(half + strings.Repeat(chunk("more"), 9)), bytes: 500, is: lang.ErrTooLarge, says: "more than 500 bytes", tags: says(`{"models":[]}`), kept: "half moremoremore"},
	"an endless list":                      {tags: endless, is: lang.ErrTooLarge, says: "URL answered with more than 4194304 bytes"},
	"a model that is not there": {generate: status(404, `{"error":"model '`+model+`' not found"}`), is: lang.ErrNoModel, hint: "ollama pull MODEL",
		says: "the model server at URL has no model MODEL: it says: 404 Not Found: model 'MODEL' not found"},
	"a server that has no such path":           {generate: status(404, "404 page not found\n"), is: lang.ErrServer, says: "the model server at URL says: 404 Not Found: 404 page not found"},
	"a server that broke":                      {generate: status(500, `{"error":"model runner has\nunexpectedly stopped"}`), is: lang.ErrServer, says: "the model server at URL says: 500 Internal Server Error: model runner has unexpectedly stopped"},
	"a server that broke without a word":       {generate: status(503, ""), is: lang.ErrServer, says: "the model server at URL says: 503 Service Unavailable"},
	"a list that broke":                        {tags: status(500, `{"error":"no manifests"}`), is: lang.ErrServer, says: "the model server at URL says: 500 Internal Server Error: no manifests"},
	"a server that asks who it is":             {generate: status(401, `{"error":"unauthorized","signin_url":"https://x"}`), is: lang.ErrServer, says: "the model server at URL says: 401 Unauthorized"},
	"an error behind the header":               {generate: says(half + `{"error":"an error was encountered while running the model"}` + "\n"), is: lang.ErrServer, kept: "half ", says: "the model server at URL says: an error was encountered while running the model; 5 bytes"},
	"an answer that is elsewhere":              {generate: moved("http://127.0.0.1:1/api/generate"), is: lang.ErrRedirect, says: "URL sends to http://127.0.0.1:1/api/generate, and is not followed there", hint: "OLLAMA_HOST=http://127.0.0.1:1"},
	"an answer that is elsewhere, by a secret": {generate: moved("http://me:word@127.0.0.1:1/in?token=word#word"), is: lang.ErrRedirect, says: "URL sends to http://127.0.0.1:1/in, and is not followed there", hint: "OLLAMA_HOST=http://127.0.0.1:1"},
	"an answer that is nowhere":                {generate: status(302, ""), is: lang.ErrRedirect, says: "URL sends elsewhere, and is not followed there"},
	"a list that is elsewhere":                 {tags: moved("/login"), is: lang.ErrRedirect, says: "URL sends to URL/login, and is not followed there"},
}

func TestWhatComesInsteadOfAnAnswerIsSaidAndWhatHadComeIsKept(t *testing.T) {
	for name, c := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.generate, s.tags = or(c.generate, s.generate), or(c.tags, s.tags)
			l := live(t, s.URL, "")
			if c.time > 0 {
				l.Limits.Time = c.time
			}
			if c.bytes > 0 {
				l.Limits.Bytes = c.bytes
			}
			got, err := l.Answer(t.Context(), question())
			if got.Text != nil || !errors.Is(err, c.is) {
				t.Fatalf("it is %+v, %v", got, err)
			}
			c.check(t, s.URL, err)
		})
	}
}

func or(h, other http.HandlerFunc) http.HandlerFunc {
	if h != nil {
		return h
	}
	return other
}

func (c fault) check(t *testing.T, url string, err error) {
	t.Helper()
	for _, other := range []error{lang.ErrUnsent, lang.ErrNoServer, lang.ErrNoModel, lang.ErrCut, lang.ErrTimeout, lang.ErrTooLarge, lang.ErrGarbled, lang.ErrRedirect, lang.ErrServer} {
		if other != c.is && errors.Is(err, other) {
			t.Errorf("it is %q too", other)
		}
	}
	filled := strings.NewReplacer("URL", url, "MODEL", model)
	text := err.Error()
	if !strings.HasPrefix(text, "lang: ") || !strings.Contains(text, filled.Replace(c.says)) || strings.ContainsAny(text, "\n\x1b") {
		t.Errorf("it says %q\nand should say %q", text, filled.Replace(c.says))
	}
	f, is := errors.AsType[*lang.Fault](err)
	if !is || c.hint != "" && f.Hint != filled.Replace(c.hint) {
		t.Errorf("it hints at %+v", f)
	}
	cut, _ := errors.AsType[*lang.Cut](err)
	switch {
	case c.kept == "" && cut != nil && c.is != lang.ErrTooLarge:
		t.Errorf("it keeps %q", cut.Partial)
	case c.kept != "" && (cut == nil || string(cut.Partial) != c.kept || cut.Took <= 0 || cut.Digest == ""):
		t.Errorf("it keeps %+v", cut)
	}
}

func TestAServerThatIsDownIsSaidToBe(t *testing.T) {
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	where := port.Addr().String()
	if err := port.Close(); err != nil {
		t.Fatal(err)
	}
	l := live(t, where, "")
	_, err = l.Answer(t.Context(), question())
	f, is := errors.AsType[*lang.Fault](err)
	want := fmt.Sprintf("lang: no model server answers at http://%s: dial tcp %s: connect: connection refused", where, where)
	if !errors.Is(err, lang.ErrNoServer) || !is || err.Error() != want || f.Hint != "ollama serve" {
		t.Errorf("it is %v, with the hint %+v", err, f)
	}
	if _, err := l.Resident(t.Context()); !errors.Is(err, lang.ErrNoServer) || err.Error() != want {
		t.Errorf("of what is resident it says %v", err)
	}
}

func TestAQuestionThatCannotBeSignedIsNotAServerThatIsDown(t *testing.T) {
	s := start(t)
	t.Setenv("OLLAMA_AUTH", "1")
	t.Setenv("HOME", t.TempDir()) // without Ollama's key
	_, err := live(t, s.URL, "").Answer(t.Context(), question())
	f, is := errors.AsType[*lang.Fault](err)
	if !is || !errors.Is(err, lang.ErrUnsent) || !strings.HasPrefix(err.Error(), "lang: nothing was sent to "+s.URL+": ") || f.Hint != "" || len(s.paths) > 0 {
		t.Errorf("it is %v, with the hint %+v, and the server was asked %v", err, f, s.paths)
	}
}

func TestAServerFarAwayThatIsDownIsNotStartedHere(t *testing.T) {
	_, err := live(t, "255.255.255.255:1", "").Answer(t.Context(), question())
	f, is := errors.AsType[*lang.Fault](err)
	if !errors.Is(err, lang.ErrNoServer) || !is || f.Hint != "curl http://255.255.255.255:1/api/version" {
		t.Errorf("it is %v, with the hint %+v", err, f)
	}
}

func TestWhoGivesUpIsToldThatHeDid(t *testing.T) {
	for name, text := range map[string]string{"before a word": "", "after some": half} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			ctx, stop := context.WithCancel(t.Context())
			s.generate = func(w http.ResponseWriter, r *http.Request) {
				if text != "" {
					says(text)(w, r)
				}
				time.AfterFunc(50*time.Millisecond, stop)
				<-r.Context().Done()
			}
			_, err := live(t, s.URL, "").Answer(ctx, question())
			cut, is := errors.AsType[*lang.Cut](err)
			if !errors.Is(err, context.Canceled) || errors.Is(err, lang.ErrTimeout) || is != (text != "") || is && string(cut.Partial) != "half " {
				t.Errorf("it is %v, %+v", err, cut)
			}
			if want := "lang: asking " + model + " at " + s.URL + ": context canceled"; !strings.HasPrefix(err.Error(), want) {
				t.Errorf("it says %q", err)
			}
		})
	}
}

func TestTheCallersOwnDeadlineIsNotTakenForTheLimit(t *testing.T) {
	s := start(t)
	s.generate = stall("")
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := live(t, s.URL, "").Answer(ctx, question()); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, lang.ErrTimeout) {
		t.Errorf("it is %v", err)
	}
}

func TestAnAnswerThatIsWholeIsGivenWhateverFollowsIt(t *testing.T) {
	for name, generate := range map[string]http.HandlerFunc{
		"nothing":                 says(half + done),
		"no end of the last line": says(half + strings.TrimSuffix(done, "\n")),
		"empty lines":             says("\n" + half + "\r\n\n" + done + "\n"),
		"garbage":                 says(half + done + "<html>\n"),
		"a broken connection":     hangUp(half + done),
	} {
		s := start(t)
		s.generate = generate
		if got, err := live(t, s.URL, "").Answer(t.Context(), question()); err != nil || string(got.Text) != "half " {
			t.Errorf("%s: %q, %v", name, got.Text, err)
		}
	}
}

func TestAnAnswerThatReachedItsLimitSaysSo(t *testing.T) {
	s := start(t)
	s.generate = says(chunk(`{"steps":[{"reason":"the gra`) + strings.Replace(done, `"stop"`, `"length"`, 1))
	got, err := live(t, s.URL, "").Answer(t.Context(), question())
	if err != nil || got.Stopped != "length" || string(got.Text) != `{"steps":[{"reason":"the gra` {
		t.Errorf("it is %+v, %v", got, err)
	}
}
