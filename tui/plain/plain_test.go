package plain

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui"
	"github.com/mrv-dev/mrv/tui/internal/scene"
)

// desk is a run whose events a test writes; what it is asked becomes the event
// that follows from it.
type desk struct {
	scene   *scene.Scene
	updates chan []event.Event
	asked   []event.CommandKind
	last    event.Command
	refuses error
}

func newDesk(s *scene.Scene) *desk {
	d := &desk{scene: s, updates: make(chan []event.Event, 100)}
	d.updates <- s.Next()
	return d
}

func (d *desk) Updates() <-chan []event.Event { return d.updates }

func (d *desk) Do(_ context.Context, c event.Command) error {
	d.asked = append(d.asked, c.Kind)
	if d.refuses != nil {
		return d.refuses
	}
	d.last = c
	if c.Kind == event.CmdExport {
		d.scene.Add(event.Exported, "", event.ExportData{Target: c.Targets[0], Where: []string{"latest.md"}})
		d.updates <- d.scene.Next()
		return nil
	}
	patch := event.Patch{Decisions: map[string]review.Decision{}}
	for _, id := range c.IDs {
		if c.Kind == event.CmdDecide {
			patch.Decisions[id] = *c.Decision
		}
	}
	d.scene.Add(event.Decided, "", event.StepData{Op: "do", Cursor: c.Cursor, Patch: patch})
	d.updates <- d.scene.Next()
	return nil
}

func (d *desk) Landing(context.Context) (event.Landing, error) {
	return event.Landing{Destinations: []event.Destination{
		{Target: "inbox", Ready: true, Where: []string{"latest.md"}, Items: []event.Item{{As: "open"}}},
		{Target: "pr", Why: "no token"},
	}}, nil
}

func (d *desk) Context(context.Context, string, diff.Side, int, int) ([]string, error) {
	return nil, nil
}

func (d *desk) Transcript(context.Context, string) (string, error) { return "", nil }

// panel is a panel that is done, with two findings.
func panel() *scene.Scene {
	names := scene.Names(2)
	s := scene.New(scene.Plan(scene.Team(review.Model{Provider: "zhipuai", ID: "glm-5.1"}, review.EffortMax, names...)))
	s.Phase(event.PhaseReviewing).Begin(names...)
	var entries []event.Entry
	for i, name := range names {
		f := review.Finding{ID: name + ".1", Reviewer: name, Ordinal: 1, Severity: review.Warning, Title: "title " + string(rune('A'+i)) + "\x1b[2J",
			Observation: "o", Inference: "i", Judgment: "j", Location: review.Location{Path: "api/refund.go", Start: 80 + i}}
		s.Add(event.ReportIn, name, event.ReportData{Report: review.Report{Label: review.Concerns, LabelText: "AT RISK", Findings: []review.Finding{f}}})
		entries = append(entries, event.Entry{ID: f.ID, Lead: f.ID, Sources: []string{f.ID}, Severity: f.Severity, Worst: f.Severity, Reviewers: []string{name}, Models: 1})
	}
	s.Status(event.StatusDone, names...)
	s.Add(event.Merged, "", event.MergedData{By: "deterministic", Entries: entries})
	return s.Phase(event.PhaseTriage)
}

