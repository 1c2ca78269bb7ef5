package personas

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/mrv-dev/mrv/engine/review"
)

// Options say who wrote a persona.
type Options struct {
	// TiersOnly refuses model names: a project's personas name tiers.
	TiersOnly bool
}

//go:embed *.yaml
var builtin embed.FS

// order is that of the built-in personas on screen.
var order = []string{"quality", "security", "performance", "architecture", "generalist", "testing", "documentation", "release", "compliance"}

// Builtin returns the personas that come with mrv, in their order.
func Builtin() ([]review.Persona, error) {
	list, err := LoadFS(builtin, ".", func(name string) string { return "built-in" }, Options{})
	if err != nil {
		return nil, err
	}
	place := func(p review.Persona) int { return slices.Index(order, p.Name) }
	slices.SortFunc(list, func(a, b review.Persona) int { return place(a) - place(b) })
	return withChecks(list), nil
}

// withChecks gives the generalist the checks of those it stands for.
func withChecks(list []review.Persona) []review.Persona {
	var all []review.Check
	for _, p := range list {
		all = append(all, p.Checks...)
	}
	for i := range list {
		if list[i].Name == "generalist" && len(list[i].Checks) == 0 {
			list[i].Checks = all
		}
	}
	return list
}

// Load reads every *.yaml and *.yml in the person's own directories. A
// directory that does not exist holds none; of two personas with one name the
// later directory's stands. All errors of all files are returned together.
func Load(dirs ...string) ([]review.Persona, error) {
	var out []review.Persona
	var errs []error
	for _, dir := range dirs {
		list, err := LoadFS(os.DirFS(dir), ".", func(name string) string { return "person: " + filepath.Join(dir, name) }, Options{})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		out = Merge(out, list)
	}
	return out, errors.Join(errs...)
}

// LoadFS reads the personas in a directory of a file system, such as the tree
// of a base commit. source names a file for the screen and in errors.
func LoadFS(fsys fs.FS, dir string, source func(name string) string, opt Options) ([]review.Persona, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("reading personas: %w", err)
	}
	var out []review.Persona
	var errs []error
	from := map[string]string{}
	for _, e := range entries {
		if ext := path.Ext(e.Name()); e.IsDir() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		data, err := fs.ReadFile(fsys, path.Join(dir, e.Name()))
		if err != nil {
			errs = append(errs, fmt.Errorf("reading a persona: %w", err))
			continue
		}
		src := source(e.Name())
		p, err := ParseWith(data, src, opt)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if other, ok := from[p.Name]; ok {
			errs = append(errs, fmt.Errorf("%s: the persona %q is also in %s", src, p.Name, other))
			continue
		}
		from[p.Name] = src
		out = append(out, p)
	}
	return out, errors.Join(errs...)
}

// Parse reads one persona. source says where data comes from, for the screen
// ("built-in", "person: PATH", "project: REF@SHA:PATH") and in errors, which
// have the form SOURCE:LINE:COLUMN: what is wrong.
func Parse(data []byte, source string) (review.Persona, error) {
	return ParseWith(data, source, Options{})
}

// ParseWith is Parse with options.
func ParseWith(data []byte, source string, opt Options) (review.Persona, error) {
	p, findings := parse(data, opt)
	if len(findings) > 0 {
		errs := make([]error, len(findings))
		for i, f := range findings {
			f.Source = source
			errs[i] = f
		}
		return review.Persona{}, errors.Join(errs...)
	}
	p.Source = source
	return p, nil
}

// Error is one thing that is wrong with a persona's file.
type Error struct {
	Source       string
	Line, Column int // from 1; 0 = not known
	Text         string
}

// Error implements error: SOURCE:LINE:COLUMN: text.
func (e Error) Error() string {
	if e.Line == 0 {
		return e.Source + ": " + e.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Source, e.Line, e.Column, e.Text)
}

func parse(data []byte, opt Options) (review.Persona, []Error) {
	var f file
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&f); err != nil {
		return review.Persona{}, []Error{decodeError(err)}
	}
	p, ps := f.persona(opt)
	if len(ps) == 0 {
		return p, nil
	}
	doc, err := parser.ParseBytes(data, 0)
	if err != nil {
		return review.Persona{}, []Error{decodeError(err)}
	}
	out := make([]Error, len(ps))
	for i, problem := range ps {
		line, column := position(doc, problem.at)
		out[i] = Error{Line: line, Column: column, Text: problem.text}
	}
	return p, out
}

