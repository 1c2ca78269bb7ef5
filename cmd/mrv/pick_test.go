package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/tui/window"
)

// picks is a place with a clone on its default branch, and a forge with pull
// requests: 7 and 9 ask for the viewer's review, 8 is the viewer's.
type picks struct {
	*place
	forge *double.Server
	up    *place
}

func newPicks(t *testing.T, titles ...string) *picks {
	t.Helper()
	up := newPlace(t)
	up.repository()
	up.git("checkout", "-q", "main")
	titles = append(titles, "Pay with TLS", "Retry with the same key", "Escape the id")[:3]
	me := double.User{Login: "viewer", ID: 1}
	s := double.Start(t, double.Options{Owner: "acme", Name: "shop", Dir: up.dir},
		double.Pull{Number: 7, Title: titles[0], Base: "main", Head: "feature", Reviewers: []string{"viewer"}, Updated: "2026-11-30T12:00:00Z"},
		double.Pull{Number: 8, Title: titles[1], Base: "main", Head: "feature", Author: me, Draft: true, Updated: "2026-11-30T11:00:00Z"},
		double.Pull{Number: 9, Title: titles[2], Base: "main", Head: "feature", Reviewers: []string{"viewer"}, Updated: "2026-11-30T10:00:00Z"},
		double.Pull{Number: 10, Title: "Somebody's", Base: "main", Head: "feature", Updated: "2026-11-30T09:00:00Z"},
	)
	p := newPlace(t)
	p.env = s.Env()
	p.git("clone", "-q", "file://"+up.dir, ".")
	p.git("remote", "set-url", "origin", "https://github.com/acme/shop.git")
	return &picks{p, s, up}
}

// endpoint is a model that needs no server, and is never asked.
func (p *picks) endpoint() {
	p.config("endpoints:\n  box:\n    base_url: http://127.0.0.1:9/v1\n    model: one\n")
}

func (p *picks) window(args ...string) *window.Window {
	return window.Start(p.t, p.command(append([]string{"tui"}, args...)...), 110, 34)
}

