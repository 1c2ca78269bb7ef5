package opencode

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/review"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write what the real server says to the files it is compared with")

// The tests below run the real server. One server and one scripted provider
// serve all that do not need their own.
var live struct {
	once     sync.Once
	agent    *Agent
	provider *scripted.Provider
	root     string
	read     chan struct{} // a token: the text of "cutread" has arrived
	err      error
}

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		child()
		return
	}
	flag.Parse()
	code := m.Run()
	if live.agent != nil {
		if err := live.agent.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "close the shared server:", err)
			code = 1
		}
		if left := leftovers(live.root); len(left) > 0 {
			fmt.Fprintln(os.Stderr, "left behind:", left)
			code = 1
		}
		live.provider.Close()
		os.RemoveAll(live.root)
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "goroutines left:", err)
		code = 1
	}
	os.Exit(code)
}

// find looks for the real server, once.
var find = sync.OnceValues(func() (Binary, error) {
	getenv := os.Getenv
	if os.Getenv("MRV_OPENCODE") == "" {
		installed, err := filepath.Abs("../../../testdata/opencode/node_modules/opencode-linux-x64-baseline/bin/opencode")
		if err != nil {
			return Binary{}, err
		}
		if executable(installed) {
			getenv = func(k string) string {
				if k == "MRV_OPENCODE" {
					return installed
				}
				return os.Getenv(k)
			}
		}
	}
	return Find(context.Background(), FindOptions{Getenv: getenv})
})

// binary is the real server, or the test is skipped.
func binary(t testing.TB) Binary {
	t.Helper()
	b, err := find()
	switch {
	case err == nil:
		return b
	case os.Getenv("MRV_REQUIRE_OPENCODE") != "":
		t.Fatal(err)
	default:
		t.Skipf("%v (or: npm ci --ignore-scripts --prefix testdata/opencode)", err)
	}
	return b
}

// tree makes a snapshot: files in a directory with its own git.
func tree(t testing.TB, root string, files map[string]string) string {
	t.Helper()
	dir, err := os.MkdirTemp(root, "snapshot-")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v %s", err, out)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var snapshotFiles = map[string]string{
	"pkg/add.go":       "package pkg\n\nfunc Add(a, b int) int { return a - b }\n",
	"config/prod.env":  "TOKEN=never-seen-by-a-model\n",
	".env":             "TOKEN=never-seen-by-a-model\n",
	"deploy/.env.prod": "TOKEN=never-seen-by-a-model\n",
}

// patient is for machines of any speed: no test fails because the server is
// slow. Polls come often, so that what only they can tell is told soon.
var patient = Timing{
	Listen: 5 * time.Minute, Begin: 5 * time.Minute, Call: 5 * time.Minute,
	Idle: time.Minute, Stop: 10 * time.Second, Cleanup: time.Minute, Poll: 300 * time.Millisecond,
}