// decodeError takes the place out of an error of the YAML library, and adds
// the key that was probably meant.
func decodeError(err error) Error {
	if err.Error() == "EOF" {
		return Error{Line: 1, Column: 1, Text: "the file is empty"}
	}
	var ye yaml.Error
	if !errors.As(err, &ye) {
		return Error{Text: err.Error()}
	}
	out := Error{Text: plainly(ye.GetMessage())}
	if t := ye.GetToken(); t != nil && t.Position != nil {
		out.Line, out.Column = t.Position.Line, t.Position.Column
		var unknown *yaml.UnknownFieldError
		if errors.As(err, &unknown) {
			out.Text = fmt.Sprintf("unknown key %q", t.Value)
			if near := review.Nearest(t.Value, keys(reflect.TypeFor[file]())); near != "" {
				out.Text += fmt.Sprintf(", did you mean %q?", near)
			}
		}
	}
	return out
}

// The library's errors for a value of another shape.
var (
	wrongNode = regexp.MustCompile(`^(\w+) was used where (\w+) is expected`)
	wrongType = regexp.MustCompile(`^cannot unmarshal (\S+).* into Go (?:struct field \w+\.(\w+) of type|value of type) (\S+)`)
)

// plainly says what the YAML library says in words of the file.
func plainly(text string) string {
	if strings.Contains(text, "tab character") || strings.Contains(text, "character '\t'") {
		return "a tab stands here: YAML is indented with spaces"
	}
	if m := wrongNode.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s stands here, and %s is wanted", shape(m[1]), shape(m[2]))
	}
	m := wrongType.FindStringSubmatch(text)
	switch {
	case m == nil:
		return text
	case strings.HasPrefix(m[1], "map") && m[3] == "string":
		return `a text with ": " in it is taken for a key and its value: put quotes around it`
	}
	return fmt.Sprintf("%s stands here, and %s is wanted", shape(m[1]), shape(m[3]))
}

// shape is a Go type in words of YAML.
func shape(t string) string {
	switch t = strings.TrimPrefix(t, "*"); {
	case t == "sequence", strings.HasPrefix(t, "[]"):
		return "a list"
	case strings.HasPrefix(t, "map"): // and "mapping"
		return `a block of "key: value"`
	case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"), strings.HasPrefix(t, "float"):
		return "a number"
	case t == "bool":
		return "true or false"
	case t == "string":
		return "a text"
	}
	return "a block of keys"
}

// position finds where a path like "checks[2].pattern" stands; of a key that
// is not there, where its parent stands.
func position(doc *ast.File, at string) (line, column int) {
	for ; ; at = parent(at) {
		query := "$"
		if at != "" {
			query = "$." + at
		}
		if p, err := yaml.PathString(query); err == nil {
			if node, err := p.FilterFile(doc); err == nil && node != nil && node.GetToken() != nil {
				pos := node.GetToken().Position
				return pos.Line, pos.Column
			}
		}
		if at == "" {
			return 1, 1
		}
	}
}

func parent(at string) string {
	return at[:max(strings.LastIndexAny(at, ".["), 0)]
}

// keys lists the keys of a persona's file at all depths.
func keys(t reflect.Type) []string {
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		return keys(t.Elem())
	case reflect.Struct:
		var out []string
		for f := range t.Fields() {
			out = append(append(out, f.Tag.Get("yaml")), keys(f.Type)...)
		}
		return out
	}
	return nil
}

// Merge lays overrides over a list: one of the same name replaces the whole
// persona in its place, a new one is added at the end.
func Merge(base, overrides []review.Persona) []review.Persona {
	out := slices.Clone(base)
	for _, p := range overrides {
		if i := slices.IndexFunc(out, func(q review.Persona) bool { return q.Name == p.Name }); i >= 0 {
			out[i] = p
		} else {
			out = append(out, p)
		}
	}
	return out
}

// Find returns the persona of a name.
func Find(list []review.Persona, name string) (review.Persona, bool) {
	for _, p := range list {
		if p.Name == name {
			return p, true
		}
	}
	return review.Persona{}, false
}

// Lint reads a persona's file and says everything that is wrong with it, and
// what is allowed but probably not meant.
func Lint(data []byte, source string, opt Options) (errs, warnings []Error) {
	p, errs := parse(data, opt)
	for i := range errs {
		errs[i].Source = source
	}
	if len(errs) > 0 {
		return errs, nil
	}
	warn := func(format string, args ...any) {
		warnings = append(warnings, Error{Source: source, Text: fmt.Sprintf(format, args...)})
	}
	if len(p.Flag) == 0 {
		warn("flag is empty: say what to report")
	}
	if size(p.Ignore) < size(p.Flag)*3/4 {
		warn("ignore is shorter than flag: what not to report is what keeps a reviewer quiet")
	}
	for _, lang := range languages {
		if p.Labels[lang].Pass == "" {
			warn("labels.%s is missing: reports in that language use the English labels", lang)
		}
	}
	return nil, warnings
}

func size(list []string) int {
	n := 0
	for _, s := range list {
		n += len(s)
	}
	return n
}
