package merge

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// say makes a finding of few words.
func say(id, text, path string, line int, quote string) review.Finding {
	reviewer, ordinal, _ := review.SplitID(id)
	return review.Finding{ID: id, Reviewer: reviewer, Ordinal: ordinal, Observation: text, Quote: quote,
		Location: review.Location{Path: path, Start: line, End: line}}
}

func TestWhatIsOneProblem(t *testing.T) {
	const quote = "if err := cfg.reload(); err != nil {"
	const sql = `rows, err := s.db.Query("SELECT role FROM users WHERE name = '" + user + "'")`
	race := "`cfg.reload` writes `cfg.values` without `cfg.mu` while `Lookup` reads it under the lock: a data race."
	for _, c := range []struct {
		name string
		a, b review.Finding
		want bool
	}{
		{"other words at the same line",
			say("a.1", race, "cfg/cfg.go", 20, quote),
			say("b.1", "Data race: `Lookup` holds `cfg.mu`, but `reload` assigns `cfg.values` unlocked.", "cfg/cfg.go", 20, quote), true},
		{"one problem on two lines",
			say("a.1", race, "cfg/cfg.go", 20, ""),
			say("b.1", "`Lookup` reads `cfg.values` under `cfg.mu`; `cfg.reload` writes it without the lock, a data race.", "cfg/cfg.go", 64, ""), true},
		{"two problems on one line",
			say("a.1", race, "cfg/cfg.go", 20, quote),
			say("b.1", "The error says nothing about which file could not be parsed.", "cfg/cfg.go", 20, quote), false},
		{"the same words about another file",
			say("a.1", "The error of `Close` is dropped.", "cfg/cfg.go", 20, ""),
			say("b.1", "The error is dropped when the pipe is written.", "net/pipe.go", 80, ""), false},
		{"English and Chinese meet through code and place",
			say("a.1", race, "cfg/cfg.go", 20, quote),
			say("b.1", "`cfg.reload` 写 `cfg.values` 时没有持有 `cfg.mu`,与 `Lookup` 并发会产生数据竞态。", "cfg/cfg.go", 20, quote), true},
		{"English and Chinese on one line about different things",
			say("a.1", race, "cfg/cfg.go", 20, quote),
			say("b.1", "错误信息没有说明是哪个文件解析失败。", "cfg/cfg.go", 20, quote), false},
		{"English and Chinese that share what is wrong and the quoted line only",
			say("a.1", "SQL injection: `user` is concatenated into the statement.", "auth/role.go", 55, sql),
			say("b.1", "用户输入直接拼接到查询语句里,存在注入风险,应使用参数化查询。", "auth/role.go", 55, sql), true},
		{"English and Chinese that share only a name on the quoted line",
			say("a.1", "`rows` is never closed when `Scan` fails: the connection is not given back to the pool.", "auth/role.go", 55, sql),
			say("b.1", "每个请求都会执行这条语句,`rows` 的列 `name` 没有索引,每次都是全表扫描。", "auth/role.go", 55, sql), false},
		{"English and Chinese about the same elsewhere",
			say("a.1", "SQL injection: `user` is concatenated into the statement.", "auth/role.go", 55, ""),
			say("b.1", "用户输入直接拼接到查询语句里,存在注入风险,应使用参数化查询。", "shop/order.go", 20, ""), false},
		{"Chinese in other words",
			say("a.1", "写缓存时没有加锁,并发读写会产生竞态。", "cfg/cfg.go", 20, quote),
			say("b.1", "并发读写缓存时没有加锁,存在竞态条件。", "cfg/cfg.go", 21, quote), true},
	} {
		if got := len(Merge(Input{Findings: []review.Finding{c.a, c.b}})) == 1; got != c.want {
			t.Errorf("%s: one entry is %v, want %v", c.name, got, c.want)
		}
	}
}

func TestGuessedPlacesDoNotCount(t *testing.T) {
	a := say("a.1", "`retry` sleeps without a limit after the server refused.", "x.go", 10, "")
	b := say("b.1", "There is no limit on how often the server is asked again.", "y.go", 500, "")
	in := Input{Findings: []review.Finding{a, b}, Places: map[string]diff.Place{
		a.ID: {How: diff.InFile, Path: "x.go", Start: 10, End: 10},
		b.ID: {How: diff.InFile, Path: "x.go", Start: 500, End: 500},
	}}
	s := gather(in)
	claimed := likeness(s[0], s[1])
	p := in.Places[b.ID]
	p.Guessed = true
	in.Places[b.ID] = p
	s = gather(in)
	if guessed := likeness(s[0], s[1]); guessed <= claimed {
		t.Errorf("likeness %.3f with a guessed far line, %.3f with a claimed one: the guess was counted", guessed, claimed)
	}
}

func TestAnAnalysersFindingsStayApart(t *testing.T) {
	in := Input{Reviewers: map[string]Reviewer{"vet": {Analyser: true}, "quality-1": {Model: "a/x"}}}
	for i := range 4 {
		in.Findings = append(in.Findings, say(fmt.Sprintf("vet.%d", i+1), "unusedresult: result of fmt.Errorf call not used", "a.go", 10*i+1, ""))
	}
	in.Findings = append(in.Findings, say("quality-1.1", "The result of the `fmt.Errorf` call is not used.", "a.go", 11, ""))
	entries := Merge(in)
	if len(entries) != 4 {
		t.Fatalf("%d entries, want the analyser's four", len(entries))
	}
	for _, e := range entries {
		if e.Confirmed && !slices.Equal(e.Sources, []string{"quality-1.1", "vet.2"}) {
			t.Errorf("the reviewer's finding merged into %q, want that on its line", e.Sources)
		}
	}
}

