package opencode

import "regexp"

// enough is the length from which a value is taken for a credential: local
// providers are given words like "lm-studio" for a key.
const enough = 12

var credential = regexp.MustCompile(`KEY|TOKEN|SECRET|PASS`)

// Secrets lists the credential values that the person has set up: those of
// auth.json and of provider blocks, and the environment variables that
// providers read. They are for looking whether a text holds one, nothing else.
func (p *Person) Secrets() []string {
	var out []string
	add := func(v any) {
		if s, ok := v.(string); ok && len(s) >= enough {
			out = append(out, s)
		}
	}
	for _, e := range p.auth {
		for _, field := range []string{"key", "access", "refresh", "token"} {
			add(e.raw[field])
		}
	}
	for _, block := range p.blocks {
		options, _ := block["options"].(map[string]any) // a block without options has no key
		add(options["apiKey"])
	}
	for _, names := range p.reads {
		for _, n := range names {
			if credential.MatchString(n) { // others name regions and accounts
				add(p.lookup(n))
			}
		}
	}
	return out
}

// Secrets is the password of the server that runs now.
func (a *Agent) Secrets() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.server == nil || a.server.client == nil {
		return nil
	}
	return []string{a.server.client.password}
}
