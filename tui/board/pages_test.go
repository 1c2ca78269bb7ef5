package board

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/words"
)

// edits puts a person with an editor before the board: each time the editor
// opens, the next edit is made. It returns the pages as they were opened and
// the command lines.
func (s *screen) edits(list ...func(string) string) (pages *[]string, argv *[][]string) {
	pages, argv = &[]string{}, &[][]string{}
	s.b.SetDesk(Desk{Editor: []string{"ed", "-s"}})
	s.b.exec = func(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
		return func() tea.Msg {
			*argv = append(*argv, c.Args)
			file := c.Args[len(c.Args)-1]
			raw, err := os.ReadFile(file)
			if err != nil {
				return done(err)
			}
			*pages = append(*pages, string(raw))
			if n := len(*pages) - 1; n < len(list) {
				err = os.WriteFile(file, []byte(list[n](string(raw))), 0o600)
			}
			return done(err)
		}
	}
	return pages, argv
}

func swap(from, to string) func(string) string {
	return func(page string) string { return strings.Replace(page, from, to, 1) }
}

func gone(t *testing.T, argv [][]string) {
	t.Helper()
	for _, a := range argv {
		if _, err := os.Stat(a[len(a)-1]); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the page %s is left behind", a[len(a)-1])
		}
	}
}

func TestEditSetsOnlyWhatChanged(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	_, argv := s.edits(swap("warning", "critical"), swap("critical", "warning"))
	s.press("E")
	c := s.run.asked[0]
	if want := (event.Wording{Severity: review.Critical}); c.Kind != event.CmdEdit || *c.Wording != want {
		t.Fatalf("asked for %+v", c.Wording)
	}
	if got := strings.Join((*argv)[0][:3], " "); got != "ed -s --" {
		t.Errorf("the editor is called %q", got)
	}
	s.press("E")
	if w := s.run.asked[1].Wording; w != nil {
		t.Errorf("back to the original, it asks for %+v", w)
	}
	gone(t, *argv)
}

func TestBadLabelsReopenTheEditor(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	pages, argv := s.edits(swap("## Inference", "## Inferrence"), swap("## Inferrence\ndouble", "## Inference\ntwice the"))
	s.press("E")
	if len(*pages) != 2 || !strings.HasPrefix((*pages)[1], `! there is no label "Inferrence"`) {
		t.Fatalf("opened %d times: %q", len(*pages), *pages)
	}
	if c := s.run.asked[0]; c.Wording.Inference != "twice the charge after a timeout" {
		t.Errorf("asked for %+v", c.Wording)
	}
	gone(t, *argv)
}

func TestPageLeftAsItIsChangesNothing(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	_, argv := s.edits(swap("## Fix\n", ""))
	s.press("E") // the second time, with the problem on top, it is left alone
	if len(s.run.asked) != 0 || len(*argv) != 2 {
		t.Errorf("asked %v after %d editors", s.run.asked, len(*argv))
	}
	gone(t, *argv)
}

func TestScriptForAnEditorEnds(t *testing.T) {
	s := open(t, review.English, english(), 160, 30)
	script := func(page string) string { return strings.Replace(page, "## Severity", "## Severityy", 1) }
	pages, argv := s.edits(script, script, script, script, script, script, script, script)
	s.press("E")
	if view := ansi.Strip(s.b.View()); len(*pages) != maxTries+1 || !strings.Contains(view, "your text is kept in") {
		t.Errorf("opened %d times\n%s", len(*pages), view)
	}
	if err := os.Remove((*argv)[0][len((*argv)[0])-1]); err != nil {
		t.Errorf("the text is not kept: %v", err)
	}
}

func TestForm(t *testing.T) {
	w := words.English().Board.Edit
	f := form{words: w, fields: []formField{{"severity", "Severity", "warning"}, {"title", "Title", "## not a label\n! nor a note"}}}
	got, err := f.read(f.String())
	if err != nil || got["title"] != "## not a label\n ! nor a note" || got["severity"] != "warning" {
		t.Errorf("%v, %v", got, err)
	}
	for _, tt := range []struct{ page, want string }{
		{"## Severity\nbad\n## Title\n", `the severity is "bad"`},
		{"## Severity\n", `the label "Title" is missing`},
		{"## Severity\n## Title\n## title\n", `the label "title" stands twice`},
		{"hello\n## Severity\n## Title\n", "text before the first label"},
		{"## Other\n", "there is no label \"Other\"; the labels are Severity, Title"},
	} {
		if _, err := f.read(tt.page); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.page, err, tt.want)
		}
	}
}

func TestOwnFinding(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	s.press("j") // api/refund.go:89
	pages, _ := s.edits(swap("## Title\n\n", "## Title\nNo rate limit\n"))
	s.press("+")
	if !strings.Contains((*pages)[0], "## Location\napi/refund.go:89\n") {
		t.Errorf("the page is\n%s", (*pages)[0])
	}
	f := s.run.asked[0].Finding
	if f.Title != "No rate limit" || f.Location != (review.Location{Path: "api/refund.go", Start: 89, End: 89}) || f.Severity != review.Warning {
		t.Errorf("asked for %+v", f)
	}
}

