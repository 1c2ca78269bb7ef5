package document

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// The part of SARIF 2.1.0 (OASIS standard) that a review needs.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool         `json:"tool"`
	Automation sarifAutomation   `json:"automationDetails"`
	Provenance []sarifProvenance `json:"versionControlProvenance,omitempty"`
	Bases      map[string]any    `json:"originalUriBaseIds,omitempty"`
	Results    []sarifResult     `json:"results"`
	ColumnKind string            `json:"columnKind"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	URI     string      `json:"informationUri"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID          string    `json:"id"`
	Description sarifText `json:"shortDescription"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifAutomation struct {
	ID string `json:"id"`
}

type sarifProvenance struct {
	URI      string `json:"repositoryUri"`
	Revision string `json:"revisionId,omitempty"`
	Branch   string `json:"branch,omitempty"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations,omitempty"`
	Fingerprints map[string]string  `json:"partialFingerprints,omitempty"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	Properties   map[string]any     `json:"properties"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI    string `json:"uri"`
	BaseID string `json:"uriBaseId"`
}

type sarifRegion struct {
	StartLine int        `json:"startLine"`
	EndLine   int        `json:"endLine,omitempty"`
	Snippet   *sarifText `json:"snippet,omitempty"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification,omitempty"`
}

// SARIF is the review for code scanning tools: the accepted findings, or all
// of them, where the rejected ones are suppressed with their reason. A rule is
// a persona, or the check that found it.
func SARIF(d Document, all bool) ([]byte, error) {
	rules, index := []sarifRule{}, map[string]int{}
	run := sarifRun{
		Automation: sarifAutomation{ID: "mrv/" + d.Run}, Results: []sarifResult{}, ColumnKind: "unicodeCodePoints",
		Bases: map[string]any{"SRCROOT": map[string]any{"description": sarifText{"the root of the repository"}}},
	}
	for _, f := range d.Findings {
		if !all && f.Status != Open {
			continue
		}
		id := ruleOf(d, f)
		if _, ok := index[id]; !ok {
			index[id] = len(rules)
			rules = append(rules, sarifRule{ID: id, Description: sarifText{describe(f)}})
		}
		run.Results = append(run.Results, resultOf(f, id, index[id]))
	}
	run.Tool.Driver = sarifDriver{Name: "mrv", Version: d.Version, URI: "https://github.com/mrv-dev/mrv", Rules: rules}
	if c := d.Change; c.Repository != "" && c.Source != event.FromDemo {
		host := cmp.Or(c.Host, "github.com")
		run.Provenance = []sarifProvenance{{URI: "https://" + host + "/" + c.Repository, Revision: c.Head, Branch: c.HeadRef}}
	}
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
	raw, err := json.MarshalIndent(log, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the review as SARIF: %w", err)
	}
	return append(raw, '\n'), nil
}

func ruleOf(d Document, f Finding) string {
	if f.Rule != "" {
		return "mrv/" + f.Rule
	}
	for _, m := range d.Members {
		if len(f.Reviewers) > 0 && m.Name == f.Reviewers[0] {
			return "mrv/" + m.Persona
		}
	}
	return "mrv/" + event.Own
}

func describe(f Finding) string {
	if f.Rule != "" {
		return cmp.Or(f.Title, f.Rule)
	}
	return "Findings of this reviewer; each names its contract in its judgment."
}

func resultOf(f Finding, rule string, index int) sarifResult {
	var text []string
	for _, s := range []string{f.Title, f.Judgment, f.Observation, f.Inference} {
		if s = strings.TrimSpace(s); s != "" {
			text = append(text, s)
		}
	}
	r := sarifResult{
		RuleID: rule, RuleIndex: index, Level: levelOf(f.Severity), Message: sarifText{cmp.Or(Neutralise(strings.Join(text, "\n\n")), f.ID)},
		Properties: map[string]any{"id": f.ID, "status": f.Status, "severity": f.Severity, "reviewers": f.Reviewers, "confirmed": f.Confirmed},
	}
	if f.Place.Fingerprint != "" {
		r.Fingerprints = map[string]string{"mrv/v1": f.Place.Fingerprint}
	}
	if f.Place.Path != "" {
		loc := sarifLocation{sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Path: f.Place.Path}).EscapedPath(), BaseID: "SRCROOT"}}}
		// Lines of the side before the change are not in the file any more.
		if f.Place.Start > 0 && f.Place.Side != diff.Left {
			loc.Physical.Region = &sarifRegion{StartLine: f.Place.Start, EndLine: max(f.Place.Start, f.Place.End)}
			if q := quoted(f); q != "" {
				loc.Physical.Region.Snippet = &sarifText{reveal(q)}
			}
		}
		r.Locations = []sarifLocation{loc}
	}
	if f.Status == Rejected && f.Decision != nil {
		why := strings.TrimSuffix(string(f.Decision.Reason)+": "+f.Decision.Note, ": ")
		r.Suppressions = []sarifSuppression{{Kind: "external", Status: "accepted", Justification: Line(why)}}
	}
	return r
}

func levelOf(s review.Severity) string {
	switch s {
	case review.Critical:
		return "error"
	case review.Warning:
		return "warning"
	}
	return "note"
}
