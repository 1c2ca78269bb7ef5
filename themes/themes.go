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
	raw, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return Theme{}, fmt.Errorf("there is no theme %q; built in are %s, and your own can be %s",
			name, strings.Join(Builtin(), ", "), filepath.Join(dir, name+".yaml"))
	}
	return Parse(name+".yaml", raw)
}

// Parse reads a theme file; source names it in errors.
func Parse(source string, raw []byte) (Theme, error) {
	var f struct {
		Name  string            `yaml:"name"`
		Dark  bool              `yaml:"dark"`
		Roles map[string]string `yaml:"roles"`
	}
	if err := yaml.UnmarshalWithOptions(raw, &f, yaml.Strict()); err != nil {
		return Theme{}, fmt.Errorf("reading the theme %s: %w", source, err)
	}
	t := Theme{Name: f.Name, Dark: f.Dark, Roles: map[Role]Paint{}}
	for name, spec := range f.Roles {
		if !slices.Contains(Roles(), Role(name)) {
			return Theme{}, fmt.Errorf("theme %s: there is no role %q; the roles are %v", source, name, Roles())
		}
		p, err := ParsePaint(spec)
		if err != nil {
			return Theme{}, fmt.Errorf("theme %s, role %s: %w", source, name, err)
		}
		t.Roles[Role(name)] = p
	}
	return t, nil
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
