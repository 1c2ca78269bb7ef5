package publish

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mrv-dev/mrv/engine/forge"
)

// readyMarker begins the one line that says that a review waits for a person.
const readyMarker = "<!-- mrv:ready v1 run:"

var readyRun = regexp.MustCompile(`^<!-- mrv:ready v1 run:([0-9]{1,18}) -->`)

// Announced lists the workflow runs that comments on a pull request announce,
// newest first. Anybody can write such a comment: what a run kept is checked.
func Announced(ctx context.Context, w forge.Writer, pr *forge.PullRequest) ([]int64, error) {
	all, err := w.SummaryComments(ctx, pr)
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, c := range slices.Backward(all) {
		if m := readyRun.FindStringSubmatch(c.Body); m != nil && c.Author.Bot {
			if id, err := strconv.ParseInt(m[1], 10, 64); err == nil { // digits that fit
				out = append(out, id)
			}
		}
	}
	return out, nil
}

// Ready posts one line that says that a review waits for triage, over the one
// that the viewer posted before. It holds no word of a model.
func (s Sender) Ready(ctx context.Context, pr *forge.PullRequest, viewer forge.User, run int64, line string) (forge.Posted, error) {
	body := fmt.Sprintf("%s%d%s\n%s", readyMarker, run, " -->", line)
	find := func(ctx context.Context) (*forge.Posted, error) {
		all, err := s.Forge.SummaryComments(ctx, pr)
		for i := range all {
			if all[i].Author.ID == viewer.ID && strings.HasPrefix(all[i].Body, readyMarker) {
				return &all[i], err
			}
		}
		return nil, err
	}
	old, err := find(ctx)
	if err != nil {
		return forge.Posted{}, err
	}
	var posted forge.Posted
	if old != nil {
		err = s.write(ctx, nil, func(ctx context.Context) (err error) {
			posted, err = s.Forge.EditComment(ctx, pr, old.ID, body)
			return err
		})
		return posted, err
	}
	there := func(ctx context.Context) (bool, error) {
		c, err := find(ctx)
		if c != nil {
			posted = *c
		}
		return c != nil, err
	}
	err = s.write(ctx, there, func(ctx context.Context) (err error) {
		posted, err = s.Forge.Comment(ctx, pr, body)
		return err
	})
	return posted, err
}
