package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

var report = flag.Bool("report", false, "with -bench Screen: print the figures as one table, with their aims")

// none is the aim of a figure that has none.
const none = -1

// figure is one thing measured; its aim is a bound from above.
type figure struct {
	what  string
	value float64
	unit  string
	aim   float64
}

// sheetOf gathers the figures of all parts of a benchmark.
type sheetOf []figure

// run measures a part once a loop and keeps the last figures.
func (s *sheetOf) run(b *testing.B, part func(*testing.B) []figure) {
	var last []figure
	for b.Loop() {
		last = part(b)
	}
	for _, f := range last {
		b.ReportMetric(f.value, strings.NewReplacer(" ", "-", ",", "").Replace(strings.TrimSpace(f.what+" "+f.unit)))
	}
	*s = append(*s, last...)
}

func (s sheetOf) print(w io.Writer) {
	fmt.Fprintf(w, "\n%-46s %12s  %12s\n", "", "measured", "aim")
	for _, f := range s {
		aim, met := "", ""
		if f.aim != none {
			aim, met = fmt.Sprintf("<= %g %s", f.aim, f.unit), "met"
			if f.value > f.aim {
				met = "MISSED"
			}
		}
		fmt.Fprintf(w, "%-46s %12s  %12s  %s\n", f.what, strings.TrimSpace(fmt.Sprintf("%.4g %s", f.value, f.unit)), strings.TrimSpace(aim), met)
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil { // delays mean little on a busy machine
		fmt.Fprintf(w, "%-46s %12s  on %d processors\n", "load of the machine meanwhile", strings.Fields(string(load))[0], runtime.NumCPU())
	}
	fmt.Fprintln(w)
}
