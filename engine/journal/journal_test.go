package journal_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
)

func notice(t *testing.T, text string) event.Event {
	t.Helper()
	e, err := event.New(event.Noticed, "", 0, event.NoticeData{Level: "info", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func create(t *testing.T) (*journal.Writer, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "local", "run.jsonl")
	w, err := journal.Create(path, "run", "test")
	if err != nil {
		t.Fatal(err)
	}
	return w, path
}

func TestWhatWasAppendedIsRead(t *testing.T) {
	w, path := create(t)
	for _, text := range []string{"one", "two 二", "three"} {
		if _, err := w.Append(true, notice(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	h, events, err := journal.Read(path) // a reader takes no lock
	if err != nil || len(events) != 3 || h.Run != "run" {
		t.Fatalf("read %v, %d events, %v", h, len(events), err)
	}
	if events[2].Seq != 3 || events[2].Wall == "" {
		t.Errorf("the third event is not stamped: %+v", events[2])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, events, err = journal.Open(path)
	if err != nil || len(events) != 3 {
		t.Fatalf("reopened: %d events, %v", len(events), err)
	}
	out, err := w.Append(false, notice(t, "four"))
	if err != nil || out[0].Seq != 4 || out[0].TMS < events[2].TMS {
		t.Errorf("after reopening: %+v, %v", out, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreThePersonsAlone(t *testing.T) {
	w, path := create(t)
	defer w.Close()
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700, path + ".lock": 0o600} {
		st, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := st.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", filepath.Base(p), got, want)
		}
	}
}

func TestASecondWriterIsRefusedWithThePid(t *testing.T) {
	w, path := create(t)
	defer w.Close()
	_, _, err := journal.Open(path)
	var locked *journal.LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Fatalf("got %v", err)
	}
}

func TestATornLastLineIsDropped(t *testing.T) {
	for name, tail := range map[string]string{
		"half a line":             `{"seq":3,"kind":"noti`,
		"half a line and newline": `{"seq":3,"kind":"noti` + "\n",
		"more than what follows":  `{"seq":3,"kind":"noti` + strings.Repeat("torn", 1000),
		"a line without newline":  `{"seq":3,"t_ms":1,"kind":"notice","v":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			w, path := create(t)
			if _, err := w.Append(false, notice(t, "one"), notice(t, "two")); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(tail); err != nil {
				t.Fatal(err)
			}
			f.Close()
			w, events, err := journal.Open(path)
			if err != nil || len(events) != 2 {
				t.Fatalf("%d events, %v", len(events), err)
			}
			out, err := w.Append(true, notice(t, "three"))
			if err != nil || out[0].Seq != 3 {
				t.Fatalf("%v, %v", out, err)
			}
			w.Close()
			if _, events, err = journal.Read(path); err != nil || len(events) != 3 {
				t.Fatalf("afterwards %d events, %v", len(events), err)
			}
			if raw, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(raw), "}\n") {
				t.Errorf("something torn is left at the end: %v", err)
			}
		})
	}
}

func TestDamageInTheMiddleIsAnError(t *testing.T) {
	head := `{"schema":"mrv.journal","v":1,"mrv":"t","run":"r"}` + "\n"
	_, _, err := journal.Parse("j", []byte(head+"garbage\n"+`{"seq":1,"kind":"notice","v":1}`+"\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Fatalf("got %v", err)
	}
}

func TestVersions(t *testing.T) {
	line := `{"seq":1,"t_ms":0,"kind":"from.the.future","v":7,"data":{"x":1}}` + "\n"
	_, events, err := journal.Parse("j", []byte(`{"schema":"mrv.journal","v":1,"mrv":"t","run":"r"}`+"\n"+line))
	if err != nil || len(events) != 1 || string(events[0].Data) != `{"x":1}` {
		t.Errorf("an unknown kind must be kept: %v, %v", events, err)
	}
	if s, err := event.Fold(events); err != nil || s.Skipped() != 1 {
		t.Errorf("and ignored by the fold: %v", err)
	}
	_, _, err = journal.Parse("j", []byte(`{"schema":"mrv.journal","v":2,"mrv":"t","run":"r"}`+"\n"+line))
	var v *journal.VersionError
	if !errors.As(err, &v) {
		t.Errorf("a higher version must be refused, got %v", err)
	}
	for _, bad := range []string{"", "{}\n", "hello\n"} {
		if _, _, err := journal.Parse("j", []byte(bad)); err == nil {
			t.Errorf("%q is no journal", bad)
		}
	}
}

func TestAFullDiskLeavesWholeLines(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full, which only Linux has")
	}
	w, path := create(t)
	defer w.Close()
	if _, err := w.Append(true, notice(t, "kept")); err != nil {
		t.Fatal(err)
	}
	restore := journal.FillDisk(t, w)
	if _, err := w.Append(true, notice(t, "lost")); err == nil {
		t.Fatal("an append to a full disk must fail")
	}
	restore()
	if _, err := w.Append(true, notice(t, "after")); err != nil {
		t.Fatal(err)
	}
	_, events, err := journal.Read(path)
	if err != nil || len(events) != 2 || events[1].Seq != 2 {
		t.Fatalf("%d events, %v", len(events), err)
	}
}

func TestFind(t *testing.T) {
	runs := t.TempDir()
	change := event.Change{Host: "github.com", Owner: "acme", Repo: "shop"}
	ids := []string{"20261130-100000-aaaa", "20261130-110000-bbbb", "20261129-100000-cccc"}
	for _, id := range ids {
		w, err := journal.Create(journal.PathOf(runs, change, id), id, "t")
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	for _, c := range []struct{ id, want, err string }{
		{"20261130-100000-aaaa", ids[0], ""}, {"20261129", ids[2], ""}, {"latest", ids[1], ""},
		{"20261130", "", "2 runs"}, {"nope", "", "no run"}, {"", "", "no run"},
	} {
		p, err := journal.Find(runs, c.id)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: got %v, want %q", c.id, err, c.err)
			}
			continue
		}
		if err != nil || filepath.Base(p) != c.want+".jsonl" {
			t.Errorf("%q: got %s, %v", c.id, p, err)
		}
	}
	if _, err := journal.Find(filepath.Join(runs, "none"), "x"); err == nil {
		t.Error("no runs at all must be an error that names mrv runs")
	}
	if a, b := journal.NewID(time.Now()), journal.NewID(time.Now()); len(a) != len("20261130-100000-aaaa") || a == b {
		t.Errorf("ids %s, %s", a, b)
	}
}

func TestPathOfStaysInside(t *testing.T) {
	for _, c := range []event.Change{{}, {Host: "..", Owner: "..", Repo: "../../x"}, {Owner: "a/b", Repo: "."}} {
		p := journal.PathOf("/runs", c, "id")
		rel, err := filepath.Rel("/runs", p)
		if err != nil || strings.HasPrefix(rel, "..") || strings.Count(rel, "/") != 3 {
			t.Errorf("%+v gives %s", c, p)
		}
	}
}

// TestEveryReleasedVersionIsRead folds a journal of each version there was.
func TestEveryReleasedVersionIsRead(t *testing.T) {
	for v := 1; v <= journal.Version; v++ {
		_, events, err := journal.Read(filepath.Join("testdata", fmt.Sprintf("v%d.jsonl", v)))
		if err != nil {
			t.Fatal(err)
		}
		s, err := event.Fold(events)
		if err != nil {
			t.Fatalf("version %d: %v", v, err)
		}
		if got, want := s.Tally(), (event.Tally{Total: 11, Undecided: 9, Accepted: 1, Escalated: 1}); got != want {
			t.Errorf("version %d: %+v, want %+v", v, got, want)
		}
		if s.Phase != event.PhaseTriage || s.Skipped() != 0 || s.Diff == nil {
			t.Errorf("version %d: phase %s, %d events skipped", v, s.Phase, s.Skipped())
		}
	}
}
