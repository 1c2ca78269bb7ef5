package themes

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed *.yaml
var files embed.FS

// Theme is one set of colours.
type Theme struct {
	Name string
	// Dark says that it is made for a dark background.
	Dark  bool
	Roles map[Role]Paint
}

// Paint is how a role is drawn. Colours are "#rrggbb", "0".."255" or "".
type Paint struct {
	FG, BG string
	// FG16 is the foreground where a terminal has 16 colours only, "0".."15";
	// "" takes the nearest, which can be one that another role means.
	FG16                                    string
	Bold, Faint, Italic, Underline, Reverse bool
}

// Role names a thing that is drawn in its own way.
type Role string

// Roles lists every role a theme can paint.
func Roles() []Role {
	return []Role{
		"text", "dim", "accent", "focus", "unfocused", "selected", "header", "tab", "tab-active",
		"key", "key-text", "error", "notice", "thinking", "tool",
		"critical", "warning", "suggestion", "pass", "concerns", "block",
		"accepted", "rejected", "escalated",
		"add", "del", "add-mark", "del-mark", "hunk", "line-no", "mark", "match",
		"code-keyword", "code-name", "code-string", "code-number", "code-comment",
	}
}

// Auto is the name that means: dark or light, as the terminal's background is.
const Auto = "auto"

// Builtin lists the names of the built-in themes.
func Builtin() []string {
	entries, err := files.ReadDir(".")
	if err != nil { // an embedded folder can be read
		panic(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Load finds a theme by name: a file NAME.yaml in dir, the person's folder
// ("" if there is none), else a built-in one.
func Load(name, dir string) (Theme, error) {
	if strings.ContainsAny(name, `/\`) || name == "" {
		return Theme{}, fmt.Errorf("a theme is named by a word, not %q", name)
	}
	if dir != "" {
		path := filepath.Join(dir, name+".yaml")
		switch raw, err := os.ReadFile(path); {
		case err == nil:
			return Parse(path, raw)
		case !errors.Is(err, fs.ErrNotExist):
			return Theme{}, fmt.Errorf("reading the theme %s: %w", name, err)
		}
	}
	raw, err := File(name)
	if err != nil {
		return Theme{}, fmt.Errorf("%w, and your own can be %s", err, filepath.Join(dir, name+".yaml"))
	}
	return Parse(name+".yaml", raw)
}

// File is the file of a built-in theme, to begin one's own with.
func File(name string) ([]byte, error) {
	raw, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("there is no theme %q; built in are %s", name, strings.Join(Builtin(), ", "))
	}
	return raw, nil
}

// Parse reads a theme file; source names it in errors, which have the form
// SOURCE:LINE: what is wrong.
func Parse(source string, raw []byte) (Theme, error) {
	var f struct {
		Name  string        `yaml:"name"`
		Dark  bool          `yaml:"dark"`
		Roles yaml.MapSlice `yaml:"roles"`
	}
	if err := yaml.UnmarshalWithOptions(raw, &f, yaml.Strict()); err != nil {
		return Theme{}, broken(source, err)
	}
	if len(f.Roles) == 0 {
		return Theme{}, fmt.Errorf("%s: there are no roles in it; a theme has a name, dark and roles", source)
	}
	t := Theme{Name: f.Name, Dark: f.Dark, Roles: map[Role]Paint{}}
	for _, item := range f.Roles {
		role, spec := fmt.Sprint(item.Key), ""
		if item.Value != nil {
			spec = fmt.Sprint(item.Value)
		}
		at := fmt.Sprintf("%s:%d", source, lineOf(raw, role))
		if !slices.Contains(Roles(), Role(role)) {
			return Theme{}, fmt.Errorf("%s: there is no role %q; the roles are %v", at, role, Roles())
		}
		p, err := ParsePaint(spec)
		if err != nil {
			return Theme{}, fmt.Errorf("%s: role %s: %w", at, role, err)
		}
		t.Roles[Role(role)] = p
	}
	return t, nil
}

// broken is an error of the YAML library in one line.
func broken(source string, err error) error {
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	var unknown *yaml.UnknownFieldError
	if errors.As(err, &unknown) {
		return fmt.Errorf("%s:%d: unknown key %q; a theme has a name, dark and roles", source, at.GetToken().Position.Line, at.GetToken().Value)
	}
	return fmt.Errorf("%s:%d: %s", source, at.GetToken().Position.Line, at.GetMessage())
}

// lineOf is the line of a role, from 1.
func lineOf(raw []byte, role string) int {
	for i, l := range strings.Split(string(raw), "\n") {
		if key, _, ok := strings.Cut(strings.TrimSpace(l), ":"); ok && strings.Trim(key, `"'`) == role && strings.HasPrefix(l, " ") {
			return i + 1
		}
	}
	return 1
}

// ParsePaint reads a role's paint, such as "#ff0000 on 0 bold", or "#7aa2f7/14"
// with the colour to take of 16.
func ParsePaint(spec string) (Paint, error) {
	var p Paint
	to := &p.FG
	for _, word := range strings.Fields(spec) {
		switch word {
		case "on":
			to = &p.BG
		case "bold":
			p.Bold = true
		case "faint":
			p.Faint = true
		case "italic":
			p.Italic = true
		case "underline":
			p.Underline = true
		case "reverse":
			p.Reverse = true
		default:
			word, of16, both := strings.Cut(word, "/")
			if both {
				if n, err := strconv.Atoi(of16); err != nil || n < 0 || n > 15 || to != &p.FG {
					return Paint{}, fmt.Errorf("%s/%s: behind the / stands the colour a foreground takes of 16, 0-15", word, of16)
				}
				p.FG16 = of16
			}
			if !colour(word) {
				return Paint{}, fmt.Errorf("%q is neither a colour (#rrggbb, 0-255) nor bold, faint, italic, underline or reverse", word)
			}
			*to = word
			to = &p.FG
		}
	}
	return p, nil
}

func colour(s string) bool {
	if hex, ok := strings.CutPrefix(s, "#"); ok {
		_, err := strconv.ParseUint(hex, 16, 24)
		return err == nil && len(hex) == 6
	}
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0 && n <= 255
}
