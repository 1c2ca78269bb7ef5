package picker

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/tui/text"
)

// open opens the item under the cursor. Where there is a run over it, the
// person is asked what to do; where that is not known yet, it is waited for.
func (p *Picker) open() tea.Cmd {
	i, ok := p.current()
	if !ok || p.busy != "" {
		return nil
	}
	p.touched = true
	r := p.reviews[i.key()]
	switch {
	case !r.known:
		p.wanted = &i
		return nil
	case r.Found == InRun:
		p.asking = true
		return nil
	}
	return choose(Choice{Item: i})
}

func choose(c Choice) tea.Cmd { return func() tea.Msg { return c } }

// answer is a key to the question what to do with the run that there is. Enter
// does what the person most likely wants: go on with it, or review the head
// that has moved.
func (p *Picker) answer(key string) tea.Cmd {
	i, ok := p.current()
	if !ok {
		p.asking = false
		return nil
	}
	r := p.reviews[i.key()]
	if key == "enter" {
		key = p.offers(r.Review)[0].key
	}
	if key == "esc" || key == "q" {
		p.asking = false
		return nil
	}
	c, ok := p.chosen(i, key)
	if !ok {
		return nil
	}
	p.asking = false
	return choose(c)
}

// chosen is what a key chooses for an item that has a run; false where it
// means nothing.
func (p *Picker) chosen(i Item, key string) (Choice, bool) {
	for _, o := range p.offers(p.reviews[i.key()].Review) {
		if o.key == key {
			return Choice{Item: i, Resume: key != "n", Finish: key == "f"}, true
		}
	}
	return Choice{}, false
}

// offer is one answer to the question.
type offer struct{ key, text string }

// offers lists the answers, first the one that enter gives too.
func (p *Picker) offers(r Review) []offer {
	say := p.words.Pick
	resume, anew := offer{"r", say.Resume}, offer{"n", say.Anew}
	if r.stale() {
		anew.text = say.New
	}
	list := []offer{resume}
	if r.Unfinished {
		list = append(list, offer{"f", say.Finish})
	}
	if r.stale() {
		return append([]offer{anew}, list...)
	}
	return append(list, anew)
}

// browsedMsg says that the browser did not open.
type browsedMsg struct{ err error }

// browse opens the item's page; without a display its address goes to the
// terminal's clipboard.
func (p *Picker) browse() tea.Cmd {
	i, ok := p.current()
	if !ok {
		return nil
	}
	url := text.Line(i.URL)
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
		p.notice = p.words.Board.NoURL
		return nil
	}
	if len(p.o.Browser) == 0 {
		p.notice = fmt.Sprintf(p.words.Board.NoDisplay, url)
		return tea.SetClipboard(url)
	}
	argv := append(p.o.Browser[:len(p.o.Browser):len(p.o.Browser)], url)
	ctx := p.ctx
	return func() tea.Msg { return browsed(ctx, argv) }
}

func browsed(ctx context.Context, argv []string) tea.Msg {
	if err := exec.CommandContext(ctx, argv[0], argv[1:]...).Run(); err != nil {
		return browsedMsg{fmt.Errorf("opening the browser with %s: %w", argv[0], err)}
	}
	return nil
}
