package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/tui"
)

// brokeDown words the end of a screen that panicked: one line for the person,
// and what led to it in a file. Another error stays as it is.
func brokeDown(paths config.Paths, err error) error {
	var p *tui.Panic
	if !errors.As(err, &p) {
		return err
	}
	path, kept := keepTrace(filepath.Join(paths.State, "crashes"), p, time.Now())
	if kept != nil {
		return errors.Join(fmt.Errorf("mrv made a mistake and ended: %w", p), kept)
	}
	return fmt.Errorf("mrv made a mistake and ended: %w; what led to it is kept in %s", p, path)
}

// keepTrace writes what led to a panic into a file of its own, for a report: it
// has no word of the change or of the reviewers, but what the panic itself says.
func keepTrace(dir string, p *tui.Panic, at time.Time) (path string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("keeping the trace: %w", err)
	}
	path = filepath.Join(dir, at.UTC().Format("20060102-150405.000")+".txt")
	trace := fmt.Sprintf("mrv %s, %s, %s/%s\n%v\n\n%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, p, p.Stack)
	if err := os.WriteFile(path, []byte(trace), 0o600); err != nil {
		return "", fmt.Errorf("keeping the trace: %w", err)
	}
	return path, nil
}