// sitting types lines at a run and returns what was printed.
func sitting(t *testing.T, d *desk, lang review.Lang, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	in := strings.NewReader(strings.Join(lines, "\n") + "\n")
	if err := Main(t.Context(), tui.Options{Run: d, Lang: lang, In: in, Out: &out}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(out.String(), 0x1b) {
		t.Errorf("an escape sequence was written:\n%q", out.String())
	}
	return out.String()
}

func TestEveryCommand(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		says  []string
		asks  []event.CommandKind
	}{
		{"accept goes on to the next", []string{"a", "q", "y"}, []string{"Finding 1 of 2", "1  warn  api/refund.go:80  title A", "accepted", "Finding 2 of 2", "1 of 2 undecided"}, []event.CommandKind{event.CmdDecide}},
		{"each line waits for what the last one did", []string{"a", "a", "q"}, []string{"everything is decided", "0 of 2 undecided"}, []event.CommandKind{event.CmdDecide, event.CmdDecide}},
		{"reject asks why", []string{"r", "w", "q", "y"}, []string{"f false positive", "rejected: won't fix"}, []event.CommandKind{event.CmdDecide}},
		{"another reason needs words", []string{"r", "x", "we own this", "q", "y"}, []string{"rejected: other"}, []event.CommandKind{event.CmdDecide}},
		{"an answer that is none rejects nothing", []string{"r", "zzz", "q", "y"}, []string{"2 of 2 undecided"}, nil},
		{"escalate asks to whom and why", []string{"e", "lin", "ask her", "q", "y"}, []string{"escalated: lin"}, []event.CommandKind{event.CmdDecide}},
		{"escalate needs both", []string{"e", "lin", "", "q", "y"}, []string{"to whom and why are both needed"}, nil},
		{"a number reads that finding", []string{"2", "q", "y"}, []string{"Finding 2 of 2"}, nil},
		{"a number too high", []string{"7", "q", "y"}, []string{"There is no finding 7."}, nil},
		{"not a command", []string{"accept!\x1b[2J", "q", "y"}, []string{`"accept!" is no command`}, nil},
		{"send asks of each destination", []string{"a", "o", "y", "q", "y"}, []string{"inbox  latest.md  open 1", "Send to inbox?", "not ready  no token", "written: inbox"}, []event.CommandKind{event.CmdDecide, event.CmdExport}},
		{"send is no by default", []string{"o", "", "q", "y"}, []string{"nothing is ticked"}, nil},
		{"quit asks, and no means no", []string{"q", "n", "l", "q", "y"}, []string{"Undecided findings: 2", "2  warn  api/refund.go:81  title B"}, nil},
		{"numbers say for which", []string{"a 1-2", "q"}, []string{"2 accepted · everything is decided", "0 of 2 undecided"}, []event.CommandKind{event.CmdDecide}},
		{"one number takes that finding in hand", []string{"r 2", "d", "q", "y"}, []string{"2  warn  api/refund.go:81  title B  alone  rejected: duplicate", "1 of 2 undecided"}, []event.CommandKind{event.CmdDecide}},
		{"numbers that are none", []string{"a 1-9", "q", "y"}, []string{`"1-9" are no numbers of findings`}, nil},
		{"all of the filter with one reason, after a count", []string{"R", "y", "o", "q"}, []string{"reject all 2 undecided findings shown?  y yes", "reject 2 findings:", "0 of 2 undecided"}, []event.CommandKind{event.CmdDecide}},
		{"no is the default", []string{"R", "", "q", "y"}, []string{"2 of 2 undecided"}, nil},
		{"all confirmed says why none is", []string{"A", "q", "y"}, []string{"none of 2 can be accepted unread: most are without a quote found in the change"}, nil},
		{"the last decision again", []string{"r", "k", ".", "q"}, []string{"2  warn  api/refund.go:81  title B  alone  rejected: accepted risk"}, []event.CommandKind{event.CmdDecide, event.CmdDecide}},
		{"nothing to undo, redo or repeat", []string{"u", "U", ".", "q", "y"}, []string{"nothing to undo", "nothing to redo", "no decision to repeat yet"}, nil},
		{"undo", []string{"a", "u", "q", "y"}, nil, []event.CommandKind{event.CmdDecide, event.CmdUndo}},
		{"search", []string{"/", "title b", "n", "q", "y"}, []string{`1 of 1 mention "title b"`, "Finding 2 of 2"}, nil},
		{"filter", []string{"f", "t", "title B", "l", "q", "y"}, []string{`filter: "title B" 1 shown`, "1  warn  api/refund.go:81  title B"}, nil},
		{"sort", []string{"S", "l", "q", "y"}, []string{"sort: severity"}, nil},
		{"edit asks for each text", []string{"E", "", "A better title", "", "", "", "", "", "q", "y"}, []string{"an empty line keeps what is there", "Severity [warning]:", "Observation [o]:"}, []event.CommandKind{event.CmdEdit}},
		{"edit says what is wrong", []string{"E", "terrible", "", "", "", "", "", "", "q", "y"}, []string{`! the severity is "terrible"`}, nil},
		{"a note", []string{"i", "b", "please check", "q", "y"}, []string{"note for the:  a author, b builder:", "note for the: builder  note:"}, []event.CommandKind{event.CmdNote}},
		{"a finding of one's own", []string{"+", "critical", "mine", "", "seen", "", "", "", "", "q", "y"}, []string{"Location [api/refund.go:80]:"}, []event.CommandKind{event.CmdOwn}},
		{"a challenge", []string{"c", "it is not so", "q", "y"}, []string{"challenge quality-1:  why:"}, []event.CommandKind{event.CmdChallenge}},
		{"split needs more than one source", []string{"s", "q", "y"}, []string{"this finding has one source only"}, nil},
		{"join", []string{"m", "m 1 2", "q", "y"}, []string{"select two findings or more"}, []event.CommandKind{event.CmdJoin}},
		{"what is not on the board", []string{"D", "z 1", "q", "y"}, []string{"A person must check", "Nothing was dropped", "There is no finding 1."}, nil},
		{"who looked where", []string{"v", "q", "y"}, []string{"Who looked at which file"}, nil},
		{"preview before sending", []string{"a", "o", "p", "n", "q", "y"}, []string{"open  ", "nothing is ticked"}, []event.CommandKind{event.CmdDecide}},
		{"the end of the input ends", nil, []string{"2 of 2 undecided"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(panel())
			out := sitting(t, d, review.English, c.lines...)
			for _, want := range c.says {
				if !strings.Contains(out, want) {
					t.Errorf("it does not say %q:\n%s", want, out)
				}
			}
			if !slices.Equal(d.asked, c.asks) {
				t.Errorf("the run was asked %v, want %v", d.asked, c.asks)
			}
		})
	}
}

