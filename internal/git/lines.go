package git

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Line is a line and its number.
type Line struct {
	N    int
	Text string
}

// AddedLines lists the lines that b adds to each path against a: number in b and text,
// without the newline. Binary files have none; paths (literal, a folder covers what is
// under it) narrow it down, however many they are.
func (r *Repo) AddedLines(ctx context.Context, a, b string, paths ...string) (map[string][]Line, error) {
	from, to, err := r.sides(ctx, a, b)
	if err != nil {
		return nil, fmt.Errorf("reading the added lines: %w", err)
	}
	if added, ok := r.whollyAdded(ctx, from, to, paths); ok {
		return added, nil
	}
	added, err := r.patchLines(ctx, from, to, paths)
	if err != nil {
		return nil, fmt.Errorf("reading the added lines: %w", err)
	}
	return added, nil
}

// patchLines is AddedLines by git, which compares the lines of what is changed.
func (r *Repo) patchLines(ctx context.Context, from, to string, paths []string) (map[string][]Line, error) {
	args := append([]string{"--literal-pathspecs", "diff-tree", "-r", "-p", "-U0", "--no-color",
		"--src-prefix=a/", "--dst-prefix=b/"}, plain...)
	args = append(args, from, to, "--")
	added := map[string][]Line{}
	for _, some := range fitting(paths) {
		out, _, err := r.git(ctx, r.bytesAlone(call{args: slices.Concat(args, some)}))
		if err == nil {
			err = parsePatch(string(out), added)
		}
		if err != nil {
			return nil, err
		}
	}
	return added, nil
}

// fitting cuts a list of paths so that each part fits the arguments of a program, which a
// platform bounds. No path at all is one part: everything.
func fitting(paths []string) [][]string {
	const most = 100 << 10 // bytes
	parts := [][]string{nil}
	size := 0
	for _, p := range paths {
		if size += len(p) + 1; size > most && len(parts[len(parts)-1]) > 0 {
			parts, size = append(parts, nil), len(p)+1
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], p)
	}
	return parts
}

// parsePatch reads the added lines of a patch without context. How many lines a hunk has
// is said at its head, so that no content is taken for a header.
func parsePatch(patch string, added map[string][]Line) error {
	path := ""
	for patch != "" {
		var l string
		l, patch, _ = strings.Cut(patch, "\n")
		switch {
		case strings.HasPrefix(l, "diff --git "):
			path = ""
		case strings.HasPrefix(l, "+++ "):
			var err error
			if path, err = patchPath(l[len("+++ "):]); err != nil {
				return err
			}
		case strings.HasPrefix(l, "@@ "):
			removed, at, n, err := hunkHead(l)
			if err != nil {
				return err
			}
			patch = skipLines(patch, removed, '-')
			for i := range n {
				l, patch, _ = strings.Cut(patch, "\n")
				if !strings.HasPrefix(l, "+") {
					return fmt.Errorf("%w: a hunk of %s ends early at %q", errOdd, path, l)
				}
				added[path] = append(added[path], Line{N: at + i, Text: l[1:]})
			}
		}
	}
	return nil
}

// skipLines passes over n lines that begin with a sign, and the remark about a missing newline.
func skipLines(patch string, n int, sign byte) string {
	for range n {
		if patch == "" || patch[0] != sign {
			break
		}
		_, patch, _ = strings.Cut(patch, "\n")
	}
	if strings.HasPrefix(patch, `\ `) {
		_, patch, _ = strings.Cut(patch, "\n")
	}
	return patch
}

// hunkHead reads "@@ -a,b +c,d @@": how many lines go, where lines come, how many.
func hunkHead(l string) (removed, at, added int, err error) {
	f := strings.Fields(l)
	if len(f) < 4 || f[1][0] != '-' || f[2][0] != '+' {
		return 0, 0, 0, fmt.Errorf("%w: %q", errOdd, l)
	}
	_, removed, err = span(f[1][1:])
	if err == nil {
		at, added, err = span(f[2][1:])
	}
	if err != nil {
		return 0, 0, 0, fmt.Errorf("%w: %q", errOdd, l)
	}
	return removed, at, added, nil
}

// span reads "start,count", the count being 1 when it is not said.
func span(s string) (start, count int, err error) {
	first, rest, two := strings.Cut(s, ",")
	if start, err = strconv.Atoi(first); err != nil || !two {
		return start, 1, err
	}
	count, err = strconv.Atoi(rest)
	return start, count, err
}

// patchPath reads the path of a "+++" line: b/path, quoted in C's way when it holds what
// would break the line, with a tab after it when it holds a space.
func patchPath(s string) (string, error) {
	if strings.HasPrefix(s, `"`) {
		plain, err := unquote(strings.TrimSuffix(s, "\t"))
		if err != nil {
			return "", err
		}
		s = plain
	} else {
		s = strings.TrimSuffix(s, "\t")
	}
	if s == "/dev/null" {
		return "", nil
	}
	path, ok := strings.CutPrefix(s, "b/")
	if !ok {
		return "", fmt.Errorf("%w: %q", errOdd, s)
	}
	return path, nil
}

// unquote undoes git's quoting of a path.
func unquote(s string) (string, error) {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return "", fmt.Errorf("%w: %q", errOdd, s)
	}
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return "", fmt.Errorf("%w: %q", errOdd, s)
		}
		if at := strings.IndexByte(`abtnvfr"\`, s[i]); at >= 0 {
			b.WriteByte("\a\b\t\n\v\f\r\"\\"[at])
			continue
		}
		if i+3 > len(s) {
			return "", fmt.Errorf("%w: %q", errOdd, s)
		}
		octal, err := strconv.ParseUint(s[i:i+3], 8, 8)
		if err != nil {
			return "", fmt.Errorf("%w: %q", errOdd, s)
		}
		b.WriteByte(byte(octal))
		i += 2
	}
	return b.String(), nil
}
