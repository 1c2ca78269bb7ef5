package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/mrv-dev/mrv/engine/event"
)

// Schema and Version identify the file.
const (
	Schema  = "mrv.journal"
	Version = 1
)

// Header is the first line of a journal.
type Header struct {
	Schema string `json:"schema"`
	V      int    `json:"v"`
	MRV    string `json:"mrv"` // version of mrv that wrote it
	Run    string `json:"run"`
}

// LockedError says that another process writes the journal.
type LockedError struct {
	Path string
	PID  int // 0 when it is not known
}

// Error implements error.
func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("the run %s is open in another mrv", runName(e.Path))
	}
	return fmt.Sprintf("the run %s is open in another mrv (pid %d)", runName(e.Path), e.PID)
}

// VersionError says that a newer mrv wrote the journal.
type VersionError struct {
	Path string
	V    int
}

// Error implements error.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the journal %s has version %d; this mrv reads up to %d: use a newer mrv", e.Path, e.V, Version)
}

func runName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".jsonl") }

// Writer appends to a journal. It is used by one goroutine.
type Writer struct {
	path  string
	file  *os.File
	lock  *flock.Flock
	size  int64 // of what was written whole
	seq   int64
	base  int64 // t_ms at since
	since time.Time
	now   func() time.Time
}

// Create starts the journal of a new run, in a directory only the person can
// read, and takes its lock.
func Create(path, run, version string) (*Writer, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making the journal's directory: %w", err)
	}
	lock, err := acquire(path)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("creating the journal: %w", err), lock.Unlock())
	}
	w := &Writer{path: path, file: f, lock: lock, now: time.Now}
	w.since = w.now()
	line, err := json.Marshal(Header{Schema: Schema, V: Version, MRV: version, Run: run})
	if err == nil {
		err = w.write(append(line, '\n'))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("writing the journal's first line: %w", err), w.Close())
	}
	return w, nil
}

// Open takes up an existing journal: it takes the lock, drops a torn last
// line, and returns what stands in it.
func Open(path string) (*Writer, []event.Event, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, nil, fmt.Errorf("opening the journal: %w", err)
	}
	lock, err := acquire(path)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("opening the journal: %w", err), lock.Unlock())
	}
	w := &Writer{path: path, file: f, lock: lock, now: time.Now}
	_, events, size, err := read(path, f)
	if err == nil {
		err = f.Truncate(size)
	}
	if err == nil {
		_, err = f.Seek(size, io.SeekStart)
	}
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	w.size, w.since = size, w.now()
	if n := len(events); n > 0 {
		w.seq, w.base = events[n-1].Seq, events[n-1].TMS
	}
	return w, events, nil
}

// acquire takes the lock beside the journal and notes our pid in it.
func acquire(path string) (*flock.Flock, error) {
	l := flock.New(path+".lock", flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking the journal: %w", err)
	}
	if !ok {
		pid := 0
		if raw, err := os.ReadFile(path + ".lock"); err == nil {
			pid, _ = strconv.Atoi(strings.TrimSpace(string(raw))) // 0 when it is not written yet
		}
		return nil, &LockedError{Path: path, PID: pid}
	}
	if err := os.WriteFile(path+".lock", []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("noting the pid in the journal's lock: %w", err), l.Unlock())
	}
	return l, nil
}

// Path is the journal's file.
func (w *Writer) Path() string { return w.path }

// Elapsed is the run's clock, in milliseconds, for the next event.
func (w *Writer) Elapsed() int64 { return w.base + w.now().Sub(w.since).Milliseconds() }

// Append stamps events with sequence number and clocks and writes them as one.
// With sync they are on disk when it returns. On an error (a full disk) nothing
// of them stays in the file, and the writer can be used again.
func (w *Writer) Append(sync bool, events ...event.Event) ([]event.Event, error) {
	var buf bytes.Buffer
	t, wall, seq := w.Elapsed(), event.Stamp(w.now()), w.seq
	for i := range events {
		seq++
		events[i].Seq, events[i].TMS, events[i].Wall = seq, t, wall
		line, err := json.Marshal(events[i])
		if err != nil {
			return nil, fmt.Errorf("writing event %d: %w", seq, err)
		}
		buf.Write(line)
		buf.WriteByte('\n')
	}
	if err := w.write(buf.Bytes()); err != nil {
		return nil, err
	}
	w.seq = seq
	if sync {
		if err := w.file.Sync(); err != nil {
			return events, fmt.Errorf("bringing the journal to disk: %w", err)
		}
	}
	return events, nil
}

// write appends whole or not at all.
func (w *Writer) write(b []byte) error {
	n, err := w.file.Write(b)
	if err == nil {
		w.size += int64(n)
		return nil
	}
	err = fmt.Errorf("appending to the journal %s: %w", w.path, err)
	if terr := w.file.Truncate(w.size); terr != nil {
		err = errors.Join(err, fmt.Errorf("taking back a partial line: %w", terr))
	}
	if _, serr := w.file.Seek(w.size, io.SeekStart); serr != nil {
		err = errors.Join(err, serr)
	}
	return err
}

// Close brings the journal to disk and frees its lock.
func (w *Writer) Close() error {
	var errs []error
	if err := w.file.Sync(); err != nil {
		errs = append(errs, fmt.Errorf("bringing the journal to disk: %w", err))
	}
	errs = append(errs, w.file.Close(), w.lock.Unlock())
	return errors.Join(errs...)
}

// Read reads a journal without taking its lock.
func Read(path string) (Header, []event.Event, error) {
	f, err := os.Open(path)
	if err != nil {
		return Header{}, nil, fmt.Errorf("opening the journal: %w", err)
	}
	defer f.Close()
	h, events, _, err := read(path, f)
	return h, events, err
}

// Parse reads a journal from memory, such as an embedded recording.
func Parse(name string, raw []byte) (Header, []event.Event, error) {
	h, events, _, err := read(name, bytes.NewReader(raw))
	return h, events, err
}

// read returns the events and the size of what is whole.
func read(path string, r io.Reader) (h Header, events []event.Event, size int64, err error) {
	br := bufio.NewReaderSize(r, 1<<20)
	for n := 0; ; n++ {
		line, rerr := br.ReadBytes('\n')
		if rerr != nil && !errors.Is(rerr, io.EOF) {
			return h, events, size, fmt.Errorf("reading the journal %s: %w", path, rerr)
		}
		if rerr != nil { // what is left has no newline: torn, or nothing
			break
		}
		if n == 0 {
			if h, err = header(path, line); err != nil {
				return h, nil, 0, err
			}
			size += int64(len(line))
			continue
		}
		var e event.Event
		if uerr := json.Unmarshal(line, &e); uerr != nil {
			if _, perr := br.Peek(1); errors.Is(perr, io.EOF) {
				break // the last line, torn by a crash that left a newline
			}
			return h, events, size, fmt.Errorf("the journal %s is damaged at line %d: %w", path, n+1, uerr)
		}
		if e, err = lift(h.V, e); err != nil {
			return h, events, size, err
		}
		events = append(events, e)
		size += int64(len(line))
	}
	if h.Schema == "" {
		return h, nil, 0, fmt.Errorf("%s is not a journal: it is empty", path)
	}
	return h, events, size, nil
}

func header(path string, line []byte) (Header, error) {
	var h Header
	if err := json.Unmarshal(line, &h); err != nil || h.Schema != Schema {
		return h, fmt.Errorf("%s is not a journal of mrv", path)
	}
	if h.V > Version {
		return h, &VersionError{Path: path, V: h.V}
	}
	return h, nil
}
