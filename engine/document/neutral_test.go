package document

import (
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

func TestNeutralise(t *testing.T) {
	const z = "\u200b"
	token := "gh" + "p_" + strings.Repeat("a1B2", 9)
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "The handler copies `amount`.", "The handler copies `amount`."},
		{"chinese stays", "在 `refund.go` 中，金额来自客户端。", "在 `refund.go` 中，金额来自客户端。"},
		{"marker", "<!-- mrv:review:v1 -->", "<" + z + "!-- mrv:review:v1 -->"},
		{"marker in a code span", "`<!-- mrv -->`", "`<! -- mrv -->`"},
		{"marker in a fence", "```\n<!-- x -->\n```", "```\n<! -- x -->\n```"},
		{"mention", "ask @octocat and @acme/team", "ask @" + z + "octocat and @" + z + "acme/team"},
		{"mention in code stays", "`@Override`", "`@Override`"},
		{"closing keyword", "Fixes #12, closes acme/shop#3, GH-4", "Fixes #" + z + "12, closes acme/shop#" + z + "3, GH-" + z + "4"},
		{"closing by link", "fixes https://github.com/a/b/issues/1", "fixes https" + z + "://github.com/a/b/issues/1"},
		{"link", "[click](https://evil.example)", "[click]" + z + "(https" + z + "://evil.example)"},
		{"reference link", "[a][b]\n\n[b]: //evil.example", "[a][b]\n\n[b]" + z + ": //evil.example"},
		{"image", "![x](y.png)", "!" + z + "[x]" + z + "(y.png)"},
		{"tags", "</details><img src=x> a < b", "<" + z + "/details><" + z + "img src=x> a < b"},
		{"generic in code stays", "`List<String>`", "`List<String>`"},
		{"entity", "&#64;octocat && b", "&" + z + "#" + z + "64;octocat && b"},
		{"command", "/merge\n  /lgtm\npath /etc", z + "/merge\n  " + z + "/lgtm\npath /etc"},
		{"command in a fence", "```\n/merge\n// note\n```", "```\n" + z + "/merge\n// note\n```"},
		{"suggestion", "```suggestion\nx\n```", "```text\nx\n```"},
		{"open fence", "before\n```go\nx := 1", "before\n```go\nx := 1\n```"},
		{"fence in a fence", "~~~\n```\n@x\n```\n~~~\n@y", "````\n```\n@x\n```\n````\n@" + z + "y"},
		{"fence in a list", "- ```go\n  x\n  ```\n@y", "-\n```go\nx\n```\n@" + z + "y"},
		{"lone backtick", "a ` b\n@x ` c", "a ' b\n@" + z + "x ' c"},
		{"escaped backtick", "\\`@x`", "\\'@" + z + "x'"},
		{"table", "`a | b\n--|--\n`c | @x`", "'a | b\n\\--|--\n`c | @x`"},
		{"alert", "[!WARNING]", "[" + z + "!WARNING]"},
		{"direction of writing", "a\u202eb\u200bc\x1b[31m", "abc[31m"},
		{"secret", "uses " + token + "!", "uses ghp_…B2!"},
		{"secret with a gap in it", token[:10] + "\u200b" + token[10:], "ghp_…B2"},
	} {
		if got := Neutralise(c.in); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
		if got := Neutralise(c.want); got != c.want {
			t.Errorf("%s: not stable: %q", c.name, got)
		}
	}
}

// TestEachWayOutMasks: a secret leaves by none of the functions that put a text
// into a document, whatever was masked before.
func TestEachWayOutMasks(t *testing.T) {
	token := "gh" + "p_" + strings.Repeat("a1B2", 9)
	for name, out := range map[string]string{
		"Neutralise": Neutralise(token), "Line": Line("uses " + token), "Quote": Quote(token), "Code": Code("go", "key := \""+token+"\""),
	} {
		if strings.Contains(out, token) || !strings.Contains(out, "ghp_…B2") {
			t.Errorf("%s: %q", name, out)
		}
	}
}

func TestLineHasNoLineEnd(t *testing.T) {
	if got, want := Line("a\n# b\r\n```\u2028@x `c"), "a # b ''' @\u200bx 'c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCodeKeepsLinesAsTheyAre(t *testing.T) {
	for in, want := range map[string]string{
		"<!-- @a #1 -->":   "```html\n<!-- @a #1 -->\n```",
		"a\n````\nb":       "`````html\na\n````\nb\n`````",
		"x := \u202e1":     "```html\nx := <U+202E>1\n```",
		"\tindented  \n\n": "```html\n\tindented  \n```",
		"/merge":           "```html\n/merge\n```",
		"bad \xff byte":    "```html\nbad <FF> byte\n```",
	} {
		if got := Code("html", in); got != want {
			t.Errorf("Code(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestQuoteLeavesNoLineOutside(t *testing.T) {
	got := Quote("a\n\n```\nb")
	if want := "> a\n>\n> ```\n> b\n> ```"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if Quote("") != "" {
		t.Error("an empty text became a quote")
	}
}

// alive are the things that a forge acts upon in the text it renders.
var alive = regexp.MustCompile(`(?i)@[a-z0-9]|#[0-9]|gh-[0-9]|https?:|www\.|\$[^\s0-9\x{200b}]`)

// dangers renders Markdown as a forge does and lists what in it would act.
func dangers(markdown string) []string {
	source := []byte(markdown)
	md := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))
	var out []string
	ast.Walk(md.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML, *ast.HTMLBlock, *ast.Link, *ast.Image, *ast.AutoLink, *east.Table, *east.FootnoteLink:
			out = append(out, n.Kind().String())
		case *ast.FencedCodeBlock:
			if info := string(n.Language(source)); info == "suggestion" || info == "mermaid" {
				out = append(out, info)
			}
		case *ast.CodeSpan, *ast.CodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			// A soft break ends the text; what is rendered is this value.
			if m := alive.Find(n.Segment.Value(source)); m != nil {
				out = append(out, string(m))
			}
		}
		return ast.WalkContinue, nil
	})
	if strings.Contains(markdown, "<!--") {
		out = append(out, "<!--")
	}
	return out
}

func FuzzNeutralise(f *testing.F) {
	for _, s := range []string{
		"a `b` <!-- c --> @d #1 [e](f) ![g](h) https://i.example\n/j", "```go\n@x\n", "- ```\n  a\n@b", "\\`@x`", "a|b\n-|-\n`c|@d`",
		"[a`]:`b\n@x`", "~~~\n`\n~~~", "> ```\n> @x", "    @x\n\t`", "<a href=\"`\">@x`", "&#64;x", "*@x* _https://a.b_ **#1**", "1. ```\n@a", "$x$ $$\n\\color{white}{y}\n$$ $`z`$ a$b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		once := Neutralise(in)
		if twice := Neutralise(once); twice != once {
			t.Fatalf("not stable:\n  in %q\nonce %q\ntwice %q", in, once, twice)
		}
		for _, out := range []string{once, Quote(in), "# " + Line(in)} {
			if found := dangers(out); found != nil {
				t.Fatalf("%q passes\n in %q\nout %q", found, in, out)
			}
		}
		// A quote cannot be left: what follows it is not part of it.
		if q := Quote(in); q != "" && dangers(q+"\n\n@x") == nil {
			t.Fatalf("what follows the quote of %q is swallowed", in)
		}
	})
}
