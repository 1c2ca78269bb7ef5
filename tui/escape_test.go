package tui

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/internal/scene"
)

// sequences would act on a terminal or hide in it. None of them is one that the
// program itself has a use for, so that their bytes give them away.
var sequences = []string{
	"\x1b]52;c;ZXZpbA==\x07", "\x1b]0;owned\x07", "\x1b]2;owned\x1b\\", "\x1b]8;;https://evil.example\x1b\\", "\x1b]4;1;rgb:00/00/00\x07",
	"\x1b]10;red\x07", "\x1b]777;notify;x\x07", "\x1b]1337;File=:AAAA\x07", "\x1b]owned", "\x1b]0;owned\u009c",
	"\x1b[13;37H", "\x1b[97A", "\x1b[5;6r", "\x1b[6n", "\x1b[>0c", "\x1bc", "\x1b[?1003h", "\x1b[?1006h", "\x1b[21t", "\x1b[8m", "\x1b[35;46m", "\x1b[4h", "\x1b[12;",
	"\x1bP1$r0m\x1b\\", "\x1b_Gf=24;AAAA\x1b\\", "\x1b^owned\x1b\\", "\x1bXowned\x1b\\", "\x1b(0", "\x1b#8", "\x1b7",
	"\u009b31m", "\x9b31m", "\u0085", "\u0090owned", "\x0e", "\x05", "\v", "\x7f",
	"\u202e", "\u2066", "\u200f", "\u200b", "\u2060", "\ufeff", "\u00ad", "\U000e0041", "\u3164",
}

// Whatever stands in what models, files, forges and configurations say, the
// terminal gets none of it, on any page.
func TestNoSequenceReachesTheTerminal(t *testing.T) {
	evil := strings.Join(sequences, "x")
	p := plan(2)
	p.Change.Title, p.Change.BaseRef, p.Change.Author, p.Banner = evil+"title", evil, evil, evil
	p.Team[0].Name, p.Files[0].NewPath, p.Files[3].Reason = "quality-1"+strings.ToValidUTF8(evil, ""), evil+".go", evil
	p.Rules.Ref, p.Sends[0].Provider, p.Gaps = evil, evil, []review.Gap{{Text: evil}}
	d := newDesk()
	d.do = func(event.Command) error { return errors.New(evil) }
	names := []string{p.Team[0].Name, p.Team[1].Name}
	story := scene.New(p).Phase(event.PhaseReviewing).Begin(names...)
	for _, n := range names {
		for _, s := range sequences {
			r := []rune(s) // in two pieces
			story.Say(n, "p", "a"+string(r[:len(r)/2])).Say(n, "p", string(r[len(r)/2:])+"b\n")
		}
		story.Think(n, "q", evil).Tool(n, "t", evil, evil, "running")
	}
	story.Add(event.Noticed, "", event.NoticeData{Level: "warn", Text: evil})
	f := review.Finding{ID: names[1] + ".1", Reviewer: names[1], Ordinal: 1, Severity: review.Critical, Title: evil, Observation: evil, Inference: evil, Judgment: evil,
		Fix: evil, Verification: evil, Quote: evil, Location: review.Location{Path: evil, Start: 1}}
	story.Add(event.ReportIn, names[1], event.ReportData{Report: review.Report{Label: review.Block, LabelText: evil, Findings: []review.Finding{f}}})
	story.Add(event.StatusChanged, names[0], event.StatusData{Status: event.StatusFailed, Failure: &review.Failure{Kind: review.FailModel, Message: evil}})
	story.Status(event.StatusDone, names[1])
	story.Add(event.Merged, "", event.MergedData{By: "deterministic", Entries: []event.Entry{{ID: "m1", Sources: []string{f.ID}, Lead: f.ID, Severity: f.Severity, Worst: f.Severity, Reviewers: names[1:], Models: 1}}})
	d.updates <- story.Phase(event.PhaseTriage).Next()

	s := begin(t, 120, 36, Options{Starter: starter{plan: p, run: d}})
	s.See("Before a model is asked")
	s.Press("enter")
	s.See("2/2 done")
	s.Press("enter")
	s.Gone("2 security-1")
	s.Press("esc", "R") // refused, with words of the run's own
	s.See("1 quality-1", "xx")
	s.Press("tab")
	s.See("1 of 1 undecided")
	s.Press("d")
	s.Press("esc", "tab")
	s.Press("q")
	s.See("Undecided findings: 1")
	if title := s.Title(); title != "mrv 2/2" {
		t.Errorf("the window is titled %q", title)
	}
	s.Press("y")
	if err := s.end(); err != nil {
		t.Error(err)
	}
	out := s.Output()
	for _, seq := range sequences {
		if bytes.Contains(out, []byte(seq)) {
			t.Errorf("%q reached the terminal", seq)
		}
	}
}
