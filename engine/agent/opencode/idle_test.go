package opencode

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/review"
)

// TestIdle: the server that listed the models for a plan is the run's, with the
// run's own clocks, if it holds just what the run hands over; any other is
// ended and replaced.
func TestIdle(t *testing.T) {
	b := binary(t)
	p := scripted.Start(t)
	root := t.TempDir()
	runs := filepath.Join(root, "runs")
	person, err := ReadPerson(getenvOf(map[string]string{"HOME": p.Home(filepath.Join(root, "home")), "DEEPSEEK_API_KEY": "sk-x"}))
	if err != nil {
		t.Fatal(err)
	}
	hand, err := person.For([]string{scripted.ID}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		only  []string
		taken bool
	}{
		{"the same", []string{scripted.ID, scripted.ID}, true},
		{"with one provider more", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			idle, err := Start(t.Context(), CatalogConfig{Binary: b, RunRoot: runs, Person: person, Only: c.only})
			if err != nil {
				t.Fatal(err)
			}
			process := idle.server.process
			if n := len(idle.Providers()); (n == 1) != c.taken || !idle.Lists(idle.hand.providers) {
				t.Errorf("%d providers are listed", n)
			}
			a, err := New(t.Context(), Config{
				Binary: b, Snapshot: tree(t, root, snapshotFiles), RunRoot: runs, Idle: idle, Hand: hand,
				Models: []review.Model{p.Model("ok")}, FirstByte: time.Minute, Silence: time.Minute,
			})
			if err != nil {
				t.Fatal(err)
			}
			if taken := a.PID() == process.PID(); taken != c.taken {
				t.Errorf("taken over: %v", taken)
			}
			var conf struct {
				Provider map[string]struct {
					Options struct{ HeaderTimeout int64 }
				}
			}
			if err := a.server.client.slow(t.Context(), http.MethodGet, "/config", nil, &conf); err != nil {
				t.Fatal(err)
			}
			if len(conf.Provider) != 1 || conf.Provider[scripted.ID].Options.HeaderTimeout != (time.Minute+afterSession).Milliseconds() {
				t.Errorf("its configuration: %+v", conf)
			}
			if got := once(t, a, spec("ok"), "go"); got.failure != nil || got.Text == "" {
				t.Errorf("answer %q, %v", got.Text, got.failure)
			}
			if idle.Lists(idle.hand.providers) || idle.Close() != nil {
				t.Error("it is still to be had")
			}
			if err := a.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			<-process.Done()
			if left := leftovers(root); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
