package config

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// Value is one setting and where it came from.
type Value struct {
	Key  string `json:"key"`
	Text string `json:"value"`
	From string `json:"from"`           // "flag", "MRV_X", a file's path, "built-in"
	Over string `json:"over,omitempty"` // what it stands before
}

// Choice is one place a setting could come from, in order of precedence.
type Choice struct {
	Text string
	From string
}

// First returns the first choice that says anything.
func First(key string, choices ...Choice) Value {
	for _, c := range choices {
		if c.Text != "" {
			return Value{Key: key, Text: c.Text, From: c.From}
		}
	}
	return Value{Key: key, From: "built-in"}
}

// Env is the choice of an environment variable.
func Env(name string) Choice { return Choice{Text: os.Getenv(name), From: name} }

// variables are the settings that the environment can say too.
var variables = []struct{ key, name string }{
	{"agent", "MRV_AGENT"}, {"model", "MRV_MODEL"}, {"team", "MRV_TEAM"}, {"tier", "MRV_TIER"},
	{"lang", "MRV_LANG"}, {"effort", "MRV_EFFORT"}, {"theme", "MRV_THEME"}, {"opencode", "MRV_OPENCODE"},
}

// Variables lists the environment variables that say a setting.
func Variables() []string {
	out := make([]string, len(variables))
	for i, v := range variables {
		out[i] = v.name
	}
	return out
}

// Describe lists what is set, with where it comes from and what it stands
// before. What a flag or a project says is not known here.
func Describe(p Person, file string) []Value {
	var out []Value
	own := func(key, text string) {
		if text != "" {
			out = append(out, Value{Key: key, Text: text, From: file})
		}
	}
	for _, v := range variables {
		text, said := p.text(v.key), os.Getenv(v.name)
		if said == "" {
			own(v.key, text)
			continue
		}
		value := Value{Key: v.key, Text: said, From: v.name}
		if text != "" {
			value.Over = fmt.Sprintf("%s in %s", text, file)
		}
		out = append(out, value)
	}
	for _, key := range []string{"thinking", "budget", "coordinator", "private_providers", "sarif", "ascii", "bell"} {
		own(key, p.text(key))
	}
	for _, tier := range Tiers() {
		own("tiers."+tier, strings.Join(p.Tiers[tier], ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Personas)) {
		own("personas."+name, p.Personas[name].text())
	}
	for _, name := range slices.Sorted(maps.Keys(p.Endpoints)) {
		own("endpoints."+name, p.Endpoints[name].Model+" at "+p.Endpoints[name].BaseURL)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Commands)) {
		own("commands."+name, strings.Join(p.Commands[name].Run, " "))
	}
	for _, provider := range slices.Sorted(maps.Keys(p.Concurrency)) {
		own("concurrency."+provider, fmt.Sprint(p.Concurrency[provider]))
	}
	for _, action := range slices.Sorted(maps.Keys(p.Keys)) {
		own("keys."+action, strings.Join(p.Keys[action], ", "))
	}
	for _, c := range []struct {
		name string
		time Duration
	}{{"run", p.Clocks.Run}, {"reviewer", p.Clocks.Reviewer}, {"first_byte", p.Clocks.FirstByte}, {"silence", p.Clocks.Silence}} {
		if c.time > 0 {
			own("clocks."+c.name, time.Duration(c.time).String())
		}
	}
	return out
}

// text is a plain setting as the file says it, "" if it does not.
func (p Person) text(key string) string {
	switch key {
	case "agent":
		return p.Agent
	case "model":
		return p.Model
	case "team":
		return p.Team
	case "lang":
		return string(p.Lang)
	case "theme":
		return p.Theme
	case "effort":
		return string(p.Effort)
	case "opencode":
		return p.OpenCode
	case "thinking":
		return answer(p.Thinking)
	case "bell":
		return answer(p.Bell)
	case "ascii":
		if p.ASCII {
			return "true"
		}
	case "budget":
		if p.Budget > 0 {
			return fmt.Sprintf("$%.2f", p.Budget)
		}
	case "coordinator":
		return strings.Join(p.Coordinator, ", ")
	case "private_providers":
		return strings.Join(p.PrivateProviders, ", ")
	case "sarif":
		return strings.Join(p.SARIF, ", ")
	}
	return ""
}

func answer(b *bool) string {
	if b == nil {
		return ""
	}
	return fmt.Sprint(*b)
}

// text is what a routing says, in words.
func (r Routing) text() string {
	var out []string
	for _, part := range []struct{ name, text string }{
		{"model", strings.Join(r.Model, ", ")}, {"effort", string(r.Effort)}, {"thinking", answer(r.Thinking)}, {"agent", r.Agent},
	} {
		if part.text != "" {
			out = append(out, part.name+" "+part.text)
		}
	}
	return strings.Join(out, "; ")
}
