package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// payloads are ways in which text can act on a terminal or hide in it. What
// must be left of "A" + payload + "B" stands beside each.
var payloads = []struct{ name, in, clean, visible string }{
	{"clipboard OSC 52", "\x1b]52;c;ZXZpbA==\x07", "", "^[]52;c;ZXZpbA==^G"},
	{"title OSC 0", "\x1b]0;owned\x07", "", "^[]0;owned^G"},
	{"title OSC 2 with ST", "\x1b]2;owned\x1b\\", "", "^[]2;owned^[\\"},
	{"link OSC 8", "\x1b]8;;https://evil.example\x1b\\x\x1b]8;;\x1b\\", "x", "^[]8;;https://evil.example^[\\x^[]8;;^[\\"},
	{"palette OSC 4", "\x1b]4;1;rgb:00/00/00\x07", "", "^[]4;1;rgb:00/00/00^G"},
	{"OSC left open", "\x1b]0;owned", "0;owned", "^[]0;owned"},
	{"OSC closed by a C1 terminator", "\x1b]0;owned\u009c", "", "^[]0;owned<U+009C>"},
	{"clear CSI 2J", "\x1b[2J", "", "^[[2J"},
	{"home CSI H", "\x1b[H", "", "^[[H"},
	{"cursor up", "\x1b[5A", "", "^[[5A"},
	{"scroll region", "\x1b[1;2r", "", "^[[1;2r"},
	{"status report CSI 6n", "\x1b[6n", "", "^[[6n"},
	{"device attributes", "\x1b[c", "", "^[[c"},
	{"reset RIS", "\x1bc", "", "^[c"},
	{"alternate screen off", "\x1b[?1049l", "", "^[[?1049l"},
	{"mouse on", "\x1b[?1003h", "", "^[[?1003h"},
	{"bracketed paste off", "\x1b[?2004l", "", "^[[?2004l"},
	{"colour SGR", "\x1b[31m", "", "^[[31m"},
	{"conceal SGR 8", "\x1b[8m", "", "^[[8m"},
	{"CSI left open", "\x1b[12;", "", "^[[12;"},
	{"CSI broken by a letter outside", "\x1b[1é", "é", "^[[1é"},
	{"DCS", "\x1bP1$r0m\x1b\\", "", "^[P1$r0m^[\\"},
	{"APC kitty graphics", "\x1b_Gf=24;AAAA\x1b\\", "", "^[_Gf=24;AAAA^[\\"},
	{"PM", "\x1b^x\x1b\\", "", "^[^x^[\\"},
	{"SOS", "\x1bXx\x1b\\", "", "^[Xx^[\\"},
	{"charset", "\x1b(0", "", "^[(0"},
	{"lone ESC", "\x1b", "", "^[B"},
	{"carriage return", "\r", "\n", "^M"},
	{"backspace", "\b\b", "", "^H^H"},
	{"NUL", "\x00", "", "^@"},
	{"bell", "\a", "", "^G"},
	{"vertical tab and form feed", "\v\f", "", "^K^L"},
	{"shift out", "\x0e", "", "^N"},
	{"DEL", "\x7f", "", "^?"},
	{"C1 CSI as UTF-8", "\u009b31m", "31m", "<U+009B>31m"},
	{"C1 CSI as a byte", "\x9b31m", "\ufffd31m", "<9B>31m"},
	{"next line", "\u0085", "", "<U+0085>"},
	{"invalid UTF-8", "\xff\xfe", "\ufffd\ufffd", "<FF><FE>"},
	{"bidi override", "\u202e", "", "<U+202E>"},
	{"bidi isolate", "\u2066x\u2069", "x", "<U+2066>x<U+2069>"},
	{"right-to-left mark", "\u200f", "", "<U+200F>"},
	{"Arabic letter mark", "\u061c", "", "<U+061C>"},
	{"zero-width space", "\u200b", "", "<U+200B>"},
	{"word joiner", "\u2060", "", "<U+2060>"},
	{"byte order mark", "\ufeff", "", "<U+FEFF>"},
	{"soft hyphen", "\u00ad", "", "<U+00AD>"},
	{"tag characters", "\U000e0041\U000e0042", "", "<U+E0041><U+E0042>"},
	{"Hangul filler", "\u3164", "", "<U+3164>"},
	{"variation selector alone", "\ufe0f", "", ""},
	{"line separator", "\u2028", "\n", "<U+2028>"},
	{"interlinear annotation", "\ufff9x\ufffb", "x", "<U+FFF9>x<U+FFFB>"},
}

