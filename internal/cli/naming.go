package cli

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"torve/internal/record"
)

// naming is which partition is named, and by what.
type naming struct {
	partition record.Partition
	by        string // --partition, TORVE_PARTITION or config.yaml; "" when none is named
}

// naming is the partition that is named: by the flag, by the environment, else by the settings.
func (a *app) naming(c config) (naming, error) {
	for _, n := range []naming{
		{record.Partition(a.partition), "--partition"},
		{record.Partition(a.env("TORVE_PARTITION")), "TORVE_PARTITION"},
		{record.Partition(c.Record.Partition), "config.yaml"},
	} {
		if n.partition != "" {
			return n, partitionName(n.by, string(n.partition))
		}
	}
	return naming{}, nil
}

// partitionName asks of a partition's name what keeps a dsn out of it: it is stored for good,
// and printed. What is refused is not repeated, as it may hold a password.
func partitionName(by, name string) error {
	why := unnamed(name)
	if why == nil {
		return nil
	}
	hint := map[string]string{
		"TORVE_PARTITION": "export TORVE_PARTITION=org/repo", "config.yaml": "record: {partition: org/repo} in " + configFile,
	}[by]
	return usage("reading the partition's name", first(hint, by+" org/repo"), "%s names no partition: %w", by, why)
}

// longestName is the most bytes that a partition's name has.
const longestName = 200

// unnamed says why a text is no partition's name; nil where it is one.
func unnamed(name string) error {
	switch {
	case !utf8.ValidString(name):
		return errors.New("it is not UTF-8")
	case strings.Contains(name, "://"), strings.Contains(name, "@"):
		return errors.New("it looks like a dsn, which goes into TORVE_DSN")
	case strings.ContainsFunc(name, odd):
		return errors.New("it has a space or a control character")
	case len(name) > longestName:
		return errors.New("it is longer than 200 bytes")
	}
	return nil
}

func odd(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }

// nameFrom is a partition's name that is made of a folder's or of a remote's.
func nameFrom(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "-"), "://", "-")
	text = strings.Map(func(r rune) rune {
		if r == '@' || odd(r) {
			return '-'
		}
		return r
	}, text)
	if len(text) > longestName {
		text = strings.ToValidUTF8(text[:longestName], "")
	}
	return text
}