// What is typed is what the run is asked.
func TestWhatIsTypedIsSent(t *testing.T) {
	d := newDesk(panel())
	sitting(t, d, review.English, "E", "", "A better title", "-", "", "", "", "", "q", "y")
	if w := d.last.Wording; w == nil || *w != (event.Wording{Title: "A better title"}) {
		t.Errorf("edited: %+v", w)
	}
	d = newDesk(panel())
	sitting(t, d, review.English, "+", "critical", "mine", "api/x.go:7", "seen", "", "", "", "", "q", "y")
	if f := d.last.Finding; f == nil || f.Severity != review.Critical || f.Title != "mine" || f.Location.Start != 7 || f.Observation != "seen" || f.Judgment != "" {
		t.Errorf("own: %+v", f)
	}
	d = newDesk(panel())
	sitting(t, d, review.English, "i 2", "a", "please", "q", "y")
	if d.last.Text != "please" || d.last.To != "author" || d.last.Cursor != "security-1.1" {
		t.Errorf("note: %+v", d.last)
	}
}

func TestARefusalIsSaidAndNothingElseHappens(t *testing.T) {
	d := newDesk(panel())
	d.refuses = errors.New("writing the journal: no space left")
	out := sitting(t, d, review.Chinese, "a", "q", "y")
	if !strings.Contains(out, "! 写入 日志：no space left") || strings.Contains(out, "已接受") {
		t.Errorf("a refusal reads:\n%s", out)
	}
}

// starter offers a plan.
type starter struct {
	run   tui.Run
	begun *bool
}

func (s starter) Plan() event.Plan {
	return scene.Plan(scene.Team(review.Model{Provider: "zhipuai", ID: "glm-5.1"}, review.EffortMax, scene.Names(2)...))
}

func (s starter) Start(context.Context) (tui.Run, error) {
	*s.begun = true
	return s.run, nil
}

func TestNoModelIsAskedBeforeYes(t *testing.T) {
	for answer, want := range map[string]bool{"y": true, "": false, "n": false} {
		begun := false
		var out bytes.Buffer
		o := tui.Options{Starter: starter{newDesk(panel()), &begun}, Lang: review.English, In: strings.NewReader(answer + "\nq\ny\n"), Out: &out}
		if err := Main(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if begun != want {
			t.Errorf("after %q begun is %v", answer, begun)
		}
		if said := strings.Contains(out.String(), "quality-1  done  AT RISK  1 finding"); said != want {
			t.Errorf("after %q the progress is\n%s", answer, out.String())
		}
	}
}

func (starter) Replan(context.Context, string, []string) error { return nil }

// An interruption stops the reviewers and is no success.
func TestAnInterruptionStopsTheReviewers(t *testing.T) {
	names := scene.Names(1)
	s := scene.New(scene.Plan(scene.Team(review.Model{ID: "glm-5.1"}, review.EffortMax, names...))).Phase(event.PhaseReviewing).Begin(names...)
	d := newDesk(s)
	ctx, cancel := context.WithCancel(t.Context())
	in, keyboard := io.Pipe()
	defer keyboard.Close()
	var begun bool
	err := Main(ctx, tui.Options{Starter: starter{d, &begun}, SkipPlan: true, Lang: review.English, In: in, Out: writer(func(line string) {
		if strings.Contains(line, "quality-1  running") {
			cancel()
		}
	})})
	var exit *tui.Exit
	if !errors.As(err, &exit) || exit.Code != review.ExitInterrupted {
		t.Errorf("ends with %v", err)
	}
	if !slices.Equal(d.asked, []event.CommandKind{event.CmdStop}) {
		t.Errorf("the run was asked %v", d.asked)
	}
}

// writer hears what is written.
type writer func(string)

func (w writer) Write(p []byte) (int, error) {
	w(string(p))
	return len(p), nil
}
