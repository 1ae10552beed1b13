package lang

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// address reads where a model server is, as Ollama reads OLLAMA_HOST: host, host:port or
// scheme://host:port/path, port 11434 where there is neither port nor scheme. Where Ollama
// warns and goes on with another port, this is an error: nobody is asked whom nobody named.
func address(s string) (*url.URL, error) {
	s = strings.Trim(strings.TrimSpace(s), `"'`)
	if strings.ContainsAny(s, "@?#") { // it is printed, so that it is no place for a secret
		return nil, errors.New("the address of a model server holds no user, no password and no query")
	}
	scheme, rest, named := strings.Cut(s, "://")
	port := map[string]string{"http": "80", "https": "443"}[scheme]
	switch {
	case s == "ollama.com":
		scheme, rest, port = "https", s, "443"
	case !named:
		scheme, rest, port = "http", s, "11434"
	case port == "":
		return nil, fmt.Errorf("%q: the scheme of a model server is http or https", s)
	}
	hostport, path, _ := strings.Cut(rest, "/")
	host, given, err := net.SplitHostPort(hostport)
	if err != nil {
		host, given = strings.Trim(hostport, "[]"), port
	}
	if host == "" && err != nil {
		host = "127.0.0.1"
	}
	if n, err := strconv.ParseUint(given, 10, 16); err != nil || n == 0 {
		return nil, fmt.Errorf("%q: %q is not a port", s, given)
	}
	u := &url.URL{Scheme: scheme, Host: net.JoinHostPort(host, given), Path: path}
	if _, err := url.Parse(u.String()); err != nil {
		return nil, fmt.Errorf("%q is no address", s)
	}
	return u, nil
}

// near says whether the server is on this machine.
func near(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || u.Hostname() == "" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}
