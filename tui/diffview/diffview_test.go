package diffview

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/themes"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
)

func inks(t testing.TB, theme string, profile colorprofile.Profile) *Inks {
	t.Helper()
	th, err := themes.Load(theme, "")
	if err != nil {
		t.Fatal(err)
	}
	st, err := style.New(th, profile, style.Unicode())
	if err != nil {
		t.Fatal(err)
	}
	return NewInks(st)
}

// hunk makes a hunk from lines that begin with their sign.
func hunk(oldStart, newStart int, section string, lines ...string) *diff.Hunk {
	h := &diff.Hunk{OldStart: oldStart, NewStart: newStart, Section: section}
	for _, l := range lines {
		x := diff.Line{Op: diff.Op(l[0]), Text: l[1:]}
		if x.Op != diff.Add {
			h.OldLines++
		}
		if x.Op != diff.Delete {
			h.NewLines++
		}
		h.Lines = append(h.Lines, x)
	}
	return h
}

func refund() *diff.File {
	return &diff.File{OldPath: "api/refund.go", NewPath: "api/refund.go", Status: diff.Modified, Hunks: []*diff.Hunk{
		hunk(80, 84, "func (h *Handler) Refund(w http.ResponseWriter, r *http.Request) {",
			" \tvar req RefundRequest",
			"-\tif err := json.NewDecoder(r.Body).Decode(&req); err != nil {",
			"+\tif err := json.NewDecoder(http.MaxBytesReader(w, r.Body, limit)).Decode(&req); err != nil {",
			" \t\treturn // 退款请求无法解析",
			" \t}",
			"-\tamount := h.ledger.Captured(req.CaptureID)",
			"+\tamount := req.Amount",
			"+\t/* two",
			"+\t   lines */ log.Print(\"evil \x1b[2J \u202e bidi\r\", 42)",
			" }"),
	}}
}

func view(k *Inks, f *diff.File, p *Paint, marks []Mark, w int) string {
	var rows []string
	for _, h := range f.Hunks {
		rows = append(rows, k.Header(h, w))
		rows = append(rows, k.Rows(h, p, marks, w)...)
	}
	return strings.Join(rows, "\n") + "\n"
}

func TestRows(t *testing.T) {
	f := refund()
	p := Highlight(f, &Lexers{})
	marks := []Mark{{Side: diff.Right, Start: 88, End: 88}}
	for _, tt := range []struct {
		name    string
		w       int
		theme   string
		profile colorprofile.Profile
		strip   bool
	}{
		{"text 120", 120, "dark", colorprofile.TrueColor, true},
		{"text 60", 60, "dark", colorprofile.TrueColor, true},
		{"text 12", 12, "dark", colorprofile.TrueColor, true},
		{"dark", 100, "dark", colorprofile.TrueColor, false},
		{"light", 100, "light", colorprofile.TrueColor, false},
		{"no colour", 100, "dark", colorprofile.ASCII, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := view(inks(t, tt.theme, tt.profile), f, p, marks, tt.w)
			if tt.strip {
				out = ansi.Strip(out)
			}
			golden.RequireEqual(t, out)
		})
	}
}

func TestNoNewlineIsSaid(t *testing.T) {
	h := hunk(1, 1, "", "-a", "+a")
	h.Lines[1].NoEOL = true
	got := ansi.Strip(strings.Join(inks(t, "dark", colorprofile.ASCII).Rows(h, nil, nil, 60), "\n"))
	want := "   1     - a\n       1 + a \\ No newline at end of file"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		before, after string
		b, a          string // with [ ] around what changed
	}{
		{"amount := captured(id)", "amount := requested(id)", "amount := [captured](id)", "amount := [requested](id)"},
		{"f(a, b)", "f(a, b, c)", "f(a, b)", "f(a, b[, c])"},
		{"同一个支付幂等键", "同一个退款幂等键", "同一个[支付]幂等键", "同一个[退款]幂等键"},
		{"completely other", "nothing in common here", "completely other", "nothing in common here"},
		{"same", "same", "same", "same"},
	} {
		b, a := changed(tt.before, tt.after)
		if got := bracket(tt.before, b); got != tt.b {
			t.Errorf("before: got %q, want %q", got, tt.b)
		}
		if got := bracket(tt.after, a); got != tt.a {
			t.Errorf("after: got %q, want %q", got, tt.a)
		}
	}
}

func bracket(s string, list []Range) string {
	for i := len(list) - 1; i >= 0; i-- {
		s = s[:list[i].Start] + "[" + s[list[i].Start:list[i].End] + "]" + s[list[i].End:]
	}
	return s
}

func TestExtendKeepsNumbers(t *testing.T) {
	h := Extend(hunk(10, 12, "", "-old", "+new", " ctx"), []string{"a", "b"}, []string{"z"})
	var got []diff.Numbered
	for l := range h.All() {
		got = append(got, l)
	}
	for i, want := range [][2]int{{8, 10}, {9, 11}, {10, 0}, {0, 12}, {11, 13}, {12, 14}} {
		if got[i].Old != want[0] || got[i].New != want[1] {
			t.Errorf("line %d (%q) is %d, %d; want %v", i, got[i].Text, got[i].Old, got[i].New, want)
		}
	}
	if h.OldLines != 5 || h.NewLines != 5 {
		t.Errorf("the hunk counts %d, %d lines; want 5, 5", h.OldLines, h.NewLines)
	}
}

// TestNoRowIsTooWideOrDangerous draws hostile lines at every width.
func TestNoRowIsTooWideOrDangerous(t *testing.T) {
	k, lx := inks(t, "dark", colorprofile.TrueColor), &Lexers{}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOf(rapid.OneOf(rapid.SampledFrom([]rune("ab\t\"/*\x1b\u202e\u200b退款\U0001F468\u200d\u0301[]31m\r\u009b")), rapid.Rune().Filter(func(r rune) bool { return r != '\n' })))
		h := hunk(1, 1, line.Draw(t, "section"), " "+line.Draw(t, "context"), "-"+line.Draw(t, "old"), "+"+line.Draw(t, "new"))
		f := &diff.File{NewPath: "x.go", Hunks: []*diff.Hunk{h}}
		w := rapid.IntRange(0, 60).Draw(t, "width")
		for _, row := range append(k.Rows(h, Highlight(f, lx), []Mark{{Side: diff.Right, Start: 1, End: 9}}, w), k.Header(h, w)) {
			if n := text.Width(row); n > max(w, 1) {
				t.Fatalf("%q takes %d cells of %d", row, n, w)
			}
			plain := ansi.Strip(row)
			if text.Hidden(plain) || !utf8.ValidString(plain) || strings.ContainsAny(plain, "\n\r\t") {
				t.Fatalf("%q lets something through", plain)
			}
		}
	})
}
