package personas

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/review"
)

// file is a persona as its YAML file has it. The tags are the keys; a key
// that is not here is an error.
type file struct {
	Name        string           `yaml:"name"`
	Title       texts            `yaml:"title"`
	Description string           `yaml:"description"`
	Labels      map[string]label `yaml:"labels"`
	Flag        []string         `yaml:"flag"`
	Ignore      []string         `yaml:"ignore"`
	Paths       []string         `yaml:"paths"`
	Cap         string           `yaml:"severity_cap"`
	Model       oneOrMore        `yaml:"model"`
	Effort      string           `yaml:"effort"`
	Thinking    *bool            `yaml:"thinking"`
	Steps       int              `yaml:"steps"`
	Timeout     string           `yaml:"timeout"`
	Prompt      string           `yaml:"prompt"`
	Checks      []check          `yaml:"checks"`
}

type label struct {
	Pass     string `yaml:"pass"`
	Concerns string `yaml:"concerns"`
	Block    string `yaml:"block"`
}

type check struct {
	ID           string   `yaml:"id"`
	Pattern      string   `yaml:"pattern"`
	After        string   `yaml:"after"`
	Within       int      `yaml:"within"`
	Unless       string   `yaml:"unless"`
	Paths        []string `yaml:"paths"`
	Not          []string `yaml:"not"`
	Mask         bool     `yaml:"mask"`
	Severity     string   `yaml:"severity"`
	Title        texts    `yaml:"title"`
	Observation  texts    `yaml:"observation"`
	Inference    texts    `yaml:"inference"`
	Judgment     texts    `yaml:"judgment"`
	Fix          texts    `yaml:"fix"`
	Verification texts    `yaml:"verification"`
}

// texts is a text by language; a plain string is English.
type texts map[string]string

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (t *texts) UnmarshalYAML(decode func(any) error) error {
	var s string
	if err := decode(&s); err == nil {
		*t = texts{string(review.English): s}
		return nil
	}
	var m map[string]string
	if err := decode(&m); err != nil {
		return err
	}
	*t = m
	return nil
}

// oneOrMore is a string or a list of strings.
type oneOrMore []string

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (o *oneOrMore) UnmarshalYAML(decode func(any) error) error {
	var s string
	if err := decode(&s); err == nil {
		*o = oneOrMore{s}
		return nil
	}
	var list []string
	if err := decode(&list); err != nil {
		return err
	}
	*o = list
	return nil
}

// problem is something wrong at a place of the file: a path like
// "checks[2].pattern".
type problem struct{ at, text string }

// problems collects what is wrong with a persona.
type problems []problem

func (ps *problems) add(at, format string, args ...any) {
	*ps = append(*ps, problem{at, fmt.Sprintf(format, args...)})
}

var (
	personaName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	numberedEnd = regexp.MustCompile(`-\d+$`)
	checkID     = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
)

// tiers are the model tiers that a persona may name; the person's config says
// which models they are.
var tiers = []string{"strong", "standard", "light"}

// persona turns the file into a persona and says what is wrong with it.
func (f file) persona(opt Options) (review.Persona, problems) {
	var ps problems
	p := review.Persona{
		Name: f.Name, Title: f.Title.in(&ps, "title", true), Description: f.Description,
		Flag: f.Flag, Ignore: f.Ignore, Labels: map[review.Lang]review.LabelText{},
		Paths: f.Paths, Cap: review.Severity(f.Cap), Model: f.Model, Effort: review.Effort(f.Effort),
		Thinking: f.Thinking, Steps: f.Steps, Prompt: f.Prompt,
	}
	switch {
	case f.Name == "":
		ps.add("", "name is missing")
	case !personaName.MatchString(f.Name):
		ps.add("name", "the name %q is not lower-case words joined by dashes", f.Name)
	case numberedEnd.MatchString(f.Name):
		ps.add("name", "the name %q ends in a number, which is how reviewers are told apart", f.Name)
	}
	if strings.TrimSpace(f.Prompt) == "" {
		ps.add("prompt", "prompt is missing")
	}
	f.labels(&p, &ps)
	f.limits(&p, &ps, opt)
	if _, err := review.CompileGlobs(f.Paths); err != nil {
		ps.add("paths", "%v", err)
	}
	ids := map[string]bool{}
	for i, c := range f.Checks {
		p.Checks = append(p.Checks, c.check(fmt.Sprintf("checks[%d]", i), &ps))
		if ids[c.ID] {
			ps.add(fmt.Sprintf("checks[%d].id", i), "two checks have the id %q", c.ID)
		}
		ids[c.ID] = true
	}
	return p, ps
}

