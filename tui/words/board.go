package words

import "github.com/mrv-dev/mrv/engine/review"

// Board is what the findings board says. Fields with verbs are formats.
type Board struct {
	Severity, Place, Observation, Inference, Judgment, Who, Decision string // column heads
	Critical, Warning, Suggestion                                    string // short, at most 4 cells
	O, I, J                                                          string // labels of the stacked rows

	Accepted, Rejected, Escalated, Conflicting, Undecided, Saving string
	FalsePositive, WontFix, AcceptedRisk, Duplicate, OutOfScope   string
	Other                                                         string
	ShortAccepted, ShortRejected, ShortEscalated, ShortConflict   string // at most 4 cells
	NoPlace, NotGiven, NoTitle, Own                               string

	Of, Models, OneModel, And                   string // reviewers that report it, of those that reported; different models; between the two
	Alone                                       string
	Disputed                                    string
	Analyser                                    string // a deterministic reviewer agrees
	SoFar                                       string // verdict as it stands
	Counts                                      string // undecided, of all
	Shown                                       string // in the filter
	SelectedN                                   string
	SortName                                    string
	ByUrgency, BySeverity, ByPlace, ByAgreement string
	FilterIs                                    string
	Empty, EmptyFilter, Waiting                 string
	EmptyHere                                   string // what is on the lists

	NoMatch, Match                                      string
	AllDecided, NothingToRepeat, NothingToUndo          string
	NothingToRedo                                       string
	AcceptN, RejectN, EscalateN                         string // counts after a step
	RejectTitle, RejectTitleN, EscalateTitle, EscTitleN string
	ToLabel, WhyLabel                                   string
	NoteNeeded, EscalateNeeds                           string
	AcceptConfirmed, RejectAll, Yes                     string
	NoneConfirmed                                       string // n undecided, why
	NoneUndecided                                       string
	BarCritical, BarSecurity, BarDisputed, BarFlagged   string
	BarQuote, BarModels                                 string
	Back                                                string

	FilterTitle, FilterUndecided, FilterReviewer, FilterFile, FilterText, FilterClear string
	SearchTitle                                                                       string

	QuoteFound, QuoteNotFound, NoQuote                         string
	LineMoved, LineGuessed                                     string
	InFile, NotChanged, NoPath                                 string
	Silent                                                     string
	Flagged                                                    string
	FlagURL, FlagCommand, FlagOrder                            string
	FlagHidden                                                 string
	Fix, Replacement, Verification                             string
	Surface, Sources, Dissent, History                         string
	NoteTo, Answered, Contested, Author, Builder, ReplyTo      string
	Retracted, Downgraded, Stands, Asking                      string
	Clamped, Synthetic, Reworded, Differs                      string
	EditedBy                                                   string
	WasSent, EditedAfter                                       string            // behind a decision: it went out before
	TakenBackSince, EditedSince                                map[string]string // by target: what it has, and what sending again does
	MoreLines                                                  string            // lines of the hunk that are not shown
	FileEnds                                                   string
	HunkOf                                                     string
	NoDiff, NoHunk                                             string
	DetailOf                                                   string // lines of the detail, from-to of n
	LookRead, LookNot, LookSkipped, LookUnknown, CoverageTitle string
	LookPart                                                   string // hunks looked at, of all

	// Edit is the page that the person's editor shows.
	Edit Edit

	NoteFor, NoteLabel                                           string
	ChallengeTitle, ChallengeWhom, ChallengeLabel                string
	NoReviewer                                                   string
	SplitTitle, SplitAlone, JoinNeeds                            string
	CopySent                                                     string // %s: what
	NoURL, NoDisplay                                             string
	OnlyHere                                                     string // a copy was opened
	ListsTitle, Dropped, Folded, Before, ListEmpty, SummaryTitle string
	NothingToRestore                                             string
	Holds, Gaps, Besides, Notices                                string
	WholeChange                                                  string // %d of %d
	NoFile                                                       string

	// What a step of the history did.
	TakenBack, Inherited, Edited, OriginalAgain, NoteWritten, NoteTaken string
	BroughtBack, PutAside, AddedOwn, OwnTaken, Regrouped                string

	By, To string
}

