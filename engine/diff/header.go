package diff

import "strings"

// header is what stands before a file's hunks, as written.
type header struct {
	line     int    // of its first line in the input
	git      string // behind "diff --git "
	old, new string // behind "--- " and "+++ ", unquoted, with prefix
	hasOld   bool
	hasNew   bool
	from, to string // of a rename or copy, unquoted, without prefix
	moved    bool
	copied   bool
	added    bool
	deleted  bool
	oldMode  string
	newMode  string
	oldID    string
	newID    string
	binary   bool
}

// devNull stands for the absent side of a file.
const devNull = "/dev/null"

// gitFile reads one file that begins with "diff --git".
func (p *parser) gitFile() error {
	h := header{line: p.line + 1}
	h.git = strings.TrimSuffix(strings.TrimPrefix(p.take(), "diff --git "), "\r")
	bad := p.extended(&h)
	f, err := p.named(&h)
	if err != nil {
		return err
	}
	p.set.Files = append(p.set.Files, f)
	if bad == "" && !h.binary {
		bad = p.hunks(f)
	}
	if reason, ok := p.notRead(); ok && bad == "" {
		f.Unread = reason
		return nil
	}
	if bad == "" {
		bad = h.contradicted(f)
	}
	if bad != "" {
		f.Unread = bad
		p.skipFile()
		return nil
	}
	f.Binary = f.Binary || f.unseen() && binaryName(f.Path())
	return nil
}

// extended reads the header lines up to the first hunk or the next file. It
// returns what is wrong with them.
func (p *parser) extended(h *header) (bad string) {
	for !p.eof() && bad == "" {
		line := strings.TrimSuffix(p.peek(), "\r")
		word, value := keyword(line)
		switch word {
		case "old mode ":
			bad = h.mode(value, &h.oldMode)
		case "new mode ":
			bad = h.mode(value, &h.newMode)
		case "deleted file mode ":
			h.deleted = true
			bad = h.mode(value, &h.oldMode)
		case "new file mode ":
			h.added = true
			bad = h.mode(value, &h.newMode)
		case "copy from ":
			h.copied = true
			h.from, bad = unquoteName(value)
		case "rename from ", "rename old ":
			h.moved = true
			h.from, bad = unquoteName(value)
		case "copy to ", "rename to ", "rename new ":
			h.to, bad = unquoteName(value)
		case "index ":
			bad = h.index(value)
		case "similarity index ", "dissimilarity index ":
		case "--- ":
			h.hasOld = true
			h.old, bad = unquoteName(fileName(value))
		case "+++ ":
			h.hasNew = true
			h.new, bad = unquoteName(fileName(value))
		case "Binary files ":
			h.binary = true
			if h.oldID == "" { // not git's: nothing else says that a side is absent
				h.added = h.added || strings.HasPrefix(line, "Binary files "+devNull+" and ")
				h.deleted = h.deleted || strings.HasSuffix(line, " and "+devNull+" differ")
			}
		case "GIT binary patch":
			h.binary = true
			p.take()
			return p.binaryPatch()
		default:
			return ""
		}
		p.take()
		if h.hasNew || h.binary {
			return bad
		}
	}
	return bad
}

var keywords = []string{
	"index ", "--- ", "+++ ", "new file mode ", "deleted file mode ",
	"similarity index ", "rename from ", "rename to ", "old mode ", "new mode ",
	"copy from ", "copy to ", "rename old ", "rename new ", "dissimilarity index ",
}

// keyword splits a header line into its keyword and what it says.
func keyword(line string) (word, value string) {
	for _, k := range keywords {
		if v, ok := strings.CutPrefix(line, k); ok {
			return k, v
		}
	}
	if strings.HasPrefix(line, "Binary files ") && strings.HasSuffix(line, " differ") {
		return "Binary files ", ""
	}
	if line == "GIT binary patch" {
		return line, ""
	}
	return "", ""
}

// index reads "old..new" with the mode where it did not change.
func (h *header) index(value string) (bad string) {
	ids, mode, hasMode := strings.Cut(value, " ")
	h.oldID, h.newID, _ = strings.Cut(ids, "..")
	if !isID(h.oldID) || !isID(h.newID) {
		h.oldID, h.newID = "", ""
		return "its index line is not one that git writes"
	}
	if hasMode {
		bad = h.mode(mode, &h.oldMode, &h.newMode)
	}
	return bad
}

