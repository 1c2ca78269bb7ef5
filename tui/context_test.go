//go:build !race

// Bubble Tea, when its context ends, closes the input that it still polls: the
// race detector rightly sees that in the library. The same end of the real
// binary, by a signal, is tested beside the commands.

package tui

import (
	"context"
	"errors"
	"testing"

	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/internal/scene"
	"github.com/mrv-dev/mrv/tui/window"
)

func TestTheContextEndsTheScreen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d := newDesk()
	d.updates <- scene.New(plan(1)).Events()
	w := window.Open(t, 80, 24)
	ended := make(chan error, 1)
	go func() { ended <- Main(ctx, Options{Run: d, In: w.TTY(), Out: w.TTY(), Env: w.Env()}) }()
	w.See("1 quality-1")
	cancel()
	var exit *Exit
	if err := <-ended; !errors.As(err, &exit) || exit.Code != review.ExitInterrupted {
		t.Errorf("ends with %v", err)
	}
}
