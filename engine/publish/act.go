package publish

import (
	"context"
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
)

// Act is what the gate may do to a pull request when it is asked to. Merging
// is none of it.
type Act string

// Acts of the gate: the first two only if it holds, the last only if not.
const (
	Approve        Act = "approve"
	Label          Act = "label"
	RequestChanges Act = "request-changes"
)

// Outcome is what the gate found.
type Outcome struct {
	Holds    bool
	Head     string   // for which it was found
	Evidence []string // one line a condition
}

// Act does what was asked for, if the outcome allows it and the head is still
// the one that the gate looked at. label is for Label.
func (s Sender) Act(ctx context.Context, repo forge.Repo, number int, act Act, label string, o Outcome) error {
	if wants := act != RequestChanges; wants != o.Holds {
		return &Blocked{map[bool]string{true: "the gate holds", false: "the gate does not hold"}[o.Holds]}
	}
	pr, err := s.Forge.PullRequest(ctx, repo, number)
	if err != nil {
		return err
	}
	if pr.HeadSHA != o.Head {
		return fmt.Errorf("%w: from %s to %s", ErrMoved, event.Short(o.Head), event.Short(pr.HeadSHA))
	}
	if act == Label {
		return s.write(ctx, nil, func(ctx context.Context) error { return s.Forge.Label(ctx, pr, label) })
	}
	viewer, err := s.Forge.Viewer(ctx)
	if err == nil && viewer.ID == pr.Author.ID {
		return &Blocked{"one's own pull request can only be commented on"}
	}
	r := forge.NewReview{Commit: o.Head, Event: forge.EventApprove, Body: gateBody(o), Comments: []forge.LineComment{}}
	if act == RequestChanges {
		r.Event = forge.EventRequestChanges
	}
	once := func(context.Context) (bool, error) {
		return false, fmt.Errorf("the review may have been posted; look before you ask for it again")
	}
	return s.write(ctx, once, func(ctx context.Context) error { return s.Forge.Review(ctx, pr, r) })
}

func gateBody(o Outcome) string {
	lines := []string{fmt.Sprintf("mrv gate on `%s`:", event.Short(o.Head)), ""}
	for _, e := range o.Evidence {
		lines = append(lines, "- "+document.Line(e))
	}
	return strings.Join(lines, "\n")
}
