package engine

import (
	"slices"
	"testing"

	"github.com/mrv-dev/mrv/engine/review"
)

func TestAChainStaysWithinTheFamily(t *testing.T) {
	model := func(provider, id string) review.Model { return review.Model{Provider: provider, ID: id} }
	opus7, opus6 := model("a", "claude-opus-4-7"), model("b", "anthropic/claude-opus-4-6")
	kimi, glm := model("m", "kimi-k2"), model("z", "glm-5.1")
	for _, c := range []struct{ chain, want []review.Model }{
		{[]review.Model{opus7, kimi, glm, opus6}, []review.Model{opus7, opus6, kimi, glm}},
		{[]review.Model{kimi, glm, opus6}, []review.Model{kimi, glm, opus6}},
		{[]review.Model{glm}, []review.Model{glm}},
		{nil, nil},
	} {
		got := slices.Clone(c.chain)
		familyFirst(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v becomes %v, want %v", c.chain, got, c.want)
		}
	}
}
