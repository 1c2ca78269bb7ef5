package journal

import (
	"fmt"

	"github.com/mrv-dev/mrv/engine/event"
)

// lifts brings an event of an older journal version to the next one: entry i
// lifts version i+1 to i+2. Version 1 is the first, so there is none yet.
var lifts = [Version - 1]func(event.Event) (event.Event, error){}

func lift(from int, e event.Event) (event.Event, error) {
	for v := max(from, 1); v < Version; v++ {
		var err error
		if e, err = lifts[v-1](e); err != nil {
			return e, fmt.Errorf("lifting event %d from version %d: %w", e.Seq, v, err)
		}
	}
	return e, nil
}
