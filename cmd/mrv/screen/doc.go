// Package screen drives the real binary in a terminal of its own, for tests
// that read like a person: start, see, press, see. It waits for what should
// appear and never sleeps for a guess. It also draws what the terminal shows
// as an SVG, cell by cell, for the README's pictures.
package screen
