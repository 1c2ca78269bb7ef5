package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/merge"
	"github.com/mrv-dev/mrv/engine/review"
)

// TestTheJudgesAnswerIsCheckedAndAskedOnceMore: an answer that loses a finding
// is sent back with what is wrong; a second one like it is refused, and the
// merge by rule stands and says so.
func TestTheJudgesAnswerIsCheckedAndAskedOnceMore(t *testing.T) {
	answer := func(groups ...[]string) map[string]any {
		return map[string]any{"summary": "Two agree.", "groups": groups, "reword": []any{}, "severity": []any{}, "drop": []any{}}
	}
	whole, short := answer([]string{"quality-1.1", "quality-2.1"}), answer([]string{"quality-1.1"})
	drops := answer([]string{"quality-1.1", "quality-2.1"})
	drops["drop"] = []any{map[string]any{"id": "quality-1.1", "reason": "taste"}}
	for _, c := range []struct {
		name    string
		answers []map[string]any
		by      string
		asked   int
		again   string // in the second question
		failed  string // in what the run says of the coordinator
	}{
		{"whole", []map[string]any{whole}, merge.ByJudge, 1, "", ""},
		{"mended", []map[string]any{short, whole}, merge.ByJudge, 2, `"quality-2.1" is missing`, ""},
		{"broken twice", []map[string]any{short, short}, merge.Deterministic, 2, `"quality-2.1" is missing`, "refused twice"},
		{"drops what blocks", []map[string]any{drops, drops}, merge.Deterministic, 2, "may not be dropped", "it is critical"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var provider *scripted.Provider
			var asked atomic.Int32
			o := panel(t, "one", 2, func(p *scripted.Provider) {
				provider = p
				p.Handle("one", func(r scripted.Request) scripted.Script {
					if r.Schema == nil {
						return oneFinding(r)
					}
					return scripted.Script{scripted.Structured(c.answers[min(int(asked.Add(1)), len(c.answers))-1])}
				})
			})
			run := begin(t, o)
			settle(t, run)
			s := stateOf(t, run)
			finish(t, run)
			questions := toTheJudge(provider)
			if len(questions) != c.asked {
				t.Fatalf("asked %d times, want %d", len(questions), c.asked)
			}
			if !strings.Contains(questions[len(questions)-1].Last, c.again) {
				t.Errorf("the second question does not say %q:\n%s", c.again, questions[len(questions)-1].Last)
			}
			if s.MergedBy != c.by || len(s.Entries) != 1 || !s.Entries[0].Confirmed {
				t.Errorf("merged by %q, %d entries: %+v", s.MergedBy, len(s.Entries), s.Entries)
			}
			if (s.Summary.Error == "") != (c.failed == "") || !strings.Contains(s.Summary.Error, c.failed) {
				t.Errorf("the summary's error is %q, want %q", s.Summary.Error, c.failed)
			}
		})
	}
}

// TestAJudgeThatAnswersInWords: models that do not take the server's way for
// JSON write it as text, or write only text. The first is read, the second is
// asked once more.
func TestAJudgeThatAnswersInWords(t *testing.T) {
	const whole = `{"summary":"Two agree.","groups":[["quality-1.1","quality-2.1"]],"reword":[],"severity":[],"drop":[]}`
	fenced := scripted.Say("Here is {the} merge:\n\n```json\n" + whole + "\n```\n")
	prose := scripted.Say("Both of them see the same thing.")
	for _, c := range []struct {
		name    string
		answers []scripted.Step
		by      string
		asked   int
		failed  string
	}{
		{"JSON in a fence", []scripted.Step{fenced}, merge.ByJudge, 1, ""},
		{"prose, then JSON", []scripted.Step{prose, fenced}, merge.ByJudge, 2, ""},
		{"prose twice", []scripted.Step{prose, prose}, merge.Deterministic, 2, "refused twice: the answer holds no JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var provider *scripted.Provider
			var asked atomic.Int32
			o := panel(t, "one", 2, func(p *scripted.Provider) {
				provider = p
				p.Handle("one", func(r scripted.Request) scripted.Script {
					if r.Schema == nil {
						return oneFinding(r)
					}
					return scripted.Script{c.answers[min(int(asked.Add(1)), len(c.answers))-1]}
				})
			})
			run := begin(t, o)
			settle(t, run)
			s := stateOf(t, run)
			finish(t, run)
			if n := len(toTheJudge(provider)); n != c.asked {
				t.Errorf("asked %d times, want %d", n, c.asked)
			}
			if s.MergedBy != c.by || len(s.Entries) != 1 {
				t.Errorf("merged by %q, %d entries", s.MergedBy, len(s.Entries))
			}
			if (s.Summary.Error == "") != (c.failed == "") || !strings.Contains(s.Summary.Error, c.failed) {
				t.Errorf("the summary's error is %q, want %q", s.Summary.Error, c.failed)
			}
		})
	}
}

