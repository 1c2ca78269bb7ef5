package opencode

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// structuredTool is the tool through which the server takes a JSON answer. Its
// call is the answer, not a tool step.
const structuredTool = "StructuredOutput"

// tool folds a tool part: pending (its input is being written), running,
// completed or error.
func (t *turn) tool(p part) []agent.Update {
	if t.tools[p.ID] == p.State.Status {
		return nil
	}
	t.tools[p.ID] = p.State.Status
	switch p.State.Status {
	case "pending", "running":
		t.alive(forTool)
	default:
		t.alive(forNextByte)
	}
	if p.Tool == structuredTool {
		return nil
	}
	tool := review.Tool{
		ID: p.ID, Name: p.Tool, Status: p.State.Status, Title: t.title(p),
		Output: p.State.Output, Error: p.State.Error,
	}
	if in := string(p.State.Input); in != "{}" {
		tool.Input = in
	}
	return []agent.Update{{Kind: agent.UpTool, Tool: tool}}
}

// title says in a few words what a tool is called on: the path and the lines,
// or the pattern and where it is looked for.
func (t *turn) title(p part) string {
	var in struct {
		FilePath string `json:"filePath"`
		Offset   int    `json:"offset"`
		Limit    int    `json:"limit"`
		Pattern  string `json:"pattern"`
		Path     string `json:"path"`
		Include  string `json:"include"`
	}
	if json.Unmarshal(p.State.Input, &in) != nil {
		return p.State.Title
	}
	switch {
	case in.FilePath != "":
		s := t.relative(in.FilePath)
		if in.Offset > 0 || in.Limit > 0 {
			s += ":" + strconv.Itoa(max(in.Offset, 1)) + "-"
			if in.Limit > 0 {
				s += strconv.Itoa(max(in.Offset, 1) + in.Limit - 1)
			}
		}
		return s
	case in.Pattern != "":
		s := in.Pattern
		for _, where := range []string{t.relative(in.Path), in.Include} {
			if where != "" && where != "." {
				s += " in " + where
			}
		}
		return s
	}
	return p.State.Title
}

// relative cuts the snapshot off a path.
func (t *turn) relative(path string) string {
	if t.opt.Dir == "" || !filepath.IsAbs(path) {
		return path
	}
	rel, err := filepath.Rel(t.opt.Dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return path
	}
	return rel
}
