// Package words holds every word the screen itself says, in each language the
// screen speaks: one struct a screen, one value a language. A test sees to it
// that none is missing. Texts with %s or %d are formats for fmt.Sprintf.
package words

import "github.com/mrv-dev/mrv/engine/review"

// Words is the whole vocabulary of the screen in one language.
type Words struct {
	Lang     review.Lang
	Common   Common
	Pick     Pick
	Live     Live
	Plan     Plan
	Board    Board
	Outbox   Outbox
	Help     Help
	Plain    Plain
	Progress Progress
	// Keys says what each action does, by its id in the key table.
	Keys map[string]Action
}

// Action is the wording of one action: Short for the line of keys at the
// bottom, Long for the help.
type Action struct {
	Short, Long string
}

// For is the vocabulary of a language, English where there is none.
func For(lang review.Lang) *Words {
	if lang == review.Chinese {
		return Chinese()
	}
	return English()
}

// Say words a sentence of the run's own, which is English, in the language of
// the screen; foreign text stays as it is.
func (w *Words) Say(sentence string) string { return review.Say(w.Lang, sentence) }

// English is the vocabulary in English.
func English() *Words {
	return &Words{
		Lang: review.English, Common: englishCommon(), Pick: englishPick(), Live: englishLive(), Plan: englishPlan(),
		Board: englishBoard(), Outbox: englishOutbox(), Help: englishHelp(), Plain: englishPlain(), Progress: englishProgress(), Keys: englishKeys(),
	}
}

// Chinese is the vocabulary in simplified Chinese.
func Chinese() *Words {
	return &Words{
		Lang: review.Chinese, Common: chineseCommon(), Pick: chinesePick(), Live: chineseLive(), Plan: chinesePlan(),
		Board: chineseBoard(), Outbox: chineseOutbox(), Help: chineseHelp(), Plain: chinesePlain(), Progress: chineseProgress(), Keys: chineseKeys(),
	}
}
