package engine_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/agent/replay"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
)

var record = flag.Bool("record", false, "record the demo again: needs OpenCode")

// recording is where the demo's journal is embedded from.
const recording = "agent/replay/demo/recording.jsonl"

// TestRecordDemo makes the demo's recording anew:
//
//	go test ./engine -run TestRecordDemo -record
//
// A real git repository is made of testdata/demo, the real OpenCode server runs
// four reviewers and the coordinator over it, and a scripted provider says what
// stands in testdata/demo/turns, at a pace a person can follow.
func TestRecordDemo(t *testing.T) {
	if !*record {
		t.Skip("the recording is made only with -record")
	}
	needOpenCode(t)
	provider := scripted.Start(t)
	for _, model := range []string{"large", "small"} {
		provider.Handle(model, func(r scripted.Request) scripted.Script { return demoScript(t, r) })
	}
	dir := demoRepository(t)
	o := testOptions(t, provider.Home(t.TempDir()))
	o.Source = engine.SourceOptions{Base: "main", Dir: dir, CacheDir: o.Paths.Cache}
	o.Agent, o.Team = "opencode", "quality,security,performance,architecture"
	large, small := config.Models{"scripted/large"}, config.Models{"scripted/small"}
	o.Person.Tiers = map[string]config.Models{"strong": large, "standard": large, "light": small}
	o.Person.Personas = map[string]config.Routing{"performance": {Model: small}, "architecture": {Model: small}}
	o.Person.Concurrency = map[string]int{"scripted": 8}
	run := begin(t, o)
	settle(t, run)
	raw, err := os.ReadFile(run.Journal())
	if err != nil {
		t.Fatal(err)
	}
	finish(t, run)
	raw = scrub(t, raw, dir, o)
	if err := os.WriteFile(recording, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes", recording, len(raw))
}

// scrub takes what belongs to this machine out of a journal.
func scrub(t *testing.T, raw []byte, dir string, o engine.Options) []byte {
	t.Helper()
	h, events, err := journal.Parse("the new recording", raw)
	if err != nil {
		t.Fatal(err)
	}
	h.MRV = "demo"
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	if err := enc.Encode(h); err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(o.Paths.Cache, "work", h.Run, "tree")
	for _, e := range events {
		e.Data = bytes.ReplaceAll(e.Data, []byte(tree+"/"), nil)
		e.Data = bytes.ReplaceAll(e.Data, []byte(tree), []byte("."))
		if e.Kind == event.Planned {
			var p event.Plan
			if err := e.Decode(&p); err != nil {
				t.Fatal(err)
			}
			p.Change.Dir, p.Change.Store, p.Out, p.Viewer, p.Version = "", "", "", "", "demo"
			p.Change.Owner, p.Change.Repo, p.Change.Title, p.Change.Author = "acme", "shop", "Refund flow: idempotent capture", "lin"
			if e.Data, err = json.Marshal(p); err != nil {
				t.Fatal(err)
			}
		}
		if e.Kind == event.PhaseChanged && strings.Contains(string(e.Data), string(event.PhaseClosed)) {
			continue
		}
		e.Wall = ""
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{dir, o.Paths.Cache, o.Paths.State, os.TempDir()} {
		if bytes.Contains(out.Bytes(), []byte(p)) {
			t.Errorf("the recording still names %s", p)
		}
	}
	return out.Bytes()
}

// demoScript is what the models say: by the role in the prompt.
func demoScript(t *testing.T, r scripted.Request) scripted.Script {
	if r.Schema != nil {
		var answer any
		if err := json.Unmarshal(turnFile(t, "coordinator.json"), &answer); err != nil {
			t.Error(err)
		}
		return scripted.Script{scripted.Think("The key and the amount are each reported twice."), scripted.Wait(time.Second), scripted.Usage(4100, 420, 0), scripted.Structured(answer)}
	}
	for _, role := range demoRoles {
		if strings.Contains(r.Prompt, "# Your role: "+role.title) {
			return role.script(t, r)
		}
	}
	t.Errorf("no role in the prompt of %s", r.Model)
	return nil
}

// demoRole is how one reviewer goes about it.
type demoRole struct {
	title, file string
	thinks      string
	reads       []string
	greps       string
	pace        int // words a second
	wait        time.Duration
}

var demoRoles = []demoRole{
	{"Quality", "quality.md", "The retry helper is new. I look at where the key is made and at the errors that nobody reads.", []string{"retry/retry.go"}, "newKey", 60, 400 * time.Millisecond},
	{"Security", "security.md", "Everything that comes from the request is untrusted. I follow Amount and customer.", []string{"api/handler.go", "store/ledger.go"}, "QueryContext", 70, 900 * time.Millisecond},
	{"Performance", "performance.md", "I look for work inside loops and for what is held while waiting.", []string{"store/ledger.go"}, "Sleep", 45, 1500 * time.Millisecond},
	{"Architecture", "architecture.md", "docs/payments.md says who talks to whom. I compare the imports with it.", []string{"docs/payments.md", "api/handler.go"}, "ledger.DB", 40, 700 * time.Millisecond},
}

func (d demoRole) script(t *testing.T, r scripted.Request) scripted.Script {
	done := len(r.Results)
	switch {
	case done < len(d.reads):
		s := scripted.Script{scripted.Wait(d.wait), scripted.Usage(2600+700*done, 60, 1900*done)}
		if done == 0 {
			s = append(s, scripted.Think(d.thinks), scripted.Wait(d.wait))
		}
		return append(s, scripted.Call("read", map[string]any{"filePath": d.reads[done]}))
	case done == len(d.reads):
		return scripted.Script{scripted.Wait(d.wait), scripted.Usage(4200, 40, 2600), scripted.Call("grep", map[string]any{"pattern": d.greps})}
	}
	text := strings.ReplaceAll(string(turnFile(t, d.file)), "{{MARKER}}", r.Marker())
	return scripted.Script{scripted.Wait(d.wait), scripted.Usage(4800, 780, 4200), scripted.Pace(d.pace, text)}
}

func turnFile(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "testdata", "demo", "turns", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// demoRepository makes the repository of testdata/demo: main has the base, the
// branch checked out has the head. Dates are fixed, so the SHAs are.
func demoRepository(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	git := func(args ...string) { t.Helper(); demoGit(t, dir, args...) }
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	demo := filepath.Join("..", "testdata", "demo")
	git("init", "-q", "-b", "main")
	for _, step := range []struct{ tree, message string }{{"base", "Captures"}, {"head", "Refund flow: idempotent capture"}} {
		if step.tree == "head" {
			git("checkout", "-q", "-b", "refund-flow")
		}
		if err := os.CopyFS(dir, newerFS{os.DirFS(filepath.Join(demo, step.tree)), dir}); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-q", "-m", step.message)
	}
	return dir
}

// demoGit runs git as the demo's author, at a fixed time.
func demoGit(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Lin", "GIT_AUTHOR_EMAIL=lin@example.com", "GIT_COMMITTER_NAME=Lin", "GIT_COMMITTER_EMAIL=lin@example.com",
		"GIT_AUTHOR_DATE=2026-11-02T10:00:00Z", "GIT_COMMITTER_DATE=2026-11-02T10:00:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// addFile commits one more file to the demo's branch.
func addFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	demoGit(t, dir, "add", "-A")
	demoGit(t, dir, "commit", "-q", "-m", "add "+name)
}

// TestDemoRecordingPasses fails when the recorded answers are no longer what
// the grammar, the clusterer and the judge's contract ask for: then the demo
// must be recorded again.
func TestDemoRecordingPasses(t *testing.T) {
	_, events, err := journal.Parse("the recorded demo", replay.Demo())
	if err != nil {
		t.Fatal(err)
	}
	was, err := event.Fold(events)
	if err != nil {
		t.Fatal(err)
	}
	o := testOptions(t, t.TempDir())
	o.Demo, o.Out = true, t.TempDir()
	run := begin(t, o)
	settle(t, run)
	state := stateOf(t, run)
	if len(state.Reviewers) < 4 {
		t.Errorf("%d reviewers", len(state.Reviewers))
	}
	for _, r := range state.Reviewers {
		if r.Status != event.StatusDone || r.Report == nil || len(r.Report.Violations) > 0 || !r.Report.MarkerOK {
			t.Errorf("%s: %s %s, report %+v", r.Name, r.Status, r.Text, r.Report)
		}
		if r.ToolCalls == 0 || r.Usage.Output == 0 || r.Answering.ID == "" {
			t.Errorf("%s: %d tool calls, %d tokens, model %s", r.Name, r.ToolCalls, r.Usage.Output, r.Answering)
		}
	}
	if state.MergedBy != "judge" || state.Summary.Text == "" || state.Summary.Error != "" {
		t.Errorf("the coordinator: %s, %+v", state.MergedBy, state.Summary)
	}
	for id := range state.Findings {
		if p := state.Places[id]; !p.QuoteFound {
			t.Errorf("%s is not where it says: %+v", id, p)
		}
	}
	if len(state.Entries) != len(was.Entries) || state.Verdict() != review.ChangesNeeded {
		t.Errorf("%d entries, recorded were %d; verdict %s", len(state.Entries), len(was.Entries), state.Verdict())
	}
	finish(t, run)
}
