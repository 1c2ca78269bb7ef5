package merge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/mrv-dev/mrv/engine/review"
)

// sarifLog is the part of SARIF 2.1.0 (OASIS, 2020) that a merge reads.
type sarifLog struct {
	Version string `json:"version"`
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string      `json:"name"`
				Rules []sarifRule `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		Results   []sarifResult `json:"results"`
		Artifacts []struct {
			Location sarifArtifact `json:"location"`
		} `json:"artifacts"`
	} `json:"runs"`
}

type sarifRule struct {
	ID               string                  `json:"id"`
	ShortDescription sarifMessage            `json:"shortDescription"`
	MessageStrings   map[string]sarifMessage `json:"messageStrings"`
	Default          struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
	Properties struct {
		SecuritySeverity any `json:"security-severity"` // a string or a number
	} `json:"properties"`
}

type sarifMessage struct {
	Text      string   `json:"text"`
	Markdown  string   `json:"markdown"`
	ID        string   `json:"id"`
	Arguments []string `json:"arguments"`
}

type sarifArtifact struct {
	URI   string `json:"uri"`
	Index *int   `json:"index"`
}

type sarifResult struct {
	Properties struct {
		Severity any `json:"severity"` // of any kind in others' files
	} `json:"properties"`
	GUID      string       `json:"guid"`
	RuleID    string       `json:"ruleId"`
	RuleIndex *int         `json:"ruleIndex"`
	Kind      string       `json:"kind"`
	Level     string       `json:"level"`
	Message   sarifMessage `json:"message"`
	Locations []struct {
		Physical struct {
			Artifact sarifArtifact `json:"artifactLocation"`
			Region   struct {
				StartLine int          `json:"startLine"`
				EndLine   int          `json:"endLine"`
				Snippet   sarifMessage `json:"snippet"`
			} `json:"region"`
		} `json:"physicalLocation"`
	} `json:"locations"`
	Suppressions []struct {
		Status string `json:"status"`
	} `json:"suppressions"`
}

// sarif reads the results of a SARIF log that are problems: not those that
// passed or are suppressed. A result without a guid gets the tool's name and
// its ordinal as id.
func (p *itemReader) sarif(raw json.RawMessage, at string) error {
	var log sarifLog
	if err := json.Unmarshal(raw, &log); err != nil {
		return fmt.Errorf("%s: not SARIF: %w", at, err)
	}
	if log.Version != "2.1.0" {
		return fmt.Errorf("%s: SARIF version %q; want 2.1.0", at, log.Version)
	}
	count := map[string]int{}
	for n, run := range log.Runs {
		tool := run.Tool.Driver.Name
		if tool == "" {
			return fmt.Errorf("%s: runs[%d]: the tool has no name", at, n)
		}
		for k, r := range run.Results {
			count[tool]++
			if !r.problem() {
				continue
			}
			rule := r.rule(run.Tool.Driver.Rules)
			i := Item{
				ID: r.GUID, Reviewer: tool, Severity: r.severity(rule), Title: rule.ShortDescription.Text,
				Text: r.text(rule), Analyser: true, at: fmt.Sprintf("%s: runs[%d].results[%d]", at, n, k),
			}
			if i.ID == "" {
				i.ID, i.numbered = numberedID(tool, count[tool]), true
			}
			if i.Title == "" {
				i.Title = rule.ID
			}
			if len(r.Locations) > 0 {
				l := r.Locations[0].Physical
				if x := l.Artifact.Index; l.Artifact.URI == "" && x != nil && *x >= 0 && *x < len(run.Artifacts) {
					l.Artifact.URI = run.Artifacts[*x].Location.URI
				}
				i.File, i.Line, i.EndLine = sarifPath(l.Artifact.URI), l.Region.StartLine, l.Region.EndLine
				i.Quote = l.Region.Snippet.Text
			}
			if strings.TrimSpace(i.Title+i.Text) == "" {
				return fmt.Errorf("%s: the result has neither a message nor a rule", i.at)
			}
			p.items = append(p.items, i)
		}
	}
	return nil
}

func numberedID(tool string, n int) string { return tool + "." + strconv.Itoa(n) }

// problem reports whether a result is one: its kind is "fail" (the default),
// "open" or "review", and it is not suppressed.
func (r sarifResult) problem() bool {
	for _, s := range r.Suppressions {
		if s.Status == "" || s.Status == "accepted" {
			return false
		}
	}
	return r.Kind == "" || r.Kind == "fail" || r.Kind == "open" || r.Kind == "review"
}

func (r sarifResult) rule(rules []sarifRule) sarifRule {
	if r.RuleIndex != nil && *r.RuleIndex >= 0 && *r.RuleIndex < len(rules) {
		return rules[*r.RuleIndex]
	}
	for _, x := range rules {
		if x.ID == r.RuleID {
			return x
		}
	}
	return sarifRule{ID: r.RuleID}
}

// severity is that of the result's level, else its rule's. The score is a
// string in some tools' rules and a number in others'. SARIF has no level for
// what mrv calls critical, so mrv's own results say it in a property.
func (r sarifResult) severity(rule sarifRule) string {
	if own := review.Severity(fmt.Sprint(r.Properties.Severity)); strings.HasPrefix(r.RuleID, "mrv/") && own.Rank() > 0 {
		return string(own)
	}
	score, err := strconv.ParseFloat(fmt.Sprint(rule.Properties.SecuritySeverity), 64)
	if err != nil {
		score = 0
	}
	return string(review.SARIFSeverity(cmp.Or(r.Level, rule.Default.Level), score))
}

// text is the message, with its arguments filled in where it is the rule's.
func (r sarifResult) text(rule sarifRule) string {
	text := r.Message.Text
	if text == "" {
		text = r.Message.Markdown
	}
	if text == "" {
		text = rule.MessageStrings[r.Message.ID].Text
	}
	for n, a := range r.Message.Arguments {
		text = strings.ReplaceAll(text, "{"+strconv.Itoa(n)+"}", a)
	}
	return text
}

// sarifPath is a path relative to the repository from a URI reference.
func sarifPath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Path == "" {
		return uri
	}
	return strings.TrimPrefix(path.Clean(u.Path), "/")
}
