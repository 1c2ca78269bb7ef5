package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/tui/window"
)

// inCode are lines that show code, and what names things on any other line.
var (
	codeLine = regexp.MustCompile(`^\W*\d+\s.*|^\W*@@.*|^.*@@ -\d.*`)
	named    = regexp.MustCompile("`[^`]*`" + `|[\w./@…-]*[./@…_]\S*|\S*\d\S*|\b[a-z]+(-[a-z0-9]+)+\b`)
	letters  = regexp.MustCompile(`[A-Za-z]{2,}`)
)

// english are the words of a Chinese screen that are not Chinese: names of keys,
// of things that have one name everywhere, and of what the run is over.
var english = strings.Fields(`enter esc tab space home end up down left right pgup pgdn ctrl shift
	mrv diff PR SHA head hunk git EDITOR OpenCode none lite full trivial checks quality security performance architecture
	main worktree on tok`)

// reported are the words of the change and of the reports over it.
var reported = strings.Fields(`Read warning debugger breakpoint var client true TLS CA shell`)

// leftOver lists the English words on a screen that should have none.
func leftOver(screen string) []string {
	var out []string
	for line := range strings.SplitSeq(screen, "\n") {
		if codeLine.MatchString(line) {
			continue
		}
		for _, w := range letters.FindAllString(named.ReplaceAllString(line, " "), -1) {
			if !slices.Contains(english, w) && !slices.Contains(reported, w) {
				out = append(out, w+" (in: "+strings.TrimSpace(line)+")")
			}
		}
	}
	return out
}

// TestNoEnglishIsLeftOnAChineseScreen goes through every page of a run over a
// change with a file of every kind.
func TestNoEnglishIsLeftOnAChineseScreen(t *testing.T) {
	p := newPlace(t)
	p.repository()
	p.write("auth/login.py", "def login():\n    breakpoint()\n")
	p.write("yarn.lock", "x\n")
	p.write("dist/app.min.js", "x\n")
	p.write("logo.bin", "\x00\x01")
	check := func(page, screen string) {
		t.Helper()
		for _, w := range leftOver(screen) {
			t.Errorf("%s: %s", page, w)
		}
	}
	s := window.Start(t, p.command("tui", "--base", "main", "--worktree", "--agent", "checks", "--lang", "zh"), 150, 70)
	for _, step := range []struct {
		page string
		keys []string
		see  string
	}{
		{"live", nil, "3/3 完成"},
		{"board", []string{"tab"}, "残留调试语句"},
		{"reject", []string{"r"}, "误报"},
		{"rejected", []string{"f"}, "已拒绝"},
		{"undone", []string{"u"}, "决定已撤回"},
		{"nothing confirmed", []string{"A"}, "不能不看就接受"},
		{"the whole change", []string{"d"}, "全部改动"},
		{"who looked", []string{"d", "v"}, "看过哪个文件"},
		{"other lists", []string{"v", "D"}, "没有模型阅读过此改动"},
		{"help", []string{"D", "?"}, "模糊搜索所有命令"},
		{"palette", []string{"z", ":"}, "enter 确定"},
		{"the board again", []string{"esc"}, "级别"},
		{"outbox", []string{"tab"}, "收件箱"},
		{"quit", []string{"q"}, "退出吗"},
	} {
		s.Press(step.keys...)
		s.See(step.see)
		s.Settle()
		check(step.page, s.Text())
	}
	s.Press("y")
	s.Exit()

	r := p.feed("q\ny\n", "tui", "--base", "main", "--worktree", "--agent", "checks", "--lang", "zh", "--plain", "--yes")
	check("line by line", r.out)
	r = p.run("review", "--base", "main", "--worktree", "--agent", "checks", "--lang", "zh")
	check("progress", r.err)
}
