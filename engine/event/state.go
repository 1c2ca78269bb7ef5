package event

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

// Coordinator is the name under which the coordinator's turns are journaled.
const Coordinator = "coordinator"

// Own is the reviewer name of findings that the person added.
const Own = "you"

// Earlier is the reviewer name of findings of an earlier run that nobody
// reports again, and that are not settled.
const Earlier = "earlier"

// State is what is true of a run after the events applied so far. It belongs
// to one goroutine.
type State struct {
	Seq         int64
	TMS         int64  // of the last event
	Wall        string // of the last event
	StartedWall string
	Plan        *Plan
	Diff        *diff.Set
	Phase       Phase
	Interrupted bool
	Server      ServerData
	Notices     []NoticeData
	Gaps        []review.Gap
	Holds       []review.Hold
	Reviewers   []*Reviewer // the team, in order
	Coordinator *Reviewer   // nil when there is none

	Findings map[string]review.Finding // every source finding, by id
	Order    []string                  // their ids in order of arrival
	Places   map[string]diff.Place
	Entries  []Entry
	MergedBy string
	Judged   []Entry // as the judge left them, nil without one
	Summary  SummaryData

	Decisions  map[string]review.Decision // by source id
	Edits      map[string]*Wording
	Notes      map[string]*Note
	Restored   map[string]bool
	Answers    map[string]*Answer // the builder's, by source id
	Ops        []MergeOp
	History    map[string][]StepRef // by source id, oldest first
	Challenges map[string][]ChallengeData
	Exports    []ExportData
	UndoStack  []StepRef
	RedoStack  []StepRef
	Cursor     string // where the last decision left it
	// FindingsSeq is the seq of the last event about findings, entries,
	// decisions, challenges or exports: while it stands, a board drawn from
	// this state stands too.
	FindingsSeq int64

	sent    map[string]map[string]string // see note
	skipped int                          // events of kinds this version does not know
}

// NewState is the state before any event.
func NewState() *State {
	return &State{
		Findings: map[string]review.Finding{}, Places: map[string]diff.Place{},
		Decisions: map[string]review.Decision{}, Edits: map[string]*Wording{}, Notes: map[string]*Note{},
		Restored: map[string]bool{}, Answers: map[string]*Answer{}, History: map[string][]StepRef{}, Challenges: map[string][]ChallengeData{},
	}
}

// Fold applies events to a new state.
func Fold(events []Event) (*State, error) {
	s := NewState()
	for _, e := range events {
		if err := s.Apply(e); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Skipped is how many events were of a kind this version does not know.
func (s *State) Skipped() int { return s.skipped }

// Apply folds one event into the state.
func (s *State) Apply(e Event) error {
	s.Seq, s.TMS = e.Seq, e.TMS
	if e.Wall != "" {
		s.Wall = e.Wall
		if s.StartedWall == "" {
			s.StartedWall = e.Wall
		}
	}
	switch e.Kind {
	case Planned, DiffStored, PhaseChanged, ServerChanged, Noticed, GapFound, HoldSet:
		return s.applyRun(e)
	case MemberAdded, StatusChanged, TurnStarted, TextAppended, TextSet, TextDropped, ToolCalled, UsageAdded, ModelChosen, ReportIn:
		return s.applyReviewer(e)
	case Merged, Summarised, Decided, Challenged, Exported:
		s.FindingsSeq = e.Seq
		return s.applyFindings(e)
	case Commanded:
		return s.applyCommand(e)
	}
	s.skipped++
	return nil
}

// applyCommand keeps what the person last asked of a reviewer. What came of it
// is told by the events that follow.
func (s *State) applyCommand(e Event) error {
	return with(e, func(c Command) {
		if r := s.Reviewer(c.Reviewer); r != nil {
			r.Asked = &c
		}
	})
}

func (s *State) applyRun(e Event) error {
	switch e.Kind {
	case Planned:
		return with(e, s.planned)
	case DiffStored:
		var d DiffData
		err := e.Decode(&d)
		if err == nil {
			s.Diff, err = d.Parse()
		}
		return err
	case PhaseChanged:
		return with(e, func(p PhaseData) { s.Phase, s.Interrupted = p.Phase, p.Interrupted })
	case ServerChanged:
		return with(e, func(d ServerData) { s.Server = d })
	case Noticed:
		return with(e, func(n NoticeData) {
			if r := s.Reviewer(e.Reviewer); r != nil {
				r.add(Block{ID: fmt.Sprintf("notice-%d", e.Seq), Kind: "notice", Text: n.Text})
				return
			}
			s.Notices = append(s.Notices, n)
		})
	case GapFound:
		return with(e, func(g review.Gap) { s.Gaps = append(s.Gaps, g) })
	case HoldSet:
		return with(e, func(h review.Hold) { s.Holds = append(s.Holds, h) })
	}
	return nil
}

// with decodes an event's data for what it changes.
func with[T any](e Event, change func(T)) error {
	var d T
	if err := e.Decode(&d); err != nil {
		return err
	}
	change(d)
	return nil
}

func (s *State) planned(p Plan) {
	s.Plan, s.Phase = &p, PhasePlanned
	s.Gaps, s.Holds = slices.Clone(p.Gaps), slices.Clone(p.Holds)
	for _, n := range p.Notes {
		s.Notices = append(s.Notices, NoticeData{Level: "info", Text: n})
	}
	s.Reviewers = nil
	for _, m := range p.Team {
		s.Reviewers = append(s.Reviewers, newReviewer(m))
	}
	if p.Coordinator != nil {
		s.Coordinator = newReviewer(*p.Coordinator)
	}
}

// Parse unpacks and parses the diff.
func (d DiffData) Parse() (*diff.Set, error) {
	raw, err := d.Raw()
	if err != nil {
		return nil, err
	}
	set, err := diff.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the journaled diff: %w", err)
	}
	return set, nil
}

// Raw unpacks the diff's bytes.
func (d DiffData) Raw() ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(d.Gzip))
	if err != nil {
		return nil, fmt.Errorf("unpacking the journaled diff: %w", err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("unpacking the journaled diff: %w", err)
	}
	return raw, nil
}

// Reviewer finds a reviewer or the coordinator by name; nil if there is none.
func (s *State) Reviewer(name string) *Reviewer {
	if name == "" {
		return nil
	}
	if name == Coordinator {
		return s.Coordinator
	}
	for _, r := range s.Reviewers {
		if r.Name == name {
			return r
		}
	}
	return nil
}