func isID(s string) bool {
	return len(s) >= 4 && len(s) <= 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// mode reads six octal digits.
func (h *header) mode(value string, to ...*string) (bad string) {
	if len(value) != 6 || strings.Trim(value, "01234567") != "" {
		return "a mode is not one that git writes"
	}
	for _, m := range to {
		*m = value
	}
	return ""
}

// fileName cuts the tab that git puts behind a name with spaces, and the time
// that other tools put there: a name with a tab in it is always quoted.
func fileName(value string) string {
	name, _, _ := strings.Cut(value, "\t")
	return name
}

// binaryPatch skips the one or two blocks of a binary patch, each ended by an
// empty line. What is no line of one is left, so that no file is taken for it.
func (p *parser) binaryPatch() (bad string) {
	for p.at("literal ") || p.at("delta ") {
		p.take()
		for !p.eof() && strings.TrimSuffix(p.peek(), "\r") != "" {
			if !isBase85(p.peek()) {
				return "a line of its binary patch is not one that git writes"
			}
			p.take()
		}
		if p.eof() {
			return "the diff ends inside its binary patch"
		}
		p.take()
	}
	return ""
}

// isBase85 says whether a line may be one of a binary patch: a letter for its
// length, then groups of five, none of which has a space in it.
func isBase85(line string) bool {
	line = strings.TrimSuffix(line, "\r")
	return (line[0]|0x20 >= 'a' && line[0]|0x20 <= 'z') && len(line)%5 == 1 && strings.IndexByte(line, ' ') < 0
}

// emptyBlobs are the object ids of an empty file, in SHA-1 and SHA-256.
var emptyBlobs = [...]string{
	"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
	"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
}

// notRead takes the line that Write puts where a file was not read.
func (p *parser) notRead() (reason string, ok bool) {
	line := strings.TrimRight(p.peek(), "\r")
	if reason, ok = strings.CutPrefix(line, unreadStart); ok {
		if reason, ok = strings.CutSuffix(reason, unreadEnd); ok && reason != "" {
			p.take()
			return reason, true
		}
	}
	return "", false
}

// contradicted compares the header with the hunks that were found.
func (h *header) contradicted(f *File) string {
	for _, k := range f.Hunks {
		if f.Status == Added && k.OldLines > 0 {
			return "the file is said to be new, but a hunk has old lines"
		}
		if f.Status == Deleted && k.NewLines > 0 {
			return "the file is said to be deleted, but a hunk has new lines"
		}
	}
	if f.Binary || len(f.Hunks) > 0 {
		return ""
	}
	switch {
	case h.hasOld || h.hasNew:
		return "its hunks are missing"
	case h.oldID != h.newID && !(isEmptyBlob(h.oldID) && isEmptyBlob(h.newID)):
		return "its content changed, but the diff does not show how"
	case f.Status == Modified && h.oldMode == h.newMode:
		return "the diff says nothing about it but its name"
	}
	return ""
}

// isEmptyBlob says whether an (abbreviated) id stands for an absent or empty
// file.
func isEmptyBlob(id string) bool {
	if strings.Trim(id, "0") == "" {
		return true
	}
	for _, e := range emptyBlobs {
		if strings.HasPrefix(e, id) {
			return true
		}
	}
	return false
}

// file is the header as a File, once its names are known.
func (h *header) file(oldPath, newPath string) *File {
	f := &File{
		OldPath: oldPath, NewPath: newPath, Status: Modified,
		OldMode: h.oldMode, NewMode: h.newMode, OldID: h.oldID, NewID: h.newID,
		Binary: h.binary, Submodule: h.oldMode == gitlink || h.newMode == gitlink,
	}
	switch {
	case h.added || h.hasOld && h.old == devNull:
		f.Status, f.OldPath, f.OldMode = Added, "", ""
	case h.deleted || h.hasNew && h.new == devNull:
		f.Status, f.NewPath, f.NewMode = Deleted, "", ""
	case h.copied:
		f.Status = Copied
	case h.moved || oldPath != newPath:
		f.Status = Renamed
	case typeOf(h.oldMode) != typeOf(h.newMode):
		f.Status = TypeChanged
	}
	return f
}

// gitlink is the mode of a submodule's entry.
const gitlink = "160000"

// typeOf is the part of a mode that tells file, link and submodule apart.
func typeOf(mode string) string {
	if len(mode) < 3 {
		return ""
	}
	return mode[:len(mode)-3]
}
