package opencode

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// stream reads the server's events for as long as its context lives, and
// connects again when they stop coming: the server sends a heartbeat every
// 10 s, so a longer silence is a dead connection. There is no replay; after a
// new connection the sessions are told that they may have missed something.
type stream struct {
	client   *client
	exchange *exchange
	silence  time.Duration // without any byte, before it connects again
	pause    time.Duration // between two tries to connect
}

// run reads events until ctx ends. It calls connected once, when the server
// has said that it listens.
func (s *stream) run(ctx context.Context, connected func()) {
	first := true
	for ctx.Err() == nil {
		_ = s.read(ctx, func() { // why it ended does not matter: it is opened again
			if first {
				first = false
				connected()
				return
			}
			s.exchange.all(func(string) notice { return notice{gap: true} })
		})
		select {
		case <-ctx.Done():
		case <-time.After(s.pause):
		}
	}
}

// read opens one connection and delivers its events until it breaks or falls
// silent.
func (s *stream) read(ctx context.Context, connected func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watchdog := time.AfterFunc(s.silence, cancel)
	defer watchdog.Stop()

	req, err := s.client.request(ctx, http.MethodGet, "/event", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := s.client.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("GET /event: OpenCode answered %s", res.Status)
	}
	return readEvents(&fed{res.Body, func() { watchdog.Reset(s.silence) }}, func(e event) {
		if e.Type == "server.connected" {
			connected()
			return
		}
		s.exchange.deliver(e)
	})
}

// fed calls eat for every read that brought something.
type fed struct {
	io.Reader
	eat func()
}

func (f *fed) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if n > 0 {
		f.eat()
	}
	return n, err
}

// readEvents splits a stream of server-sent events. The server sends one
// `data:` line per event and nothing else; a line may be larger than 1 MB,
// because the prompt is echoed in one.
func readEvents(r io.Reader, deliver func(event)) error {
	br := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := br.ReadBytes('\n')
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && err == nil {
			var e event
			if json.Unmarshal(data, &e) == nil {
				deliver(e)
			}
		}
		if err != nil {
			return err
		}
	}
}