func TestPayloads(t *testing.T) {
	for _, p := range payloads {
		t.Run(p.name, func(t *testing.T) {
			got := Clean("A" + p.in + "B")
			want := "A" + p.clean + "B"
			if p.name == "lone ESC" { // ESC B is a whole sequence
				want = "A"
			}
			if p.name == "CSI left open" { // B ends it
				want = "A"
			}
			if got != want {
				t.Errorf("Clean = %q, want %q", got, want)
			}
			want = "A" + p.visible + "B"
			if p.name == "lone ESC" {
				want = "A^[B"
			}
			if p.name == "variation selector alone" {
				want = Visible("A" + p.in + "B")
			}
			if got := Visible("A" + p.in + "B"); got != want {
				t.Errorf("Visible = %q, want %q", got, want)
			}
			harmless(t, Clean(p.in))
			harmless(t, Line(p.in))
			harmless(t, Visible(p.in))
		})
	}
}

func TestClusters(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"Chinese stays", "退款流程：幂等", "退款流程：幂等"},
		{"plain emoji stays", "🚀", "🚀"},
		{"joined family is its first member", "👨‍👩‍👧‍👦", "👨"},
		{"skin tone is left out", "👍🏽", "👍"},
		{"flag is its letters", "🇨🇳", "CN"},
		{"emoji presentation", "❤️", "❤"},
		{"accent by a combining mark stays", "e\u0301", "e\u0301"},
		{"a pile of marks is cut to two", "e" + strings.Repeat("\u0301", 40), "e\u0301\u0301"},
		{"a mark without a base gets one", "\u0301x", "\u25cc\u0301x"},
		{"Thai am is taken apart", "น้ำ", "น\u0e49\u0e4d\u0e32"},
		{"Hindi keeps its vowel signs", "हिन्दी में राशि", "हिन्दी में राशि"},
		{"Tamil", "தமிழ் கோரிக்கை", "தமிழ் கோரிக்கை"},
		{"Khmer", "ភាសាខ្មែរ ចំនួន", "ភាសាខ្មែរ ចំនួន"},
		{"Bengali", "বাংলা", "বাংলা"},
		{"Burmese", "မြန်မာ", "မြန်မာ"},
		{"Thai", "ภาษาไทย เงิน", "ภาษาไทย เงิน"},
		{"Arabic with its vowels", "مُحَمَّد", "مُحَمَّد"},
		{"Hebrew with its points", "שָׁלוֹם", "שָׁלוֹם"},
		{"Hangul in pieces", "\u1112\u1161\u11ab", "한"},
		{"an emoji newer than terminals", "\U0001fae9", "\ufffd"},
		{"ambiguous width stays", "… — ① │", "… — ① │"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Clean(c.in)
			if got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
			}
			harmless(t, got)
		})
	}
}

func TestTabsReachTheNextStop(t *testing.T) {
	for in, want := range map[string]string{
		"\tx":        "    x",
		"ab\tx":      "ab  x",
		"中\tx":       "中  x",
		"a\n\tb\tcd": "a\n    b   cd",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestHidden(t *testing.T) {
	for in, want := range map[string]bool{
		"plain": false, "中文": false, "a\r\n\tb": false, "👨‍👩‍👧": false, "❤️": false,
		"a\u200bb": true, "a\u202eb": true, "\x1b[8mx": true, "x\U000e0041": true,
	} {
		if got := Hidden(in); got != want {
			t.Errorf("Hidden(%q) = %v, want %v", in, got, want)
		}
	}
}

// A text made to be slow is not: the cost grows with its length only.
func BenchmarkCleanHostile(b *testing.B) {
	s := strings.Repeat("\u200d", 50_000) + "e" + strings.Repeat("\u0301", 50_000)
	for b.Loop() {
		Clean(s)
	}
}

func BenchmarkCleanMixed(b *testing.B) {
	s := strings.Repeat("The handler copies 金额 from the request — `amount` 🚀 ok\n", 200)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Clean(s)
	}
}

// harmless fails if text could act on a terminal, hide in it, or be drawn in
// another number of cells than is counted.
func harmless(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("not UTF-8: %q", s)
	}
	for _, r := range s {
		if r == '\n' {
			continue
		}
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs) {
			t.Errorf("%U reaches the terminal in %q", r, s)
		}
	}
	for _, line := range strings.Split(s, "\n") {
		if a, b := Width(line), ansi.StringWidthWc(line); a != b {
			t.Errorf("Width(%q) = %d, want %d", line, a, b)
		}
		if a, b := ansi.StringWidth(Even(line)), Width(line); a != b {
			t.Errorf("%q takes %d cells where clusters count, and %d where code points do", line, a, b)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, p := range payloads {
		f.Add("A" + p.in + "中" + p.in)
	}
	f.Add("👨‍👩‍👧‍👦 🇨🇳 e\u0301 น้ำ \t x")
	f.Fuzz(func(t *testing.T, s string) {
		for name, clean := range map[string]func(string) string{"Clean": Clean, "Visible": Visible, "Line": Line} {
			got := clean(s)
			harmless(t, got)
			if again := clean(got); name != "Visible" && again != got {
				t.Errorf("%s is not settled: %q, then %q", name, got, again)
			}
		}
		if strings.Contains(Line(s), "\n") {
			t.Errorf("Line(%q) has a newline", s)
		}
	})
}
