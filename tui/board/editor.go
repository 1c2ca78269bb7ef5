package board

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/text"
)

// Desk is what the board uses of the person's machine.
type Desk struct {
	// Editor is the command that edits a file, with its arguments.
	Editor []string
	// Browser is the command that opens an address; empty without a display.
	Browser []string
}

// DeskFrom finds the editor and the browser that an environment names.
func DeskFrom(env []string) Desk {
	vars := map[string]string{}
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = v
	}
	d := Desk{Editor: []string{"vi"}}
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(vars[name]); len(words) > 0 {
			d.Editor = words
			break
		}
	}
	switch {
	case vars["BROWSER"] != "":
		d.Browser = strings.Fields(vars["BROWSER"])
	case runtime.GOOS == "darwin" && vars["SSH_CONNECTION"] == "":
		d.Browser = []string{"open"}
	case vars["DISPLAY"] != "" || vars["WAYLAND_DISPLAY"] != "":
		d.Browser = []string{"xdg-open"}
	}
	return d
}

// editing is a page on its way through the person's editor.
type editing struct {
	form form
	file string
	sent string // what the file held when the editor began
	// tries is how often it could not be read: an editor that is a script
	// would go on for ever.
	tries int
	// done makes a command of the texts, or says what is wrong with them.
	done func(values map[string]string) (tea.Cmd, error)
}

// maxTries is how often a page goes back to the editor.
const maxTries = 5

// editMsg carries a page from one step to the next: written, edited, read.
type editMsg struct {
	board *Board
	edit  editing
	step  int
	page  string
	err   error
}

const (
	stepWritten = iota
	stepEdited
	stepRead
)

// editPage writes a page for the editor; the editor follows.
func (b *Board) editPage(e editing, page string) tea.Cmd {
	if b.linear {
		b.askForm(e)
		return nil
	}
	if len(b.desk.Editor) == 0 {
		b.say(b.words.Board.Edit.NoEditor)
		return nil
	}
	e.sent = page
	return func() tea.Msg {
		m := editMsg{board: b, edit: e, step: stepWritten}
		m.edit.file, m.err = writeTemp(e.file, page)
		return m
	}
}

// writeTemp writes a private file, a new one when name is "".
func writeTemp(name, content string) (string, error) {
	if name == "" {
		f, err := os.CreateTemp("", "mrv-*.md")
		if err != nil {
			return "", fmt.Errorf("making a page to edit: %w", err)
		}
		name = f.Name()
		if err := f.Close(); err != nil {
			return name, fmt.Errorf("making a page to edit: %w", err)
		}
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		return name, fmt.Errorf("writing a page to edit: %w", err)
	}
	return name, nil
}

// edited takes a page to its next step. A page that can not be read goes back
// to the editor with what is wrong on top, until it can or was left as it is.
func (b *Board) edited(m editMsg) tea.Cmd {
	e := m.edit
	if m.err != nil {
		b.fail(fmt.Errorf(b.words.Board.Edit.Failed, m.err))
		return remove(e.file)
	}
	switch m.step {
	case stepWritten:
		argv := append(b.desk.Editor[:len(b.desk.Editor):len(b.desk.Editor)], "--", e.file)
		return b.exec(exec.Command(argv[0], argv[1:]...), func(err error) tea.Msg {
			return editMsg{board: b, edit: e, step: stepEdited, err: err}
		})
	case stepEdited:
		return func() tea.Msg {
			raw, err := os.ReadFile(e.file)
			return editMsg{board: b, edit: e, step: stepRead, page: string(raw), err: err}
		}
	}
	if m.page == e.sent {
		b.say(b.words.Board.Edit.Nothing)
		return remove(e.file)
	}
	values, err := e.form.read(m.page)
	var cmd tea.Cmd
	if err == nil {
		cmd, err = e.done(values)
	}
	if err != nil && e.tries == maxTries {
		b.notice = notice{fmt.Sprintf(b.words.Board.Edit.Kept, text.Line(err.Error()), e.file), true}
		return nil
	}
	if err != nil {
		e.tries++
		return b.editPage(e, withProblem(m.page, err.Error()))
	}
	return tea.Batch(cmd, remove(e.file))
}

// withProblem puts what is wrong on top of the person's own page, in place of
// what was wrong before.
func withProblem(page, problem string) string {
	lines := strings.Split(page, "\n")
	for len(lines) > 0 && strings.HasPrefix(lines[0], noteSign) {
		lines = lines[1:]
	}
	return noteSign + " " + problem + "\n" + strings.Join(lines, "\n")
}

// remove deletes a page. What can not be deleted lies in the system's own
// folder for such files, readable by the person alone.
func remove(file string) tea.Cmd {
	if file == "" {
		return nil
	}
	return func() tea.Msg {
		_ = os.Remove(file)
		return nil
	}
}

// edit opens the texts of the finding under the cursor.
func (b *Board) edit() tea.Cmd {
	it, ok := b.current()
	if !ok {
		return nil
	}
	orig, cursor := b.formOf(b.original(it.Entry)), it.Lead
	f := b.formOf(it.shown)
	return b.editPage(editing{form: f, done: func(v map[string]string) (tea.Cmd, error) {
		return b.send(event.Command{Kind: event.CmdEdit, IDs: []string{cursor}, Wording: reworded(orig, v), Cursor: cursor}), nil
	}}, f.String())
}

// own opens a page for a finding of the person's own, at the place under the
// cursor.
func (b *Board) own() tea.Cmd {
	f, cursor := b.ownForm(b.placeUnderCursor()), b.lead()
	return b.editPage(editing{form: f, done: func(v map[string]string) (tea.Cmd, error) {
		finding, err := ownFinding(b.words.Board.Edit, v)
		if err != nil {
			return nil, err
		}
		return b.send(event.Command{Kind: event.CmdOwn, Finding: finding, Cursor: cursor}), nil
	}}, f.String())
}
