package words

// Outbox is what the page that shows where findings go says. Fields with verbs
// are formats.
type Outbox struct {
	Empty, Loading              string
	GoingOut, NotMoved, Moved   string // as whom and bound to which head; how that head stands
	HeadUnknown                 string
	Inbox, PR                   string
	NotReady                    string
	Open, Escalated, Rejected   string // how a finding lands
	Inline, File, Summary, Kept string
	Stay, NoneStay              string // undecided findings
	Nothing                     string
	NothingTicked, Sending      string
	Written                     string // after an export: where to
	There                       string // posted before
	ChangedSince, And           string // "%s": the counts, which And is between
	EditedN, TakenBackN, AddedN string // "%d"
	ItemEdited, ItemTakenBack   string
	SendAgain                   map[string]string // by target: what sending again does
	NoPlace                     string
	PreviewOf                   string
}

func englishOutbox() Outbox {
	return Outbox{
		Empty: "Nothing is ready to go out yet.", Loading: "Looking where it would land.",
		GoingOut: "Going out as %s, bound to %s", NotMoved: "current head: %s, not moved", Moved: "current head: %s, MOVED since the review",
		HeadUnknown: "current head: could not be asked",
		Inbox:       "inbox", PR: "PR", NotReady: "not ready",
		Open: "open", Escalated: "escalated", Rejected: "rejected",
		Inline: "inline", File: "file", Summary: "summary", Kept: "kept",
		Stay: "Undecided: %d. They stay here.", NoneStay: "No finding is left undecided.",
		Nothing: "nothing decided yet", NothingTicked: "nothing is ticked", Sending: "sending",
		Written: "written: %s", There: "posted",
		ChangedSince: "changed since: %s", And: ", ", EditedN: "%d edited", TakenBackN: "%d taken back", AddedN: "%d new",
		ItemEdited: "edited since it was sent", ItemTakenBack: "taken back since it was sent",
		SendAgain: map[string]string{
			"inbox": "; sending again writes the file anew",
			"pr":    "; sending again changes what stands there, withdraws what was taken back and adds what is new",
		}, NoPlace: "no place",
		PreviewOf: "What would go to %s",
	}
}

func chineseOutbox() Outbox {
	return Outbox{
		Empty: "还没有可以发送的内容。", Loading: "正在查看会写到哪里。",
		GoingOut: "以 %s 的名义发出，绑定 %s", NotMoved: "当前 head：%s，未移动", Moved: "当前 head：%s，评审之后已移动",
		HeadUnknown: "当前 head：查询失败",
		Inbox:       "收件箱", PR: "PR", NotReady: "未就绪",
		Open: "待处理", Escalated: "已上报", Rejected: "已拒绝",
		Inline: "行内", File: "文件", Summary: "摘要", Kept: "保留",
		Stay: "%d 个问题未决定，留在这里。", NoneStay: "没有未决定的问题。",
		Nothing: "还没有决定", NothingTicked: "没有勾选任何去处", Sending: "正在发送",
		Written: "已写入：%s", There: "已发布",
		ChangedSince: "之后有变化：%s", And: "，", EditedN: "%d 个编辑过", TakenBackN: "%d 个已收回", AddedN: "%d 个新增",
		ItemEdited: "发出之后编辑过", ItemTakenBack: "发出之后已收回",
		SendAgain: map[string]string{
			"inbox": "；再发送一次会重写文件",
			"pr":    "；再发送一次会更改已有的、撤回已收回的、添加新增的",
		}, NoPlace: "无位置",
		PreviewOf: "将发送到%s的内容",
	}
}

// Target is a destination's name.
func (o Outbox) Target(t string) string {
	switch t {
	case "inbox":
		return o.Inbox
	case "pr":
		return o.PR
	}
	return t
}

// As is how a finding lands.
func (o Outbox) As(as string) string {
	switch as {
	case "open":
		return o.Open
	case "escalated":
		return o.Escalated
	case "rejected":
		return o.Rejected
	case "inline":
		return o.Inline
	case "file":
		return o.File
	case "summary":
		return o.Summary
	case "kept":
		return o.Kept
	case "there":
		return o.There
	}
	return as
}
