package config

import "os"

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
