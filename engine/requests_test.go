package engine_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/diff"
)

// TestLargeChangeIsNotSentSevenTimes: a change that does not fit into every
// prompt lies in the snapshot as one patch a file, and each of seven reviewers
// is first sent an index of it. With -v it prints the bytes of their first
// requests beside what they would be with the change inline.
func TestLargeChangeIsNotSentSevenTimes(t *testing.T) {
	var provider *scripted.Provider
	o := panel(t, "pass", 7, func(p *scripted.Provider) { provider = p })
	for i := range 12 {
		var b strings.Builder
		fmt.Fprintf(&b, "package api\n\n// Table%d maps codes to names.\nvar Table%d = map[int]string{\n", i, i)
		for j := range 600 {
			fmt.Fprintf(&b, "\t%d: %q,\n", i*1000+j, fmt.Sprintf("the name of code %d in region %d", j, i))
		}
		b.WriteString("}\n")
		addFile(t, o.Source.Dir, fmt.Sprintf("api/table%02d.go", i), b.String())
	}
	cmd := exec.Command("git", "diff", "main...refund-flow")
	cmd.Dir = o.Source.Dir
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	set, err := diff.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	inline := 0
	for _, f := range set.Files {
		inline += len(f.NumberedPatch())
	}
	run := begin(t, o)
	settle(t, run)
	finish(t, run)
	sent, requests := 0, 0
	for _, r := range provider.Requests() {
		if r.Turn == 1 && len(r.Results) == 0 && r.Schema == nil {
			sent += len(r.Body)
			requests++
		}
	}
	if requests != 7 {
		t.Fatalf("%d first requests, want 7", requests)
	}
	t.Logf("7 reviewers, %d files, %d KB of diff: %d KB in the first requests; inline it would be at least %d KB, %.1f times as much",
		len(set.Files), len(raw)>>10, sent>>10, 7*inline>>10, float64(7*inline)/float64(sent))
	if sent*4 > 7*inline {
		t.Errorf("%d bytes were sent, inline are %d: the index saves too little", sent, 7*inline)
	}
}
