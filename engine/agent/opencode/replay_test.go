package opencode

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

const recordings = "../../../testdata/opencode/recordings"

// recorded is one session of a recording.
type recorded struct {
	ID     string
	Name   string
	Events []event
	Stored []stored // what the server kept at the end, if it could say
	schema bool     // the prompt asked for a JSON answer
}

// sessions reads the sessions that a recording created, in order.
func sessions(t *testing.T, path string) []recorded {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []event
	var made []recorded
	kept := map[string][]stored{}
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			var l struct {
				Event  *event
				Create *struct {
					Name string
					Res  struct{ ID string }
				}
				Messages json.RawMessage
			}
			if err := json.Unmarshal(line, &l); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if l.Event != nil {
				all = append(all, *l.Event)
			}
			if l.Create != nil {
				made = append(made, recorded{ID: l.Create.Res.ID, Name: l.Create.Name})
			}
			for _, m := range storedIn(l.Messages) {
				kept[m.Info.SessionID] = append(kept[m.Info.SessionID], m)
			}
		}
		if err != nil {
			break
		}
	}
	for i := range made {
		made[i].Stored = kept[made[i].ID]
		for _, e := range all {
			if sessionOf(e) == made[i].ID {
				made[i].Events = append(made[i].Events, e)
				made[i].schema = made[i].schema || bytes.Contains(e.Properties, []byte(`"type":"json_schema"`))
			}
		}
	}
	return made
}

// storedIn reads a recording's note of the message list, in either of its two
// shapes; the list of a session with a schema is an error of the server.
func storedIn(note json.RawMessage) []stored {
	var ms []stored
	if json.Unmarshal(note, &ms) == nil {
		return ms
	}
	var named struct{ Res []stored }
	if json.Unmarshal(note, &named) == nil {
		return named.Res
	}
	return nil
}

