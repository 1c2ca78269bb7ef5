package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mrv-dev/mrv/engine/forge"
)

const (
	// pace is the time between two writes (GitHub: at least a second).
	pace = time.Second
	// patience is the longest that a limit is waited for.
	patience = 5 * time.Minute
	tries    = 3
)

// write does one write. After an answer that does not say whether it was
// obeyed (none at all, or a 5xx), there looks before it is repeated; with nil
// it may be repeated as it is. A limit is waited for.
func (s Sender) write(ctx context.Context, there func(context.Context) (bool, error), do func(context.Context) error) error {
	wait := s.Wait
	if wait == nil {
		wait = sleep
	}
	for try := 1; ; try++ {
		err := do(ctx)
		if err == nil {
			return wait(ctx, pace)
		}
		var e *forge.Error
		if ctx.Err() != nil || !errors.As(err, &e) {
			return err
		}
		pause := pace << try
		switch e.Kind {
		case forge.Unreachable, forge.Broken:
			if there == nil {
				break // the same again does no harm
			}
			done, lookErr := there(ctx)
			if lookErr != nil {
				return errors.Join(err, fmt.Errorf("looking whether it arrived: %w", lookErr))
			}
			if done {
				return nil
			}
		case forge.RateLimited:
			pause = time.Minute << (try - 1)
			if !e.Retry.IsZero() {
				pause = max(time.Until(e.Retry), 0) + time.Second
			}
			if pause > patience {
				return err
			}
		default:
			return err
		}
		if try == tries {
			return err
		}
		if waitErr := wait(ctx, pause); waitErr != nil {
			return errors.Join(err, waitErr)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
