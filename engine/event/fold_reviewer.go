package event

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/review"
)

// TextCap is how many bytes of a reviewer's text State keeps; older text is
// read back from the journal.
const TextCap = 256 << 10

// Reviewer is the state of one reviewer.
type Reviewer struct {
	Member
	Status     Status
	Text       string // why, in words
	Failure    *review.Failure
	Attempt    int
	NextMS     int64
	Turn       int
	TurnKind   TurnKind
	Answering  review.Model // who answers
	Variant    string
	Usage      review.Usage
	Steps      int
	Tool       *review.Tool // the call under way
	ToolCalls  int
	StartMS    int64 // of the first turn
	LastMS     int64 // of the last output
	EndMS      int64
	Blocks     []Block
	TextBytes  int64           // of all text so far, kept or not
	Dropped    bool            // Blocks no longer begins at the start
	Opened     map[string]bool // files that its tool calls showed, by path
	Looked     map[string]int  // hunks it looked at, by path, once the report is in
	Report     *review.Report
	ReportFrom review.Model
	Asked      *Command // the last that the person asked of it, nil for none
	size       int
}

// Block is a stretch of a reviewer's pane: streamed text, thinking, or a tool
// call. Version grows with each change, so that a screen can cache.
type Block struct {
	ID      string
	Kind    string // "text", "thinking", "tool", "notice"
	Text    string
	Tool    review.Tool
	Version int

	// said holds Text while it grows, so that a token costs its own length and
	// not that of all before it.
	said *strings.Builder
}

// say appends to the block's text.
func (b *Block) say(s string) {
	if b.said == nil {
		b.said = &strings.Builder{}
		b.said.WriteString(b.Text)
	}
	b.said.WriteString(s)
	b.Text = b.said.String()
	b.Version++
}

// set replaces the block's text.
func (b *Block) set(s string) {
	b.Text, b.said = s, nil
	b.Version++
}

func newReviewer(m Member) *Reviewer {
	r := &Reviewer{Member: m, Status: StatusPlanned, Variant: m.Variant, Answering: m.Model()}
	if m.Skip != "" {
		r.Status, r.Text = StatusSkipped, m.Skip
	}
	return r
}

func (s *State) applyReviewer(e Event) error {
	if e.Kind == MemberAdded {
		return with(e, s.member)
	}
	r := s.Reviewer(e.Reviewer)
	if r == nil {
		return fmt.Errorf("event %d (%s) is about an unknown reviewer %q", e.Seq, e.Kind, e.Reviewer)
	}
	if e.Turn > 0 {
		r.Turn = e.Turn
	}
	switch e.Kind {
	case StatusChanged:
		return with(e, func(d StatusData) { r.status(d, e.TMS) })
	case TurnStarted:
		return with(e, func(d TurnData) { r.turn(d, e.TMS) })
	case TextAppended, TextSet, TextDropped:
		r.LastMS = e.TMS
		return with(e, func(d TextData) { r.text(e.Kind, d) })
	case ToolCalled:
		r.LastMS = e.TMS
		return with(e, r.tool)
	case UsageAdded:
		r.Steps++
		return with(e, func(u review.Usage) { r.Usage = r.Usage.Add(u) })
	case ModelChosen:
		return with(e, func(d ModelData) { r.answering(d.Model, d.Variant) })
	case ReportIn:
		return with(e, func(d ReportData) {
			if !d.Superseded {
				s.report(r, d)
				s.FindingsSeq = e.Seq
			}
		})
	}
	return nil
}

// member takes somebody into the team, once.
func (s *State) member(m Member) {
	if m.Name == Coordinator {
		s.Coordinator = newReviewer(m)
	} else if s.Reviewer(m.Name) == nil {
		s.Reviewers = append(s.Reviewers, newReviewer(m))
	}
}

func (r *Reviewer) status(d StatusData, ms int64) {
	r.Status, r.Text, r.Failure, r.NextMS = d.Status, d.Text, d.Failure, d.NextMS
	if d.Attempt > 0 {
		r.Attempt = d.Attempt
	}
	r.EndMS = 0
	if d.Status.Final() {
		r.EndMS, r.Tool = ms, nil
	}
}

