package board

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/tui/text"
)

// viewMsg carries a file to the editor.
type viewMsg struct {
	board  *Board
	file   string
	line   int
	copied bool // to be removed afterwards
	closed bool
	err    error
}

// openEditor opens the line of the finding in the person's editor.
func (b *Board) openEditor() tea.Cmd {
	it, ok := b.current()
	if !ok || it.file() == "" {
		b.say(b.words.Board.NoFile)
		return nil
	}
	if len(b.desk.Editor) == 0 {
		b.say(b.words.Board.Edit.NoEditor)
		return nil
	}
	path, line, side, dir := it.file(), it.line(), diff.Right, ""
	if it.Place.Side == diff.Left || it.shown.Location.Old {
		side = diff.Left
	} else if b.state.Plan != nil {
		dir = b.state.Plan.Change.Dir
	}
	ctx, run := b.ctx, b.run
	return func() tea.Msg {
		m := viewMsg{board: b, line: line}
		m.file, m.copied, m.err = reviewed(ctx, run, dir, path, side)
		return m
	}
}

// reviewed finds a file to open whose text is the reviewed one: that of the
// checkout when it is, else a copy that can not be written.
func reviewed(ctx context.Context, run Run, dir, path string, side diff.Side) (file string, copied bool, err error) {
	lines, err := run.Context(ctx, path, side, 1, 1<<30)
	if err != nil {
		return "", false, err
	}
	want := strings.Join(lines, "\n")
	if dir != "" && filepath.IsLocal(path) {
		at := filepath.Join(dir, path)
		if info, err := os.Lstat(at); err == nil && info.Mode().IsRegular() {
			if raw, err := os.ReadFile(at); err == nil && strings.TrimSuffix(string(raw), "\n") == want {
				return at, false, nil
			}
		}
	}
	f, err := os.CreateTemp("", "mrv-*-"+filepath.Base(path))
	if err != nil {
		return "", false, fmt.Errorf("copying %s to open it: %w", text.Line(path), err)
	}
	_, err = f.WriteString(want + "\n")
	if err = errors.Join(err, f.Chmod(0o400), f.Close()); err != nil {
		return f.Name(), true, fmt.Errorf("copying %s to open it: %w", text.Line(path), err)
	}
	return f.Name(), true, nil
}

// viewed takes a file to the editor, and a copy away afterwards.
func (b *Board) viewed(m viewMsg) tea.Cmd {
	if m.err != nil {
		b.fail(fmt.Errorf(b.words.Board.Edit.Failed, m.err))
	}
	if m.err != nil || m.closed {
		if m.copied {
			return remove(m.file)
		}
		return nil
	}
	if m.copied {
		b.say(b.words.Board.OnlyHere)
	}
	argv := b.desk.Editor[:len(b.desk.Editor):len(b.desk.Editor)]
	if m.line > 0 {
		argv = append(argv, fmt.Sprintf("+%d", m.line))
	}
	argv = append(argv, "--", m.file)
	return b.exec(exec.Command(argv[0], argv[1:]...), func(err error) tea.Msg {
		m.closed, m.err = true, err
		return m
	})
}

// openBrowser opens the finding's line on the forge; without a display its
// address goes to the terminal's clipboard.
func (b *Board) openBrowser() tea.Cmd {
	url := b.address()
	if url == "" {
		b.say(b.words.Board.NoURL)
		return nil
	}
	if len(b.desk.Browser) == 0 {
		b.say(fmt.Sprintf(b.words.Board.NoDisplay, url))
		return tea.SetClipboard(url)
	}
	argv := append(b.desk.Browser[:len(b.desk.Browser):len(b.desk.Browser)], url)
	ctx := b.ctx
	return func() tea.Msg {
		if err := exec.CommandContext(ctx, argv[0], argv[1:]...).Run(); err != nil {
			return browseMsg{b, fmt.Errorf("opening the browser with %s: %w", argv[0], err)}
		}
		return nil
	}
}

// browseMsg says that the browser did not open.
type browseMsg struct {
	board *Board
	err   error
}

// address is the page of the finding's line, or of the change; "" if there is
// none. GitHub names a file on the page of a change by the SHA-256 of its path.
func (b *Board) address() string {
	if b.state.Plan == nil || !strings.HasPrefix(b.state.Plan.Change.URL, "https://") {
		return ""
	}
	c := b.state.Plan.Change
	it, ok := b.current()
	if !ok || b.diff.Find(it.file()) == nil || c.Host != "github.com" || c.Number == 0 {
		return text.Line(c.URL)
	}
	side := "R"
	if it.Place.Side == diff.Left {
		side = "L"
	}
	url := fmt.Sprintf("%s/files#diff-%x", text.Line(c.URL), sha256.Sum256([]byte(it.file())))
	if n := it.line(); n > 0 {
		url += fmt.Sprintf("%s%d", side, n)
	}
	return url
}

// copyFinding sends the finding as plain text to the terminal's clipboard.
func (b *Board) copyFinding() tea.Cmd {
	it, ok := b.current()
	if !ok {
		return nil
	}
	w := b.words.Board
	lines := []string{"[" + w.Short(it.shown.Severity) + "] " + b.titleOf(it), text.Line(it.shown.Location.String())}
	for _, x := range [][2]string{
		{w.Observation, it.shown.Observation}, {w.Inference, it.shown.Inference}, {w.Judgment, it.shown.Judgment},
		{w.Fix, it.shown.Fix}, {w.Verification, it.shown.Verification},
	} {
		if s := clean(x[1]); s != "" {
			lines = append(lines, x[0]+": "+s)
		}
	}
	b.say(fmt.Sprintf(w.CopySent, b.titleOf(it)))
	return tea.SetClipboard(strings.Join(lines, "\n"))
}
