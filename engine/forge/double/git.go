package double

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// git asks the forge's repository, with nobody's configuration.
func (s *Server) git(args ...string) string {
	out, err := s.tryGit(args...)
	if err != nil {
		s.t.Errorf("double: %v", err)
	}
	return out
}

func (s *Server) tryGit(args ...string) (string, error) { return s.gitIn(s.Dir, args...) }

func (s *Server) gitIn(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// head is the present head of a pull request; its reference follows it.
func (s *Server) head(number int) string {
	sha := s.git("rev-parse", s.pulls[number].Head+"^{commit}")
	s.git("update-ref", fmt.Sprintf("refs/pull/%d/head", number), sha)
	return sha
}

func (s *Server) base(number int) string {
	return s.git("rev-parse", s.pulls[number].Base+"^{commit}")
}

// diff is git's own, as GitHub makes it: from the merge base, with renames,
// and with the head's attributes in force.
func (s *Server) diff(base, head string, flags ...string) string {
	tree, err := os.MkdirTemp("", "double")
	if err != nil {
		s.t.Errorf("double: %v", err)
		return ""
	}
	defer func() { _ = os.RemoveAll(tree) }()
	for name := range strings.SplitSeq(s.git("ls-tree", "-r", "-z", "--name-only", head), "\x00") {
		if filepath.Base(name) != ".gitattributes" {
			continue
		}
		path := filepath.Join(tree, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, []byte(s.git("cat-file", "blob", head+":"+name)+"\n"), 0o600)
			if err != nil {
				s.t.Errorf("double: %v", err)
			}
		}
	}
	args := append([]string{"--git-dir=" + s.git("rev-parse", "--absolute-git-dir"), "--work-tree=" + tree,
		"-c", "core.bare=false", "diff", "-M", "--full-index"}, flags...)
	out, err := s.gitIn(tree, append(args, s.mergeBase(base, head), head)...)
	if err != nil {
		s.t.Errorf("double: %v", err)
	}
	if out != "" && len(flags) == 0 {
		out += "\n"
	}
	return out
}

func (s *Server) mergeBase(base, head string) string {
	out, err := s.tryGit("merge-base", base, head)
	if err != nil {
		return base
	}
	return out
}

// file is one changed file.
type file struct {
	old, new, status, blob string
	additions, deletions   int
	patch                  string
}

// files lists the changed files, with the part of the diff behind the header
// as their patch.
func (s *Server) files(base, head string) []file {
	var list []file
	raw := strings.Split(s.diff(base, head, "--raw", "-z", "--no-abbrev"), "\x00")
	for i := 0; i+1 < len(raw); {
		p := strings.Fields(strings.TrimPrefix(raw[i], ":"))
		f := file{old: raw[i+1], new: raw[i+1], blob: p[3]}
		i += 2
		switch p[4][0] {
		case 'A':
			f.status = "added"
		case 'D':
			f.status, f.blob = "removed", p[2]
		case 'R', 'C':
			f.status = map[byte]string{'R': "renamed", 'C': "copied"}[p[4][0]]
			f.new = raw[i]
			i++
		case 'T':
			f.status = "changed"
		default:
			f.status = "modified"
		}
		list = append(list, f)
	}
	sections := split(s.diff(base, head))
	if len(sections) < len(list) {
		s.t.Errorf("double: %d files, %d in the diff", len(list), len(sections))
		return list
	}
	for i := range list {
		list[i].setPatch(sections[i], s.PatchBytes)
	}
	return list
}

// split cuts a diff at its files; no line of a hunk starts like one.
func split(diff string) []string {
	var list []string
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "diff --git ") {
			list = append(list, "")
		}
		if len(list) > 0 {
			list[len(list)-1] += line
		}
	}
	return list
}

func (f *file) setPatch(section string, limit int) {
	at := strings.Index(section, "\n@@ ")
	if at < 0 {
		return
	}
	f.patch = strings.TrimSuffix(section[at+1:], "\n")
	for line := range strings.SplitSeq(f.patch, "\n") {
		switch {
		case strings.HasPrefix(line, "+"):
			f.additions++
		case strings.HasPrefix(line, "-"):
			f.deletions++
		}
	}
	if limit > 0 && len(f.patch) > limit {
		f.patch = ""
	}
}

// stat counts what a diff has.
func stat(files []file) (additions, deletions int) {
	for _, f := range files {
		additions += f.additions
		deletions += f.deletions
	}
	return additions, deletions
}

// commits lists the commits of head that base has not, oldest first.
func (s *Server) commits(base, head string) []map[string]any {
	var list []map[string]any
	for sha := range strings.FieldsSeq(s.git("rev-list", "--reverse", base+".."+head)) {
		list = append(list, s.commit(sha))
	}
	return list
}

func (s *Server) commit(sha string) map[string]any {
	f := strings.SplitN(s.git("show", "-s", "--format=%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%T%x00%B", sha), "\x00", 8)
	author := map[string]any{"name": f[0], "email": f[1], "date": f[2]}
	committer := map[string]any{"name": f[3], "email": f[4], "date": f[5]}
	c := s.spec.fill("commit", map[string]any{"sha": sha})
	c["author"], c["committer"], c["parents"] = nil, nil, []any{}
	if inner, ok := c["commit"].(map[string]any); ok {
		inner["author"], inner["committer"], inner["message"] = author, committer, strings.TrimSuffix(f[7], "\n")
		inner["tree"] = map[string]any{"sha": f[6], "url": "https://api.github.com/tree"}
	}
	return c
}

// tooLarge says why GitHub would not make the diff.
func (s *Server) tooLarge(diff string) string {
	if n := len(split(diff)); n > s.DiffFiles {
		return "Sorry, the diff exceeded the maximum number of files (" + strconv.Itoa(s.DiffFiles) + "). Consider using 'List pull requests files' API or locally cloning the repository instead."
	}
	if n := strings.Count(diff, "\n"); n > s.DiffLines {
		return "Sorry, the diff exceeded the maximum number of lines (" + strconv.Itoa(s.DiffLines) + ")"
	}
	return ""
}
