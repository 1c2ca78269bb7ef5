package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// consent asks what a person must answer before anything is sent, on the
// terminal, with No as the default.
func consent(s streams, p *engine.Planned) error {
	for _, q := range p.Questions() {
		yes, err := ask(s, review.Say(p.Plan().Lang, q.Text))
		if err != nil {
			return err
		}
		if !yes {
			return fmt.Errorf("not allowed: %s", text.Line(q.Text))
		}
		if err := p.Allow(q); err != nil {
			return err
		}
	}
	return nil
}

// ask puts a yes or no question; what is typed comes from the terminal even
// when standard input is the diff.
func ask(s streams, question string) (bool, error) {
	in := s.in
	if !s.inTTY {
		tty, err := os.Open("/dev/tty")
		if err != nil {
			return false, fmt.Errorf("asking %q: %w", text.Line(question), err)
		}
		defer tty.Close()
		in = tty
	}
	fmt.Fprintf(s.err, "%s [y/N] ", text.Line(question))
	line, err := readLine(in)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("reading the answer: %w", err)
	}
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes", nil
}

// readLine reads up to a newline, a byte at a time so that nothing behind it
// is taken from whoever reads next.
func readLine(r io.Reader) (string, error) {
	var b strings.Builder
	one := make([]byte, 1)
	for {
		n, err := r.Read(one)
		if n == 1 {
			if one[0] == '\n' {
				return b.String(), nil
			}
			b.WriteByte(one[0])
		}
		if err != nil {
			return b.String(), err
		}
	}
}
