package merge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/mrv-dev/mrv/engine/review"
)

// sarifLog is the part of SARIF 2.1.0 (OASIS, 2020) that a merge reads.
type sarifLog struct {
	Version string `json:"version"`
	Runs    []struct {
		Tool struct {
			Driver     sarifTool   `json:"driver"`
			Extensions []sarifTool `json:"extensions"` // CodeQL's query packs have the rules
		} `json:"tool"`
		Bases       map[string]sarifArtifact `json:"originalUriBaseIds"`
		Invocations []struct {
			Directory sarifArtifact `json:"workingDirectory"`
		} `json:"invocations"`
		Results   []sarifResult `json:"results"`
		Artifacts []struct {
			Location sarifArtifact `json:"location"`
		} `json:"artifacts"`
	} `json:"runs"`
}

// sarifTool is a tool component (3.19): the driver or an extension.
type sarifTool struct {
	Name  string      `json:"name"`
	Rules []sarifRule `json:"rules"`
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
	Base  string `json:"uriBaseId"` // a name in originalUriBaseIds
}

type sarifResult struct {
	Properties struct {
		Severity any `json:"severity"` // of any kind in others' files
	} `json:"properties"`
	GUID      string `json:"guid"`
	RuleID    string `json:"ruleId"`
	RuleIndex *int   `json:"ruleIndex"`
	Rule      struct {
		ID        string `json:"id"`
		Index     *int   `json:"index"`
		Component struct {
			Index *int `json:"index"` // of the extension, none for the driver
		} `json:"toolComponent"`
	} `json:"rule"`
	// Baseline "absent" is a result of an earlier run that is gone (3.27.24).
	Baseline  string       `json:"baselineState"`
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
		var roots []string
		for _, b := range run.Bases {
			roots = append(roots, b.URI)
		}
		for _, c := range run.Invocations {
			roots = append(roots, c.Directory.URI)
		}
		for k, r := range run.Results {
			count[tool]++
			if !r.problem() {
				continue
			}
			rule := r.rule(run.Tool.Driver, run.Tool.Extensions)
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
				i.File, i.Line, i.EndLine = sarifPath(run.Bases[l.Artifact.Base].URI, l.Artifact.URI, roots), l.Region.StartLine, l.Region.EndLine
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
	if r.Baseline == "absent" {
		return false
	}
	return r.Kind == "" || r.Kind == "fail" || r.Kind == "open" || r.Kind == "review"
}

// rule finds the rule of a result: by its index in the component that the
// result names, else by its id in any of them.
func (r sarifResult) rule(driver sarifTool, extensions []sarifTool) sarifRule {
	component, index := driver, r.RuleIndex
	if index == nil {
		index = r.Rule.Index
	}
	if x := r.Rule.Component.Index; x != nil && *x >= 0 && *x < len(extensions) {
		component = extensions[*x]
	}
	id := cmp.Or(r.RuleID, r.Rule.ID)
	if index != nil && *index >= 0 && *index < len(component.Rules) {
		if rule := component.Rules[*index]; id == "" || isRule(id, rule.ID) {
			return rule
		}
	}
	for _, t := range append([]sarifTool{driver}, extensions...) {
		for _, rule := range t.Rules {
			if isRule(id, rule.ID) {
				return rule
			}
		}
	}
	return sarifRule{ID: id}
}

// isRule reports whether a result's id names a rule: itself, or a part of it,
// "CA1000/1" of "CA1000" (3.27.5).
func isRule(id, rule string) bool { return id == rule || strings.HasPrefix(id, rule+"/") && rule != "" }

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

// sarifLink is a link within a message to one of the result's related
// locations (3.11.6).
var sarifLink = regexp.MustCompile(`\[([^\]\n]*)\]\(\d+\)`)

// text is the message, with its arguments filled in where it is the rule's.
func (r sarifResult) text(rule sarifRule) string {
	text := r.Message.Text
	if text == "" {
		text = r.Message.Markdown
	}
	if text == "" {
		text = rule.MessageStrings[r.Message.ID].Text
	}
	text = sarifLink.ReplaceAllString(text, "$1")
	for n, a := range r.Message.Arguments {
		text = strings.ReplaceAll(text, "{"+strconv.Itoa(n)+"}", a)
	}
	return text
}

// sarifPath is a path from a URI reference: below its base if that is a folder
// of the repository, relative to one of the run's roots where it is below it,
// else absolute as the tool wrote it.
func sarifPath(base, uri string, roots []string) string {
	file := uriPath(uri)
	if below := uriPath(base); uri != "" && base != "" && !strings.HasPrefix(below, "/") && !strings.HasPrefix(file, "/") {
		return path.Join(below, file)
	}
	if !strings.HasPrefix(file, "/") {
		return file
	}
	root := ""
	for _, r := range roots {
		if r = strings.TrimSuffix(uriPath(r), "/"); len(r) > len(root) && strings.HasPrefix(file, r+"/") {
			root = r
		}
	}
	if root == "" {
		return file
	}
	return strings.TrimPrefix(file, root+"/")
}

// uriPath is the path of a URI reference, cleaned.
func uriPath(uri string) string {
	u, err := url.Parse(strings.ReplaceAll(uri, `\`, "/"))
	if err != nil || u.Path == "" {
		return uri
	}
	return path.Clean(u.Path)
}
