package words

// Help is what the help overlay and the printed key table say.
type Help struct {
	Title       string
	Everywhere  string
	Screens     map[string]string // by the screen's name in the key table
	Close       string
	KeyColumn   string
	IDColumn    string
	DoesColumn  string
	MoreBelow   string
	Remap       string // how keys are changed
	RemapSample string
}

func englishHelp() Help {
	return Help{
		Title: "Keys", Everywhere: "Everywhere",
		Screens: map[string]string{"live": "Live", "zoom": "One reviewer", "board": "Board", "outbox": "Outbox", "plan": "Plan", "pick": "Pick a pull request"},
		Close:   "any key closes", KeyColumn: "Key", IDColumn: "Id", DoesColumn: "Does", MoreBelow: "more: j, k",
		Remap: "Change a key in your own configuration, by its id:", RemapSample: "keys: {accept: [a, Y]}",
	}
}

func chineseHelp() Help {
	return Help{
		Title: "按键", Everywhere: "所有界面",
		Screens: map[string]string{"live": "实时", "zoom": "单个评审", "board": "问题", "outbox": "发送", "plan": "计划", "pick": "选择拉取请求"},
		Close:   "按任意键关闭", KeyColumn: "按键", IDColumn: "标识", DoesColumn: "作用", MoreBelow: "更多：j、k",
		Remap: "在你自己的配置里按标识修改按键：", RemapSample: "keys: {accept: [a, Y]}",
	}
}
