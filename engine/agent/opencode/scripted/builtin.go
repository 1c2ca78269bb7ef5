package scripted

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/review"
)

// builtin are the scenarios that every provider has.
//
//	ok, think            ten words; with reasoning before
//	pass, concerns, block  a report in the form the prompt asks for: it thinks, reads
//	                     the file that the prompt names first, and reports one finding
//	                     there (pass: none)
//	structured           the smallest JSON answer that fits the schema
//	echo                 the last user message
//	slow                 300 words at 50 a second
//	unpriced             like ok, without a price
//
// and one for every way a provider fails:
//
//	err400 err401 err402 err403 err404 err413 err429 err500 err503 html quota overflow
//	err429x2 err500x2 err503x1 cutx1   fail that often, then answer
//	ratelong             429 with Retry-After of an hour
//	hang, hangmid        silent, before and in the answer
//	cut, cutclean        connection reset; stream that ends without a reason
//	sseerr, garbage      an error object, and no JSON, in the stream
//	empty, length, filter
//	loop                 calls read again and again
func builtin() map[string]Scenario {
	m := map[string]Scenario{
		"ok":         always(Say(tenWords)),
		Unpriced:     always(Say(tenWords)),
		"think":      always(Think("Let me look at this. "), Say(tenWords)),
		"structured": structured,
		"echo":       func(r Request) Script { return Script{Say(r.Last)} },
		"slow":       always(Pace(50, strings.Repeat("word ", 300))),
		"pass":       report(review.Pass, ""),
		"concerns":   report(review.Concerns, review.Warning),
		"block":      report(review.Block, review.Critical),

		"html":     always(HTML(http.StatusBadGateway)),
		"quota":    always(Refuse(429, "insufficient_quota", "You exceeded your current quota, please check your plan and billing details.")),
		"overflow": always(Refuse(400, "context_length_exceeded", "This model's maximum context length is 8192 tokens. However, your messages resulted in 12000 tokens.")),
		"ratelong": always(Refuse(429, "rate_limit_exceeded", "Rate limit reached, long", "Retry-After", "3600")),
		"hang":     always(Hang()),
		"hangmid":  always(Say("one two three "), Hang()),
		"cut":      always(Say("part0 part1 part2 "), Wait(200*time.Millisecond), Cut()),
		"cutx1":    failing(1, Say("part0 part1 part2 "), Wait(200*time.Millisecond), Cut()),
		"cutclean": always(Say("part0 part1 part2 "), End()),
		"sseerr":   always(Say("before "), Raw(`data: {"error":{"message":"upstream died mid-stream","type":"server_error","code":"server_error"}}`)),
		"garbage":  always(Say("before "), Raw("data: {not json}"), Say("after ")),
		"empty":    always(),
		"length":   always(Say("cut by le"), Finish("length")),
		"filter":   always(Say("x"), Finish("content_filter")),
		"loop":     always(Say("again "), Call("read", map[string]any{"filePath": "loop"})),
	}
	for status, e := range map[string]Step{
		"err400": Refuse(400, "invalid_request_error", "bad request"),
		"err401": Refuse(401, "invalid_api_key", "Incorrect API key provided."),
		"err402": Refuse(402, "insufficient_balance", "balance is not enough"),
		"err403": Refuse(403, "forbidden", "not allowed"),
		"err404": Refuse(404, "model_not_found", "The model does not exist"),
		"err413": Refuse(413, "request_too_large", "request too large"),
		"err429": Refuse(429, "rate_limit_exceeded", "Rate limit reached for requests", "Retry-After", "1"),
		"err500": Refuse(500, "server_error", "The server had an error while processing your request"),
		"err503": Refuse(503, "overloaded", "Overloaded"),
	} {
		m[status] = always(e)
		m[status+"x1"] = failing(1, e)
		m[status+"x2"] = failing(2, e)
	}
	return m
}

const tenWords = "word0 word1 word2 word3 word4 word5 word6 word7 word8 word9"

func always(steps ...Step) Scenario { return func(Request) Script { return steps } }

// failing does the steps the first n times it is asked the same, then answers.
func failing(n int, steps ...Step) Scenario {
	return func(r Request) Script {
		if r.Try <= n {
			return steps
		}
		return Script{Say(tenWords)}
	}
}

// report thinks, reads the file that the prompt names first, and reports.
func report(l review.Label, s review.Severity) Scenario {
	return func(r Request) Script {
		path := r.Path()
		if path != "" && len(r.Results) == 0 && r.Turn == 1 {
			return Script{Think("The change first, then the file around it. "), Call("read", map[string]any{"filePath": path})}
		}
		if s == "" {
			return Script{Say(r.Report(l))}
		}
		return Script{Say(r.Report(l, review.Finding{
			Severity: s, Title: "A scripted " + string(s), Location: review.Location{Path: path, Start: 1},
			Observation: "The code does something.", Inference: "That can lead to something.",
			Judgment: "It must be dealt with; contract: none", Verification: "Read the file.",
		}))}
	}
}

// structured answers with the smallest value that fits the schema, as a tool
// call if there is the tool for it, else as text.
func structured(r Request) Script {
	if r.Schema == nil {
		return Script{Say("{}")}
	}
	return Script{Structured(smallest(r.Schema))}
}

// smallest makes the smallest value that a JSON Schema allows, as far as this
// goes: required properties, first choices, empty lists.
func smallest(schema json.RawMessage) any {
	var s struct {
		Type       string
		Enum       []any
		Const      any
		Properties map[string]json.RawMessage
		Required   []string
		Items      json.RawMessage
		MinItems   int
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	switch s.Type {
	case "object":
		o := map[string]any{}
		for _, k := range s.Required {
			o[k] = smallest(s.Properties[k])
		}
		return o
	case "array":
		a := []any{}
		for range s.MinItems {
			a = append(a, smallest(s.Items))
		}
		return a
	case "string":
		return "scripted"
	case "integer", "number":
		return 0
	case "boolean":
		return false
	}
	return nil
}
