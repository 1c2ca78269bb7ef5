package words

// Common is what several screens say.
type Common struct {
	Tabs        Tabs
	No          string
	Of          string // "%d of %s": cost of budget and the like
	Done        string // "%d/%d done"
	Reviewers   string // "%s, %d reviewers": tier, team
	OneReviewer string // "%s, 1 reviewer": tier
	On          string // "%s on %s": head on base
	Rules       string // "rules: %s"
	Tokens      string
	Interrupted string
	Typing      string // the keys of a field
	Choosing    string // the keys of a question that one key answers
	NoCommand   string // "%q": nothing in the palette is so called
	Nearest     string // before what comes near
	Cost        Cost
	Quit        Quit
	Verdict     map[string]string // by review.Verdict
	Banner      map[string]string // what the person must know of who answers, by agent
}

// Tabs names the screens.
type Tabs struct {
	Live, Board, Outbox string
}

// Cost says how far a price is known.
type Cost struct {
	Unknown, Subscription string
}

// Quit is what is said on the way out.
type Quit struct {
	Undecided string // "%d"
	Running   string
	Quit      string // the end of both
	Stopping  string // first ctrl-c with sessions running
	Again     string // first ctrl-c with none
	Answers   string // the keys of a question whose default is no
}

func englishCommon() Common {
	return Common{
		Tabs: Tabs{Live: "Live", Board: "Board", Outbox: "Outbox"},
		No:   "no",
		Of:   "%s of %s", Done: "%d/%d done", Reviewers: "%s, %d reviewers", OneReviewer: "%s, 1 reviewer", On: "%s on %s",
		Rules: "rules: %s", Tokens: "tok", Interrupted: "interrupted", Typing: "enter ok   esc back", Choosing: "one of the keys above   esc back",
		NoCommand: "No command matches %q here.", Nearest: "Nearest, with the down key:",
		Cost: Cost{Unknown: "cost unknown", Subscription: "subscription"},
		Quit: Quit{
			Undecided: "Undecided findings: %d. The run is kept. ",
			Running:   "Reviewers still at work: %d. Leaving stops them. ",
			Quit:      "Quit?",
			Stopping:  "Stopping the reviewers; what came in is kept. ctrl-c again leaves.",
			Again:     "ctrl-c again leaves; q quits.",
			Answers:   "y yes   n no",
		},
		Banner: map[string]string{"replay": "a recording: no model is asked, nothing is sent", "checks": "checks only: no model reads this change"},
		Verdict: map[string]string{
			"CHANGES_NEEDED": "changes needed", "HUMAN_CHECK_NEEDED": "a person must check", "NO_BLOCKING_FINDINGS": "no blocking findings",
		},
	}
}

func chineseCommon() Common {
	return Common{
		Tabs: Tabs{Live: "实时", Board: "问题", Outbox: "发送"},
		No:   "否",
		Of:   "%s / %s", Done: "%d/%d 完成", Reviewers: "%s，%d 位评审", OneReviewer: "%s，1 位评审", On: "%s 基于 %s",
		Rules: "规则：%s", Tokens: "tok", Interrupted: "已中断", Typing: "enter 确定   esc 返回", Choosing: "按上面的键之一   esc 返回",
		NoCommand: "这里没有符合 %q 的命令。", Nearest: "相近的（按向下键选择）：",
		Cost: Cost{Unknown: "费用未知", Subscription: "订阅"},
		Quit: Quit{
			Undecided: "还有 %d 个问题未决定；本次评审会保留。",
			Running:   "还有 %d 位评审在工作，离开会停止它们。",
			Quit:      "退出吗？",
			Stopping:  "正在停止评审；已收到的内容会保留。再按 ctrl-c 离开。",
			Again:     "再按 ctrl-c 离开；q 退出。",
			Answers:   "y 是   n 否",
		},
		Banner: map[string]string{"replay": "这是录制：不询问模型，也不发送任何内容", "checks": "只做规则检查：没有模型阅读此改动"},
		Verdict: map[string]string{
			"CHANGES_NEEDED": "需要修改", "HUMAN_CHECK_NEEDED": "需要人工检查", "NO_BLOCKING_FINDINGS": "没有阻塞问题",
		},
	}
}
