package merge

import (
	"fmt"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
)

// Evidence kinds, in the order in which they are shown.
const (
	QuoteFound     = "quote-found"
	QuoteMissing   = "quote-missing"
	Agreement      = "agreement" // N of Of reviewers
	ModelCount     = "models"    // N distinct models
	AnalyserAgrees = "analyser"
	LineMoved      = "moved"    // by N lines
	PlaceUnsure    = "place"    // Text says how the place was found
	LookedSilent   = "silent"   // N looked and did not report it
	Differs        = "dissent"  // N reviewers differ
	SecurityKept   = "security" // kept although alone
)

// Part is one statement of an evidence line. Text is English and whole; a
// screen in another language words Kind, N and Of itself.
type Part struct {
	Kind string `json:"kind"`
	N    int    `json:"n,omitempty"`
	Of   int    `json:"of,omitempty"`
	Text string `json:"text"`
}

// Evidence says what speaks for and against an entry, instead of a model's
// confidence number. team is how many reviewers could have reported it; quoted
// says that a source of the entry gives a quote.
func Evidence(e event.Entry, team int, quoted bool) []Part {
	var parts []Part
	add := func(kind string, n, of int, format string, args ...any) {
		parts = append(parts, Part{Kind: kind, N: n, Of: of, Text: fmt.Sprintf(format, args...)})
	}
	switch {
	case e.Place.QuoteFound:
		add(QuoteFound, 0, 0, "quote found")
	case quoted:
		add(QuoteMissing, 0, 0, "quote not found")
	}
	add(Agreement, len(e.Reviewers), team, "%d of %d", len(e.Reviewers), team)
	if e.Models > 0 {
		add(ModelCount, e.Models, 0, "%s", counted(e.Models, "model"))
	}
	if e.Analyser {
		add(AnalyserAgrees, 0, 0, "analyser agrees")
	}
	if e.Security && !e.Confirmed {
		add(SecurityKept, 0, 0, "security, kept alone")
	}
	if e.Place.Shift != 0 {
		add(LineMoved, e.Place.Shift, 0, "line moved %+d", e.Place.Shift)
	}
	switch e.Place.How {
	case diff.InFile, diff.NotChanged, diff.NoPath:
		add(PlaceUnsure, 0, 0, "place: %s", e.Place.How)
	}
	if n := len(e.Silent); n > 0 {
		add(LookedSilent, n, 0, "%d looked and did not report", n)
	}
	if n := len(e.Dissent); n > 0 {
		add(Differs, n, 0, "%s", counted(n, "reviewer")+" differ")
	}
	return parts
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
