package keys

// Table is every action and its keys, in the order in which help shows them.
// Bindings of one screen with the same id stand once.
func Table() []Binding {
	var t []Binding
	t = append(t, everywhere()...)
	t = append(t, pick()...)
	t = append(t, plan()...)
	t = append(t, live()...)
	t = append(t, board()...)
	return append(t, outbox()...)
}

func everywhere() []Binding {
	return []Binding{
		{ID: "tab.next", Keys: []string{"tab"}, Short: true},
		{ID: "tab.prev", Keys: []string{"shift+tab"}},
		{ID: "back", Keys: []string{"esc"}, Short: true},
		{ID: "palette", Keys: []string{":"}},
		{ID: "stop", Keys: []string{"ctrl+c"}},
		{ID: "suspend", Keys: []string{"ctrl+z"}},
		{ID: "quit", Keys: []string{"q"}, Short: true},
		{ID: "quit.all", Keys: []string{"Q"}},
		{ID: "help", Keys: []string{"?"}, Short: true},
	}
}

// moving are the actions of every screen that scrolls.
func moving(screen string) []Binding {
	return []Binding{
		{ID: "move.down", Screen: screen, Keys: []string{"j", "down"}},
		{ID: "move.up", Screen: screen, Keys: []string{"k", "up"}},
		{ID: "top", Screen: screen, Keys: []string{"g", "home"}},
		{ID: "bottom", Screen: screen, Keys: []string{"G", "end"}},
		{ID: "half.down", Screen: screen, Keys: []string{"ctrl+d", "pgdown"}},
		{ID: "half.up", Screen: screen, Keys: []string{"ctrl+u", "pgup"}},
	}
}

func pick() []Binding {
	return append([]Binding{
		{ID: "open", Screen: Pick, Keys: []string{"enter"}, Short: true},
		{ID: "filter", Screen: Pick, Keys: []string{"/"}, Short: true},
		{ID: "refresh", Screen: Pick, Keys: []string{"r"}, Short: true},
		{ID: "everywhere", Screen: Pick, Keys: []string{"a"}, Short: true},
		{ID: "open.browser", Screen: Pick, Keys: []string{"b"}, Short: true},
	}, moving(Pick)...)
}

func plan() []Binding {
	return append([]Binding{
		{ID: "start", Screen: Plan, Keys: []string{"enter"}, Short: true},
		{ID: "team", Screen: Plan, Keys: []string{"t"}, Short: true},
		{ID: "drop", Screen: Plan, Keys: []string{"x"}, Short: true},
	}, moving(Plan)...)
}

// steering are the actions on one reviewer.
func steering(screen string) []Binding {
	return []Binding{
		{ID: "abort", Screen: screen, Keys: []string{"X"}, Short: true},
		{ID: "retry", Screen: screen, Keys: []string{"R"}, Short: true},
		{ID: "model", Screen: screen, Keys: []string{"M"}, Short: true},
		{ID: "time", Screen: screen, Keys: []string{"T"}, Short: true},
		{ID: "coordinate", Screen: screen, Keys: []string{"C"}, Short: true},
		{ID: "add.reviewer", Screen: screen, Keys: []string{"+"}},
		{ID: "thinking", Screen: screen, Keys: []string{"t"}},
		{ID: "follow", Screen: screen, Keys: []string{"f"}},
	}
}

func live() []Binding {
	t := []Binding{
		{ID: "pane.left", Screen: Live, Keys: []string{"left", "h"}, Short: true, With: "pane.right"},
		{ID: "pane.right", Screen: Live, Keys: []string{"right", "l"}},
		{ID: "pane.up", Screen: Live, Keys: []string{"up", "k"}},
		{ID: "pane.down", Screen: Live, Keys: []string{"down", "j"}},
		{ID: "zoom", Screen: Live, Keys: []string{"enter"}, Short: true},
	}
	for _, screen := range []string{Live, Zoom} {
		for _, d := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} {
			t = append(t, Binding{ID: "pane." + d, Screen: screen, Keys: []string{d}})
		}
	}
	t = append(t, steering(Live)...)
	t = append(t, moving(Zoom)...)
	t = append(t, Binding{ID: "pane.left", Screen: Zoom, Keys: []string{"left", "h"}, Short: true, With: "pane.right"},
		Binding{ID: "pane.right", Screen: Zoom, Keys: []string{"right", "l"}})
	return append(t, steering(Zoom)...)
}

func board() []Binding {
	return append(moving(Board), []Binding{
		{ID: "accept", Screen: Board, Keys: []string{"a"}, Short: true},
		{ID: "reject", Screen: Board, Keys: []string{"r"}, Short: true},
		{ID: "escalate", Screen: Board, Keys: []string{"e"}, Short: true},
		{ID: "undo", Screen: Board, Keys: []string{"u"}, Short: true},
		{ID: "redo", Screen: Board, Keys: []string{"U", "ctrl+r"}},
		{ID: "repeat", Screen: Board, Keys: []string{"."}, Short: true},
		{ID: "select", Screen: Board, Keys: []string{"space"}, Short: true},
		{ID: "accept.confirmed", Screen: Board, Keys: []string{"A"}, Short: true},
		{ID: "reject.all", Screen: Board, Keys: []string{"R"}},
		{ID: "edit", Screen: Board, Keys: []string{"E"}, Short: true},
		{ID: "challenge", Screen: Board, Keys: []string{"c"}, Short: true},
		{ID: "next.undecided", Screen: Board, Keys: []string{"}"}, Short: true},
		{ID: "prev.undecided", Screen: Board, Keys: []string{"{"}},
		{ID: "note", Screen: Board, Keys: []string{"i"}},
		{ID: "own", Screen: Board, Keys: []string{"+"}},
		{ID: "search", Screen: Board, Keys: []string{"/"}, Short: true},
		{ID: "search.next", Screen: Board, Keys: []string{"n"}},
		{ID: "search.prev", Screen: Board, Keys: []string{"N"}},
		{ID: "filter", Screen: Board, Keys: []string{"f"}},
		{ID: "sort", Screen: Board, Keys: []string{"S"}},
		{ID: "open.editor", Screen: Board, Keys: []string{"o"}},
		{ID: "open.browser", Screen: Board, Keys: []string{"b"}},
		{ID: "copy", Screen: Board, Keys: []string{"y"}},
		{ID: "diff.whole", Screen: Board, Keys: []string{"d"}},
		{ID: "coverage", Screen: Board, Keys: []string{"v"}},
		{ID: "decided.before", Screen: Board, Keys: []string{"D"}},
		{ID: "split", Screen: Board, Keys: []string{"s"}},
		{ID: "join", Screen: Board, Keys: []string{"m"}},
		{ID: "restore", Screen: Board, Keys: []string{"z"}, Short: true},
		{ID: "detail.down", Screen: Board, Keys: []string{"J"}},
		{ID: "detail.up", Screen: Board, Keys: []string{"K"}},
		{ID: "hunk.next", Screen: Board, Keys: []string{"]"}},
		{ID: "hunk.prev", Screen: Board, Keys: []string{"["}},
		{ID: "context.more", Screen: Board, Keys: []string{"x"}},
		{ID: "zoom", Screen: Board, Keys: []string{"enter"}},
	}...)
}

func outbox() []Binding {
	return append(moving(Outbox), []Binding{
		{ID: "send", Screen: Outbox, Keys: []string{"enter"}, Short: true},
		{ID: "tick", Screen: Outbox, Keys: []string{"space"}, Short: true},
		{ID: "preview", Screen: Outbox, Keys: []string{"p"}, Short: true},
	}...)
}
