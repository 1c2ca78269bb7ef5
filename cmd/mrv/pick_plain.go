package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/tui"
	"github.com/mrv-dev/mrv/tui/picker"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// plainWidth is what lines are cut to, in cells.
const plainWidth = 78

// pickPlainly lets the person pick by number, and shows the review line by
// line.
func pickPlainly(ctx context.Context, s streams, p *pick, look screenFlags) error {
	say := words.For(p.options.Lang)
	host, repo := p.Where()
	page := picker.Read(ctx, picker.Options{Source: p, Host: host, Repo: repo, Now: time.Now}, say, plainWidth)
	for _, l := range page.Lines {
		fmt.Fprintln(s.out, l)
	}
	if len(page.Items) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	choice, err := pickNumber(s, page, say)
	if err != nil || choice == nil {
		return err
	}
	opened, err := p.Open(ctx, *choice)
	if err == nil && opened.Starter != nil {
		err = consentTo(s, opened.Starter)
	}
	if err == nil {
		err = showScreen(ctx, s, p.options, look, tui.Options{
			Starter: opened.Starter, Run: opened.Run, SkipPlan: opened.SkipPlan, Lang: opened.Lang, Fatal: p.fatal,
		})
	}
	id, closing := p.closed()
	return left(s, err, closing, id)
}

// pickNumber asks until it has an answer; nil is that the person left.
func pickNumber(s streams, page *picker.Linear, say *words.Words) (*picker.Choice, error) {
	line := func(prompt string) (string, error) {
		fmt.Fprint(s.out, prompt+": ")
		l, err := readLine(s.in)
		if errors.Is(err, io.EOF) && l == "" {
			return "q", nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("reading the answer: %w", err)
		}
		return strings.ToLower(strings.TrimSpace(l)), nil
	}
	for {
		l, err := line(say.Pick.Number)
		if err != nil || l == "q" {
			return nil, err
		}
		n, err := strconv.Atoi(strings.TrimSuffix(l, "."))
		if err != nil || n < 1 || n > len(page.Items) {
			fmt.Fprintf(s.out, say.Pick.NoNumber+"\n", len(page.Items))
			continue
		}
		item := page.Items[n-1]
		question, asks := page.Question(item)
		if !asks {
			return &picker.Choice{Item: item}, nil
		}
		for _, q := range question {
			for _, l := range text.Wrap(q, plainWidth) {
				fmt.Fprintln(s.out, l)
			}
		}
		letter, err := line(say.Pick.Letter)
		if err != nil {
			return nil, err
		}
		if c, ok := page.Answer(item, letter); ok {
			return &c, nil
		}
	}
}

// consentTo asks what must be allowed before a review begins.
func consentTo(s streams, st tui.Starter) error {
	asking, ok := st.(*starter)
	if !ok {
		return nil
	}
	return consent(s, asking.planned)
}
