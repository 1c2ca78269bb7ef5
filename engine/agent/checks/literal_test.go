package checks

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/personas"
)

func TestNeeded(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{`use\(`, []string{"use("}},
		{`(?i)Select\s+x`, []string{"select"}},
		{`a(bc|def)+`, []string{"bc", "def"}},
		{`(AKIA|ASIA)[A-Z]{16}`, []string{"kia", "sia"}},
		{`x(abc)?y`, []string{"x"}},
		{`(abc)*`, nil},
		{`abc|[0-9]+`, nil},
		{`[a-z]+`, nil},
		{`(ab){2}`, []string{"ab"}},
		{`(ab){0,2}`, nil},
		{`(?i)straße|x`, nil},
		{`密码=`, []string{"密码="}},
		{``, nil},
		{`(`, nil},
	} {
		if got := needed(c.pattern); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s needs %q, want %q", c.pattern, got, c.want)
		}
	}
}

func TestFinder(t *testing.T) {
	f := newFinder(map[string][]int{"he": {1}, "she": {2}, "his": {3}, "hers": {4, 5}, "密": {6}})
	for text, want := range map[string][]int{
		"ushers": {2, 1, 4, 5}, "SHE": {2, 1}, "hi": nil, "": nil, "a密码": {6}, "hishe": {3, 2, 1},
	} {
		var got []int
		f.in(text, func(n int) { got = append(got, n) })
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// FuzzNeeded: no text that a pattern matches lacks all that the pattern needs.
func FuzzNeeded(f *testing.F) {
	list, err := personas.Builtin()
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range list {
		for _, c := range p.Checks {
			f.Add(c.Pattern, "\tcursor.execute(\"SELECT * FROM t WHERE id = %s\" % id)")
			f.Add(c.After, "-----BEGIN RSA PRIVATE KEY-----")
		}
	}
	f.Add(`(?i)kiss`, "\u212aI\u017f\u017f")
	f.Add("\ufffd", "\xff")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := regexp.Compile(pattern)
		needs := needed(pattern)
		if err != nil || needs == nil || !re.MatchString(text) {
			return
		}
		texts := map[string][]int{}
		for _, n := range append(needs, foldsToASCII...) {
			texts[n] = []int{0}
		}
		found := false
		newFinder(texts).in(text, func(int) { found = true })
		if !found {
			t.Errorf("%q matches %q, which has none of %q", pattern, text, strings.Join(needs, " "))
		}
	})
}
