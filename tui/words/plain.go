package words

// Plain is what the screen says where it is read line by line.
type Plain struct {
	Start     string // whether to begin
	Commands  string // the prompt: "%d of %d" undecided, of all
	Finding   string // "finding %d of %d"
	Unknown   string // "%q": a line that is no command
	NoFinding string // "%d": there is no such finding
	Reason    string // before the reasons
	Send      string // "send to %s?"
	AtWork    string // "at work: %s"
	Keys      PlainKeys
}

// PlainKeys says what each letter of the prompt does.
type PlainKeys struct {
	Number, Accept, Reject, Escalate, Undo, Next, List, Send, Quit, Help string
}

func englishPlain() Plain {
	return Plain{
		Start: "Start the review?", Commands: "%d of %d undecided", Finding: "Finding %d of %d",
		Unknown: "%q is no command.", NoFinding: "There is no finding %d.", Reason: "Reject, because:", Send: "Send to %s?", AtWork: "at work: %s",
		Keys: PlainKeys{
			Number: "number: read that finding", Accept: "accept", Reject: "reject", Escalate: "escalate", Undo: "undo",
			Next: "next undecided", List: "list", Send: "send", Quit: "quit", Help: "this line",
		},
	}
}

func chinesePlain() Plain {
	return Plain{
		Start: "开始评审吗？", Commands: "%d/%d 待定", Finding: "第 %d 个问题，共 %d 个",
		Unknown: "%q 不是命令。", NoFinding: "没有第 %d 个问题。", Reason: "拒绝，因为：", Send: "发送到%s吗？", AtWork: "工作中：%s",
		Keys: PlainKeys{
			Number: "数字：阅读该问题", Accept: "接受", Reject: "拒绝", Escalate: "上报", Undo: "撤销",
			Next: "下一未决", List: "列表", Send: "发送", Quit: "退出", Help: "显示命令",
		},
	}
}
