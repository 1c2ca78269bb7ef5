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

// TestNoEnglishIsLeftInACommandsAnswer: what commands tell a person, and what
// they say is wrong. Names of files, flags and commands are the same everywhere,
// and so is what git and the system say.
func TestNoEnglishIsLeftInACommandsAnswer(t *testing.T) {
	p := newPlace(t)
	p.repository()
	p.write("yarn.lock", "x\n")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "lock")
	p.env = []string{"MRV_LANG=zh"}
	names := strings.Fields("feature opencode models github terminal places config gh auth login rg AI URL lang zh nope paln action FILE")
	written := regexp.MustCompile(`mrv( [a-z]+)*|--[a-z]+`) // commands and flags
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"plan", "--base", "main", "--agent", "checks"}, []string{"等级 trivial", "跳过", "锁定文件", "规则：内置"}},
		{[]string{"doctor"}, []string{"正常", "没有 OpenCode", "标准输出不是终端"}},
		{[]string{"runs"}, []string{"还没有评审"}},
		{[]string{"review", "--base", "main", "--agent", "checks"}, []string{"需要人工检查", "[警告]", "打开并分诊"}},
		{[]string{"runs"}, []string{"1 个未决定"}},
		{[]string{"runs", "rm", "nope"}, []string{"没有评审"}},
		{[]string{"resume", "nope", "--plain"}, []string{"没有评审"}},
		{[]string{"gate"}, []string{"没有打开的合并请求"}},
		{[]string{"inbox"}, []string{"没有收件箱"}},
		{[]string{"config"}, []string{"MRV_LANG"}},
		{[]string{"config", "lint"}, []string{"没有可检查的"}},
		{[]string{"models"}, []string{"没有安装 OpenCode"}},
		{[]string{"setup", "opencode"}, []string{"没有人可以回答"}},
		{[]string{"plan", "--bse", "main"}, []string{"是否指 --base"}},
		{[]string{"plan", "--budget", "-1", "--base", "main"}, []string{"小于零"}},
		{[]string{"paln"}, []string{"没有命令"}},
		{[]string{"merge"}, []string{"写法是"}},
		{[]string{"plan", "--diff", "/dev/null"}, []string{"补丁是空的"}},
		{[]string{"tui", "--base", "main"}, []string{"界面需要标准输出是终端"}},
		{[]string{"init"}, []string{"写入", "请阅读"}},
	} {
		r := p.run(c.args...)
		said := r.out + r.err
		for _, want := range c.says {
			if !strings.Contains(said, want) {
				t.Errorf("%v does not say %q:\n%s", c.args, want, said)
			}
		}
		for _, w := range leftOver(written.ReplaceAllString(said, "")) {
			if word, _, _ := strings.Cut(w, " "); !slices.Contains(names, word) {
				t.Errorf("%v: %s", c.args, w)
			}
		}
	}

	for _, c := range [][]string{{"plan", "--base", "main", "--agent", "checks", "--json"}, {"runs", "--json"}, {"doctor", "--json"}} {
		if r := p.run(c...); strings.Contains(r.out, "锁定文件") || strings.Contains(r.out, "正常") || strings.Contains(r.out, "需要") {
			t.Errorf("the JSON of %v is Chinese:\n%s", c, r.out)
		}
	}
	if r := p.run("plan", "--lang", "fr"); r.code != 2 || !strings.Contains(r.err, `"fr"`) {
		t.Errorf("a language that is not there is taken: %d %s", r.code, r.err)
	}
	p.env = nil
	p.config("lang: zh\n")
	if r := p.run("runs", "rm", "nope"); !strings.Contains(r.err, "没有评审") {
		t.Errorf("the person's own language is not spoken: %s", r.err)
	}
	if r := p.run("runs", "rm", "nope", "--lang", "en"); !strings.Contains(r.err, "no run") {
		t.Errorf("the flag does not go before the file: %s", r.err)
	}
}
