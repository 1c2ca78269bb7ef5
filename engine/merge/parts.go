package merge

import (
	"runtime"
	"sync"
)

// inParts runs the work over parts of 0 to n-1 at the same time, one for each
// processor, and waits for all. What the parts do must not depend on each other.
func inParts(n int, work func(from, to int)) {
	parts := min(runtime.GOMAXPROCS(0), n)
	var all sync.WaitGroup
	for p := range parts {
		all.Go(func() { work(p*n/parts, (p+1)*n/parts) })
	}
	all.Wait()
}
