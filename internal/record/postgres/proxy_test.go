package postgres_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy stands between a log and its server, and cuts a connection when it is told to: as a
// network does, in the midst of a message.
type proxy struct {
	listener net.Listener
	server   string

	mu   sync.Mutex
	left int        // bytes that go yet in the direction that is cut; below zero: all
	down bool       // the direction: what the server says, or what it is told
	made []net.Conn // connections so far
	mute int        // how many of them carry nothing any more
}

// through is a dsn by way of a proxy.
func through(t testing.TB, dsn string) (string, *proxy) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, left: -1}
	by := changed(t, dsn, func(u *url.URL, _ url.Values) { p.server, u.Host = u.Host, listener.Addr().String() })
	var all sync.WaitGroup
	t.Cleanup(func() { listener.Close(); all.Wait() })
	all.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.carry(c) })
		}
	})
	return by, p
}

// cutAfter has the next connection cut that has carried so many bytes more in a direction.
func (p *proxy) cutAfter(bytes int, down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left, p.down = bytes, down
}

// isCut reports whether it came to that.
func (p *proxy) isCut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left < 0
}

// forget has the connections that there are carry nothing any more, and stay.
func (p *proxy) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = len(p.made)
}

// hangUp ends the connections that there were.
func (p *proxy) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.made {
		c.Close()
	}
}

func (p *proxy) carry(client net.Conn) {
	defer client.Close()
	p.mu.Lock()
	p.made = append(p.made, client)
	nth := len(p.made)
	p.mu.Unlock()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	ended := make(chan struct{}, 2)
	for _, way := range []struct {
		to, from net.Conn
		down     bool
	}{{server, client, false}, {client, server, true}} {
		go func() {
			p.copy(nth, way.to, way.from, way.down)
			ended <- struct{}{}
		}()
	}
	<-ended
	client.Close()
	server.Close()
	<-ended
}

func (p *proxy) copy(nth int, to io.Writer, from io.Reader, down bool) {
	for buffer := make([]byte, 16<<10); ; {
		n, err := from.Read(buffer)
		goes, cut := p.may(nth, n, down)
		if _, failed := to.Write(buffer[:goes]); err != nil || failed != nil || cut {
			return
		}
	}
}

// may says how many of some bytes go through, and whether that was the end of it.
func (p *proxy) may(nth, bytes int, down bool) (goes int, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if nth <= p.mute {
		return 0, false
	}
	if p.left < 0 || p.down != down {
		return bytes, false
	}
	if bytes < p.left {
		p.left -= bytes
		return bytes, false
	}
	goes, p.left = p.left, -1
	return goes, true
}
