package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/merge"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/personas"
)

// ruleCap is how much of a rule file is attached.
const ruleCap = 32 << 10

// Paths of a project's own rules.
const (
	projectConfig   = ".mrv/config.yaml"
	projectPersonas = ".mrv/personas"
	projectSkill    = ".mrv/skill.md"
	projectTemplate = ".mrv/coordinator.md"
)

// rules are what a run is judged by: the project's, from the tip of the base
// branch, the person's own, and the built-in ones. Never the head's.
type rules struct {
	project   config.Project
	personas  []review.Persona
	shown     event.Rules
	blocking  review.Severity
	sensitive diff.Sensitive
}

// loadRules reads them. What decides about the gate (blocking, sensitive
// paths) comes from the tip of the default branch.
func loadRules(ctx context.Context, l *Loaded, o Options) (rules, error) {
	r := rules{shown: event.Rules{Ref: "built-in"}}
	base, err := personas.Builtin()
	if err != nil {
		return r, err
	}
	own, err := personas.Load(filepath.Join(o.Paths.Config, "personas"))
	if err != nil {
		return r, err
	}
	r.personas = personas.Merge(base, own)
	files, err := readRuleFiles(ctx, l)
	if err != nil {
		return r, err
	}
	if err := r.fromProject(files, l); err != nil {
		return r, err
	}
	if err := r.fromDefault(ctx, l); err != nil {
		return r, err
	}
	if err := r.contracts(ctx, l); err != nil {
		return r, err
	}
	for _, f := range l.Set.Files {
		for _, p := range []string{f.OldPath, f.NewPath} {
			if steersReview(p) && !slices.Contains(r.shown.Touched, p) {
				r.shown.Touched = append(r.shown.Touched, p)
			}
		}
	}
	return r, nil
}

// ownReviews is where reviews are written in a working tree.
const ownReviews = ".ai/reviews/"

// isRule reports whether a path is one of the project's review rules.
func isRule(p string) bool { return strings.HasPrefix(p, ".mrv/") || path.Base(p) == "AGENTS.md" }

// steersReview reports whether a path is one that review rules are read from.
func steersReview(p string) bool {
	return isRule(p) || strings.HasPrefix(p, ownReviews)
}

// ruleFile is one file of the project's rules.
type ruleFile struct {
	path string
	data []byte
}

func readRuleFiles(ctx context.Context, l *Loaded) ([]ruleFile, error) {
	paths := []string{projectConfig, projectSkill, projectTemplate}
	names, err := l.ListRules(ctx, projectPersonas)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		if ext := path.Ext(n); ext == ".yaml" || ext == ".yml" {
			paths = append(paths, n)
		}
	}
	var out []ruleFile
	for _, p := range paths {
		data, ok, err := l.RulesAt(ctx, p)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, ruleFile{p, data})
		}
	}
	return out, nil
}

// fromProject takes the project's files into account.
func (r *rules) fromProject(files []ruleFile, l *Loaded) error {
	if len(files) == 0 {
		return nil
	}
	r.shown.Ref, r.shown.SHA = l.RulesRef, l.RulesSHA
	for _, f := range files {
		where := fmt.Sprintf("%s@%s:%s", l.RulesRef, event.Short(l.RulesSHA), f.path)
		var err error
		switch f.path {
		case projectConfig:
			r.project, err = config.ParseProject(where, f.data)
		case projectSkill:
			r.shown.Skill = string(f.data[:min(len(f.data), ruleCap)])
			r.shown.SkillSHA = hashOf(string(f.data))
		case projectTemplate:
			r.shown.Template = string(f.data)
			if lerr := merge.LintTemplate(r.shown.Template); lerr != nil {
				err = fmt.Errorf("%s: %w", where, lerr)
			}
		default:
			var p review.Persona
			if p, err = personas.ParseWith(f.data, "project: "+where, personas.Options{TiersOnly: true}); err == nil {
				r.personas = personas.Merge(r.personas, []review.Persona{p})
			}
		}
		if err != nil {
			return err
		}
	}
	r.shown.Hash = hashRules(files)
	return nil
}

// hashRules is what a person trusts: every rule file by its path and bytes.
func hashRules(files []ruleFile) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s %d\n", f.path, len(f.data))
		h.Write(f.data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// notes say in what way the change and the rules it is judged by differ: it
// touches them, it began before them, or it brings a review of its own.
func (r *rules) notes(ctx context.Context, l *Loaded) ([]string, error) {
	var out []string
	from := r.shown.Ref
	if r.shown.SHA != "" {
		from += "@" + event.Short(r.shown.SHA)
	}
	if slices.ContainsFunc(r.shown.Touched, isRule) {
		out = append(out, "this change rewrites review rules; it is judged by those of "+from)
	}
	if slices.ContainsFunc(r.shown.Touched, func(p string) bool { return strings.HasPrefix(p, ownReviews) }) {
		out = append(out, "this change brings its own "+ownReviews+": nothing in it is taken for a review")
	}
	if began := l.Change.MergeBase; began != "" && l.RulesSHA != "" && began != l.RulesSHA {
		then := *l
		then.rules.sha = began
		files, err := readRuleFiles(ctx, &then)
		if err != nil {
			return nil, fmt.Errorf("reading the rules where the change began: %w", err)
		}
		if len(files) == 0 && r.shown.Hash == "" {
			return out, nil
		}
		if r.shown.Hash == "" || hashRules(files) != r.shown.Hash {
			out = append(out, fmt.Sprintf("this change began at %s, before the present review rules; it is judged by those of %s", event.Short(began), from))
		}
	}
	return out, nil
}

// fromDefault reads what decides about the gate.
func (r *rules) fromDefault(ctx context.Context, l *Loaded) error {
	data, ok, err := l.DefaultAt(ctx, projectConfig)
	if err != nil || !ok {
		return err
	}
	p, err := config.ParseProject("the default branch's "+projectConfig, data)
	if err != nil {
		return err
	}
	r.blocking = p.Blocking
	r.sensitive, err = diff.NewSensitive(p.Sensitive)
	return err
}

// contracts attaches the files and rules a judgment can rest on.
func (r *rules) contracts(ctx context.Context, l *Loaded) error {
	for _, text := range r.project.Rules {
		r.shown.Contracts = append(r.shown.Contracts, event.Untrusted{Kind: "rule", Text: text[:min(len(text), ruleCap)]})
	}
	if len(r.project.Contracts) == 0 {
		return nil
	}
	globs, err := diff.CompileGlobs(r.project.Contracts)
	if err != nil {
		return fmt.Errorf("%s: contracts: %w", projectConfig, err)
	}
	names, err := l.ListRules(ctx, "")
	if err != nil {
		return err
	}
	for _, n := range names {
		if !globs.Match(n) {
			continue
		}
		data, ok, err := l.RulesAt(ctx, n)
		if err != nil {
			return err
		}
		if ok {
			r.shown.Contracts = append(r.shown.Contracts, event.Untrusted{Kind: n, Text: string(data[:min(len(data), ruleCap)])})
		}
	}
	return nil
}
