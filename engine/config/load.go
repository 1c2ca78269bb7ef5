package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/adrg/xdg"
	"github.com/goccy/go-yaml"

	"github.com/mrv-dev/mrv/engine/review"
)

// Paths are the directories mrv uses, made from the XDG variables once.
type Paths struct {
	Config string // $XDG_CONFIG_HOME/mrv
	State  string // $XDG_STATE_HOME/mrv
	Cache  string // $XDG_CACHE_HOME/mrv
	Data   string // $XDG_DATA_HOME/mrv
}

// Runs is where the journals stand.
func (p Paths) Runs() string { return filepath.Join(p.State, "runs") }

// Directories reads the XDG variables.
func Directories() Paths {
	xdg.Reload()
	return Paths{
		Config: filepath.Join(xdg.ConfigHome, "mrv"), State: filepath.Join(xdg.StateHome, "mrv"),
		Cache: filepath.Join(xdg.CacheHome, "mrv"), Data: filepath.Join(xdg.DataHome, "mrv"),
	}
}

// Ready makes the directories that a run writes to, so that one that cannot be
// written is said before anything is fetched or asked.
func (p Paths) Ready() error {
	for _, d := range []struct{ dir, holds, variable string }{
		{p.State, "runs", "XDG_STATE_HOME"}, {p.Cache, "git objects and snapshots", "XDG_CACHE_HOME"},
	} {
		err := os.MkdirAll(d.dir, 0o700)
		if err == nil {
			err = writable(d.dir)
		}
		if err != nil {
			var at *fs.PathError
			if errors.As(err, &at) {
				err = at.Err // the path is said already
			}
			return fmt.Errorf("%s are kept in %s, where nothing can be written: %w; set %s to another directory", d.holds, d.dir, err, d.variable)
		}
	}
	return nil
}

// writable tries to write: permissions alone do not tell, of a disk that is
// full or mounted read-only.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".try-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("mrv")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// FileError is a mistake in a configuration file.
type FileError struct {
	File string
	Line int // 1-based, 0 when it is about the whole file
	Text string
}

// Error implements error.
func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Text)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}

// LoadPerson reads the person's file; one that is not there is empty.
func LoadPerson(p Paths) (Person, string, error) {
	file := filepath.Join(p.Config, "config.yaml")
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Person{}, file, nil
	}
	if err != nil {
		return Person{}, file, fmt.Errorf("reading the configuration: %w", err)
	}
	person, err := ParsePerson(file, raw)
	return person, file, err
}

// ParsePerson reads the person's file from memory.
func ParsePerson(name string, raw []byte) (Person, error) {
	var p Person
	if err := strict(name, raw, &p); err != nil {
		return Person{}, err
	}
	if err := p.check(); err != nil {
		return Person{}, &FileError{File: name, Line: lineOf(raw, err), Text: err.Error()}
	}
	return p, nil
}

// ParseProject reads a project's file from memory.
func ParseProject(name string, raw []byte) (Project, error) {
	var p Project
	if err := strict(name, raw, &p); err != nil {
		return Project{}, err
	}
	if err := p.check(); err != nil {
		return Project{}, &FileError{File: name, Line: lineOf(raw, err), Text: err.Error()}
	}
	return p, nil
}

// strict decodes YAML and refuses unknown and repeated keys.
func strict(name string, raw []byte, into any) error {
	err := yaml.NewDecoder(bytes.NewReader(raw), yaml.Strict(), yaml.DisallowUnknownField()).Decode(into)
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	fe := &FileError{File: name, Text: err.Error()}
	var ye yaml.Error
	if errors.As(err, &ye) {
		fe.Text = ye.GetMessage()
		if tk := ye.GetToken(); tk != nil && tk.Position != nil {
			fe.Line = tk.Position.Line
		}
	}
	fe.Text = plainly(fe.Text, keys(reflect.TypeOf(into)))
	if fe.Line == 0 {
		fe.Line = lineWith(raw, fe.Text)
	}
	return fe
}

var (
	unknownField = regexp.MustCompile(`unknown field "([^"]+)"`)
	wrongNode    = regexp.MustCompile(`^(\w+) was used where (\w+) is expected`)
	wrongType    = regexp.MustCompile(`cannot unmarshal (\S+).* into Go (?:struct field \w+\.\w+ of type|value of type) (\S+)`)
	quoted       = regexp.MustCompile(`^"([^"]+)"`)
)

// plainly says what the YAML library says in words of the file.
func plainly(text string, known []string) string {
	if m := unknownField.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("unknown key %q", m[1])
		if near := review.Nearest(m[1], known); near != "" {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
		return text
	}
	if m := wrongNode.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s stands here, and %s is wanted", shape(m[1]), shape(m[2]))
	}
	if m := wrongType.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s stands here, and %s is wanted", shape(m[1]), shape(m[2]))
	}
	if strings.Contains(text, "tab character") || strings.Contains(text, "character '\t'") {
		return "a tab stands here: YAML is indented with spaces"
	}
	return text
}

// shape is a Go type in words of YAML.
func shape(t string) string {
	switch {
	case t == "sequence", strings.HasPrefix(t, "[]"):
		return "a list"
	case strings.HasPrefix(t, "map"): // and "mapping"
		return `a block of "key: value"`
	case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"), strings.HasPrefix(t, "float"):
		return "a number"
	case t == "bool", t == "*bool":
		return "true or false"
	case t == "string", strings.HasPrefix(t, "review."):
		return "a text"
	}
	return "a block of keys"
}

// lineWith finds the line of a value that an error begins with, 0 if unknown:
// the library gives no place to what a type refuses by itself.
func lineWith(raw []byte, text string) int {
	m := quoted.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	for i, l := range strings.Split(string(raw), "\n") {
		if _, value, ok := strings.Cut(l, ":"); ok && strings.Contains(value, m[1]) {
			return i + 1
		}
	}
	return 0
}

// keys lists every key of a configuration type, nested ones too.
func keys(t reflect.Type) []string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return keys(t.Elem())
	case reflect.Struct:
		var out []string
		for i := range t.NumField() {
			f := t.Field(i)
			if tag, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); tag != "" {
				out = append(out, tag)
				out = append(out, keys(f.Type)...)
			}
		}
		return out
	}
	return nil
}

// lineOf finds the line of the key a check's error begins with, 0 if unknown.
func lineOf(raw []byte, err error) int {
	path, _, ok := strings.Cut(err.Error(), ":")
	if !ok {
		return 0
	}
	key := path[strings.LastIndexByte(path, '.')+1:]
	for i, l := range strings.Split(string(raw), "\n") {
		if strings.HasPrefix(strings.TrimLeft(l, " -"), key+":") {
			return i + 1
		}
	}
	return 0
}
