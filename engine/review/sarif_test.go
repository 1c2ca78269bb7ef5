package review

import "testing"

func TestSARIFSeverity(t *testing.T) {
	for _, c := range []struct {
		level string
		score float64
		want  Severity
	}{
		{"error", 0, Warning}, {"warning", 0, Warning}, {"", 0, Warning}, {"note", 0, Suggestion}, {"none", 0, Suggestion},
		{"error", 8.9, Warning}, {"note", 9, Critical}, {"", 9.8, Critical},
	} {
		if got := SARIFSeverity(c.level, c.score); got != c.want {
			t.Errorf("level %q, score %v: %q, want %q", c.level, c.score, got, c.want)
		}
	}
}
