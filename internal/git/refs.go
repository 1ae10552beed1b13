package git

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// RefUpdate moves a ref from Old to New. Old "" must be absent; New "" deletes.
type RefUpdate struct{ Ref, Old, New string }

// UpdateRefs moves all of them or none; ErrRefMoved when an old value does not hold. A
// lock that another program holds is waited for, briefly.
func (r *Repo) UpdateRefs(ctx context.Context, u ...RefUpdate) error {
	if len(u) == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, one := range u {
		if err := one.write(&b, r.zero()); err != nil {
			return err
		}
	}
	if r.creates(u) && r.create(ctx, u, b.Bytes()) {
		return nil
	}
	err := r.again(ctx, func() error {
		_, _, err := r.git(ctx, call{
			args:  []string{"update-ref", "-m", "torve", "--stdin", "-z"},
			stdin: bytes.NewReader(b.Bytes()),
		})
		return err
	})
	if err == nil {
		return nil
	}
	if moved := r.moved(ctx, u); moved != nil {
		return fmt.Errorf("%w (%w)", moved, err)
	}
	if unix.Access(filepath.Join(r.Common, "refs"), unix.W_OK) != nil { // git has no one word for it
		return fmt.Errorf("moving refs: %w: %w", ErrReadOnly, err)
	}
	return fmt.Errorf("moving refs: %w", err)
}

// write puts one update in the words of update-ref.
func (u RefUpdate) write(b *bytes.Buffer, zero string) error {
	if !strings.HasPrefix(u.Ref, "refs/") || strings.ContainsRune(u.Ref, 0) {
		return fmt.Errorf("moving refs: %q is no full name of a ref", u.Ref)
	}
	for _, id := range []string{u.Old, u.New} {
		if id != "" && !isID(id) {
			return fmt.Errorf("moving %s: %q is no object id", u.Ref, id)
		}
	}
	switch {
	case u.Old == "" && u.New == "":
		fmt.Fprintf(b, "verify %s\x00%s\x00", u.Ref, zero)
	case u.Old == "":
		fmt.Fprintf(b, "create %s\x00%s\x00", u.Ref, u.New)
	case u.New == "":
		fmt.Fprintf(b, "delete %s\x00%s\x00", u.Ref, u.Old)
	default:
		fmt.Fprintf(b, "update %s\x00%s\x00%s\x00", u.Ref, u.New, u.Old)
	}
	return nil
}

// moved names the first ref whose old value does not hold; nil when all do. The refs
// themselves are asked, since git's words for it differ from version to version.
func (r *Repo) moved(ctx context.Context, u []RefUpdate) error {
	for _, one := range u {
		now, err := r.ref(ctx, one.Ref)
		if err == nil && now != one.Old {
			return fmt.Errorf("%s is at %s and not at %s: %w", one.Ref, orNone(now), orNone(one.Old), ErrRefMoved)
		}
	}
	return nil
}

func orNone(id string) string {
	if id == "" {
		return "nothing"
	}
	return short(id)
}

// short is an id as people read it.
func short(id string) string { return id[:min(len(id), 7)] }

// ref is the value of one ref by its full name; "" when it is absent.
func (r *Repo) ref(ctx context.Context, name string) (string, error) {
	out, code, err := r.git(ctx, call{args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", name}, codes: []int{1}})
	if err != nil || code != 0 {
		return "", err
	}
	return line(string(out)), nil
}

// Refs lists refs under a prefix ("refs/torve/", "refs/heads/x"): full name → id. A
// prefix covers the ref of that name and all below it.
func (r *Repo) Refs(ctx context.Context, prefix string) (map[string]string, error) {
	prefix = strings.TrimSuffix(prefix, "/")
	if refs, ok := r.refFiles(); ok {
		maps.DeleteFunc(refs, func(name, _ string) bool {
			return prefix != "" && name != prefix && !strings.HasPrefix(name, prefix+"/")
		})
		return refs, nil
	}
	args := []string{"for-each-ref", "--format=%(refname) %(objectname)"}
	if prefix != "" {
		args = append(args, prefix)
	}
	out, err := r.text(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("listing refs: %w", err)
	}
	refs := map[string]string{}
	for l := range strings.Lines(out) {
		name, id, _ := strings.Cut(line(l), " ")
		if name != "" {
			refs[name] = id
		}
	}
	return refs, nil
}
