package opencode

import (
	"slices"

	"github.com/mrv-dev/mrv/engine/review"
)

// NoVariant is shown for a model that cannot be asked for an effort.
const NoVariant = "n/a"

// efforts are the keys by which the server knows a model's efforts, from least
// to most. Keys that are not here are somebody's own and never chosen.
var efforts = []string{"none", "off", "minimal", "low", "medium", "high", "xhigh", "max"}

// quiet are the keys that switch thinking off.
var quiet = []string{"off", "none"}

func effortRank(key string) int { return slices.Index(efforts, key) }

// Variant chooses, of a model's variant keys, the one nearest to the effort
// wanted; of two as near, the one that thinks harder. Without thinking it is
// the one that switches it off, if the model has one. An empty effort leaves
// the choice to the model and gives "". NoVariant means that the model has no
// effort to choose.
func Variant(keys []string, effort review.Effort, thinking bool) string {
	if !thinking {
		for _, k := range quiet {
			if slices.Contains(keys, k) {
				return k
			}
		}
	}
	best, distance := NoVariant, len(efforts)
	want := effortRank(string(effort))
	for _, k := range keys {
		r := effortRank(k)
		if r < 0 || slices.Contains(quiet, k) {
			continue
		}
		if d := max(r-want, want-r); d < distance || d == distance && r > effortRank(best) {
			best, distance = k, d
		}
	}
	if best != NoVariant && want < 0 {
		return ""
	}
	return best
}