// labels checks that every language has three wordings and that no wording
// stands for two labels: the parser could not tell them apart.
func (f file) labels(p *review.Persona, ps *problems) {
	if _, ok := f.Labels[string(review.English)]; !ok {
		ps.add("labels", "labels.en is missing: it needs pass, concerns and block")
	}
	seen := map[string]review.Label{}
	for _, lang := range languages {
		l, ok := f.Labels[string(lang)]
		if !ok {
			continue
		}
		t := review.LabelText{Pass: l.Pass, Concerns: l.Concerns, Block: l.Block}
		p.Labels[lang] = t
		for _, step := range []review.Label{review.Pass, review.Concerns, review.Block} {
			at := fmt.Sprintf("labels.%s.%s", lang, step)
			wording := strings.ToLower(strings.TrimSpace(t.Of(step)))
			if wording == "" {
				ps.add(at, "%s is missing", at)
				continue
			}
			if other, ok := seen[wording]; ok && other != step {
				ps.add(at, "the label %q stands for both %s and %s", t.Of(step), other, step)
			}
			seen[wording] = step
		}
	}
	for lang := range f.Labels {
		if !slices.Contains(languages, review.Lang(lang)) {
			ps.add("labels."+lang, "%q is no language; use one of %v", lang, languages)
		}
	}
}

// limits checks model, effort, cap, steps and timeout.
func (f file) limits(p *review.Persona, ps *problems, opt Options) {
	if p.Cap != "" && p.Cap.Rank() == 0 {
		ps.add("severity_cap", "severity_cap %q is not known; use one of %v", f.Cap, review.Severities())
	}
	efforts := []review.Effort{review.EffortLow, review.EffortMedium, review.EffortHigh, review.EffortMax}
	if p.Effort != "" && !slices.Contains(efforts, p.Effort) {
		ps.add("effort", "effort %q is not known; use one of %v", f.Effort, efforts)
	}
	for _, m := range f.Model {
		provider, id, named := strings.Cut(m, "/")
		switch {
		case slices.Contains(tiers, m):
		case opt.TiersOnly:
			ps.add("model", "a project's persona names a tier, one of %v, and not %q: only the person's own configuration maps tiers to models", tiers, m)
		case !named || provider == "" || id == "":
			ps.add("model", "%q is neither a tier %v nor provider/model", m, tiers)
		}
	}
	if f.Steps < 0 {
		ps.add("steps", "steps is %d; give 0 for the default, or more", f.Steps)
	}
	if f.Timeout == "" {
		return
	}
	d, err := time.ParseDuration(f.Timeout)
	if err != nil || d <= 0 {
		ps.add("timeout", `timeout %q is no duration like "5m" or "90s"`, f.Timeout)
		return
	}
	p.Timeout = d
}

// check turns a check of the file into one of the persona.
func (c check) check(at string, ps *problems) review.Check {
	out := review.Check{
		ID: c.ID, Pattern: c.Pattern, After: c.After, Within: c.Within, Unless: c.Unless,
		Paths: c.Paths, Not: c.Not, Mask: c.Mask, Severity: review.Severity(c.Severity),
		Title:        c.Title.in(ps, at+".title", true),
		Observation:  c.Observation.in(ps, at+".observation", true),
		Inference:    c.Inference.in(ps, at+".inference", true),
		Judgment:     c.Judgment.in(ps, at+".judgment", true),
		Verification: c.Verification.in(ps, at+".verification", true),
		Fix:          c.Fix.in(ps, at+".fix", false),
	}
	if !checkID.MatchString(c.ID) {
		ps.add(at+".id", "the id %q is not lower-case words joined by dashes", c.ID)
	}
	if c.Pattern == "" {
		ps.add(at, "pattern is missing")
	}
	for _, re := range []struct{ key, text string }{{"pattern", c.Pattern}, {"after", c.After}, {"unless", c.Unless}} {
		if _, err := regexp.Compile(re.text); err != nil {
			ps.add(at+"."+re.key, "%s: %v", re.key, err)
		}
	}
	for _, g := range []struct {
		key   string
		globs []string
	}{{"paths", c.Paths}, {"not", c.Not}} {
		if _, err := review.CompileGlobs(g.globs); err != nil {
			ps.add(at+"."+g.key, "%v", err)
		}
	}
	if out.Severity.Rank() == 0 {
		ps.add(at+".severity", "severity %q is not known; use one of %v", c.Severity, review.Severities())
	}
	if c.Within < 0 {
		ps.add(at+".within", "within is %d; give the number of lines, or 0 for the whole hunk", c.Within)
	}
	return out
}

var languages = []review.Lang{review.English, review.Chinese}

// in checks the languages of a text.
func (t texts) in(ps *problems, at string, required bool) map[review.Lang]string {
	if required && strings.TrimSpace(t[string(review.English)]) == "" {
		ps.add(at, "%s is missing (in en)", at)
	}
	if len(t) == 0 {
		return nil
	}
	out := map[review.Lang]string{}
	for lang, s := range t {
		if !slices.Contains(languages, review.Lang(lang)) {
			ps.add(at+"."+lang, "%q is no language; use one of %v", lang, languages)
			continue
		}
		out[review.Lang(lang)] = strings.TrimSpace(s)
	}
	return out
}
