// Package scripted is a provider of models that say what a test tells them to:
// an OpenAI-compatible server on loopback, for the real OpenCode server (or any
// other client) to talk to. Nothing here is a mock of our own code.
//
//	p := scripted.Start(t)
//	p.Handle("two-findings", func(r scripted.Request) scripted.Script {
//		if len(r.Results) == 0 {
//			return scripted.Script{scripted.Think("look first"), scripted.Call("read", map[string]any{"filePath": "a.go"})}
//		}
//		return scripted.Script{scripted.Say(r.Report(review.Block, findings...))}
//	})
//	t.Setenv("HOME", p.Home(t.TempDir())) // the person's opencode.json, with the provider block
//	model := p.Model("two-findings")      // scripted/two-findings
//
// The model's id picks the scenario. Besides those that a test registers there
// are built-in ones: see Models. Every request is kept: see Requests.
//
// A script is a list of steps, streamed one after the other. It ends with the
// finish reason "tool_calls" if it called a tool, else with "stop", unless a
// step ended it another way.
package scripted
