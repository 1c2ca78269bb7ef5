package review

import "time"

// Effort is how hard a model is asked to think.
type Effort string

// Efforts from least to most.
const (
	EffortLow    Effort = "low"
	EffortMedium Effort = "medium"
	EffortHigh   Effort = "high"
	EffortMax    Effort = "max"
)

// Persona is a role a reviewer plays. It is read from YAML; package personas
// holds the built-in ones and the loader.
type Persona struct {
	Name        string             `json:"name"`
	Title       map[Lang]string    `json:"title"`
	Description string             `json:"description,omitempty"`
	Flag        []string           `json:"flag,omitempty"`   // what to report
	Ignore      []string           `json:"ignore,omitempty"` // what not to report
	Labels      map[Lang]LabelText `json:"labels"`
	// Paths are globs; the persona is skipped when no reviewed file matches.
	// Empty means every change.
	Paths []string `json:"paths,omitempty"`
	// Cap is the highest severity the persona may give; empty means no cap.
	Cap Severity `json:"severity_cap,omitempty"`
	// Model is a tier (strong, standard, light), or a list of models
	// (provider/model) to walk on failure. A project's personas name tiers.
	Model    []string      `json:"model,omitempty"`
	Effort   Effort        `json:"effort,omitempty"`
	Thinking *bool         `json:"thinking,omitempty"`
	Steps    int           `json:"steps,omitempty"`   // tool steps at most, 0 = default
	Timeout  time.Duration `json:"timeout,omitempty"` // from the first byte, 0 = default
	Prompt   string        `json:"prompt"`
	Checks   []Check       `json:"checks,omitempty"`

	// Source says where the persona came from, for the screen:
	// "built-in", "person: PATH" or "project: REF@SHA:PATH".
	Source string `json:"source,omitempty"`
}

// Check is one deterministic rule of a persona: a regular expression (RE2) over
// the added lines of a change and what to say when it matches.
type Check struct {
	ID      string `json:"id"`
	Pattern string `json:"pattern"` // matches one added line
	// After must match an earlier line of the same hunk, at most Within lines
	// above (0 = the whole hunk before). Unless, when it matches the line or a
	// line at most Within lines around it, silences the check.
	After  string `json:"after,omitempty"`
	Within int    `json:"within,omitempty"`
	Unless string `json:"unless,omitempty"`
	// Paths and Not are globs of paths it looks at and skips.
	Paths []string `json:"paths,omitempty"`
	Not   []string `json:"not,omitempty"`
	// Mask hides the match in every text, for secrets.
	Mask         bool            `json:"mask,omitempty"`
	Severity     Severity        `json:"severity"`
	Title        map[Lang]string `json:"title"`
	Observation  map[Lang]string `json:"observation"`
	Inference    map[Lang]string `json:"inference"`
	Judgment     map[Lang]string `json:"judgment"`
	Fix          map[Lang]string `json:"fix,omitempty"`
	Verification map[Lang]string `json:"verification"`
}

// In returns the text in the language asked for, else in English.
func In(m map[Lang]string, l Lang) string {
	if s := m[l]; s != "" {
		return s
	}
	return m[English]
}

// LabelsIn returns a persona's labels in the language asked for, else English.
func (p Persona) LabelsIn(l Lang) LabelText {
	if t, ok := p.Labels[l]; ok && t.Pass != "" {
		return t
	}
	return p.Labels[English]
}
