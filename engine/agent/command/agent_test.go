package command_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/agent/command"
	"github.com/mrv-dev/mrv/engine/review"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// person is somebody with a home, a login in it, and a program.
type person struct {
	home, snapshot, root string
	env                  map[string]string
}

func newPerson(t *testing.T) *person {
	t.Helper()
	// Not below /tmp, which an enclosed program does not see.
	base, err := os.MkdirTemp(".", "person-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	if base, err = filepath.Abs(base); err != nil {
		t.Fatal(err)
	}
	p := &person{home: filepath.Join(base, "home"), snapshot: filepath.Join(base, "snapshot"), root: filepath.Join(base, "root")}
	p.env = map[string]string{"HOME": p.home, "PATH": filepath.Join(p.home, "bin") + ":" + os.Getenv("PATH"), "TOKEN": "t0ken", "SECRET": "s3cret"}
	p.write(t, filepath.Join(p.home, ".login/token.json"), "logged in", 0o600)
	p.write(t, filepath.Join(p.home, "diary"), "private", 0o600)
	p.write(t, filepath.Join(p.snapshot, "main.go"), "package main\n", 0o600)
	return p
}

func (p *person) write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

// session asks a shell script.
func (p *person) session(t *testing.T, script string, clocks agent.Clocks, change func(*command.Config)) agent.Session {
	t.Helper()
	p.write(t, filepath.Join(p.home, "bin/reviewer"), "#!/bin/sh\n"+script+"\n", 0o755)
	c := command.Config{Run: []string{"reviewer"}, Env: []string{"TOKEN"}, Home: []string{".login"}, Snapshot: p.snapshot, Root: p.root,
		Getenv: func(k string) string { return p.env[k] }}
	if change != nil {
		change(&c)
	}
	a, err := command.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(p.root); len(left) > 0 {
			t.Errorf("a private home is left: %v", left)
		}
	})
	s, err := a.Open(t.Context(), agent.Spec{Reviewer: "quality-1", Model: review.Model{Provider: "command:x", ID: "reviewer"}, Clocks: clocks})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func unenclosed(c *command.Config) {
	get := c.Getenv
	c.Getenv = func(k string) string {
		if k == "PATH" {
			return strings.Split(get(k), ":")[0] + ":/nowhere"
		}
		return get(k)
	}
}

// TestWhatItSees: the prompt, the snapshot, the login and the variables that
// are named, and nothing else of the person's.
func TestWhatItSees(t *testing.T) {
	p := newPerson(t)
	s := p.session(t, `cat; cat main.go; cat "$HOME/.login/token.json"; echo " [$TOKEN] [$SECRET]"; echo written > "$HOME/.login/new"; ls "$HOME"; cat `+p.home+`/diary 2>/dev/null; true`, agent.Clocks{}, nil)
	a, err := s.Ask(t.Context(), agent.Turn{Prefix: "shared", Text: "own"}, func(agent.Update) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"shared\n\nown", "package main", "logged in [t0ken] []"} {
		if !strings.Contains(a.Text, want) {
			t.Errorf("%q is not in\n%s", want, a.Text)
		}
	}
	if strings.Contains(a.Text, "bin") {
		t.Errorf("its home is the person's:\n%s", a.Text)
	}
	if _, err := os.Stat(filepath.Join(p.home, ".login/new")); err != nil {
		t.Errorf("a renewed login is lost: %v", err)
	}
	if command.Enclosed(os.Getenv) && strings.Contains(a.Text, "private") {
		t.Error("enclosed, and it read the person's home")
	}
}

