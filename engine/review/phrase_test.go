package review

import (
	"go/ast"
	gosource "go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestSay(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"lock file", "锁定文件"},
		{"a b.go was not read: dropped by you", "a b.go 未被阅读：被你去掉"},
		{"quality-1: the prompt was cut: 900 of about 4000 tokens were read", "quality-1：提示被截断：约 4000 个 token 中只读了 900 个"},
		{"the change takes 70 % of the window of a/b (8000 tokens): quality-1 may miss things", "改动占 a/b 窗口的 70%（8000 个 token）：quality-1 可能有遗漏"},
		{"3 lines, 1 file, no sensitive path", "3 行，1 个文件，没有敏感路径"},
		{"sensitive path api/auth.go (auth)", "敏感路径 api/auth.go（认证授权）"},
		{"out of time, 5m0s after its first output, waiting to try again after: 429 too many", "时间用完，距首次输出 5m0s，正等待重试，之前：429 too many"},
		{"quality-1: contract violated", "quality-1：报告不合约定"},
		{"Send about 38 KB, and up to 21 KB, should another provider fail, of acme/shop to zhipuai (glm-5.1)?",
			"把 acme/shop 的约 38 KB，以及（别的服务商失败时）最多 21 KB 发送给 zhipuai（glm-5.1）吗？"},
		{"1 run", "1 次评审"},
		{"rate limited by the provider", "rate limited by the provider"}, // a provider's own words
		{"", ""},
	} {
		if got := Say(Chinese, c.said); got != c.want {
			t.Errorf("%q\n is %q\nnot %q", c.said, got, c.want)
		}
		if got := Say(English, c.said); got != c.said {
			t.Errorf("in English %q is %q", c.said, got)
		}
	}
}

func TestSayAnError(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"no run \"x\": `mrv runs` lists them", "没有评审 \"x\"：`mrv runs` 会列出"},
		{"reading the patch: open a b.diff: no such file or directory", "读取补丁：open a b.diff: no such file or directory"},
		{"reading the configuration: reading a.yaml: line 3", "读取配置：读取 a.yaml：line 3"},
		{"writing the journal: no space left", "写入 日志：no space left"},
		{"dial tcp: nobody answers", "dial tcp: nobody answers"},
	} {
		if got := Say(Chinese, c.said); got != c.want {
			t.Errorf("%q\n is %q\nnot %q", c.said, got, c.want)
		}
		if got := Say(English, c.said); got != c.said {
			t.Errorf("in English %q is %q", c.said, got)
		}
	}
}

var verb = regexp.MustCompile(`%[-+# 0]*[\d.]*[a-zA-Z]`)

// engineFiles parses the engine's own source, where its sentences are made.
func engineFiles(t *testing.T) []*ast.File { return sources(t, "..") }

// sources parses what is below a folder, but tests and the tables of phrases.
func sources(t *testing.T, root string) (files []*ast.File) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(filepath.Base(path), "phrases") {
			return err
		}
		f, err := gosource.ParseFile(token.NewFileSet(), path, nil, gosource.SkipObjectResolution)
		if err == nil {
			files = append(files, f)
		}
		return nil // the compiler says what does not parse
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("the source in %s: %d files, %v", root, len(files), err)
	}
	return files
}

// TestEveryPhraseIsSaid: what is not in the source any more needs no words.
func TestEveryPhraseIsSaid(t *testing.T) {
	var literals []string
	for _, f := range slices.Concat(engineFiles(t), sources(t, "../../cmd"), sources(t, "../../tui")) {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := literal(n); ok {
				literals = append(literals, strings.ReplaceAll(s, "%%", "%"))
			}
			return true
		})
	}
	made := []string{ // of an event of a review, of a status, or of a number and a noun
		": failed", ": aborted", ": contract violated", ": running", ": starting", ": retrying", ": queued", ": planned",
		"1 finding", "1 problem", "1 run", " tokens; about ", " tokens unless it was told otherwise; about ", " are needed: the prompt would be cut; raise it with ",
		" lines, ", " files", "1 line, ", " lines, 1 file", "1 line, 1 file",
	}
	all := strings.Join(literals, "\x00")
	seen := map[string]bool{}
	for _, p := range append(slices.Clip(phrases), told...) {
		if seen[p.english] {
			t.Errorf("%q stands twice", p.english)
		}
		seen[p.english] = true
		if strings.Count(p.english, "%s") > 0 && strings.Contains(p.chinese, "%!") {
			t.Errorf("the words for %q are no format", p.english)
		}
		for _, part := range strings.Split(p.english, "%s") {
			words := strings.Trim(part, " :;,()")
			if !strings.Contains(all, part) && !slices.Contains(made, part) && !strings.Contains(all, words) {
				t.Errorf("nothing says %q (of %q)", part, p.english)
			}
		}
	}
}

