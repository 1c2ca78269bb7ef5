package event

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/review"
)

// Transcript is everything a reviewer wrote, without the bound that State has:
// text as it stands in the end, tool calls as lines.
func Transcript(events []Event, reviewer string) (string, error) {
	var order []string
	parts := map[string]*strings.Builder{}
	part := func(id string) *strings.Builder {
		if parts[id] == nil {
			parts[id] = &strings.Builder{}
			order = append(order, id)
		}
		return parts[id]
	}
	for _, e := range events {
		if e.Reviewer != reviewer {
			continue
		}
		switch e.Kind {
		case TextAppended, TextSet, TextDropped:
			var d TextData
			if err := e.Decode(&d); err != nil {
				return "", err
			}
			if e.Kind == TextDropped {
				delete(parts, d.Part)
				order = slices.DeleteFunc(order, func(id string) bool { return id == d.Part })
				continue
			}
			b := part(d.Part)
			if e.Kind == TextSet {
				b.Reset()
			}
			b.WriteString(d.Text)
		case ToolCalled:
			var t review.Tool
			if err := e.Decode(&t); err != nil {
				return "", err
			}
			b := part("tool-" + t.ID)
			b.Reset()
			fmt.Fprintf(b, "> %s %s (%s)", t.Name, t.Title, t.Status)
		}
	}
	texts := make([]string, 0, len(order))
	for _, id := range order {
		texts = append(texts, parts[id].String())
	}
	return strings.Join(texts, "\n\n"), nil
}
