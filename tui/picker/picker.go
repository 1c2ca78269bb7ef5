package picker

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/field"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/words"
)

// Source lists pull requests and says how their reviews stand. Its methods are
// called from several goroutines.
type Source interface {
	List(ctx context.Context, s Section, everywhere bool) (List, error)
	// Review finds how the review of a pull request stands. With an error the
	// review says what is known all the same.
	Review(ctx context.Context, i Item) (Review, error)
	// Viewer is who asks, "" if that is not known.
	Viewer(ctx context.Context) string
}

// Section is one of the lists, in their order on the page.
type Section int

// The lists.
const (
	Requested Section = iota // whose review is asked of the person
	Mine                     // opened by the person
	Recent                   // of the repository; without one, those the person takes part in
	sections                 // how many
)

// List is what a section has.
type List struct {
	Items   []Item
	Total   int  // of which Items are the first; 0 if it is not known
	Partial bool // the forge did not find all
}

// Item is a pull request in a list.
type Item struct {
	Host, Owner, Repo string
	Number            int
	Title, Author     string
	URL               string
	Draft             bool
	Updated           time.Time
	Head              string // "" if the list does not say
	Comments          int    // -1 if the list does not say
}

// Name is how the page names the pull request: owner/repo#12.
func (i Item) Name() string { return fmt.Sprintf("%s/%s#%d", i.Owner, i.Repo, i.Number) }

// key tells pull requests apart.
type key struct {
	host, owner, repo string
	number            int
}

func (i Item) key() key { return key{i.Host, i.Owner, i.Repo, i.Number} }

// Found is where a review was found.
type Found string

// Where a review can be found.
const (
	Nowhere   Found = ""
	InRun     Found = "run"     // on this machine: it can be opened again
	InInbox   Found = "inbox"   // in .ai/reviews
	InComment Found = "comment" // on the pull request
)

// Review is how the review of a pull request stands.
type Review struct {
	Found Found
	Head  string // the reviewed one
	Now   string // the present one, "" if it is not known
	By    string // of a comment
	// Unfinished says that reviewers had not handed in when the run ended.
	Unfinished                bool
	Findings, Undecided, ToMe int
}

func (r Review) fresh() bool { return r.Found != Nowhere && r.Head == r.Now }
func (r Review) stale() bool { return r.Found != Nowhere && r.Now != "" && r.Head != r.Now }

// Choice is the message that says what the person wants to see.
type Choice struct {
	Item   Item
	Resume bool // the run that there is
	Finish bool // and its reviewers that were not done
}

// Options are what the page is made of.
type Options struct {
	Source  Source
	Host    string
	Repo    string // as it is named, "" if none is known
	Browser []string
	Now     func() time.Time
}

// Picker is the page.
type Picker struct {
	ctx    context.Context
	o      Options
	words  *words.Words
	styles style.Styles
	w, h   int

	lists      [sections]list
	reviews    map[key]standing
	queue      []Item       // whose reviews are still to be looked for
	asked      map[key]bool // whose review this loading looks for, or has found
	flying     int          // reviews being looked for
	load       int          // which loading this is; what an earlier one brings is dropped
	everywhere bool
	viewer     string

	cursor  int
	under   key  // the cursor
	touched bool // by the person; before, it stays on the first item
	top     int
	filter  field.Field
	typing  bool
	wanted  *Item // to be opened as soon as it is known whether there is a run
	asking  bool  // what to do with the run under the cursor
	busy    string

	notice string
	bad    bool
}

// list is a section as it stands.
type list struct {
	List
	loading bool
	err     error
	at      time.Time // of what is shown; zero if there is nothing yet
}

// standing is a review as far as it is known.
type standing struct {
	Review
	known bool
	err   error
}

// New makes the page; Init begins to fill it.
func New(ctx context.Context, o Options, w *words.Words, st style.Styles) *Picker {
	return &Picker{ctx: ctx, o: o, words: w, styles: st, reviews: map[key]standing{}, everywhere: o.Repo == ""}
}

// SetSize sets the cells the page may use.
func (p *Picker) SetSize(w, h int) { p.w, p.h = max(w, 0), max(h, 0) }

// SetStyles changes the theme.
func (p *Picker) SetStyles(st style.Styles) { p.styles = st }