func TestNoteAndChallenge(t *testing.T) {
	s := open(t, review.English, english(), 120, 40)
	s.press("i", "b")
	s.write("keep the old key")
	s.press("enter")
	s.press("c", "2")
	s.write("it is idempotent")
	s.press("enter")
	note, rebuttal := s.run.asked[0], s.run.asked[1]
	if note.Kind != event.CmdNote || note.To != "builder" || note.Text != "keep the old key" {
		t.Errorf("note: %+v", note)
	}
	if rebuttal.Kind != event.CmdChallenge || rebuttal.IDs[0] != "architecture-1.1" || rebuttal.Text != "it is idempotent" {
		t.Errorf("challenge: %+v", rebuttal)
	}
	s.run.write(t, event.Challenged, "", event.ChallengeData{Finding: rebuttal.IDs[0], Rebuttal: rebuttal.Text, Answer: "I was wrong.", Outcome: event.Retracted})
	s.settle(nil)
	s.press("enter")
	for _, want := range []string{"Note to the builder", "keep the old key", "it is idempotent", "retracted", "I was wrong."} {
		if view := ansi.Strip(s.b.View()); !strings.Contains(view, want) {
			t.Errorf("%q is not shown:\n%s", want, view)
		}
	}
}

func TestSplitAndJoin(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	s.press("s", "2", "m", "space", "space", "m")
	if c := s.run.asked[0]; c.Kind != event.CmdSplit || c.IDs[0] != "architecture-1.1" {
		t.Errorf("split: %+v", c)
	}
	if c := s.run.asked[1]; c.Kind != event.CmdJoin || len(c.IDs) != 2 || len(s.run.asked) != 2 {
		t.Errorf("join: %+v", s.run.asked)
	}
}

func TestCopyIsPlain(t *testing.T) {
	claims := english()[:1]
	claims[0].obs = "copies \x1b[31m`amount`\x07\u202e\n"
	s := open(t, review.English, claims, 120, 30)
	var sent string
	for _, m := range messages(s.b.Do("copy")) {
		sent = fmt.Sprint(m)
	}
	if strings.ContainsAny(sent, "\x1b\x07\u202e") || strings.HasSuffix(sent, "\n") || !strings.Contains(sent, "Observation: copies `amount`\n") {
		t.Errorf("sent %q", sent)
	}
	if view := ansi.Strip(s.b.View()); !strings.Contains(view, "sent to the terminal") {
		t.Errorf("it does not say so:\n%s", view)
	}
}

func TestAddress(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	s.run.state.Plan.Change.URL, s.run.state.Plan.Change.Host = "https://github.com/acme/shop/pull/123", "github.com"
	if got := s.b.address(); got != "https://github.com/acme/shop/pull/123" {
		t.Errorf("a finding outside the change: %s", got)
	}
	s.press("j")
	// printf api/refund.go | sha256sum
	want := "https://github.com/acme/shop/pull/123/files#diff-ed68c66c3b2347bcccb7b41bb0ca52173e05878de96695faf3e84a37d6967127R89"
	if got := s.b.address(); got != want {
		t.Errorf("got %s", got)
	}
}

func TestEditorOpensWhatWasReviewed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "api", "refund.go")
	for _, tt := range []struct {
		name, checkout string
		own            bool
	}{{"the checkout is the reviewed one", "one\ntwo\n", true}, {"the checkout differs", "one\nTWO\n", false}} {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(tt.checkout), 0o600); err != nil {
				t.Fatal(err)
			}
			s := open(t, review.English, english(), 120, 30)
			s.run.state.Plan.Change.Dir = dir
			s.run.lines = map[string][]string{"api/refund.go": {"one", "two"}}
			s.press("j")
			pages, argv := s.edits()
			s.press("o")
			args := (*argv)[0]
			if got := args[len(args)-1]; (got == file) != tt.own || !filepath.IsAbs(got) || args[len(args)-2] != "--" || args[len(args)-3] != "+89" {
				t.Errorf("the editor is called with %q", args)
			}
			if (*pages)[0] != "one\ntwo\n" {
				t.Errorf("it shows %q", (*pages)[0])
			}
			if !tt.own {
				gone(t, *argv)
			}
		})
	}
}

func TestReviewedRefusesPathsThatLeaveTheCheckout(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	j := &journal{lines: map[string][]string{"../secret": {"x"}}}
	file, copied, err := reviewed(t.Context(), j, filepath.Join(dir, "repo"), "../secret", diff.Right)
	if err != nil || !copied || file == secret {
		t.Errorf("opens %s (copied %v, %v)", file, copied, err)
	}
	_ = os.Remove(file)
}

func TestDeskFromEnvironment(t *testing.T) {
	for _, tt := range []struct {
		env     []string
		editor  string
		browser bool
	}{
		{nil, "vi", false}, {[]string{"EDITOR=nano"}, "nano", false}, {[]string{"EDITOR=nano", "VISUAL=code --wait"}, "code --wait", false},
		{[]string{"BROWSER=firefox"}, "vi", true}, {[]string{"DISPLAY=:0"}, "vi", true},
	} {
		d := DeskFrom(append(tt.env, "SSH_CONNECTION=x"))
		if strings.Join(d.Editor, " ") != tt.editor || (len(d.Browser) > 0) != tt.browser {
			t.Errorf("%v gives %+v", tt.env, d)
		}
	}
}
