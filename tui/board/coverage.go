package board

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/text"
)

// Look says what a reviewer did with a file.
type Look string

// The looks, as far as the run's events tell: what stood in a prompt whose front
// was read, and what tool calls showed.
const (
	LookRead    Look = "read"     // every hunk
	LookPart    Look = "part"     // some hunks, or only lines beside them
	LookNot     Look = "not read" // the reviewer is done and nothing showed it
	LookSkipped Look = "skipped"  // the file is not reviewed, or the reviewer does not run
	LookUnknown Look = "unknown"  // not done yet
)

// Coverage is a row of the map: a file and what each reviewer did with it, how
// many of its hunks it looked at, and how many of its findings are there.
type Coverage struct {
	File     event.PlanFile
	Looks    []Look
	Hunks    []int
	Findings []int
}

// CoverageOf makes the map of a run: files of the plan by reviewers of the team.
func CoverageOf(s *event.State) []Coverage {
	if s.Plan == nil {
		return nil
	}
	var out []Coverage
	for _, f := range s.Plan.Files {
		c := Coverage{File: f}
		for _, r := range s.Reviewers {
			n := 0
			if r.Report != nil {
				for _, x := range r.Report.Findings {
					if x.Location.Path == f.Path() {
						n++
					}
				}
			}
			c.Looks = append(c.Looks, lookOf(f, r, n))
			c.Hunks = append(c.Hunks, r.Looked[f.Path()])
			c.Findings = append(c.Findings, n)
		}
		out = append(out, c)
	}
	return out
}

func lookOf(f event.PlanFile, r *event.Reviewer, findings int) Look {
	switch {
	case !f.Reviewed || r.Status == event.StatusSkipped:
		return LookSkipped
	case r.Looked != nil && f.Hunks > 0 && r.Looked[f.Path()] >= f.Hunks:
		return LookRead
	case r.Looked[f.Path()] > 0, r.Looked != nil && (r.Opened[f.Path()] || findings > 0):
		return LookPart
	case r.Opened[f.Path()], findings > 0: // the hunks are not known: no report yet, or an older mrv's
		return LookRead
	case r.Status == event.StatusDone:
		return LookNot
	}
	return LookUnknown
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
		line.WriteString(b.lookStyle(l).Render(text.Pad(b.lookWords(c, i), lookWidth)))
	}
	return line.String()
}

// coverageEntry is a file and who read it, where columns do not fit.
func (b *Board) coverageEntry(s *sheet, c Coverage) {
	s.lines = append(s.lines, b.styles.Text.Render(text.CutMiddle(text.Line(c.File.Path()), s.w)))
	var who []string
	for i, l := range c.Looks {
		if l == LookRead || l == LookPart {
			who = append(who, text.Line(b.state.Reviewers[i].Name)+" "+b.lookWords(c, i))
		}
	}
	said := strings.Join(who, ", ")
	switch {
	case !c.File.Reviewed:
		said = b.words.Board.LookSkipped + ": " + text.Line(b.words.Say(c.File.Reason))
	case said == "":
		said = b.words.Board.LookNot
	}
	s.lines = append(s.lines, b.styles.Dim.Render(text.Cut("  "+said, s.w)))
}

// lookWords says what reviewer i did with a file.
func (b *Board) lookWords(c Coverage, i int) string {
	w := b.words.Board
	said := map[Look]string{LookRead: w.LookRead, LookNot: w.LookNot, LookSkipped: w.LookSkipped, LookUnknown: w.LookUnknown}[c.Looks[i]]
	if c.Looks[i] == LookPart {
		said = fmt.Sprintf(w.LookPart, c.Hunks[i], c.File.Hunks)
	}
	if c.Findings[i] > 0 {
		said += fmt.Sprintf(" %d!", c.Findings[i])
	}
	return said
}

func (b *Board) lookStyle(l Look) lipgloss.Style {
	if l == LookRead || l == LookPart {
		return b.styles.Text
	}
	return b.styles.Dim
}