// TestPickToPlanToRun: the lists, the plan of the one that was picked, back to
// the list, and the review itself.
func TestPickToPlanToRun(t *testing.T) {
	p := newPicks(t)
	p.endpoint()
	w := p.window("--agent", "direct:box", "--team", "quality:1")
	w.See("acme/shop", "as viewer", "Your review is requested  2", "Yours  1", "Recent in acme/shop  1", "▸ #7", "draft Retry with the same key", "no review")
	w.Press("j")
	w.See("▸ #9")
	w.Press("enter")
	w.See("Before a model is asked", "acme/shop#9", "Escape the id")
	w.Press("esc")
	w.See("▸ #9", "Your review is requested  2")
	w.Press("q")
	if code := w.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if runs, _ := filepath.Glob(filepath.Join(p.home, ".local/state/mrv/runs/*/*/*/*.jsonl")); len(runs) != 0 {
		t.Errorf("a plan that was left is a run: %v", runs)
	}

	w = p.window("--agent", "checks")
	w.See("▸ #7")
	w.Press("enter")
	w.See("acme/shop#7", "Pay with TLS", "Board")
	w.Press("tab")
	w.See("pay.go")
	w.Press("q")
	w.See("Undecided findings: 1. The run is kept. Back to the list?")
	w.Press("y")
	w.See("Your review is requested  2", "fresh, 1 undecided", "▸ #7")
	w.Press("enter")
	w.See("There is a review of acme/shop#7")
	w.Press("r")
	w.See("1 of 1 undecided", "pay.go")
	w.Press("shift+tab")
	w.See("q list")
	w.Press("Q")
	w.See("The run is kept. Quit?")
	w.Press("y")
	if code := w.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// TestPickAsksBeforePrivateCodeGoesOut: on the screen, when the review is to
// begin, with no as the default.
func TestPickAsksBeforePrivateCodeGoesOut(t *testing.T) {
	p := newPicks(t)
	p.forge.Private = true
	p.config("endpoints:\n  far:\n    base_url: https://far.invalid/v1\n    model: one\n")
	w := p.window("--agent", "direct:far", "--team", "quality:1")
	w.See("▸ #7", "no review")
	w.Press("enter")
	w.See("Before a model is asked", "(private)")
	w.Press("enter")
	w.See("direct:far", "y yes   n no")
	w.Press("enter")
	w.See("not allowed")
	w.Press("Q")
	if code := w.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if runs, _ := filepath.Glob(filepath.Join(p.home, ".local/state/mrv/runs/*/*/*/*.jsonl")); len(runs) != 0 {
		t.Errorf("it began all the same: %v", runs)
	}
}

// TestPickShowsHowReviewsStand: none, fresh with what is left to decide,
// escalated to the person, stale; and opens the run again where it was.
func TestPickShowsHowReviewsStand(t *testing.T) {
	p := newPicks(t)
	for _, n := range []string{"7", "9"} {
		if r := p.run("review", n, "--agent", "checks"); !strings.Contains(r.out+r.err, "acme/shop#"+n) {
			t.Fatalf("%s%s", r.out, r.err)
		}
	}
	w := p.window("--agent", "checks")
	w.See("● fresh, 1 undecided", "no review", "Reviewed at "+p.up.git("rev-parse", "feature")[:7]+", which is the head.")
	w.Press("enter")
	w.See("There is a review of acme/shop#7", "r, enter", "open it again", "review anew")
	w.Press("esc")
	w.Gone("There is a review")
	w.Press("enter", "enter")
	w.See("undecided", "pay.go")
	w.Press("e")
	w.See("to")
	w.Press("viewer", "enter", "please look", "enter")
	w.See("escalated")
	w.Press("Q")
	if code := w.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}

	w = p.window("--agent", "checks")
	w.See("! escalated to you", "Escalated to you: 1. Findings: 1, all decided.")
	p.up.git("checkout", "-q", "feature")
	p.up.write("more.go", "package pay\n")
	p.up.git("add", "-A")
	p.up.git("commit", "-q", "-m", "more")
	w.Press("j", "r")
	w.See("○ stale, 1 undecided", "! escalated to you, stale", "the head is now "+p.up.git("rev-parse", "feature")[:7])
	w.Press("enter")
	w.See("n, enter", "review the new head")
	w.Press("n")
	w.See("acme/shop#9", "Board")
	w.Press("Q", "y")
	if code := w.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// TestPickWhere: which lists there are depends on where one stands.
func TestPickWhere(t *testing.T) {
	p := newPicks(t)
	clone := p.dir
	for _, c := range []struct {
		name string
		dir  string
		args []string
		see  []string
	}{
		{"the default branch", clone, nil, []string{"acme/shop  ", "Recent in acme/shop"}},
		{"no clone", t.TempDir(), nil, []string{"github.com  ", "Recent, with you in them", "acme/shop#7"}},
		{"no clone and --repo", t.TempDir(), []string{"--repo", "acme/shop"}, []string{"Recent in acme/shop", "#10"}},
		{"--repo with its host", t.TempDir(), []string{"--repo", "github.com/acme/shop"}, []string{"Recent in acme/shop", "#10"}},
		{"in Chinese", clone, []string{"--lang", "zh"}, []string{"请你评审", "acme/shop 最近的", "未评审"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.dir = c.dir
			w := p.window(c.args...)
			w.See(c.see...)
			w.Press("q")
			if code := w.Exit(); code != 0 {
				t.Errorf("exit %d", code)
			}
		})
	}
	p.dir = clone
	p.git("checkout", "-q", "feature")
	w := p.window("--agent", "checks")
	w.See("acme/shop#", "Board") // the branch's pull request
	w.Press("q", "y")
	w.Exit()
}

// TestPickWithoutAToken: a public repository's recent ones, and why no others.
func TestPickWithoutAToken(t *testing.T) {
	p := newPicks(t)
	p.env = p.forge.Anonymous()
	w := p.window()
	w.See("without a token github.com does not know who you are: run gh auth login or set GH_TOKEN", "Recent in acme/shop  4", "▸ #7")
	w.Press("q")
	w.Exit()
	for _, r := range p.forge.Requests() {
		if strings.Contains(r, "search") || strings.Contains(r, "comments") {
			t.Errorf("asked %s", r)
		}
	}
}

// TestPickWhenTheForgeRefuses: each section says what is wrong and what to do,
// and asks again on a key; what was there stays.
func TestPickWhenTheForgeRefuses(t *testing.T) {
	p := newPicks(t)
	refuse := func(status int, body string, headers ...string) {
		p.forge.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/search/issues" {
				return false
			}
			for i := 0; i+1 < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body)) // the program may be gone
			return true
		})
	}
	refuse(http.StatusUnprocessableEntity, `{"message":"Validation Failed","errors":[{"message":"The listed users cannot be searched"}]}`)
	w := p.window()
	w.See("The listed users", "Recent in acme/shop  4")
	refuse(http.StatusForbidden, `{"message":"Resource protected by organization SAML enforcement."}`, "X-GitHub-SSO", "required; url=https://github.com/orgs/acme/sso")
	w.Press("r")
	w.See("open https://github.com/orgs/acme/sso")
	p.forge.Intercept(nil)
	w.Press("r")
	w.See("Your review is requested  2", "Yours  1")
	refuse(http.StatusForbidden, `{"message":"You have exceeded a secondary rate limit."}`, "Retry-After", "60")
	w.Press("r")
	w.See("asks to wait until", "r asks again", "Your review is requested  2")
	w.Press("q")
	w.Exit()
}

