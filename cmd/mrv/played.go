package main

import (
	"context"
	"errors"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
)

// playedRun is a run that is only watched: nothing can be done to it.
type playedRun struct{ updates <-chan []event.Event }

var errPlayed = errors.New("this is a replay: mrv resume RUN opens the run itself")

// Updates is the journal at its pace.
func (r playedRun) Updates() <-chan []event.Event { return r.updates }

// Do refuses every command.
func (playedRun) Do(context.Context, event.Command) error { return errPlayed }

// Landing refuses.
func (playedRun) Landing(context.Context) (event.Landing, error) {
	return event.Landing{}, errPlayed
}

// Context has no repository.
func (playedRun) Context(context.Context, string, diff.Side, int, int) ([]string, error) {
	return nil, errPlayed
}

// Transcript is what the screen has.
func (playedRun) Transcript(context.Context, string) (string, error) { return "", errPlayed }
