package config

import (
	"fmt"
	"os"
	"strings"
)

// Value is one setting and where it came from.
type Value struct {
	Key  string `json:"key"`
	Text string `json:"value"`
	From string `json:"from"` // "flag", "MRV_X", a file's path, "built-in"
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

// Describe lists what the person's file sets, for mrv doctor.
func Describe(p Person, file string) []Value {
	var out []Value
	add := func(key, text string) {
		if text != "" {
			out = append(out, Value{Key: key, Text: text, From: file})
		}
	}
	add("agent", p.Agent)
	add("model", p.Model)
	add("team", p.Team)
	add("lang", string(p.Lang))
	add("theme", p.Theme)
	add("effort", string(p.Effort))
	add("opencode", p.OpenCode)
	if p.Budget > 0 {
		add("budget", fmt.Sprintf("$%.2f", p.Budget))
	}
	for _, tier := range Tiers() {
		add("tiers."+tier, strings.Join(p.Tiers[tier], ", "))
	}
	add("private_providers", strings.Join(p.PrivateProviders, ", "))
	for _, name := range []string{"MRV_AGENT", "MRV_MODEL", "MRV_TEAM", "MRV_TIER", "MRV_LANG", "MRV_EFFORT", "MRV_THEME", "MRV_OPENCODE"} {
		if v := os.Getenv(name); v != "" {
			out = append(out, Value{Key: name, Text: v, From: "environment"})
		}
	}
	return out
}
