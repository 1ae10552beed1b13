package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// checkout is all that a person has in the repository of the current folder, part by
// part: each file, ignored ones too, the index to the byte, HEAD, configuration, hooks,
// refs, what else stands in .git, and the remote's refs. What torve itself writes is no
// part of it: its folders, the kept trees, and the target that it lands on.
func checkout(ts *testscript.TestScript) map[string]string {
	root, parts := ts.MkAbs("."), map[string]string{}
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(strings.TrimPrefix(path, root), "/")
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case rel == ".git" || rel == ".wt" || rel == ".torve/schemas":
			return fs.SkipDir
		case d.IsDir() || rel == ".torve/telemetry.jsonl":
			return nil
		}
		parts["file "+rel] = fingerprint(path)
		return nil
	}))
	gitFolder(ts, root, parts)
	refsOf(ts, ".", "ref ", parts)
	refsOf(ts, "../origin.git", "origin ", parts)
	return parts
}

// gitFolder enters what in the git dir says how git behaves, and that nothing else came.
func gitFolder(ts *testscript.TestScript, root string, parts map[string]string) {
	for _, name := range []string{"index", "HEAD", "config"} {
		parts[name] = fingerprint(filepath.Join(root, ".git", name))
	}
	own := map[string]bool{"torve": true, "worktrees": true, "objects": true, "logs": true, "refs": true, "hooks": true, "info": true, "index": true, "HEAD": true, "config": true, "packed-refs": true, "COMMIT_EDITMSG": true, "ORIG_HEAD": true, "FETCH_HEAD": true}
	entries, err := os.ReadDir(filepath.Join(root, ".git"))
	ts.Check(err)
	for _, e := range entries {
		if !own[e.Name()] {
			parts["git "+e.Name()] = "there"
		}
	}
	for _, folder := range []string{"hooks", "info", "objects/info"} {
		entries, err := os.ReadDir(filepath.Join(root, ".git", folder))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		ts.Check(err)
		for _, e := range entries {
			if name := folder + "/" + e.Name(); !strings.HasSuffix(name, ".sample") && name != "info/refs" {
				parts[name] = fingerprint(filepath.Join(root, ".git", name))
			}
		}
	}
}

func refsOf(ts *testscript.TestScript, dir, prefix string, parts map[string]string) {
	for line := range strings.Lines(output(ts, "git", "-C", dir, "for-each-ref", "--format=%(refname) %(objectname)")) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "refs/heads/main" && !strings.HasPrefix(name, "refs/torve/attempts/") {
			parts[prefix+name] = id
		}
	}
}

// fingerprint is a file's mode and digest, or where a link leads.
func fingerprint(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return err.Error()
	}
	if to, err := os.Readlink(path); err == nil {
		return "link to " + to
	}
	if !info.Mode().IsRegular() {
		return info.Mode().String()
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(data)
	return info.Mode().String() + " " + hex.EncodeToString(sum[:6])
}