func (r *Reviewer) turn(d TurnData, ms int64) {
	if r.StartMS == 0 {
		r.StartMS = max(ms, 1)
	}
	r.LastMS = ms
	r.TurnKind, r.Attempt = d.Kind, d.Attempt
	r.answering(d.Model, d.Variant)
}

// answering notes who answers, as far as it is said.
func (r *Reviewer) answering(m review.Model, variant string) {
	if m.ID != "" {
		r.Answering = m
	}
	if variant != "" {
		r.Variant = variant
	}
}

// report replaces what the reviewer handed in before.
func (s *State) report(r *Reviewer, d ReportData) {
	s.Order = slices.DeleteFunc(s.Order, func(id string) bool { return s.Findings[id].Reviewer == r.Name })
	for id, f := range s.Findings {
		if f.Reviewer == r.Name {
			delete(s.Findings, id)
			delete(s.Places, id)
		}
	}
	r.Report, r.ReportFrom, r.Looked = &d.Report, d.Model, d.Looked
	for _, f := range d.Report.Findings {
		s.Findings[f.ID] = f
		s.Order = append(s.Order, f.ID)
	}
	maps.Copy(s.Places, d.Places)
}

func (r *Reviewer) block(id string) *Block {
	for i := len(r.Blocks) - 1; i >= 0; i-- {
		if r.Blocks[i].ID == id {
			return &r.Blocks[i]
		}
	}
	return nil
}

func (r *Reviewer) add(b Block) {
	r.Blocks = append(r.Blocks, b)
	r.grow(len(b.Text))
}

// grow keeps the kept text under TextCap, dropping whole blocks from the
// front and, when one block alone is too long, its front.
func (r *Reviewer) grow(n int) {
	r.size += n
	r.TextBytes += int64(max(n, 0))
	for r.size > TextCap && len(r.Blocks) > 1 {
		r.size -= len(r.Blocks[0].Text)
		r.Blocks = r.Blocks[1:]
		r.Dropped = true
	}
	if r.size > TextCap && len(r.Blocks) == 1 {
		b := &r.Blocks[0]
		cut := len(b.Text) - TextCap/2
		for cut < len(b.Text) && b.Text[cut]&0xC0 == 0x80 {
			cut++
		}
		b.set(strings.Clone(b.Text[cut:]))
		r.size, r.Dropped = len(b.Text), true
	}
}

func (r *Reviewer) text(kind Kind, d TextData) {
	b := r.block(d.Part)
	switch {
	case kind == TextDropped:
		if b != nil {
			r.size -= len(b.Text)
			r.Blocks = slices.DeleteFunc(r.Blocks, func(x Block) bool { return x.ID == d.Part })
		}
	case b == nil:
		stream := d.Stream
		if stream == "" {
			stream = "text"
		}
		r.add(Block{ID: d.Part, Kind: stream, Text: d.Text, Version: 1})
	case kind == TextSet:
		n := len(d.Text) - len(b.Text)
		b.set(d.Text)
		r.grow(n)
	default:
		b.say(d.Text)
		r.grow(len(d.Text))
	}
}

func (r *Reviewer) tool(t review.Tool) {
	if b := r.block("tool-" + t.ID); b != nil {
		b.Tool = t
		b.Version++
	} else {
		r.ToolCalls++
		r.add(Block{ID: "tool-" + t.ID, Kind: "tool", Tool: t, Version: 1})
	}
	r.opened(t)
	r.Tool = nil
	if t.Status == "pending" || t.Status == "running" {
		r.Tool = &t
	}
}

// opened notes which files a completed call showed. One that does not say what
// it showed names the file in its title: "engine/x.go:40-80".
func (r *Reviewer) opened(t review.Tool) {
	if t.Status != "completed" {
		return
	}
	if r.Opened == nil {
		r.Opened = map[string]bool{}
	}
	for _, seen := range t.Seen {
		r.Opened[seen.Path] = true
	}
	if loc, ok := review.ParseLocation(t.Title); ok && t.Name == "read" && len(t.Seen) == 0 {
		r.Opened[loc.Path] = true
	}
}