func TestRepeatsMergeHoweverMany(t *testing.T) {
	for _, n := range []int{crowd - 1, crowd + 1, 3 * crowd} {
		for _, places := range []string{"one line", "many files"} {
			var in Input
			for i := range n {
				f := say(fmt.Sprintf("bot%d.1", i), "`retry` sleeps without a limit after the server refused.", "net/retry.go", 10, "")
				if places == "many files" {
					f.Location.Path = fmt.Sprintf("net/retry%d.go", i)
				}
				in.Findings = append(in.Findings, f)
			}
			if entries := Merge(in); len(entries) != 1 {
				t.Errorf("%d repeats on %s stand in %d entries", n, places, len(entries))
			}
		}
	}
}

// sources lists the entries by their sources.
func sourcesOf(entries []event.Entry) string {
	var all [][]string
	for _, e := range entries {
		all = append(all, e.Sources)
	}
	slices.SortFunc(all, func(a, b []string) int { return compareIDs(a[0], b[0]) })
	return fmt.Sprint(all)
}

func TestHandMadeMerges(t *testing.T) {
	findings := []review.Finding{
		leak("quality-1.1", review.Warning), leak("perf-1.1", review.Warning), leak("quality-2.1", review.Warning),
		other("quality-1.2", review.Warning),
	}
	for _, c := range []struct {
		name    string
		ops     []event.MergeOp
		decided map[string]string
		want    string
	}{
		{"by rule", nil, nil, "[[perf-1.1 quality-1.1 quality-2.1] [quality-1.2]]"},
		{"one split out", []event.MergeOp{{Op: "split", IDs: []string{"perf-1.1", "quality-1.1", "quality-2.1"}}}, nil,
			"[[perf-1.1] [quality-1.1 quality-2.1] [quality-1.2]]"},
		{"two joined", []event.MergeOp{{Op: "join", IDs: []string{"quality-1.2", "quality-2.1"}}}, nil,
			"[[perf-1.1 quality-1.1 quality-1.2 quality-2.1]]"},
		{"split, then joined again", []event.MergeOp{
			{Op: "split", IDs: []string{"perf-1.1", "quality-1.1", "quality-2.1"}},
			{Op: "join", IDs: []string{"perf-1.1", "quality-2.1"}}}, nil,
			"[[perf-1.1 quality-2.1] [quality-1.1] [quality-1.2]]"},
		{"decided apart stays apart", nil, map[string]string{"perf-1.1": "x", "quality-1.1": "y"},
			"[[perf-1.1 quality-2.1] [quality-1.1] [quality-1.2]]"},
		{"decided together stays together", nil, map[string]string{"perf-1.1": "x", "quality-1.2": "x", "quality-1.1": "y"},
			"[[perf-1.1 quality-1.2] [quality-1.1 quality-2.1]]"},
		{"a join made by hand beats decided apart",
			[]event.MergeOp{{Op: "join", IDs: []string{"perf-1.1", "quality-1.1"}}},
			map[string]string{"perf-1.1": "x", "quality-1.1": "y"},
			"[[perf-1.1 quality-1.1 quality-2.1] [quality-1.2]]"},
		{"ids that are gone", []event.MergeOp{{Op: "split", IDs: []string{"gone.1", "perf-1.1"}}, {Op: "join", IDs: []string{"gone.1"}}}, nil,
			"[[perf-1.1 quality-1.1 quality-2.1] [quality-1.2]]"},
	} {
		got := sourcesOf(Merge(Input{Reviewers: team(), Findings: findings, Ops: c.ops, Decided: c.decided}))
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestUpdateKeepsWhatTheJudgeSaid(t *testing.T) {
	in := Input{Reviewers: team(), Findings: []review.Finding{leak("quality-1.1", review.Suggestion), leak("perf-1.1", review.Suggestion), other("quality-2.1", review.Suggestion)}}
	answer := `{"summary":"s","groups":[["perf-1.1","quality-1.1"],["quality-2.1"]],
		"reword":[{"id":"quality-1.1","title":"Leak"}],"severity":[{"id":"perf-1.1","severity":"warning"}],
		"drop":[{"id":"quality-2.1","reason":"taste"}]}`
	merged, _, faults := ApplyJudge(Merge(in), in, []byte(answer))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	in.Findings = append(in.Findings, leak("quality-2.2", review.Suggestion))
	entries := Update(merged.Entries, in)
	if got := sourcesOf(entries); got != "[[perf-1.1 quality-1.1 quality-2.2] [quality-2.1]]" {
		t.Fatalf("entries %s", got)
	}
	for _, e := range entries {
		switch {
		case len(e.Sources) == 1 && e.Dropped != "taste":
			t.Errorf("the drop is lost: %+v", e)
		case len(e.Sources) == 3 && (e.Reword == nil || e.Reword.Title != "Leak" || e.Severity != review.Warning):
			t.Errorf("the judge's words are lost: %+v", e)
		}
	}
	in.Findings = append(in.Findings, other("perf-1.2", review.Critical))
	for _, e := range Update(merged.Entries, in) {
		if e.Dropped != "" {
			t.Errorf("still dropped although another reviewer reports it as critical: %+v", e)
		}
	}
}
