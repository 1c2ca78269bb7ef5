package words

// Pick is what the page says on which a pull request is picked. Fields with
// verbs are formats.
type Pick struct {
	Title                     string
	Requested, Mine           string // heads of the lists
	Recent                    string // "%s": of which repository
	Involved                  string // recent ones of no one repository
	As                        string // "as %s"
	Looking, None, NoOthers   string // in place of a list
	FirstOf                   string // "first %d of %d"
	Partial                   string // the forge ran out of time
	Same                      string // the same is wrong as with the list before
	KeptFrom                  string // "%s": when what is still shown was read
	Empty                     string // nothing is listed anywhere
	NoMatch                   string // nothing passes the filter
	Filter                    string // label of the field
	Counts                    string // "%d of %d": the cursor, of all
	Looked                    string // "%d of %d": reviews
	Draft                     string
	And, Stop                 string // between parts of a sentence, between sentences
	Short                     PickShort
	NotReviewed, LookingFor   string
	IsFresh                   string // "%s": head
	IsStale                   string // "%s", "%s": reviewed head, present head
	HeadUnknown               string // "%s": reviewed head
	NotKnown                  string // "%s": why
	InInbox                   string
	OnPage                    string // "%s": by whom
	NoFindings, AllDecided    string // AllDecided has "%d": how many
	Left                      string // "%d of %d" undecided
	EscalatedToYou            string // "%d"
	WasInterrupted            string
	By                        string // "by %s, updated %s"
	ThereIsARun               string // "%s": name of the pull request
	Resume, Finish, Anew, New string // the answers; New is for a head that has moved
	Planning, Opening         string // "%s": name
	Number, Letter            string // prompts, where it is read line by line
	NoNumber                  string // "%d": the last
	NotAllowed                string // "%s": what
	Back, Closing             string // whether to go back to the list; while the run is closed
	Quit                      Action // what the key does in a run that was picked
	Age                       Age
}

// PickShort is how a review stands, in few cells.
type PickShort struct {
	None, Fresh, Stale, Head, Unknown, Looking string
	ToYou, Undecided, Interrupted              string // Undecided has "%d"
	You, Left                                  string // the same in fewer cells
}

// Age is how long something is ago, in at most 4 cells in English.
type Age struct {
	Now, Minutes, Hours, Days, Weeks, Years string
}

func englishPick() Pick {
	return Pick{
		Title: "Pick a pull request", Requested: "Your review is requested", Mine: "Yours", Recent: "Recent in %s", Involved: "Recent, with you in them",
		As: "as %s", Looking: "looking …", None: "none", NoOthers: "no others", FirstOf: "first %d of %d", Partial: "not all of them: the forge ran out of time",
		Same: "the same", KeptFrom: "what is shown is of %s; r asks again",
		Empty:   "Nothing is listed. mrv tui NUMBER or URL opens any pull request, mrv tui --base REF reviews a branch, mrv tui --demo shows a recording.",
		NoMatch: "nothing matches", Filter: "filter", Counts: "%d of %d", Looked: "reviews looked at: %d of %d", Draft: "draft", And: ", ", Stop: ". ",
		Short: PickShort{
			None: "no review", Fresh: "fresh", Stale: "stale", Head: "head unknown", Unknown: "not known", Looking: "…",
			ToYou: "escalated to you", Undecided: "%d undecided", Interrupted: "interrupted", You: "for you", Left: "%d left",
		},
		NotReviewed: "Not reviewed yet.", LookingFor: "Looking for a review …",
		IsFresh: "Reviewed at %s, which is the head", IsStale: "Reviewed at %s; the head is now %s", HeadUnknown: "Reviewed at %s; whether that is the head is not known",
		NotKnown: "Whether it is reviewed is not known: %s", InInbox: "in .ai/reviews", OnPage: "by %s, on the pull request",
		NoFindings: "No findings", AllDecided: "Findings: %d, all decided", Left: "Findings: %d of %d undecided", EscalatedToYou: "Escalated to you: %d",
		WasInterrupted: "Interrupted before every reviewer was done", By: "by %s, updated %s",
		ThereIsARun: "There is a review of %s.",
		Resume:      "open it again", Finish: "and start the reviewers that were not done", Anew: "review anew", New: "review the new head",
		Number: "number, or q", Letter: "letter, or nothing to go back", NoNumber: "a number from 1 to %d, or q",
		Planning: "Planning the review of %s …   esc leaves it", Opening: "Opening the review of %s …", NotAllowed: "not allowed: %s",
		Back: "Back to the list?", Closing: "Closing the review; what came in is kept …",
		Quit: Action{"list", "back to the list; asks if findings are undecided or reviewers at work"},
		Age:  Age{Now: "now", Minutes: "%dm", Hours: "%dh", Days: "%dd", Weeks: "%dw", Years: "%dy"},
	}
}

func chinesePick() Pick {
	return Pick{
		Title: "选择拉取请求", Requested: "请你评审", Mine: "你的", Recent: "%s 最近的", Involved: "最近，与你有关",
		As: "身份 %s", Looking: "正在查找 …", None: "无", NoOthers: "没有其他的", FirstOf: "前 %d 个，共 %d 个", Partial: "不是全部：平台没有查完",
		Same: "同上", KeptFrom: "显示的是 %s 的内容；按 r 再查",
		Empty:   "没有可列出的内容。mrv tui 编号或 URL 打开任意拉取请求，mrv tui --base REF 评审分支，mrv tui --demo 播放录制。",
		NoMatch: "没有匹配", Filter: "筛选", Counts: "%d / %d", Looked: "已查看评审：%d / %d", Draft: "草稿", And: "，", Stop: "。",
		Short: PickShort{
			None: "未评审", Fresh: "最新", Stale: "过期", Head: "head 未知", Unknown: "未知", Looking: "…",
			ToYou: "上报给你", Undecided: "%d 个未决", Interrupted: "已中断", You: "给你", Left: "剩 %d",
		},
		NotReviewed: "还没有评审。", LookingFor: "正在查找评审 …",
		IsFresh: "已评审 %s，即当前 head", IsStale: "评审的是 %s；当前 head 是 %s", HeadUnknown: "评审的是 %s；不知道是否为当前 head",
		NotKnown: "不知道是否评审过：%s", InInbox: "在 .ai/reviews", OnPage: "由 %s 发布在拉取请求上",
		NoFindings: "没有问题", AllDecided: "问题：%d 个，都已决定", Left: "问题：%d / %d 个未决定", EscalatedToYou: "%d 个上报给你",
		WasInterrupted: "在所有评审完成前中断", By: "作者 %s，更新于 %s",
		ThereIsARun: "%s 已有评审。",
		Resume:      "再次打开", Finish: "并重新启动未完成的评审", Anew: "重新评审", New: "评审新的 head",
		Number: "编号，或 q", Letter: "字母，或直接回车返回", NoNumber: "1 到 %d 的编号，或 q",
		Planning: "正在计划 %s 的评审 …   esc 放弃", Opening: "正在打开 %s 的评审 …", NotAllowed: "未获允许：%s",
		Back: "返回列表吗？", Closing: "正在关闭评审；已收到的内容会保留 …",
		Quit: Action{"列表", "返回列表；有未决定的问题或评审在工作时会询问"},
		Age:  Age{Now: "刚刚", Minutes: "%d 分", Hours: "%d 时", Days: "%d 天", Weeks: "%d 周", Years: "%d 年"},
	}
}