func pick(t *testing.T, file, name string) recorded {
	t.Helper()
	for _, s := range sessions(t, filepath.Join(recordings, file+".jsonl")) {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("%s has no session %q", file, name)
	return recorded{}
}

// pane is what a reader of the updates would see: text by part, in order.
type pane struct {
	order []string
	text  map[string]string
}

func (p *pane) apply(u agent.Update) {
	if p.text == nil {
		p.text = map[string]string{}
	}
	switch u.Kind {
	case agent.UpTextAppend, agent.UpTextSet:
		if _, ok := p.text[u.Part]; !ok {
			p.order = append(p.order, u.Part)
		}
		if u.Kind == agent.UpTextSet {
			p.text[u.Part] = ""
		}
		p.text[u.Part] += u.Text
	case agent.UpTextDrop:
		p.text[u.Part] = ""
	}
}

func (p *pane) String() string {
	var b strings.Builder
	for _, id := range p.order {
		b.WriteString(p.text[id])
	}
	return b.String()
}

const tenWords = "word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 "

// TestRecordings folds every recording of the real server and compares where
// its turn ends. The text is that of the answer, also where the turn failed.
func TestRecordings(t *testing.T) {
	type want struct {
		file, session string // session only where there are several
		state         state
		kind          review.FailureKind // "" = no failure
		status        int
		finish        string
		text          string // with … at its end, only how it begins
		steps         int
		price         review.Price // "" = the provider sent no byte
	}
	const known, unknown = review.PriceKnown, review.PriceUnknown
	rows := []want{
		{"00-multi-review", "performance", over, "", 0, "stop", tenWords, 1, known},
		{"00-multi-review", "architecture", over, "auth", 401, "", "", 0, ""},
		{"00-multi-review", "security", over, "", 0, "stop", "安全无虞\n\n## 总结\nsecurity 方面没有阻塞项。\n\n## 建议项\n- 无\n", 2, known},
		{"00-multi-review", "quality", over, "", 0, "stop", "不可合并\n\n## 总结\n`Add` 的实现与名字不符。\n\n## 阻塞项\n- **pkg/add.go:3** 返回 `a - b`，应为 `a + b`。\n\n## 建议项\n- 为 `Add` 补一个表驱动测试。\n", 2, known},
		{"00-multi-review", "coordinator", over, "", 0, "stop", "不可合并\n\n## 总结\n`Add` 的实现与名字不符。\n\n## 阻塞项\n- **pkg/add.go:3** 返回 `a - b`，应为 `a + b`。\n\n## 建议项\n- 为 `Add` 补一个表驱动测试。\n", 1, known},
		{"01-async-cold", "", over, "", 0, "stop", tenWords, 1, known},
		{"02-async-warm", "", over, "", 0, "stop", tenWords, 1, known},
		{"03-sync", "", over, "", 0, "stop", tenWords, 1, known},
		{"04-reasoning", "", over, "", 0, "stop", "可合并\n\n## Summary\nNo blocking findings.", 1, known},
		{"05-tools-seq", "", over, "", 0, "stop", "All tools done: 7 results.", 8, known},
		{"06-tools-parallel", "", over, "", 0, "stop", "All tools done: 2 results.", 2, known},
		{"07-tools-denied", "", over, "", 0, "stop", "All tools done: 6 results.", 7, known},
		{"08-external-read", "", over, "", 0, "stop", "All tools done: 4 results.", 5, known},
		{"09-symlink-escape", "", over, "", 0, "stop", "All tools done: 4 results.", 5, known},
		{"10-agentsmd-injection", "", over, "", 0, "stop", "All tools done: 2 results.", 3, known},
		{"20-err401", "", over, "auth", 401, "", "", 0, ""},
		{"21-err403", "", over, "auth", 403, "", "", 0, ""},
		{"22-err404", "", over, "model", 404, "", "", 0, ""},
		{"23-err400", "", over, "model", 400, "", "", 0, ""},
		{"24-err402", "", over, "auth", 402, "", "", 0, ""},
		{"25-err413", "", over, "overflow", 0, "", "", 0, ""},
		{"26-overflow", "", over, "overflow", 0, "", "", 0, ""},
		{"26b-overflow-nocompact", "", over, "overflow", 0, "", "", 0, ""},
		{"27-quota", "", retrying, "auth", 0, "", "", 0, ""},
		{"28-cutclean", "", over, "unknown", 0, "", "part0 part1 part2 part3 part4 ", 14, unknown},
		{"29-sseerr", "", retrying, "aborted", 0, "", "before ", 0, unknown},
		{"30-garbage", "", over, "transport", 0, "", "before ", 0, unknown},
		{"31-empty", "", over, "empty", 0, "stop", "", 1, known},
		{"32-length", "", over, "", 0, "length", "cut by le", 1, known},
		{"33-filter", "", over, "filter", 0, "content-filter", "x", 1, known},
		{"34-html", "", retrying, "aborted", 0, "", "", 0, ""},
		{"40-err429x2", "", over, "", 0, "stop", tenWords, 1, known},
		{"40b-err429-exhausted", "", over, "rate", 429, "", "", 0, ""},
		{"41-err500x2", "", over, "", 0, "stop", tenWords, 1, known},
		{"41b-err500-exhausted", "", over, "provider", 500, "", "", 0, ""},
		{"42-err503x1", "", over, "", 0, "stop", tenWords, 1, known},
		{"43-ratenone", "", over, "aborted", 0, "", "", 0, ""},
		{"44-ratelong", "", over, "aborted", 0, "", "", 0, ""},
		{"45-cutx1", "", over, "", 0, "stop", tenWords, 1, known},
		{"46-cut", "", over, "aborted", 0, "", "part0 part1 part2 part3 part4 ", 0, unknown},
		{"47-hang", "", over, "aborted", 0, "", "", 0, ""},
		{"47b-hang-headertimeout", "", over, "aborted", 0, "", "", 0, ""},
		{"48-hangmid", "", over, "aborted", 0, "", "one two three ", 0, unknown},
		{"48b-hangmid-chunktimeout", "", over, "aborted", 0, "", "one two three ", 0, unknown},
		{"49-conn-refused", "", over, "aborted", 0, "", "", 0, ""},
		{"50-unknown-model", "", over, "model", 0, "", "", 0, ""},
		{"51-unknown-provider", "", over, "model", 0, "", "", 0, ""},
		{"52-unknown-agent", "", created, "model", 0, "", "", 0, ""},
		{"53-sync-unknown-model", "", over, "model", 0, "", "", 0, ""},
		{"54-sync-unknown-agent", "", over, "model", 0, "", "", 0, ""},
		{"55-sync-401", "", over, "auth", 401, "", "", 0, ""},
		{"56-sync-abort", "", over, "aborted", 0, "", "one two three ", 0, unknown},
		{"57-delete-while-streaming", "", over, "server", 0, "", "t1796067406180820 t1796067406200970 …", 0, unknown},
		{"58-delete-while-retry", "", over, "server", 0, "", "", 0, ""},
		{"60-permission-reject", "", over, "other", 0, "tool-calls", "Step 1: calling bash. ", 1, known},
		{"61-permission-once", "", over, "other", 0, "stop", "All tools done: 2 results.", 3, known},
		{"62-permission-unanswered-abort", "", over, "other", 0, "", "Step 1: calling bash. ", 0, unknown},
		{"63-structured-coordinator", "", over, "", 0, "tool-calls", "", 1, known},
		{"64-structured-reviewer", "", over, "", 0, "tool-calls", "", 1, known},
		{"65-structured-ignored", "", over, "other", 0, "stop", tenWords, 1, known},
		{"66-usage-over-limit-nocompact", "", over, "", 0, "stop", "usage ", 1, known},
		{"67-file-part", "", over, "", 0, "stop", "len=58398 nmsg=2", 1, known},
		{"68-steps-limit", "", over, "", 0, "stop", "All tools done: 4 results.", 5, known},
		{"69-doom-loop", "", over, "", 0, "stop", "All tools done: 5 results.", 6, known},
		{"70-autocompact-on", "", over, "aborted", 0, "", "usage ", 8, known},
	}
	for _, w := range rows {
		t.Run(strings.TrimSuffix(w.file+"/"+w.session, "/"), func(t *testing.T) {
			s := pick(t, w.file, w.session)
			tn := newTurn(turnOptions{Price: known, Dir: "/lab/snap", Schema: s.schema})
			var p pane
			for _, e := range s.Events {
				for _, u := range tn.event(e) {
					p.apply(u)
				}
			}
			a, f := tn.answer()
			got := want{w.file, w.session, tn.state, "", 0, a.Finish, a.Text, a.Steps, a.Usage.Price}
			if f != nil {
				got.kind, got.status = f.Kind, f.Status
			}
			if start, cut := strings.CutSuffix(w.text, "…"); cut && strings.HasPrefix(got.text, start) {
				got.text = w.text
			}
			if got != w {
				t.Errorf("\n got %+v\nwant %+v", got, w)
			}
			if f == nil && !strings.HasSuffix(p.String(), a.Text) {
				t.Errorf("the updates add up to %q, the answer is %q", p.String(), a.Text)
			}
		})
	}
	files, err := filepath.Glob(recordings + "/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, f := range files {
		if !slices.ContainsFunc(rows, func(w want) bool { return w.file+".jsonl" == filepath.Base(f) }) {
			t.Errorf("%s has no row", f)
		}
	}
}

// TestRepairAtEveryEvent loses all events from one point on, for every point
// of every recording whose messages the server could list at the end, and
// repairs from that list: the answer must be the one that the events gave,
// and the updates must still add up to it, with no text twice.
func TestRepairAtEveryEvent(t *testing.T) {
	files, err := filepath.Glob(recordings + "/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, f := range files {
		for _, s := range sessions(t, f) {
			whole := newTurn(turnOptions{Price: review.PriceKnown})
			for _, e := range s.Events {
				whole.event(e)
			}
			want, wantFailure := whole.answer()
			if whole.state != over || len(s.Stored) == 0 || whole.stop != nil || whole.deleted {
				continue
			}
			for cut := range s.Events {
				tried++
				tn, p := newTurn(turnOptions{Price: review.PriceKnown}), pane{}
				apply := func(ups []agent.Update) {
					for _, u := range ups {
						p.apply(u)
					}
				}
				for _, e := range s.Events[:cut] {
					apply(tn.event(e))
				}
				apply(tn.repair(s.Stored))
				apply(tn.status(status{Type: "idle"}))
				got, failure := tn.answer()
				if got.Text != want.Text || (wantFailure == nil && got.Finish != want.Finish) || got.Usage != want.Usage {
					t.Fatalf("%s %s cut at %d:\n got %+v\nwant %+v", filepath.Base(f), s.Name, cut, got, want)
				}
				if (failure == nil) != (wantFailure == nil) {
					t.Fatalf("%s %s cut at %d: failure %v, want %v", filepath.Base(f), s.Name, cut, failure, wantFailure)
				}
				if failure == nil && !strings.HasSuffix(p.String(), got.Text) {
					t.Fatalf("%s %s cut at %d: the updates add up to %q, the answer is %q", filepath.Base(f), s.Name, cut, p.String(), got.Text)
				}
			}
		}
	}
	if tried < 1000 {
		t.Fatalf("only %d cuts tried", tried)
	}
}

// TestSettled: an idle session is at its end only if something was said that
// ends a turn; right after its prompt it is idle too. Once over, every
// recording that ended by itself is settled.
func TestSettled(t *testing.T) {
	s := pick(t, "02-async-warm", "")
	tn := newTurn(turnOptions{})
	for _, e := range s.Events {
		tn.event(e)
		if finished := tn.finished > 0; tn.settled() && !finished {
			t.Fatalf("settled before its step ended, at %s", e.Type)
		}
	}
	if !tn.settled() {
		t.Error("not settled at its end")
	}
	for _, file := range []string{"20-err401", "33-filter", "52-unknown-agent", "63-structured-coordinator"} {
		tn := newTurn(turnOptions{})
		for _, e := range pick(t, file, "").Events {
			tn.event(e)
		}
		if !tn.settled() {
			t.Errorf("%s: not settled at its end", file)
		}
	}
}