// sinks are the fields in which mrv's sentences reach a person, by the type
// that has them; "" for an assignment.
var sinks = map[string][]string{
	"Hold": {"Text"}, "NoticeData": {"Text"}, "StatusData": {"Text"}, "ending": {"text"}, "Destination": {"Why"}, "Question": {"Text"}, "Failure": {"Message"}, "SummaryData": {"Error"}, "ChallengeData": {"Error"}, "Gap": {"Text"},
	"": {"Reason", "Why", "Skip", "Unread", "Banner"},
}

// TestEverySentenceHasWords: a sentence that is made anew needs words in both
// languages.
func TestEverySentenceHasWords(t *testing.T) {
	seen := 0
	check := func(e ast.Expr) {
		s, ok := sentence(e)
		if !ok || strings.Trim(verb.ReplaceAllString(s, ""), " :;,()/") == "" {
			return
		}
		seen++
		said := strings.ReplaceAll(verb.ReplaceAllString(s, "7"), "%%", "%")
		if strings.HasPrefix(said, ";") { // behind another sentence
			said = "7" + said
		}
		if Say(Chinese, said) == said {
			t.Errorf("no Chinese words for %q", s)
		}
	}
	for _, f := range engineFiles(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok && slices.Contains(sinks[typeName(n.Type)], name(kv.Key)) && typeName(n.Type) != "" {
						check(kv.Value)
					}
				}
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if s, ok := l.(*ast.SelectorExpr); ok && slices.Contains(sinks[""], s.Sel.Name) && len(n.Rhs) == len(n.Lhs) {
						check(n.Rhs[i])
					}
				}
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "note" && name(s.X) == "l" {
					check(n.Args[0])
				}
			}
			return true
		})
	}
	if seen < 30 {
		t.Errorf("only %d sentences were found", seen)
	}
}

// TestEverySentenceOfACommandHasWords: what a command tells a person, and what
// it says is wrong.
func TestEverySentenceOfACommandHasWords(t *testing.T) {
	seen := 0
	for _, f := range sources(t, "../../cmd/mrv") {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 || !slices.Contains([]string{"tell", "note", "say", "Errorf", "New"}, name(call.Fun)) {
				return true
			}
			s, ok := sentence(call.Args[0])
			s = strings.TrimSuffix(s, ": %w")
			if !ok || strings.Trim(verb.ReplaceAllString(s, ""), " :;,()/") == "" {
				return true
			}
			seen++
			said := strings.ReplaceAll(verb.ReplaceAllString(s, "7"), "%%", "%")
			if Say(Chinese, said) == said {
				t.Errorf("no Chinese words for %q", s)
			}
			return true
		})
	}
	if seen < 60 {
		t.Errorf("only %d sentences were found", seen)
	}
}

// sentence is the format of an expression that makes a sentence.
func sentence(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return literal(e)
	case *ast.BinaryExpr:
		a, oka := sentence(e.X)
		b, okb := sentence(e.Y)
		if !oka {
			a = "%s"
		}
		if !okb {
			b = "%s"
		}
		return a + b, oka || okb
	case *ast.CallExpr:
		if name(e.Fun) == "Sprintf" && len(e.Args) > 0 {
			return literal(e.Args[0])
		}
	}
	return "", false
}

func literal(n ast.Node) (string, bool) {
	l, ok := n.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}

func typeName(e ast.Expr) string {
	if e == nil {
		return ""
	}
	return name(e)
}

func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