// TestNotEnclosed: without bubblewrap the person is told, once.
func TestNotEnclosed(t *testing.T) {
	p := newPerson(t)
	s := p.session(t, `echo hello`, agent.Clocks{}, unenclosed)
	told := 0
	for range 2 {
		a, err := s.Ask(t.Context(), agent.Turn{Text: "go"}, func(u agent.Update) {
			if u.Kind == agent.UpNotice && u.Text == command.OpenHome {
				told++
			}
		})
		if err != nil || a.Text != "hello\n" {
			t.Fatalf("%q, %v", a.Text, err)
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

func TestFailures(t *testing.T) {
	never := agent.Clocks{}
	first, silence := agent.Clocks{FirstByte: 600 * time.Millisecond}, agent.Clocks{Silence: 600 * time.Millisecond}
	for _, tt := range []struct {
		name, script string
		clocks       agent.Clocks
		kind         review.FailureKind
		words, text  string
	}{
		{"exit code", `echo so far; echo "it broke" >&2; exit 7`, never, review.FailOther, "reviewer: exit code 7: it broke", "so far\n"},
		{"logged out", `echo "Please log in" >&2; exit 1`, never, review.FailAuth, "log in", ""},
		{"rate", `echo "API error 429: rate limit" >&2; exit 1`, never, review.FailRate, "rate limit", ""},
		{"overloaded", `echo "Overloaded" >&2; exit 1`, never, review.FailProvider, "Overloaded", ""},
		{"nothing", `exit 0`, never, review.FailEmpty, "said nothing", ""},
		{"no byte", `sleep 60`, first, review.FailSilent, "first byte", ""},
		{"no more", `echo one; sleep 60`, silence, review.FailSilent, "next byte", "one\n"},
		{"ignores it", `trap "" TERM; echo one; while :; do sleep 1; done`, silence, review.FailSilent, "next byte", "one\n"},
		{"killed", `echo one; kill -9 $$`, never, review.FailOther, "killed", "one\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			change := unenclosed
			if tt.name == "no more" {
				change = nil // also where it is enclosed
			}
			s := p.session(t, "PATH=/usr/bin:/bin\n"+tt.script, tt.clocks, change)
			a, err := s.Ask(t.Context(), agent.Turn{Text: "go"}, func(agent.Update) {})
			var f *review.Failure
			if !errors.As(err, &f) || f.Kind != tt.kind || !strings.Contains(f.Message, tt.words) || a.Text != tt.text {
				t.Errorf("got %v with %q; want %s with %q", err, a.Text, tt.kind, tt.text)
			}
		})
	}
}

// TestAbort: the program and what it started are gone when Ask returns.
func TestAbort(t *testing.T) {
	p := newPerson(t)
	s := p.session(t, "PATH=/usr/bin:/bin\nsleep 60 & echo $!; wait", agent.Clocks{}, unenclosed)
	ctx, cancel := context.WithCancelCause(t.Context())
	a, err := s.Ask(ctx, agent.Turn{Text: "go"}, func(u agent.Update) {
		if u.Kind == agent.UpTextAppend {
			cancel(errors.New("aborted by you"))
		}
	})
	var f *review.Failure
	if !errors.As(err, &f) || f.Kind != review.FailAborted || f.Message != "aborted by you" {
		t.Fatalf("%v", err)
	}
	pid := strings.TrimSpace(a.Text)
	if raw, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && strings.Contains(string(raw), "sleep") {
		t.Errorf("what it started lives on: %s", raw)
	}
}

// TestGoesOn: a further turn is told what was said before.
func TestGoesOn(t *testing.T) {
	p := newPerson(t)
	s := p.session(t, `cat | tr -d '\n'`, agent.Clocks{}, nil)
	first, err := s.Ask(t.Context(), agent.Turn{Text: "first"}, func(agent.Update) {})
	if err != nil || first.Text != "first" {
		t.Fatalf("%q, %v", first.Text, err)
	}
	second, err := s.Ask(t.Context(), agent.Turn{Text: "second"}, func(agent.Update) {})
	if err != nil || second.Text != "firstYou answered:firstsecond" {
		t.Errorf("%q, %v", second.Text, err)
	}
}

// TestRefusedConfigurations name what is wrong.
func TestRefusedConfigurations(t *testing.T) {
	p := newPerson(t)
	for _, tt := range []struct {
		c    command.Config
		want string
	}{
		{command.Config{}, "empty"},
		{command.Config{Run: []string{"no-such-program"}}, "not installed"},
		{command.Config{Run: []string{"sh"}, Home: []string{"../other"}}, "not a path below your home"},
		{command.Config{Run: []string{"sh"}, Home: []string{".nothing"}}, "login"},
	} {
		tt.c.Root, tt.c.Getenv = p.root, func(k string) string { return p.env[k] }
		if _, err := command.New(tt.c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
	if left, _ := os.ReadDir(p.root); len(left) > 0 {
		t.Errorf("homes are left: %v", left)
	}
}
