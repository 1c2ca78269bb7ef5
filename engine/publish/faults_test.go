package publish

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"

	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/git/gittest"
)

var (
	faultSeed = flag.Uint64("faultseed", 0, "seed of TestPublishUnderFaults; 0 takes one from the clock")
	attempts  = flag.Int("attempts", 1000, "how many publish attempts TestPublishUnderFaults makes")
)

var onePull = regexp.MustCompile(`/pulls/[0-9]+$`)

// faults disturbs requests at random.
type faults struct {
	mu     sync.Mutex
	random *rand.Rand
	rate   float64
	head   []byte // the pull request as it is now, as the double itself answered it
	move   func() // moves the head once
}

// before breaks a request that is not obeyed. What the double would say of the
// pull request is answered from memory: it asks git a dozen times for it.
func (f *faults) before(w http.ResponseWriter, r *http.Request) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.random.Float64() < f.rate {
		switch f.random.IntN(5) {
		case 0:
			panic(http.ErrAbortHandler) // no answer
		case 1:
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, "<html><title>Unicorn!</title></html>")
			return true
		case 2:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"message":"You have exceeded a secondary rate limit"}`)
			return true
		case 3:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"message":"Resource not accessible by integration"}`)
			return true
		case 4:
			if f.move != nil && f.random.IntN(2) == 0 {
				f.move()
				f.move = nil
			}
		}
	}
	if r.Method == http.MethodGet && onePull.MatchString(r.URL.Path) && !strings.Contains(r.Header.Get("Accept"), "diff") {
		_, _ = w.Write(f.head)
		return true
	}
	return false
}

// after cuts the connection although the request was obeyed.
func (f *faults) after(r *http.Request) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return r.Method != http.MethodGet && f.random.Float64() < f.rate
}

// Whatever happens on the way, and however often it is tried again: no finding
// is posted twice, none is lost once a publish says it succeeded, and no
// comment stands on a line whose text differs from what was reviewed.
func TestPublishUnderFaults(t *testing.T) {
	if testing.Short() && *attempts == 1000 {
		*attempts = 100
	}
	seed := *faultSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d (repeat with -faultseed)", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	b, outcomes, files := setUp(t, double.Options{}), map[string]int{}, map[string]string{}
	moved := movedHead(b.r)
	client := b.f.Reader.(*forge.GitHub).Client
	client.Pausing(func(ctx context.Context, _ time.Duration) error { return ctx.Err() })
	for done := 0; done < *attempts; {
		done += underFaults(t, b, client, moved, random, outcomes, files, *attempts-done)
		if t.Failed() {
			break
		}
	}
	t.Logf("outcomes: %v", outcomes)
	for _, want := range []string{"posted", "moved", "failed"} {
		if outcomes[want] == 0 && *attempts >= 1000 {
			t.Errorf("no attempt ended as %q: %v", want, outcomes)
		}
	}
}

// underFaults publishes one pull request again and again until it is through,
// at most 12 times, and returns how often it tried.
func underFaults(t *testing.T, b *bench, client *forge.Client, moved string, random *rand.Rand, outcomes map[string]int, files map[string]string, most int) int {
	b.n++
	b.doc.Change.Number = b.n
	b.s.Open(double.Pull{Number: b.n, Title: "The change", Base: "main", Head: "topic"})
	now, err := client.Do(ctx, forge.Request{Doing: "recording", Path: fmt.Sprintf("repos/octo/repo/pulls/%d", b.n)})
	if err != nil {
		t.Fatal(err)
	}
	f := &faults{random: random, rate: 0.12, head: now.Body}
	f.move = func() {
		b.s.Update(b.n, func(p *double.Pull) { p.Head = moved })
		old := b.doc.Change.Head
		f.head = []byte(strings.ReplaceAll(string(f.head), old, moved))
	}
	b.s.Intercept(f.before)
	b.s.Cut(f.after)
	defer func() { b.s.Intercept(nil); b.s.Cut(nil) }()

	opts := []Options{{}, {OnMoved: Reanchor}, {OnMoved: SummaryOnly}}
	opt := opts[random.IntN(len(opts))]
	for try := 1; ; try++ {
		sent, err := b.try(opt)
		b.check(t, files, sent, err)
		switch {
		case err == nil:
			outcomes["posted"]++
		case errors.Is(err, ErrMoved) || errors.As(err, new(*Blocked)):
			outcomes["moved"]++
		default:
			outcomes["failed"]++
		}
		if t.Failed() || try == min(12, most) || (err == nil && random.IntN(3) > 0) || errors.As(err, new(*Blocked)) {
			return try
		}
	}
}

// movedHead is a later head: some reviewed lines moved, one changed.
func movedHead(r *gittest.Repo) string {
	r.Git("checkout", "-q", "-b", "later")
	r.Write("api.go", lines(1, 60, map[int]string{1: "new\nlines\n", 5: "amount := req.Amount\n", 6: "refund(amount)\n", 40: "", 50: "key := other()\n"}))
	return r.Commit("moved")
}

func (b *bench) try(opt Options) (Sent, error) {
	facts, err := Look(ctx, b.f, b.repo, b.n, b.doc, forge.User{}, Trust{})
	if err != nil {
		return Sent{}, err
	}
	return sender(b.f).Send(ctx, Plan(b.doc, b.set, facts, opt))
}

func (b *bench) check(t *testing.T, files map[string]string, sent Sent, err error) {
	t.Helper()
	seen := map[document.Key]bool{}
	for _, c := range b.s.Standing("line", b.n) {
		key, ok := document.ParseKey(c.Body)
		if !ok || seen[key] {
			t.Errorf("posted twice, or without a key: %+v", c)
		}
		seen[key] = true
		at := slices.IndexFunc(b.doc.Findings, func(f document.Finding) bool { return document.KeyOf(b.doc.Run, f) == key })
		if at < 0 {
			t.Errorf("a comment of no finding: %+v", c)
			continue
		}
		if quote := b.doc.Findings[at].Quote; c.Line > 0 && b.textOf(files, c) != quote {
			t.Errorf("%s stands at %q, it is about %q", b.doc.Findings[at].ID, b.textOf(files, c), quote)
		}
	}
	summaries := b.s.Standing("comment", b.n)
	if len(summaries) > 1 {
		t.Errorf("%d summaries", len(summaries))
	}
	if err != nil {
		return
	}
	for _, f := range b.doc.Findings {
		said := seen[document.KeyOf(b.doc.Run, f)] || strings.Contains(summaries[0].Body, "seen "+f.ID)
		if !said {
			t.Errorf("%s is lost; landed %+v", f.ID, sent.Posts)
		}
	}
}

// textOf is what a comment stands at, in the commit it was posted on.
func (b *bench) textOf(files map[string]string, c double.Said) string {
	commit, n, from := c.Commit, c.Line, c.Line
	if c.Start > 0 {
		from = c.Start
	}
	if c.Side == "LEFT" {
		commit = "main"
	}
	name := commit + ":" + c.Path
	if files[name] == "" {
		files[name] = b.r.Git("show", name)
	}
	all := strings.Split(files[name], "\n")
	return strings.Join(all[from-1:n], "\n")
}
