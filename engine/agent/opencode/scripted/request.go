package scripted

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/mrv-dev/mrv/engine/review"
)

// Request is what a model was asked.
type Request struct {
	Model  string
	System string
	Prompt string // the first user message
	Last   string // the last user message
	Turn   int    // user messages so far
	// Results are what the tools called since the last user message gave.
	Results []string
	Tools   []string // names of the tools offered
	// Schema is the form a JSON answer must have, or nil.
	Schema json.RawMessage
	Effort string // reasoning_effort
	// Try counts how often the very same was asked, from 1.
	Try  int
	Body []byte // as it came

	key string
}

// structuredTool is the tool that OpenCode offers for a JSON answer.
const structuredTool = "StructuredOutput"

func parse(body []byte) (Request, error) {
	var in struct {
		Model    string
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct {
			Function struct {
				Name       string
				Parameters json.RawMessage
			}
		}
		Effort string `json:"reasoning_effort"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, fmt.Errorf("not a chat request: %w", err)
	}
	sum := sha256.Sum256(body)
	q := Request{Model: in.Model, Effort: in.Effort, Body: body, key: string(sum[:])}
	for _, m := range in.Messages {
		text := textOf(m.Content)
		switch m.Role {
		case "system":
			q.System += text
		case "user":
			if q.Turn++; q.Turn == 1 {
				q.Prompt = text
			}
			q.Last, q.Results = text, nil
		case "tool":
			q.Results = append(q.Results, text)
		}
	}
	for _, t := range in.Tools {
		q.Tools = append(q.Tools, t.Function.Name)
		if t.Function.Name == structuredTool {
			q.Schema = t.Function.Parameters
		}
	}
	return q, nil
}

// textOf reads a message's content: a text, or a list of parts.
func textOf(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

var (
	markerLine = regexp.MustCompile(`(?m)^(?:Marker|Read): (\S+)$`)
	markerText = regexp.MustCompile("`Read: (\\S+?)`")
	labelsLine = regexp.MustCompile(`(?m)^[^\n|]*[:：]\s*([^\n|]+ \| [^\n|]+ \| [^\n|]+)$`)
	chinese    = regexp.MustCompile(`\p{Han} \| `)
)

// Marker is the marker that the prompt asks to be repeated, or "".
func (r Request) Marker() string {
	for _, re := range []*regexp.Regexp{markerLine, markerText} {
		if m := re.FindStringSubmatch(r.Prompt); m != nil {
			return m[1]
		}
	}
	return ""
}

// Labels are the three decision labels that the prompt offers.
func (r Request) Labels() review.LabelText {
	m := labelsLine.FindStringSubmatch(r.Prompt)
	if m == nil {
		return review.LabelText{Pass: "Pass", Concerns: "Concerns", Block: "Block"}
	}
	l := strings.Split(m[1], " | ")
	return review.LabelText{Pass: strings.TrimSpace(l[0]), Concerns: strings.TrimSpace(l[1]), Block: strings.TrimSpace(l[2])}
}

// Report is a whole report in the form the prompt asks for, in its language,
// with its marker and its words for the label.
func (r Request) Report(l review.Label, findings ...review.Finding) string {
	lang := review.English
	if chinese.MatchString(labelsLine.FindString(r.Prompt)) {
		lang = review.Chinese
	}
	return review.Render(review.Report{
		Label: l, LabelText: r.Labels().Of(l), Marker: r.Marker(),
		Summary: map[review.Lang]string{review.English: "Scripted.", review.Chinese: "脚本。"}[lang], Findings: findings,
	}, lang)
}

var pathText = regexp.MustCompile(`(?m)(?:^|[\s"` + "`" + `(])((?:[\w.-]+/)*[\w-]+\.(?:go|js|ts|py|rb|rs|java|c|h|cc|txt|md|ya?ml|json|sh))\b`)

// Path is the first path of a file that the prompt names, or "".
func (r Request) Path() string {
	if m := pathText.FindStringSubmatch(r.Prompt); m != nil {
		return m[1]
	}
	return ""
}
