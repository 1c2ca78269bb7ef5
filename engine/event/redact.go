package event

import (
	"encoding/json"
	"strings"
)

// Redact returns the event with every text of a person, a model or the code
// replaced by a few x, so that a journal can go into a bug report. Numbers,
// times, statuses, severities and decisions stay.
func Redact(e Event) Event {
	var v any
	if json.Unmarshal(e.Data, &v) != nil {
		e.Data = nil
		return e
	}
	raw, err := json.Marshal(redact("", v))
	if err != nil {
		raw = nil
	}
	e.Data = raw
	return e
}

// open lists the keys whose values tell nothing about the code.
var open = map[string]bool{
	"status": true, "phase": true, "kind": true, "severity": true, "worst": true, "label": true, "choice": true, "reason": true,
	"provider": true, "id": true, "model": true, "agent": true, "state": true, "version": true, "level": true, "how": true, "side": true,
	"stream": true, "part": true, "name": true, "persona": true, "op": true, "by": true, "code": true, "price": true, "tier": true,
	"lang": true, "effort": true, "variant": true, "sources": true, "lead": true, "reviewer": true, "reviewers": true, "finish": true,
}

func redact(key string, v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k, w := range x {
			x[k] = redact(k, w)
		}
		return x
	case []any:
		for i, w := range x {
			x[i] = redact(key, w)
		}
		return x
	case string:
		if open[key] || x == "" {
			return x
		}
		return strings.Repeat("x", min(len(x), 8))
	}
	return v
}
