// Package themes holds the colours of the screen as YAML files: the built-in
// ones, embedded, and a person's own from a folder.
//
//	name: dark
//	dark: true             # made for a dark background
//	roles:
//	  accent: "#7aa2f7/14 bold"
//	  selected: "on #283457"
//
// A role's paint is "FG", "on BG" and attributes in any order: a colour is
// #rrggbb or a number 0-255, behind a / the one to take of 16 where a terminal
// has no more (a foreground's only); an attribute is bold, faint, italic, underline or
// reverse. A role not named is drawn as plain text.
package themes