// SetState is for the screens of a run.
func (p *Picker) SetState(*event.State) tea.Cmd { return nil }

// SetBusy says in words what is being opened; "" when nothing is.
func (p *Picker) SetBusy(what string) { p.busy = what }

// Opening reports whether something is being opened.
func (p *Picker) Opening() bool { return p.busy != "" }

// Typing says that every key is the page's own.
func (p *Picker) Typing() bool { return p.typing || p.asking }

// Back says that there is something to go back from.
func (p *Picker) Back() bool { return p.filter.String() != "" || p.busy != "" || p.wanted != nil }

// Place is where pull requests are looked for, and as whom.
func (p *Picker) Place() (where, who string) {
	where = p.o.Repo
	if p.everywhere {
		where = p.o.Host
	}
	if p.viewer != "" {
		who = fmt.Sprintf(p.words.Pick.As, p.viewer)
	}
	return where, who
}

// Handles lists the actions that mean something at this moment.
func (p *Picker) Handles() []string {
	ids := []string{"refresh", "filter"}
	if p.Back() {
		ids = append(ids, "back")
	}
	if p.o.Repo != "" {
		ids = append(ids, "everywhere")
	}
	if _, ok := p.current(); ok {
		ids = append(ids, "open", "open.browser", "move.down", "move.up", "top", "bottom", "half.down", "half.up")
	}
	return ids
}

// Do carries an action out.
func (p *Picker) Do(id string) tea.Cmd {
	switch id {
	case "open":
		return p.open()
	case "filter":
		p.typing = true
	case "refresh":
		return p.refresh()
	case "everywhere":
		p.everywhere = !p.everywhere
		p.lists = [sections]list{}
		return p.refresh()
	case "open.browser":
		return p.browse()
	case "back":
		p.wanted = nil
		p.filter.Set("")
		p.settle()
	default:
		p.move(id)
	}
	return nil
}

func (p *Picker) move(id string) {
	n := len(p.items())
	page := max(p.room()/2, 1)
	step := map[string]int{"move.down": 1, "move.up": -1, "half.down": page, "half.up": -page, "top": -n, "bottom": n}
	p.wanted, p.touched = nil, true
	p.set(p.cursor + step[id])
}

// set puts the cursor on an item by its place among those shown.
func (p *Picker) set(at int) {
	items := p.items()
	p.cursor = min(max(at, 0), max(len(items)-1, 0))
	if p.cursor < len(items) {
		p.under = items[p.cursor].key()
	}
}

// settle finds the item again that the cursor was on, among other ones.
func (p *Picker) settle() {
	if !p.touched {
		p.set(0) // lists come in any order
		return
	}
	for i, x := range p.items() {
		if x.key() == p.under {
			p.cursor = i
			return
		}
	}
	p.set(p.cursor)
}

// Update takes keys while something is typed or asked, and what was found.
func (p *Picker) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return p.key(msg)
	case tea.PasteMsg:
		if p.typing {
			p.filter.Insert(msg.Content)
			p.settle()
		}
	case listedMsg:
		return p.listed(msg)
	case reviewedMsg:
		return p.reviewed(msg)
	case viewerMsg:
		p.viewer = string(msg)
	case browsedMsg:
		p.notice, p.bad = msg.err.Error(), true
	}
	return nil
}

func (p *Picker) key(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case p.asking:
		return p.answer(k.String())
	case !p.typing:
	case k.String() == "esc":
		p.typing = false
		p.filter.Set("")
		p.settle()
	case k.String() == "enter":
		p.typing = false
	case k.String() == "down", k.String() == "ctrl+n":
		p.move("move.down")
	case k.String() == "up", k.String() == "ctrl+p":
		p.move("move.up")
	case p.filter.Key(k):
		p.settle()
	}
	return nil
}

// Notice takes the line that answers the last key.
func (p *Picker) Notice() (line string, bad bool) {
	line, bad = p.notice, p.bad
	p.notice, p.bad = "", false
	return line, bad
}

// current is the item under the cursor.
func (p *Picker) current() (Item, bool) {
	items := p.items()
	if p.cursor >= len(items) {
		return Item{}, false
	}
	return items[p.cursor], true
}
