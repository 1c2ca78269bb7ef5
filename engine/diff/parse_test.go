package diff

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const oneFile = "diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"

const twoFiles = oneFile + "diff --git a/g b/g\nindex 1111111..2222222 100644\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-b\n+c\n"

// TestDamaged: a file whose part of the input is damaged is kept and said to
// be unread; the others are read.
func TestDamaged(t *testing.T) {
	const readG = `; M "g" +1 -1`
	for _, c := range []struct{ name, from, to, want string }{
		{"cut off in a hunk", "-b\n+c\ndiff", "", `M "f" +0 -0 (line 6 of the diff: the diff ends inside a hunk: 1 of its lines are missing)`},
		{"too few lines", "-b\n+c\ndiff", "-b\ndiff", `M "f" +0 -0 (line 8 of the diff: a hunk has fewer lines than its header says)` + readG},
		{"too many lines", "+c\ndiff", "+c\n d\ndiff", `M "f" +1 -1 (line 9 of the diff: more lines than the hunk's header says)` + readG},
		{"another kind of line", "-b\n", "-b\n-d\n", `M "f" +0 -0 (line 8 of the diff: a hunk has other lines than its header says)` + readG},
		{"no sign", " a\n-b", "a\n-b", `M "f" +0 -0 (line 6 of the diff: a hunk has fewer lines than its header says)` + readG},
		{"header cut off", "@@ -1,2 +1,2 @@\n a\n-b\n+c\ndiff", "", `M "f" +0 -0 (its hunks are missing)`},
		{"nothing but names", "index 1111111..2222222 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\ndiff", "", `M "f" +0 -0 (the diff says nothing about it but its name)`},
		{"ids differ, no hunks", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "", `M "f" +0 -0 (its content changed, but the diff does not show how)` + readG},
		{"a number too big", "-1,2 +1,2", "-1,2 +4294967297,2", `M "f" +0 -0 (line 5 of the diff: not a hunk's header)` + readG},
		{"line 0", "-1,2 +1,2", "-0,2 +1,2", `M "f" +0 -0 (line 5 of the diff: not a hunk's header)` + readG},
		{"an empty hunk", "@@ -1,2 +1,2 @@", "@@ -0,0 +0,0 @@\n@@ -1,2 +1,2 @@", `M "f" +0 -0 (line 5 of the diff: not a hunk's header)` + readG},
		{"hunks not in order", "+c\ndiff", "+c\n@@ -1 +2 @@\n-x\n+y\ndiff", `M "f" +1 -1 (line 11 of the diff: the hunks are not in order)` + readG},
		{"new with old lines", "index", "new file mode 100644\nindex", `A "f" +1 -1 (the file is said to be new, but a hunk has old lines)` + readG},
		{"deleted with new lines", "index", "deleted file mode 100644\nindex", `D "f" +1 -1 (the file is said to be deleted, but a hunk has new lines)` + readG},
		{"words, not lines", " a\n-b\n+c\n", " a\n  [-b-]{+c+}\n", `M "f" +0 -0 (line 7 of the diff: a hunk shows no added or deleted line, as with git diff --word-diff)` + readG},
		{"a mode that is none", "100644", "rw-r--r--", `M "f" +0 -0 (a mode is not one that git writes)` + readG},
		{"a binary patch cut off", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\ndiff", "GIT binary patch\nliteral 3\nKcmZ00\x00", `M "f" +0 -0 (the diff ends inside its binary patch)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(twoFiles, c.from) == 0 {
				t.Fatal("nothing to replace")
			}
			input := strings.Replace(twoFiles, c.from, c.to, 1)
			if c.to == "" && strings.HasSuffix(c.from, "diff") {
				input, _, _ = strings.Cut(twoFiles, c.from)
			}
			input, _, _ = strings.Cut(input, "\x00")
			if got := outcome(Parse([]byte(input))); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestRefused: what can't be read surely is refused, with what it is and what
// to pass instead.
func TestRefused(t *testing.T) {
	const mail = "From 1295b4642067a9c5bd8ad11f589542bfc9a206ed Mon Sep 17 00:00:00 2001\nFrom: L <l@example.invalid>\nSubject: [PATCH] x\n"
	for _, c := range []struct{ name, input, want string }{
		{"prose", "Dear all,\n", "line 1: this is not a unified diff: \"Dear all,\"; pass `git diff base...head`"},
		{"summary alone", " f | 2 +-\n 1 file changed\n", "the input names a change but does not show it"},
		{"commit without diff", "commit 1295b4642067a9c5bd8ad11f589542bfc9a206ed\nAuthor: x\n\n    msg\n", "the input names a change but does not show it"},
		{"prose before the first file", "See below.\n\n" + oneFile, "line 1: there is text before the first file that git would not write there"},
		{"prose after the last file", oneFile + "Regards\n", "line 9: this line belongs to no file of the change"},
		{"context diff", "*** a/f\t2026\n--- b/f\t2026\n***************\n", "this is a context diff"},
		{"normal diff", "2c2\n< b\n---\n> c\n", "this is a diff without file names"},
		{"hunks alone", "@@ -1 +1 @@\n-a\n+b\n", "these are hunks without the name of their file"},
		{"log with a graph", "* commit 1295b4642067a9c5bd8\n| Author: x\n", "this is a log with a graph"},
		{"UTF-16", "\xff\xfed\x00i\x00", "UTF-16"},
		{"gzip", "\x1f\x8b\x08", "this is compressed"},
		{"web page", "<!DOCTYPE html>", "this is a web page"},
		{"JSON", `{"files":[]}`, "this looks like JSON"},
		{"quoted mail", "> diff --git a/f b/f\n", "this is a diff quoted in a mail"},
		{"Mercurial export", "# HG changeset patch\n", "`hg diff --git`"},
		{"two diffs", oneFile + oneFile, "\"f\": the file is in the input twice, so it holds more than one diff"},
		{"two commits", "commit 1111111111\n\n    a\n\n" + oneFile + "\ncommit 2222222222\n\n    b\n\n" + oneFile, "line 14: the input holds several commits"},
		{"two commits, one line each", "1111111 a\n" + oneFile + "2222222 b\n" + oneFile, "line 10: the input holds several commits"},
		{"coloured with other codes", "\x1b[1mdiff --git a/f b/f\x1b[m\n\x1b]0;x\x07\n", "coloured"},
		{"coloured with colours in a line", "\x1b[1mdiff --git a/f b/f\x1b[m\n\x1b[32m+\x1b[m\x1b[32mred \x1b[31mword\x1b[0m\x1b[m\n", "coloured"},
		{"Mercurial log", "changeset:   1:3e273543e50e\ntag:         tip\n", "`hg diff --git`"},
		{"Subversion log", strings.Repeat("-", 72) + "\nr2 | root | 2026\n", "`svn diff`"},
		{"Subversion properties", "Index: f\n=====\n--- f\t(revision 1)\n+++ f\t(working copy)\n\nProperty changes on: f\n___\n", "line 6: this shows properties of Subversion; pass `svn diff --ignore-properties`"},
		{"diff -q", "Files a/f and b/f differ\n", "`diff -ruN`"},
		{"out of the tree", strings.ReplaceAll(oneFile, "/f", "/../f"), `"../f": the path leads out of the tree`},
		{"out of the tree, deeper", strings.ReplaceAll(oneFile, "/f", "/d/../../f"), "the path leads out of the tree"},
		{"absolute", strings.ReplaceAll(oneFile, "/f", "//etc/f"), "the path is absolute"},
		{"in .git", strings.ReplaceAll(oneFile, "/f", "/.GIT/config"), "the path is inside .git"},
		{"zero byte", strings.NewReplacer("a/f", `"a/\000"`, "b/f", `"b/\000"`).Replace(oneFile), "zero byte"},
		{"rename out of the tree", "diff --git a/f b/../f\nrename from f\nrename to ../f\n", "the path leads out of the tree"},
		{"names that differ", "diff --git a/f b/g\nindex 1111111..2222222 100644\n", "the names of this file can't be told from its header"},
		{"names that contradict", strings.Replace(oneFile, "+++ b/f", "+++ b/g", 1), "the names of this file can't be told from its header"},
		{"rename that contradicts", "diff --git a/f b/g\nrename from f\nrename to h\n", "the names of this file can't be told from its header"},
		{"no name", "diff --git a/ b/\n", "the file has no name"},
		{"a quote without an end", "diff --git \"a/f b/f\n", "a quoted name has no end"},
		{"an escape that is none", "diff --git \"a/\\q\" \"b/\\q\"\n", "an escape that git does not write"},
		{"octal too big", "diff --git \"a/\\777\" \"b/\\777\"\n", "an escape that git does not write"},
		{"plain diff, names differ", "--- f.orig\n+++ g\n@@ -1 +1 @@\n-a\n+b\n", "the two names of this file differ"},
		{"mail with parts", mail + "Content-Type: multipart/mixed; boundary=x\n\nbody\n", "the mail's text is encoded"},
		{"mail in base64", mail + "Content-Transfer-Encoding: base64\n\nZGlmZg==\n", "the mail's text is encoded (base64)"},
		{"mail whose numbers differ", mail + "\n---\n f | 9 ++++\n 1 file changed, 9 insertions(+)\n\n" + oneFile + "-- \n2.39.5\n", "the mail has no diff that agrees with its summary"},
		{"mail whose message is a diff", mail + "\n" + oneFile + "\n" + strings.ReplaceAll(oneFile, "/f", "/g") + "-- \n2.39.5\n", "the mail's message can't be told from its diff"},
		{"a mail whose message is a file that takes in the summary", mail + "\ndiff --git a/evil b/evil\n--- a/evil\n+++ b/evil\n@@ -1,4 +1,3 @@\n---\n f | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n" + oneFile + "-- \n2.39.5\n", "the mail's message can't be told from its diff"},
		{"two mails", mail + "\n---\n\n" + oneFile + "-- \n2.39.5\n\n" + mail + "\n---\n\n" + oneFile, "the input holds several patches"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := Parse([]byte(c.input))
			var pe *ParseError
			if !errors.As(err, &pe) {
				t.Fatalf("not refused: %s", outcome(set, err))
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestForeign: what is laid over a diff, or stands around it, is taken off
// where that is sure.
func TestForeign(t *testing.T) {
	const readF = `M "f" +1 -1`
	const mail = "From 1295b4642067a9c5bd8ad11f589542bfc9a206ed Mon Sep 17 00:00:00 2001\nFrom: L <l@example.invalid>\nSubject: [PATCH] x\n\n"
	const show = "commit 1295b4642067a9c5bd8ad11f589542bfc9a206ed\nAuthor: L <l@example.invalid>\nDate:   Thu Jan 1 00:00:00 2026 +0000\n\n    diff --git a/evil b/evil\n\n"
	plain := oneFile[strings.Index(oneFile, "--- "):]
	for _, c := range []struct{ name, input, want string }{
		{"byte order mark", "\ufeff" + oneFile, readF},
		{"CRLF", strings.ReplaceAll(oneFile, "\n", "\r\n"), readF},
		{"CRLF in the headers only", strings.Replace(strings.ReplaceAll(oneFile, "\n", "\r\n"), "+c\r\n", "+c\n", 1), readF},
		{"no newline at the end", strings.TrimSuffix(oneFile, "\n"), readF},
		{"empty lines at the end", oneFile + "\n\n", readF},
		{"a commit", show + oneFile, readF},
		{"a commit with a summary", show + "---\n f | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n" + oneFile, readF},
		{"a raw commit", strings.Replace(show, "Author", "tree 0123\nparent 4567\nauthor L 1 +0000\nAuthor", 1) + oneFile, readF},
		{"a commit in one line", "1295b46 diff --git a/evil b/evil\n" + oneFile, readF},
		{"--raw --numstat --stat", ":100644 100644 1111111 2222222 M\tf\n1\t1\tf\n f | 2 +-\n 1 file changed\n\n" + oneFile, readF},
		{"a mail without a summary", mail + "diff --git a/evil b/evil\n--- not a header\n\n" + oneFile + "-- \n2.39.5\n\n", readF},
		{"a mail with a base", mail + "---\n f | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n" + oneFile + "\n-- \n2.39.5\n", readF},
		{"a mail on a list", mail + "---\n\n" + oneFile + "--\n2.39.5\n_______\nlist mailing list\n", readF},
		{"a mail, cut off", mail + "---\n f | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n" + strings.TrimSuffix(oneFile, "+c\n"),
			`M "f" +0 -0 (line 15 of the diff: the diff ends inside a hunk: 1 of its lines are missing)`},
		{"a mail with a binary patch and a file below it", mail + "---\n b | Bin 1 -> 2 bytes\n f | 2 +-\n 2 files changed, 1 insertion(+), 1 deletion(-)\n\n" +
			"diff --git a/b b/b\nindex 1111111..2222222 100644\nGIT binary patch\nliteral 2\nJcmZ00\n\nliteral 1\nIcmZ00\n\n" + oneFile + "-- \n2.39.5\n", `M "b" +0 -0; M "f" +1 -1`},
		{"a saved mail", "Return-Path: <l@example.invalid>\nSubject: [PATCH] x\n\n---\n\n" + oneFile, readF},
		{"the end of a mail", oneFile + "-- \n2.39.5\n\n", readF},
		{"an unresolved file and its diff", "* Unmerged path f\n" + oneFile, `U "f" +0 -0 (its merge is not resolved); M "f" +1 -1`},
		{"a dirty submodule", "Submodule sm contains untracked content\nSubmodule sm 1111111..2222222:\n  > x\n  < y\n" + oneFile, `M "sm" +0 -0; M "f" +1 -1`},
		{"submodules come and go", "Submodule a b 0000000...2222222 (new submodule)\nSubmodule c 1111111...0000000 (submodule deleted)\n", `A "a b" +0 -0; D "c" +0 -0`},
		{"diff -u", plain, readF},
		{"diff -u, same name", strings.NewReplacer("a/f", "f", "b/f", "f").Replace(plain), readF},
		{"diff -u, two directories", strings.NewReplacer("a/f", "old-1.0/f", "b/f", "new-1.1/f").Replace(plain), readF},
		{"diff -u against nothing", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n", `A "n" +1 -0`},
		{"diff -rN, epoch in another zone", "diff -rN a/n b/n\n--- a/n\t1970-01-01 01:00:00.000000000 +0100\n+++ b/n\t2026-01-01 00:00:00.5 +0000\n@@ -0,0 +1 @@\n+x\n", `A "n" +1 -0`},
		{"diff -r", "Only in b: n\nOnly in a/d: o\nBinary files a/x and y and b/x and y differ\n" + plain,
			`A "n" +0 -0 (the diff names it without its content; make it with ` + "`diff -urN`" + `); D "d/o" +0 -0 (the diff names it without its content; make it with ` + "`diff -urN`" + `); M "x and y" +0 -0; M "f" +1 -1`},
		{"svn", "Index: f\n" + strings.Repeat("=", 67) + "\n--- f\t(revision 1)\n+++ f\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n", readF},
		{"svn, added", "Index: f\n" + strings.Repeat("=", 67) + "\n--- f\t(nonexistent)\n+++ f\t(working copy)\n@@ -0,0 +1 @@\n+b\n", `A "f" +1 -0`},
		{"svn, binary, then one that is new and empty", "Index: x\n" + strings.Repeat("=", 67) + "\nCannot display: file marked as a binary type.\nsvn:mime-type = image/png\nIndex: e\n" + strings.Repeat("=", 67) + "\nIndex: f\n" + strings.Repeat("=", 67) + "\n--- f\t(revision 1)\n+++ f\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n",
			`M "x" +0 -0; M "e" +0 -0 (the diff names it without its content); M "f" +1 -1`},
		{"svn diff --git, whose binary patch has no empty line at its end", "Index: b\n=====\ndiff --git a/b b/b\nGIT binary patch\nliteral 2\nJcmZ00\n\nliteral 1\nIcmZ00\nIndex: g\n=====\ndiff --git a/g b/g\n--- a/g\t(revision 1)\n+++ b/g\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n\nIndex: h\n=====\ndiff --git a/h b/h\nnew file mode 100644\n",
			`M "b" +0 -0 (a line of its binary patch is not one that git writes); M "g" +1 -1; A "h" +0 -0`},
		{"cvs", "Index: f\n=====\nRCS file: /cvs/m/f,v\nretrieving revision 1.1\ndiff -u -r1.1 f\n--- f\t1 Dec 2026 00:08:59 -0000\t1.1\n+++ f\t1 Dec 2026 00:09:00 -0000\n@@ -1 +1 @@\n-a\n+b\n", readF},
		{"quilt, or a copy kept by an editor", "Index: q/f\n=====\n--- q.orig/f\n+++ q/f\n@@ -1 +1 @@\n-a\n+b\n", readF},
		{"quilt -p0", "--- d/f.orig\n+++ d/f\n@@ -1 +1 @@\n-a\n+b\n", `M "d/f" +1 -1`},
		{"diff in colour", "diff -u --color=always a/f b/f\n\x1b[1m--- a/f\x1b[0m\n\x1b[1m+++ b/f\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n", readF},
		{"hg, binary", "diff -r 0123 x y\nBinary file x y has changed\n" + plain, `M "x y" +0 -0; M "f" +1 -1`},
		{"hg", "diff -r 0123 f\n--- a/f\tThu Jan 01 00:00:00 1970 +0000\n+++ b/f\tThu Jan 01 00:00:01 2026 +0000\n@@ -1 +1 @@\n-a\n+b\n", readF},
		{"Bitbucket", strings.NewReplacer("a/", "src://", "b/", "dst://").Replace(oneFile), readF},
		{"two directories compared (--no-index)", strings.NewReplacer("b/f", "b/d2/f", "a/f", "a/d1/f").Replace(oneFile) +
			"diff --git a/d1/x b/d2/x\nindex 1111111..2222222 100644\nBinary files a/d1/x and b/d2/x differ\ndiff --git a/d2/n b/d2/n\nnew file mode 100644\nindex 0000000..e69de29\n",
			`R "d2/f" +1 -1; R "d2/x" +0 -0; A "d2/n" +0 -0`},
		{"two files compared (--no-index)", strings.NewReplacer("b/f", "b/dir/g").Replace(oneFile), `R "dir/g" +1 -1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outcome(Parse([]byte(c.input))); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestOmitted: a count left out is one, an empty range is none.
func TestOmitted(t *testing.T) {
	for _, c := range []struct {
		header string
		want   string
	}{
		{"@@ -1 +1 @@", "1,1 1,1"},
		{"@@ -10,7 +12 @@", "10,7 12,1"},
		{"@@ -0,0 +1 @@", "0,0 1,1"},
		{"@@ -5 +4,0 @@ func f() @@ {", "5,1 4,0"},
		{"@@ -1 +1 @@x", ""},
		{"@@ -1, +1 @@", ""},
		{"@@ -1 + 1 @@", ""},
		{"@@ -+1 +1 @@", ""},
		{"@@ --1 +1 @@", ""},
		{"@@@ -1 -1 +1 @@@", ""},
	} {
		got := ""
		if h, ok := hunkHeader(c.header); ok {
			got = fmt.Sprintf("%d,%d %d,%d", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.header, got, c.want)
		}
	}
}
