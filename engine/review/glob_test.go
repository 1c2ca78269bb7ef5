package review

import "testing"

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"*.go", "a.go", true},
		{"*.go", "x/y/a.go", true},
		{"*.go", "a.go.txt", false},
		{"docs/*.md", "docs/a.md", true},
		{"docs/*.md", "docs/x/a.md", false},
		{"docs/**", "docs/x/a.md", true},
		{"docs/", "docs/x/a.md", true},
		{"docs/", "x/docs/a.md", true},
		{"/docs/", "x/docs/a.md", false},
		{"**/testdata/**", "testdata/a", true},
		{"**/testdata/**", "x/testdata/a/b", true},
		{"**/testdata/**", "x/mytestdata/a", false},
		{"*_test.{go,py}", "x/a_test.py", true},
		{"Dockerfile*", "deploy/Dockerfile.dev", true},
		{"a+b.txt", "a+b.txt", true},
		{"a?c", "abc", true},
		{"文档/*.md", "文档/说明.md", true},
	} {
		gs, err := CompileGlobs([]string{c.glob})
		if err != nil {
			t.Fatal(err)
		}
		if got := gs.Match(c.path); got != c.want {
			t.Errorf("%s matches %s: %v, want %v", c.glob, c.path, got, c.want)
		}
	}
	if _, err := CompileGlobs([]string{"*.{go"}); err == nil {
		t.Error("an open brace compiles")
	}
	if (Persona{Paths: []string{"*.md"}}).Applies([]string{"a.go"}) || !(Persona{}).Applies(nil) {
		t.Error("a persona applies by its paths, and without any to every change")
	}
}