// Edit is the wording of the page on which a finding is edited.
type Edit struct {
	Intro, Original                 string
	Severity, Title, Place          string
	Unknown, Missing, Twice, Before string
	BadSeverity, BadPlace, OwnEmpty string
	NoEditor, Failed, Nothing       string
	Keeps                           string // line by line: what an empty answer does
	Kept                            string // after too many tries: what is wrong, and the file
}

func englishBoard() Board {
	return Board{
		Severity: "sev", Place: "place", Observation: "Observation", Inference: "Inference", Judgment: "Judgment", Who: "who", Decision: "decision",
		Critical: "crit", Warning: "warn", Suggestion: "sugg",
		O: "O", I: "I", J: "J",
		Accepted: "accepted", Rejected: "rejected", Escalated: "escalated", Conflicting: "conflicting", Undecided: "-", Saving: "saving",
		ShortAccepted: "acc", ShortRejected: "rej", ShortEscalated: "esc", ShortConflict: "conf",
		FalsePositive: "false positive", WontFix: "won't fix", AcceptedRisk: "accepted risk", Duplicate: "duplicate", OutOfScope: "out of scope", Other: "other",
		NoPlace: "no place", NotGiven: "not given", NoTitle: "no title", Own: "you",
		Of: "%d of %d", Models: "%d models", OneModel: "1 model", And: ", ", Alone: "alone", Disputed: "disputed", Analyser: "checks agree",
		SoFar: "%s so far", Counts: "%d of %d undecided", Shown: "%d shown", SelectedN: "%d selected",
		SortName: "sort: %s", ByUrgency: "urgency", BySeverity: "severity", ByPlace: "place", ByAgreement: "agreement",
		FilterIs: "filter: %s", Empty: "No findings.", EmptyHere: "No findings here. %s", EmptyFilter: "Nothing passes the filter.", Waiting: "No findings yet.",
		NoMatch: "nothing mentions %q", Match: "%d of %d mention %q",
		AllDecided: "everything is decided", NothingToRepeat: "no decision to repeat yet", NothingToUndo: "nothing to undo", NothingToRedo: "nothing to redo",
		AcceptN: "%d accepted", RejectN: "%d rejected", EscalateN: "%d escalated",
		RejectTitle: "reject:", RejectTitleN: "reject %d findings:", EscalateTitle: "escalate", EscTitleN: "escalate %d findings",
		ToLabel: "to", WhyLabel: "why", NoteNeeded: "a few words are needed", EscalateNeeds: "to whom and why are both needed",
		AcceptConfirmed: "accept %d confirmed findings?", RejectAll: "reject all %d undecided findings shown?", Yes: "yes",
		NoneConfirmed: "none of %d can be accepted unread: most are %s", NoneUndecided: "nothing shown is undecided",
		BarCritical: "critical", BarSecurity: "security findings", BarDisputed: "disputed", BarFlagged: "flagged",
		BarQuote: "without a quote found in the change", BarModels: "not reported by two different models", Back: "back",
		FilterTitle: "show:", FilterUndecided: "undecided", FilterReviewer: "reviewer", FilterFile: "file", FilterText: "text", FilterClear: "all",
		SearchTitle: "search",
		QuoteFound:  "quote found", QuoteNotFound: "quote not found", NoQuote: "no quote", LineMoved: "line moved %+d", LineGuessed: "line is a guess",
		InFile: "outside every hunk", NotChanged: "file is not in this change", NoPath: "no such file",
		Silent:  "%s looked and did not report",
		Flagged: "read with care: this text", FlagURL: "has an address", FlagCommand: "has a command", FlagOrder: "gives orders to a model", FlagHidden: "has hidden characters",
		Fix: "Fix", Replacement: "Replacement", Verification: "Verification", Surface: "Surface", Sources: "In their own words", Dissent: "Dissent", History: "History",
		NoteTo: "Note to the %s", Answered: "The builder says", Contested: "contested", Author: "author", Builder: "builder", ReplyTo: "Challenge",
		Retracted: "retracted", Downgraded: "downgraded", Stands: "stands", Asking: "asking",
		Clamped: "was %s, over the persona's cap", Synthetic: "made by mrv: the label blocks, no finding says why", Reworded: "worded by the judge", Differs: "worst source: %s", EditedBy: "edited by %s",
		WasSent: "was sent", EditedAfter: "edited since",
		TakenBackSince: map[string]string{
			"inbox": "The inbox still has it as accepted; sending again writes the file anew, without it.",
			"pr":    "It still stands on the pull request; sending again withdraws it.",
		},
		EditedSince: map[string]string{
			"inbox": "The inbox has it as it was before your edit; sending again writes the file anew.",
			"pr":    "The pull request has it as it was before your edit; sending again changes it in place.",
		},
		MoreLines: "%d more lines in the change", FileEnds: "there are no more lines", HunkOf: "hunk %d of %d", NoDiff: "no diff in this run", NoHunk: "no hunk to show",
		DetailOf: "%d-%d of %d", By: "by", To: "to",
		LookRead: "read", LookNot: "not read", LookSkipped: "skipped", LookUnknown: "-",
		LookPart:      "%d/%d",
		CoverageTitle: "Who looked at which file. 2/5: two of five hunks. 3!: three findings there",
		Edit: Edit{
			Intro:    "Change the texts below the labels. Lines that begin with ! are not read.",
			Original: "A text left empty is the original's.",
			Severity: "Severity", Title: "Title", Place: "Location",
			Unknown: "there is no label %q; the labels are %s", Missing: "the label %q is missing", Twice: "the label %q stands twice",
			Before: "there is text before the first label: %q", BadSeverity: "the severity is %q; write critical, warning or suggestion",
			BadPlace: "the location is %q; write path:line or path:line-line", OwnEmpty: "a title or an observation is needed",
			Keeps:    "an empty line keeps what is there, - empties it:",
			NoEditor: "set EDITOR to the editor you use", Failed: "the editor: %s", Nothing: "nothing was changed",
			Kept: "%s; your text is kept in %s",
		},
		NoteFor: "note for the:", NoteLabel: "note",
		ChallengeTitle: "challenge %s:", ChallengeWhom: "challenge:", ChallengeLabel: "why", NoReviewer: "no reviewer stands behind this finding",
		SplitTitle: "take out:", SplitAlone: "this finding has one source only", JoinNeeds: "select two findings or more to make them one",
		CopySent: "sent to the terminal: %s", NoURL: "this change has no page", NoDisplay: "no display; sent to the terminal: %s",
		OnlyHere:   "this is a copy: your checkout is not what was reviewed",
		ListsTitle: "Not on the board", Dropped: "Dropped", Folded: "Folded", Before: "Decided before", ListEmpty: "Nothing was dropped, folded or decided before.",
		SummaryTitle: "Summary", Holds: "A person must check", Gaps: "Not looked at", Besides: "Said besides", Notices: "Notices", NothingToRestore: "this one is on the board",
		WholeChange: "The whole change: %d files, %d findings in it", NoFile: "the finding names no file of this change",
		TakenBack: "decision taken back", Inherited: "%s, as the finding it joined", Edited: "edited", OriginalAgain: "original wording again",
		NoteWritten: "note written", NoteTaken: "note taken back", BroughtBack: "brought back to the board", PutAside: "put aside again",
		AddedOwn: "added", OwnTaken: "taken back", Regrouped: "split or joined by hand",
	}
}