// toTheJudge lists what the coordinator was asked.
func toTheJudge(p *scripted.Provider) []scripted.Request {
	return slices.DeleteFunc(p.Requests(), func(r scripted.Request) bool { return r.Schema == nil })
}

// TestWithoutFindingsOrCompanyNoJudge: a lone reviewer, and a panel that found
// nothing, ask no judge.
func TestWithoutFindingsOrCompanyNoJudge(t *testing.T) {
	for _, c := range []struct {
		name      string
		reviewers int
		scenario  scripted.Scenario
	}{
		{"one reviewer", 1, oneFinding},
		{"no findings", 2, func(r scripted.Request) scripted.Script { return scripted.Script{scripted.Say(r.Report(review.Pass))} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var provider *scripted.Provider
			o := panel(t, "one", c.reviewers, func(p *scripted.Provider) {
				provider = p
				p.Handle("one", c.scenario)
			})
			run := begin(t, o)
			settle(t, run)
			s := stateOf(t, run)
			finish(t, run)
			if n := len(toTheJudge(provider)); n > 0 || s.Phase != event.PhaseTriage {
				t.Errorf("asked %d times, phase %s", n, s.Phase)
			}
		})
	}
}

// TestTheProjectsCoordinator: the base branch's .mrv/coordinator.md replaces
// the instructions; the findings stand where it says, the schema behind it.
func TestTheProjectsCoordinator(t *testing.T) {
	var provider *scripted.Provider
	o := panel(t, "one", 2, func(p *scripted.Provider) {
		provider = p
		p.Handle("one", func(r scripted.Request) scripted.Script {
			if r.Schema == nil {
				return oneFinding(r)
			}
			return scripted.Script{scripted.Structured(map[string]any{"summary": "One.", "groups": [][]string{{"quality-1.1", "quality-2.1"}},
				"reword": []any{}, "severity": []any{}, "drop": []any{}})}
		})
	})
	dir := o.Source.Dir
	demoGit(t, dir, "checkout", "-q", "main")
	if err := os.MkdirAll(filepath.Join(dir, ".mrv"), 0o755); err != nil {
		t.Fatal(err)
	}
	template := "Speak like the release manager.\n\n" + merge.Placeholder + "\n\nBe brief.\n"
	if err := os.WriteFile(filepath.Join(dir, ".mrv/coordinator.md"), []byte(template), 0o644); err != nil {
		t.Fatal(err)
	}
	demoGit(t, dir, "add", "-A")
	demoGit(t, dir, "commit", "-q", "-m", "Our coordinator")
	demoGit(t, dir, "checkout", "-q", "refund-flow")
	o.TrustRules = "base"
	run := begin(t, o)
	settle(t, run)
	finish(t, run)
	questions := toTheJudge(provider)
	if len(questions) != 1 {
		t.Fatalf("asked %d times, want once", len(questions))
	}
	question := questions[0]
	var at []int
	for _, part := range []string{"Speak like the release manager.", "quality-1.1", "quality-2.1", "Be brief.", `"groups"`} {
		at = append(at, strings.Index(question.Prompt, part))
	}
	if at[0] < 0 || !slices.IsSorted(at) {
		t.Errorf("the parts stand at %v in\n%s", at, question.Prompt)
	}
}
