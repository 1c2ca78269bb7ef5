package review

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"model", "tiers", "keys", "budget", "预算"}
	for word, want := range map[string]string{
		"modle": "model", "Model": "model", "tier": "tiers", "bugdet": "budget", "kesy": "keys", "预箅": "预算",
		"models": "model", "x": "", "theme": "", "": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"金额", "金钱", 1}, {"ab", "ba", 2}} {
		if got := Edits(c.a, c.b); got != c.want || Edits(c.b, c.a) != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
