package mint

import (
	"context"
	"fmt"
	"strings"

	"torve/internal/contract"
	"torve/internal/truth"
)

// owner is whose contract it is: the one that it names, else the address of the
// author of the commit that first added the file. History is read once for all of them.
func (p *pass) owner(ctx context.Context, f truth.File) (string, error) {
	if f.Contract.Owner != "" {
		return f.Contract.Owner, nil
	}
	if p.owners == nil {
		if err := p.authors(ctx); err != nil {
			return "", err
		}
	}
	if name := p.owners[f.Path]; name != "" {
		return name, nil
	}
	c, err := p.Sources.Repo.LastTouching(ctx, p.r.Head, f.Path) // it came in by a merge commit alone
	if err != nil {
		return "", fmt.Errorf("asking who added %s: %w", f.Path, err)
	}
	return c.Author.Email, nil
}

func (p *pass) authors(ctx context.Context) error {
	p.owners = map[string]string{}
	author := ""
	return p.history(ctx, "A", "%aE", func(field string, head bool) {
		if head {
			author = field
			return
		}
		p.owners[field] = author // newest first: the last one heard is the first that added it
	})
}

// removed lists the contracts that the target's history once held and took out.
func (p *pass) removed(ctx context.Context) (map[string]bool, error) {
	gone := map[string]bool{}
	err := p.history(ctx, "D", "%H", func(field string, head bool) {
		if !head {
			gone[field] = true
		}
	})
	return gone, err
}

// history walks the target's commits that added (A) or deleted (D) a contract,
// newest first: what format says of each, then its paths.
func (p *pass) history(ctx context.Context, filter, format string, say func(field string, head bool)) error {
	const mark = "\x01"
	out, err := p.Sources.Repo.Run(ctx, "log", "--no-renames", "--diff-filter="+filter, "--format=%x00%x01"+format,
		"--name-only", "-z", p.r.Head, "--", contract.Folder)
	if err != nil {
		return fmt.Errorf("reading the history of %s: %w", contract.Folder, err)
	}
	for field := range strings.SplitSeq(out, "\x00") {
		field = strings.Trim(field, "\n")
		if head, ok := strings.CutPrefix(field, mark); ok {
			say(head, true)
		} else if field != "" {
			say(field, false)
		}
	}
	return nil
}
