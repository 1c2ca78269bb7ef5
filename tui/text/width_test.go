package text

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"hello", 5, "hello"}, {"hello", 4, "hel…"}, {"hello", 1, "…"}, {"hello", 0, ""}, {"hello", -3, ""},
		{"中文字", 5, "中文…"}, {"中文字", 4, "中…"}, {"", 3, ""},
	} {
		if got := Cut(c.in, c.w); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

func TestCutMiddle(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"engine/refund/ledger.go", 23, "engine/refund/ledger.go"},
		{"engine/refund/ledger.go", 16, "engin…/ledger.go"},
		{"engine/refund/ledger.go", 2, "…o"}, {"engine/refund/ledger.go", 1, "…"}, {"engine", 0, ""},
	} {
		if got := CutMiddle(c.in, c.w); got != c.want {
			t.Errorf("CutMiddle(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string // lines parted by |
	}{
		{"one two three", 7, "one two|three"}, {"one two three", 3, "one|two|thr|ee"}, {"", 5, ""}, {"a\n\nb", 5, "a||b"},
		{"    indented text", 12, "    indented|text"}, {"one    two", 5, "one|two"}, {"one   ", 4, "one"},
		{"re-entrant calls", 6, "re-|entran|t|calls"}, {"a->b c", 3, "a->|b c"},
		{"我先看 ledger.go 里的查询：每次", 16, "我先看 ledger.go|里的查询：每次"}, {"我先看 ledger.go 里的查询：每次", 20, "我先看 ledger.go 里|的查询：每次"},
		{"中文字，好", 6, "中文|字，好"}, {"中（文字）", 4, "中|（文|字）"}, {"中文", 1, "中|文"}, {"中a文b", 3, "中a|文b"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301e\u0301|e\u0301"},
	} {
		if got := strings.Join(Wrap(c.in, c.w), "|"); got != c.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

// sample draws text of all the scripts and traps we know.
func sample() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"a", "word ", "well-known ", "    ", "\n", "\n\n", "\r\n", "\r", "\t", "中", "文字，", "。", "👨‍👩‍👧", "🚀", "🇨🇳", "❤️",
		"é", "e\u0301", "น้ำ", "हिन्दी ", "ខ្មែរ", "தமிழ்", "مُحَمَّد", "\x1b[31m", "\x1b]0;t\x07", "\x1b]0;open", "\x1b", "\x1bP1\x1b\\", "\u202e", "\u200b", "\xff", "\u2028",
		"averyveryverylongwordthatmustbebroken", "- ", "path/to/a/file.go:12 ", "\u00a0", "\u3000",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
	})
}

func TestWidthsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Clean(sample().Draw(t, "text"))
		w := rapid.IntRange(-2, 40).Draw(t, "w")
		for _, l := range Wrap(s, w) {
			if Width(l) > max(w, 2) {
				t.Fatalf("a line of %d cells in %d: %q", Width(l), w, l)
			}
		}
		line := Line(s)
		if got := Width(Cut(line, w)); got > max(w, 0) {
			t.Fatalf("Cut to %d is %d wide", w, got)
		}
		if got := Width(CutMiddle(line, w)); got > max(w, 0) {
			t.Fatalf("CutMiddle to %d is %d wide", w, got)
		}
		if got := Width(Pad(line, w)); got != max(w, 0) {
			t.Fatalf("Pad to %d is %d wide", w, got)
		}
	})
}

func TestWrapLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Clean(sample().Draw(t, "text"))
		w := rapid.IntRange(2, 40).Draw(t, "w")
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := squeeze(strings.Join(Wrap(s, w), "\n")), squeeze(s); got != want {
			t.Fatalf("wrapped to %d: %q, want %q", w, got, want)
		}
	})
}

// A text that comes in pieces, cut at any byte, is at every moment wrapped as
// if it had come at once.
func TestTailIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := sample().Draw(t, "text")
		w := rapid.IntRange(2, 30).Draw(t, "w")
		var tail Tail
		for at := 0; at < len(whole); {
			n := min(rapid.IntRange(1, 9).Draw(t, "n"), len(whole)-at)
			if rapid.Bool().Draw(t, "set") {
				tail.Set(whole[:at+n])
			} else {
				tail.Append(whole[at : at+n])
			}
			at += n
			if rapid.IntRange(0, 9).Draw(t, "resize") == 0 {
				w = rapid.IntRange(2, 30).Draw(t, "w")
			}
			shown := whole[:at]
			shown = shown[:finished(shown)]
			if got, want := tail.Lines(w), Wrap(Clean(shown), w); !slices.Equal(got, want) {
				t.Fatalf("after %q at %d cells:\n got %q\nwant %q", whole[:at], w, got, want)
			}
		}
		tail.Close()
		if got, want := tail.Lines(w), Wrap(Clean(whole), w); !slices.Equal(got, want) {
			t.Fatalf("closed, at %d cells:\n got %q\nwant %q", w, got, want)
		}
	})
}

// What is on the screen never has to be taken back: each shown state is the
// front of the next, up to the word that wrapping may still move.
func TestTailHoldsBackTheUnfinished(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"ok \xe4\xb8", "ok "}, {"ok \x1b", "ok "}, {"ok \x1b[3", "ok "}, {"ok \x1b]0;tit", "ok "},
		{"ok \x1b]0;tit\x1b", "ok "}, {"ok \x1b[31mred", "ok red"}, {"ok 👨‍", "ok "}, {"ok\r", "ok"},
		{"ok \x1b]" + strings.Repeat("x", holdLimit), "ok " + strings.Repeat("x", holdLimit)},
	} {
		var tail Tail
		tail.Append(c.in)
		if got := strings.Join(tail.Lines(4000), "\n"); got != c.want {
			t.Errorf("%q shows %q, want %q", c.in, got, c.want)
		}
	}
}

func TestTailSetStartsAgain(t *testing.T) {
	var tail Tail
	tail.Set("one two three\nfour")
	tail.Lines(5)
	tail.Set("five")
	if got := tail.Lines(5); !slices.Equal(got, []string{"five"}) {
		t.Errorf("got %q", got)
	}
}

func BenchmarkTailAppend(b *testing.B) {
	var tail Tail
	for range 2000 {
		tail.Append("The retry path calls capture() again 退款流程，with a new key. ")
		if tail.Len()%7 == 0 {
			tail.Append("\n")
		}
	}
	tail.Lines(50)
	for b.Loop() {
		tail.Append("token ")
		if tail.Len()%100 < 6 {
			tail.Append("\n")
		}
		tail.Lines(50)
	}
}