func TestPickOfEmptyLists(t *testing.T) {
	p := newPicks(t)
	for _, n := range []int{7, 8, 9, 10} {
		p.forge.Update(n, func(x *double.Pull) { x.State = "closed" })
	}
	w := p.window()
	w.See("Your review is requested  none", "Yours  none", "Recent in acme/shop  none", "shows a recording")
	w.Press("enter", "q")
	if code := w.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// TestPickOfHostileTitles: whatever is written on a forge, the terminal is not
// told what to do.
func TestPickOfHostileTitles(t *testing.T) {
	p := newPicks(t, "\x1b]0;owned\x07\x1b[2Jred", "gnp.\u202etxt", "a\u200bb\rc")
	w := p.window()
	w.See("red", "gnp.", "▸ #7")
	w.Press("j", "j", "/", "red", "enter")
	w.See("1 of 1")
	w.Press("q")
	w.Exit()
	for _, bad := range []string{"owned\x07", "\u202e", "\u200b", "\x1b[2Jred"} {
		if strings.Contains(string(w.Output()), bad) {
			t.Errorf("%q reaches the terminal", bad)
		}
	}
	if strings.Contains(w.Title(), "owned") {
		t.Errorf("the title is %q", w.Title())
	}
}

// TestPickNeedsATerminal: and names the way without; line by line it needs
// none.
func TestPickNeedsATerminal(t *testing.T) {
	p := newPicks(t)
	p.oneLine(p.run("tui"), "mrv review")
	p.oneLine(p.run("tui", "--repo", "nonsense", "--plain"), "--repo")
	p.oneLine(p.run("gate", "--repo", "nonsense"), "--repo")
	p.oneLine(p.run("pull", "--repo", "nonsense"), "--repo")
	r := p.feed("0\n1\nq\n", "tui", "--plain", "--agent", "checks")
	for _, want := range []string{"Your review is requested: 2", "1. #7 Pay with TLS, author,", "no review", "a number from 1 to 4", "acme/shop#7", "pay.go"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is not in\n%s%s", want, r.out, r.err)
		}
	}
	r = p.feed("1\nr\nq\n", "tui", "--plain", "--agent", "checks")
	if !strings.Contains(r.out, "1. #7 Pay with TLS, author,") || !strings.Contains(r.out, "fresh, 1 undecided") || !strings.Contains(r.out, "r  open it again") || !strings.Contains(r.out, "1 of 1 undecided") {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
}

// TestPickInTmux: the same in a real terminal multiplexer, at the sizes people
// have.
func TestPickInTmux(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {160, 48}, {40, 10}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p := newPicks(t)
			x := startTmux(t, p.place, size[0], size[1], "tui", "--agent", "checks")
			x.wait("▸ #7", "no review")
			x.keys("j", "k", "/", "s", "o", "m", "e", "Enter")
			x.wait("▸ #10")
			x.keys("Escape")
			x.wait("#7")
			x.keys("q")
			if code := x.ended(p.place); code != "0" {
				t.Errorf("exit %s", code)
			}
		})
	}
}
