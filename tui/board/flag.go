package board

import (
	"regexp"
	"slices"

	"github.com/mrv-dev/mrv/tui/text"
)

// Flag is a reason to read a finding's text with care: it was written by a
// model that read an untrusted change, and a coding agent may read it next.
type Flag string

// The flags.
const (
	FlagURL     Flag = "url"      // an address to fetch
	FlagCommand Flag = "command"  // something to run
	FlagOrder   Flag = "override" // speaks to a model: "ignore previous ..."
	FlagHidden  Flag = "hidden"   // characters that can not be seen
)

// The phrases are those of published prompt injections, in the two languages
// reports are written in. They flag, they never block: a false alarm costs a
// look. Over 3,442 findings and comments of real reviewers, none of them an
// attack, 29 are flagged, 24 of these for an address.
var (
	urlPattern     = regexp.MustCompile(`(?i)\b(?:https?|ftp|file|data|ssh|git)://|\bwww\.[a-z0-9-]+\.`)
	commandPattern = regexp.MustCompile(`(?im)\b(?:curl|wget|sudo|chmod|iwr|invoke-webrequest|powershell|base64\s+-d)\s+\S` +
		`|\brm\s+-\w*[rf]|\|\s*(?:ba|z|da)?sh\b|\b(?:bash|sh|zsh)\s+-c\b|\$\([a-z]` +
		`|^\s*\$\s+\S|\b(?:npm|pip3?|go|gem|cargo|apt|apt-get|brew)\s+install\s+\S|\bnpx\s+\S|\bgit\s+(?:push|reset|clone|config)\s+\S`)
	orderPattern = regexp.MustCompile(`(?i)\b(?:ignore|disregard|forget|override)\s+(?:(?:all|any|of|the|these|those|your|every)\s+){0,3}(?:previous|prior|above|earlier|preceding|system|instructions?|rules|guidelines)\b` +
		`|\byou (?:are|must) now\b|\bsystem prompt\b|\bnew instructions?\b|\bdo not (?:tell|mention|report|flag)\b` +
		`|\b(?:as an?|dear) (?:ai|assistant|language model|coding agent)\b|<\|?(?:im_start|system|/?instructions?)\b` +
		`|忽略.{0,12}(?:之前|以上|前面|先前|上述|所有|指令|提示)|无视.{0,12}(?:之前|以上|指令|提示|规则)|系统提示词|不要(?:报告|提及|告诉)`)
	hiddenPattern = regexp.MustCompile(`\r[^\n]|[0-9A-Za-z_]\x{200d}`)
)

// Flags says what is suspicious about texts, in a fixed order, each once.
func Flags(texts ...string) []Flag {
	var out []Flag
	for _, x := range []struct {
		flag Flag
		in   func(string) bool
	}{
		{FlagOrder, orderPattern.MatchString},
		{FlagHidden, hasHidden},
		{FlagCommand, commandPattern.MatchString},
		{FlagURL, urlPattern.MatchString},
	} {
		if slices.ContainsFunc(texts, x.in) {
			out = append(out, x.flag)
		}
	}
	return out
}

// hasHidden finds characters that are not seen: those tui/text writes out, a
// carriage return that lets the rest of its line hide the start, and a joiner
// within a word, where it joins nothing.
func hasHidden(s string) bool { return text.Hidden(s) || hiddenPattern.MatchString(s) }
