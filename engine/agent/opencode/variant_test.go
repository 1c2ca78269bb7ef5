package opencode

import (
	"testing"

	"github.com/mrv-dev/mrv/engine/review"
)

func TestVariant(t *testing.T) {
	anthropic := []string{"low", "medium", "high", "xhigh", "max"}
	openai := []string{"none", "low", "medium", "high", "xhigh", "max"}
	glm := []string{"low", "high", "max"}
	gemini := []string{"low", "medium", "high"}
	for _, tt := range []struct {
		keys     []string
		effort   review.Effort
		thinking bool
		want     string
	}{
		{anthropic, review.EffortMax, true, "max"},
		{anthropic, review.EffortLow, true, "low"},
		{gemini, review.EffortMax, true, "high"},
		{glm, review.EffortMedium, true, "high"}, // as near as low: the harder one
		{[]string{"max", "high", "low"}, review.EffortMedium, true, "high"},
		{[]string{"minimal"}, review.EffortMax, true, "minimal"},
		{nil, review.EffortMax, true, NoVariant},
		{[]string{"custom", "turbo"}, review.EffortMax, true, NoVariant}, // somebody's own
		{[]string{"none"}, review.EffortLow, true, NoVariant},            // would switch thinking off
		{openai, review.EffortMax, false, "none"},
		{[]string{"off", "none", "low"}, review.EffortMax, false, "off"},
		{anthropic, review.EffortMax, false, "max"}, // cannot be switched off
		{anthropic, "", true, ""},
		{nil, "", true, NoVariant},
	} {
		if got := Variant(tt.keys, tt.effort, tt.thinking); got != tt.want {
			t.Errorf("Variant(%q, %q, %v) = %q, want %q", tt.keys, tt.effort, tt.thinking, got, tt.want)
		}
	}
}