// configure is a Config for the scripted provider, as the person's set-up
// hands it over.
func configure(t testing.TB, p *scripted.Provider, root, snapshot string) Config {
	t.Helper()
	home := p.Home(filepath.Join(root, "home"))
	person, err := ReadPerson(func(k string) string {
		if k == "HOME" {
			return home
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	hand, err := person.For([]string{scripted.ID}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Binary: binary(t), Snapshot: snapshot, RunRoot: filepath.Join(root, "runs"), Hand: hand,
		Models: []review.Model{p.Model("ok")}, FirstByte: 10 * time.Minute, Silence: 10 * time.Minute,
		Timing: patient,
	}
}

// shared starts the server that most tests use.
func shared(t *testing.T) (*Agent, *scripted.Provider) {
	t.Helper()
	binary(t)
	live.once.Do(func() {
		if live.root, live.err = os.MkdirTemp("", "mrv-opencode-test-"); live.err != nil {
			return
		}
		if live.provider, live.err = scripted.New(); live.err != nil {
			return
		}
		scenarios(live.provider)
		live.read = make(chan struct{}, 1)
		live.provider.Handle("cutread", func(scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say("part0 part1 part2 "), scripted.Until(live.read), scripted.Cut()}
		})
		c := configure(t, live.provider, live.root, tree(t, live.root, snapshotFiles))
		live.agent, live.err = New(t.Context(), c)
	})
	if live.err != nil {
		t.Fatal(live.err)
	}
	return live.agent, live.provider
}

// asked is one finished turn.
type asked struct {
	agent.Answer
	failure *review.Failure
	updates []agent.Update
	pane    pane
}

func (a asked) kinds() []agent.UpdateKind {
	var k []agent.UpdateKind
	for _, u := range a.updates {
		if len(k) == 0 || k[len(k)-1] != u.Kind {
			k = append(k, u.Kind)
		}
	}
	return k
}

func (a asked) tools() []review.Tool {
	var ts []review.Tool
	for _, u := range a.updates {
		if u.Kind == agent.UpTool && u.Tool.Status != "pending" && u.Tool.Status != "running" {
			ts = append(ts, u.Tool)
		}
	}
	return ts
}

func spec(model string) agent.Spec {
	return agent.Spec{
		Reviewer: "quality-1", Model: review.Model{Provider: scripted.ID, ID: model},
		Effort: review.EffortMax, Thinking: true, ReadOnlyTools: true,
	}
}

// ask asks a session one turn; each looks at what was said after every update.
func ask(t testing.TB, ctx context.Context, s agent.Session, turn agent.Turn, each ...func(*pane)) asked {
	t.Helper()
	var a asked
	var err error
	a.Answer, err = s.Ask(ctx, turn, func(u agent.Update) {
		a.updates = append(a.updates, u)
		a.pane.apply(u)
		for _, look := range each {
			look(&a.pane)
		}
	})
	if err != nil && !errors.As(err, &a.failure) {
		t.Fatalf("%T is not a failure: %v", err, err)
	}
	return a
}

// once opens a session, asks it one turn and closes it.
func once(t testing.TB, a *Agent, sp agent.Spec, prompt string) asked {
	t.Helper()
	s, err := a.Open(t.Context(), sp)
	if err != nil {
		t.Fatal(err)
	}
	got := ask(t, t.Context(), s, agent.Turn{Text: prompt})
	if err := s.Close(context.Background()); err != nil {
		t.Errorf("close: %v", err)
	}
	return got
}

// leftovers lists the run dirs below a root.
func leftovers(root string) []string {
	left, _ := filepath.Glob(filepath.Join(root, "runs", dirPrefix+"*"))
	return left
}

func scenarios(p *scripted.Provider) {
	p.Handle("endless", func(r scripted.Request) scripted.Script {
		if len(r.Results) > stepLimit+stepSlack {
			return scripted.Script{scripted.Hang()} // asked beyond the end: until the abort
		}
		return scripted.Script{scripted.Call("read", map[string]any{"filePath": "loop"})}
	})
	p.Handle("denied", func(r scripted.Request) scripted.Script {
		calls := []scripted.Step{
			scripted.Call("bash", map[string]any{"command": "id", "description": "who"}),
			scripted.Call("edit", map[string]any{"filePath": "pkg/add.go", "oldString": "-", "newString": "+"}),
			scripted.Call("write", map[string]any{"filePath": "x", "content": "x"}),
			scripted.Call("webfetch", map[string]any{"url": "http://127.0.0.1:9/", "format": "text"}),
			scripted.Call("task", map[string]any{"description": "x", "prompt": "x", "subagent_type": "general"}),
			scripted.Call("read", map[string]any{"filePath": "/etc/hostname"}),
			scripted.Call("read", map[string]any{"filePath": ".env"}),
			scripted.Call("read", map[string]any{"filePath": "config/prod.env"}),
			scripted.Call("read", map[string]any{"filePath": "deploy/.env.prod"}),
			scripted.Call("grep", map[string]any{"pattern": "root", "path": "/etc"}),
		}
		if n := len(r.Results); n < len(calls) {
			return scripted.Script{calls[n]}
		}
		return scripted.Script{scripted.Say("done")}
	})
	p.Handle("reader", func(r scripted.Request) scripted.Script {
		switch len(r.Results) {
		case 0:
			return scripted.Script{scripted.Say("Reading. "), scripted.Call("read", map[string]any{"filePath": "pkg/add.go", "offset": 1, "limit": 3})}
		case 1:
			return scripted.Script{scripted.Call("grep", map[string]any{"pattern": "func Add", "path": "pkg"})}
		case 2:
			return scripted.Script{scripted.Call("glob", map[string]any{"pattern": "**/*.go"})}
		}
		return scripted.Script{scripted.Say(strings.Join(r.Results, "\n---\n"))}
	})
	p.Handle("second", func(r scripted.Request) scripted.Script {
		return scripted.Script{scripted.Say(fmt.Sprintf("turn %d of %q", r.Turn, r.Last))}
	})
}