func chineseBoard() Board {
	return Board{
		Severity: "级别", Place: "位置", Observation: "观察", Inference: "推断", Judgment: "判断", Who: "来源", Decision: "决定",
		Critical: "严重", Warning: "警告", Suggestion: "建议",
		O: "观", I: "推", J: "判",
		Accepted: "已接受", Rejected: "已拒绝", Escalated: "已上报", Conflicting: "不一致", Undecided: "-", Saving: "保存中",
		ShortAccepted: "接受", ShortRejected: "拒绝", ShortEscalated: "上报", ShortConflict: "不一",
		FalsePositive: "误报", WontFix: "不修复", AcceptedRisk: "接受风险", Duplicate: "重复", OutOfScope: "超出范围", Other: "其他",
		NoPlace: "无位置", NotGiven: "未提供", NoTitle: "无标题", Own: "你",
		Of: "%d/%d 人", Models: "%d 个模型", OneModel: "1 个模型", And: "，", Alone: "仅一人", Disputed: "有分歧", Analyser: "规则吻合",
		SoFar: "目前 %s", Counts: "%d/%d 待定", Shown: "显示 %d", SelectedN: "已选 %d",
		SortName: "排序：%s", ByUrgency: "紧急", BySeverity: "级别", ByPlace: "位置", ByAgreement: "一致程度",
		FilterIs: "筛选：%s", Empty: "没有问题。", EmptyHere: "这里没有问题。%s", EmptyFilter: "没有符合筛选的问题。", Waiting: "还没有问题。",
		NoMatch: "没有提到 %q 的问题", Match: "第 %d/%d 个提到 %q",
		AllDecided: "全部已决定", NothingToRepeat: "还没有可重复的决定", NothingToUndo: "没有可撤销的", NothingToRedo: "没有可重做的",
		AcceptN: "已接受 %d 个", RejectN: "已拒绝 %d 个", EscalateN: "已上报 %d 个",
		RejectTitle: "拒绝：", RejectTitleN: "拒绝 %d 个：", EscalateTitle: "上报", EscTitleN: "上报 %d 个",
		ToLabel: "给谁", WhyLabel: "原因", NoteNeeded: "需要写几个字", EscalateNeeds: "给谁和原因都要填写",
		AcceptConfirmed: "接受 %d 个已确认的问题？", RejectAll: "拒绝显示的全部 %d 个待定问题？", Yes: "是",
		NoneConfirmed: "%d 个待定问题都不能不看就接受：多数%s", NoneUndecided: "显示的问题都已决定",
		BarCritical: "是严重问题", BarSecurity: "是安全问题", BarDisputed: "有分歧", BarFlagged: "被标记",
		BarQuote: "的引用不在改动里", BarModels: "没有两个不同的模型报告", Back: "返回",
		FilterTitle: "显示：", FilterUndecided: "待定", FilterReviewer: "评审者", FilterFile: "文件", FilterText: "文字", FilterClear: "全部",
		SearchTitle: "搜索",
		QuoteFound:  "引用已找到", QuoteNotFound: "引用未找到", NoQuote: "无引用", LineMoved: "行号偏移 %+d", LineGuessed: "行号是推测的",
		InFile: "不在任何改动块内", NotChanged: "文件不在此改动中", NoPath: "没有这个文件",
		Silent:  "%s 看过但没有报告",
		Flagged: "请小心阅读：这段文字", FlagURL: "含有网址", FlagCommand: "含有命令", FlagOrder: "在对模型下指令", FlagHidden: "含有看不见的字符",
		Fix: "修复", Replacement: "替换", Verification: "验证", Surface: "平台", Sources: "各自的原话", Dissent: "分歧", History: "历史",
		NoteTo: "给%s的备注", Answered: "实现者答复", Contested: "有异议", Author: "作者", Builder: "实现者", ReplyTo: "质疑",
		Retracted: "已收回", Downgraded: "已降级", Stands: "坚持", Asking: "等待回答",
		Clamped: "原为%s，超过该角色的上限", Synthetic: "由 mrv 生成：标签为阻止，但没有问题说明原因", Reworded: "由评判者改写", Differs: "来源中最高：%s", EditedBy: "由 %s 编辑",
		WasSent: "已发出", EditedAfter: "之后编辑过",
		TakenBackSince: map[string]string{
			"inbox": "收件箱里仍把它列为已接受；再发送一次会重写文件，不再包含它。",
			"pr":    "它仍在拉取请求上；再发送一次会撤回它。",
		},
		EditedSince: map[string]string{
			"inbox": "收件箱里是你编辑之前的内容；再发送一次会重写文件。",
			"pr":    "拉取请求上是你编辑之前的内容；再发送一次会就地更改。",
		},
		MoreLines: "改动里还有 %d 行", FileEnds: "没有更多行", HunkOf: "第 %d/%d 块", NoDiff: "此次运行没有 diff", NoHunk: "没有可显示的改动块",
		DetailOf: "%d-%d / %d", By: "由", To: "给",
		LookRead: "已读", LookNot: "未读", LookSkipped: "跳过", LookUnknown: "-",
		LookPart:      "%d/%d",
		CoverageTitle: "哪位评审看过哪个文件。2/5：五块中的两块。3!：在那里报告了三个问题",
		Edit: Edit{
			Intro:    "请修改标签下面的文字。以 ! 开头的行不会被读取。",
			Original: "留空表示使用原文。",
			Severity: "级别", Title: "标题", Place: "位置",
			Unknown: "没有 %q 这个标签；标签有 %s", Missing: "缺少标签 %q", Twice: "标签 %q 出现了两次",
			Before: "第一个标签之前有文字：%q", BadSeverity: "级别是 %q；请写 critical、warning 或 suggestion",
			BadPlace: "位置是 %q；请写 path:行 或 path:行-行", OwnEmpty: "需要标题或观察",
			Keeps:    "空行保留原有内容，- 清空：",
			NoEditor: "请把 EDITOR 设为你用的编辑器", Failed: "编辑器：%s", Nothing: "没有改动",
			Kept: "%s；你的文字保存在 %s",
		},
		NoteFor: "备注给：", NoteLabel: "备注",
		ChallengeTitle: "质疑 %s：", ChallengeWhom: "质疑：", ChallengeLabel: "理由", NoReviewer: "这个问题背后没有评审",
		SplitTitle: "取出：", SplitAlone: "这个问题只有一个来源", JoinNeeds: "先选择两个以上的问题再合并",
		CopySent: "已发送给终端：%s", NoURL: "这个改动没有网页", NoDisplay: "没有图形界面；已发送给终端：%s",
		OnlyHere:   "这是副本：你的检出不是被评审的版本",
		ListsTitle: "不在问题列表上的", Dropped: "已丢弃", Folded: "已折叠", Before: "以前决定过", ListEmpty: "没有丢弃、折叠或以前决定过的问题。",
		SummaryTitle: "总结", Holds: "需要人工检查", Gaps: "没有看的", Besides: "另外说的", Notices: "通知", NothingToRestore: "它已在问题列表上",
		WholeChange: "全部改动：%d 个文件，其中 %d 个问题", NoFile: "这个问题没有指明此改动里的文件",
		TakenBack: "决定已撤回", Inherited: "%s，随它并入的问题", Edited: "已编辑", OriginalAgain: "恢复原文",
		NoteWritten: "已写备注", NoteTaken: "备注已撤回", BroughtBack: "已放回问题列表", PutAside: "再次移出",
		AddedOwn: "已添加", OwnTaken: "已撤回", Regrouped: "手动拆分或合并",
	}
}

// Short is a severity in at most 4 cells.
func (b Board) Short(s review.Severity) string {
	switch s {
	case review.Critical:
		return b.Critical
	case review.Warning:
		return b.Warning
	case review.Suggestion:
		return b.Suggestion
	}
	return b.Undecided
}

// Choice is a decision in a word.
func (b Board) Choice(c review.Choice) string {
	switch c {
	case review.Accepted:
		return b.Accepted
	case review.Rejected:
		return b.Rejected
	case review.Escalated:
		return b.Escalated
	}
	return b.Undecided
}

// Reason is why a finding was rejected.
func (b Board) Reason(r review.Reason) string {
	switch r {
	case review.FalsePositive:
		return b.FalsePositive
	case review.WontFix:
		return b.WontFix
	case review.AcceptedRisk:
		return b.AcceptedRisk
	case review.Duplicate:
		return b.Duplicate
	case review.OutOfScope:
		return b.OutOfScope
	}
	return b.Other
}

// ReasonOr is why a finding was rejected, or to whom it was escalated.
func (b Board) ReasonOr(d review.Decision) string {
	if d.Choice == review.Escalated {
		return b.To + " " + d.To
	}
	return b.Reason(d.Reason)
}
