package opencode

import (
	"encoding/json"
	"sync"
	"time"
)

// notice is one thing a session hears: exactly one of its fields is set.
type notice struct {
	event event
	poll  *polled
	gap   bool // events may have been missed
}

// polled is what a poll said the session was doing.
type polled struct {
	status status
	asked  time.Time // when the poll was sent
}

// mailbox holds what a session has not yet read. It never blocks who puts
// something in, so that one slow reader cannot hold up the others' events.
type mailbox struct {
	mu    sync.Mutex
	items []notice
	ready chan struct{} // holds a token while there are items
}

func newMailbox() *mailbox { return &mailbox{ready: make(chan struct{}, 1)} }

func (m *mailbox) put(n notice) {
	m.mu.Lock()
	m.items = append(m.items, n)
	m.mu.Unlock()
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

// take empties the mailbox.
func (m *mailbox) take() []notice {
	m.mu.Lock()
	defer m.mu.Unlock()
	items := m.items
	m.items = nil
	return items
}

// exchange hands the server's events to the sessions they are about.
type exchange struct {
	mu    sync.Mutex
	boxes map[string]*mailbox
}

func (x *exchange) open(session string) *mailbox {
	x.mu.Lock()
	defer x.mu.Unlock()
	b := newMailbox()
	x.boxes[session] = b
	return b
}

func (x *exchange) close(session string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.boxes, session)
}

func (x *exchange) deliver(e event) {
	x.mu.Lock()
	b := x.boxes[sessionOf(e)]
	x.mu.Unlock()
	if b != nil {
		b.put(notice{event: e})
	}
}

// all hands every session a notice of its own.
func (x *exchange) all(of func(session string) notice) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, b := range x.boxes {
		b.put(of(id))
	}
}

func (x *exchange) empty() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.boxes) == 0
}

// sessionOf is the id of the session that an event is about, or "". Older
// servers name it in the message or the part only.
func sessionOf(e event) string {
	var p struct {
		SessionID string `json:"sessionID"`
		Info      struct {
			SessionID string `json:"sessionID"`
		} `json:"info"`
		Part struct {
			SessionID string `json:"sessionID"`
		} `json:"part"`
	}
	if json.Unmarshal(e.Properties, &p) != nil {
		return ""
	}
	switch {
	case p.SessionID != "":
		return p.SessionID
	case p.Info.SessionID != "":
		return p.Info.SessionID
	}
	return p.Part.SessionID
}
