package forge

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Missing is a changed file whose change, or a part of it, did not come.
type Missing struct {
	Path   string
	Reason string
}

// Assemble writes a list of files as one diff in git's form, for changes that
// the forge does not give as one. Each patch is checked alone first, so that
// none can pose as the header of another file; names are quoted as git does
// where they could be misread. Files whose patch did not come keep their
// header and are listed.
func Assemble(files []File) (raw []byte, missing []Missing) {
	var b strings.Builder
	for _, f := range files {
		if f.Status == "unchanged" {
			continue
		}
		why := ""
		if f.Patch == "" && f.Additions+f.Deletions > 0 {
			why = "the forge sent no patch"
		} else if err := checkPatch(f); err != nil {
			why = "the forge sent a patch that can not be read: " + err.Error()
		}
		if why != "" {
			missing = append(missing, Missing{Path: f.Path(), Reason: why})
			f.Patch = ""
		}
		f.write(&b, why != "")
	}
	return []byte(b.String()), missing
}

// emptyBlobs are the hashes of a file without content.
var emptyBlobs = map[string]bool{
	"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391":                         true,
	"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813": true,
}

// write writes one file. The forge tells no modes; a plain file's is written
// where the form wants one.
func (f File) write(b *strings.Builder, missing bool) {
	oldPath, newPath := f.OldPath, f.NewPath
	if oldPath == "" {
		oldPath = newPath
	}
	if newPath == "" {
		newPath = oldPath
	}
	fmt.Fprintf(b, "diff --git %s %s\n", quote("a/"+oldPath), quote("b/"+newPath))
	from, to := quote("a/"+oldPath), quote("b/"+newPath)
	switch f.Status {
	case "added":
		b.WriteString("new file mode 100644\n")
		from = "/dev/null"
	case "removed":
		b.WriteString("deleted file mode 100644\n")
		to = "/dev/null"
	case "renamed", "copied":
		words := map[string]string{"renamed": "rename", "copied": "copy"}
		fmt.Fprintf(b, "%s from %s\n%s to %s\n", words[f.Status], quote(f.OldPath), words[f.Status], quote(f.NewPath))
	}
	switch {
	case f.Patch != "":
		fmt.Fprintf(b, "--- %s\n+++ %s\n%s\n", from, to, strings.TrimSuffix(f.Patch, "\n"))
	case f.Status == "renamed" || f.Status == "copied" || missing || emptyBlobs[f.Blob]:
	default:
		fmt.Fprintf(b, "Binary files %s and %s differ\n", from, to)
	}
}

var hunkRE = regexp.MustCompile(`^@@ -[0-9]+(?:,([0-9]+))? \+[0-9]+(?:,([0-9]+))? @@`)

// checkPatch makes sure that a patch is hunks and nothing else, each as long
// as its first line says, with as many lines as the forge counts.
func checkPatch(f File) error {
	if f.Patch == "" {
		return nil
	}
	var oldLeft, newLeft, added, deleted int
	for line := range strings.SplitSeq(strings.TrimSuffix(f.Patch, "\n"), "\n") {
		if oldLeft == 0 && newLeft == 0 && !strings.HasPrefix(line, `\`) {
			m := hunkRE.FindStringSubmatch(line)
			if m == nil {
				return fmt.Errorf("%q is no start of a hunk", cut(line))
			}
			oldLeft, newLeft = count(m[1]), count(m[2])
			continue
		}
		switch {
		case strings.HasPrefix(line, "+"):
			newLeft, added = newLeft-1, added+1
		case strings.HasPrefix(line, "-"):
			oldLeft, deleted = oldLeft-1, deleted+1
		case strings.HasPrefix(line, " "), line == "":
			oldLeft, newLeft = oldLeft-1, newLeft-1
		case strings.HasPrefix(line, `\`):
		default:
			return fmt.Errorf("%q is no line of a hunk", cut(line))
		}
		if oldLeft < 0 || newLeft < 0 {
			return fmt.Errorf("a hunk is longer than its first line says")
		}
	}
	if oldLeft > 0 || newLeft > 0 {
		return fmt.Errorf("its last hunk is cut off")
	}
	if added != f.Additions || deleted != f.Deletions {
		return fmt.Errorf("it has +%d -%d lines, the forge counts +%d -%d", added, deleted, f.Additions, f.Deletions)
	}
	return nil
}

func count(s string) int {
	if s == "" {
		return 1
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

func cut(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// quote writes a name in git's way. Anything that could be misread is quoted,
// also where git would not.
func quote(name string) string {
	plain := true
	for _, c := range []byte(name) {
		if c <= ' ' || c == '"' || c == '\\' || c == 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(name) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
