package words

// Plain is what the screen says where it is read line by line.
type Plain struct {
	Start      string // whether to begin
	Commands   string // the prompt: "%d of %d" undecided, of all
	Finding    string // "finding %d of %d"
	Unknown    string // "%q": a line that is no command
	NoFinding  string // "%d": there is no such finding
	BadNumbers string // "%q": not numbers of findings
	Send       string // "send to %s?"
	SendKeys   string // what answers that
	AtWork     string // "at work: %s"
	Keys       PlainKeys
}

// PlainKeys says what the commands do that the board does not have, or has
// otherwise.
type PlainKeys struct {
	Number, Edit, Next, Previous, File, Restore, List, Send, Quit, Help string
}

func englishPlain() Plain {
	return Plain{
		Start: "Start the review?", Commands: "%d of %d undecided", Finding: "Finding %d of %d",
		Unknown: "%q is no command; ? lists them.", NoFinding: "There is no finding %d.", BadNumbers: "%q are no numbers of findings, such as 2 5-7.",
		Send: "Send to %s?", SendKeys: "y yes   n no   p preview", AtWork: "at work: %s",
		Keys: PlainKeys{
			Number: "A number reads that finding. Numbers behind a command say which findings it is for: a 2 5-7. Commands:",
			Edit:   "edit the wording",
			Next:   "next undecided finding", Previous: "previous undecided finding", File: "the change of this file with the findings in place",
			Restore: "bring back to the board, by its number in that list: z 1", List: "list the findings", Send: "send: to the inbox, to the pull request",
			Quit: "quit", Help: "these commands",
		},
	}
}

func chinesePlain() Plain {
	return Plain{
		Start: "开始评审吗？", Commands: "%d/%d 待定", Finding: "第 %d 个问题，共 %d 个",
		Unknown: "%q 不是命令；? 列出命令。", NoFinding: "没有第 %d 个问题。", BadNumbers: "%q 不是问题的编号，例如 2 5-7。",
		Send: "发送到%s吗？", SendKeys: "y 是   n 否   p 预览", AtWork: "工作中：%s",
		Keys: PlainKeys{
			Number: "输入编号阅读该问题。命令后面的编号表示作用于哪些问题：a 2 5-7。命令：",
			Edit:   "编辑文字",
			Next:   "下一个未决定的问题", Previous: "上一个未决定的问题", File: "这个文件的改动，问题在其位置",
			Restore: "按列表中的编号放回问题列表：z 1", List: "列出问题", Send: "发送：到收件箱、到合并请求",
			Quit: "退出", Help: "显示命令",
		},
	}
}
