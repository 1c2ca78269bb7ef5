package board

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// Look says what a reviewer did with a file.
type Look string

// The looks, as far as the run's events tell. A file that no tool opened may
// still have been in the prompt as a diff.
const (
	LookRead    Look = "read"     // a tool call read it
	LookNot     Look = "not read" // the reviewer is done and never did
	LookSkipped Look = "skipped"  // the file is not reviewed, or the reviewer does not run
	LookUnknown Look = "unknown"  // not done yet, or its earlier calls are not kept
)

// Coverage is a row of the map: a file and what each reviewer did with it, and
// how many of its findings are there.
type Coverage struct {
	File     event.PlanFile
	Looks    []Look
	Findings []int
}

// CoverageOf makes the map of a run: files of the plan by reviewers of the team.
func CoverageOf(s *event.State) []Coverage {
	if s.Plan == nil {
		return nil
	}
	read := make([]map[string]bool, len(s.Reviewers))
	for i, r := range s.Reviewers {
		read[i] = filesRead(r)
	}
	var out []Coverage
	for _, f := range s.Plan.Files {
		c := Coverage{File: f}
		for i, r := range s.Reviewers {
			c.Looks = append(c.Looks, lookOf(f, r, read[i]))
			n := 0
			if r.Report != nil {
				for _, x := range r.Report.Findings {
					if x.Location.Path == f.Path() {
						n++
					}
				}
			}
			c.Findings = append(c.Findings, n)
		}
		out = append(out, c)
	}
	return out
}

func lookOf(f event.PlanFile, r *event.Reviewer, read map[string]bool) Look {
	switch {
	case !f.Reviewed || r.Status == event.StatusSkipped:
		return LookSkipped
	case read[f.Path()]:
		return LookRead
	case r.Status == event.StatusDone && !r.Dropped:
		return LookNot
	}
	return LookUnknown
}

// filesRead are the paths that a reviewer's completed calls of read named. A
// call's title is its place in words: "engine/x.go:40-80".
func filesRead(r *event.Reviewer) map[string]bool {
	out := map[string]bool{}
	for _, b := range r.Blocks {
		if b.Kind == "tool" && b.Tool.Name == "read" && b.Tool.Status == "completed" {
			if loc, ok := review.ParseLocation(b.Tool.Title); ok {
				out[loc.Path] = true
			}
		}
	}
	return out
}

// toggleCoverage opens the map and closes it.
func (b *Board) toggleCoverage() tea.Cmd {
	if b.mode == modeCoverage {
		b.mode = modeList
		return nil
	}
	b.mode, b.lists = modeCoverage, lists{}
	return nil
}

// lookWidth is the cells of a reviewer's column.
const lookWidth = 12

// coverageLines draws the map: columns where they fit, else who read each file.
func (b *Board) coverageLines(w, h int) []string {
	rows := CoverageOf(b.state)
	b.lists.top = max(min(b.lists.top, len(rows)-max(h-2, 1)), 0)
	wide := w >= 24+lookWidth*len(b.state.Reviewers)
	s := &sheet{board: b, w: max(w, 1)}
	if wide {
		head := text.Pad("", w-lookWidth*len(b.state.Reviewers))
		for _, r := range b.state.Reviewers {
			head += text.Pad(text.CutMiddle(text.Line(r.Name), lookWidth-1), lookWidth)
		}
		s.lines = append(s.lines, b.styles.Dim.Render(head))
	}
	for _, c := range rows[min(b.lists.top, len(rows)):] {
		if wide {
			s.lines = append(s.lines, b.coverageRow(c, w))
		} else {
			b.coverageEntry(s, c)
		}
		if len(s.lines) >= h {
			break
		}
	}
	return s.lines[:min(len(s.lines), max(h, 0))]
}

func (b *Board) coverageRow(c Coverage, w int) string {
	var line strings.Builder
	room := w - lookWidth*len(c.Looks)
	line.WriteString(b.styles.Text.Render(text.Pad(text.CutMiddle(text.Line(c.File.Path()), room-2), room)))
	for i, l := range c.Looks {
		line.WriteString(b.lookStyle(l).Render(text.Pad(b.lookWords(l, c.Findings[i]), lookWidth)))
	}
	return line.String()
}

// coverageEntry is a file and who read it, where columns do not fit.
func (b *Board) coverageEntry(s *sheet, c Coverage) {
	s.lines = append(s.lines, b.styles.Text.Render(text.CutMiddle(text.Line(c.File.Path()), s.w)))
	var who []string
	for i, l := range c.Looks {
		if l == LookRead || c.Findings[i] > 0 {
			who = append(who, text.Line(b.state.Reviewers[i].Name)+" "+b.lookWords(l, c.Findings[i]))
		}
	}
	said := strings.Join(who, ", ")
	switch {
	case !c.File.Reviewed:
		said = b.words.Board.LookSkipped + ": " + text.Line(c.File.Reason)
	case said == "":
		said = b.words.Board.LookNot
	}
	s.lines = append(s.lines, b.styles.Dim.Render(text.Cut("  "+said, s.w)))
}

func (b *Board) lookWords(l Look, findings int) string {
	w := b.words.Board
	said := map[Look]string{LookRead: w.LookRead, LookNot: w.LookNot, LookSkipped: w.LookSkipped, LookUnknown: w.LookUnknown}[l]
	if findings > 0 {
		said += fmt.Sprintf(" %d!", findings)
	}
	return said
}

func (b *Board) lookStyle(l Look) lipgloss.Style {
	if l == LookRead {
		return b.styles.Text
	}
	return b.styles.Dim
}
