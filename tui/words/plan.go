package words

// Plan is what the page before the first question to a model says.
type Plan struct {
	Title      string
	Change     string // label
	Read       string // label
	CostLabel  string // label
	Files      string // "%d files, +%d -%d lines"
	OneFile    string
	Skipped    string // "%d skipped"
	Unread     string // "%d unread"
	Tier       string
	Team       string
	Skips      string // "skipped: %s"
	Sends      string
	SendsTo    string // "%s to %s (%s)": size, provider, models
	Loopback   string // stays on this machine
	Cost       string // "about %s"
	AtMost     string // "at most %s"
	NoBudget   string
	Rules      string
	RulesFrom  string // "taken from %s"
	Touched    string // "this change touches %s: rules are taken from %s"
	Agent      string
	Gaps       string
	Merge      string // the coordinator
	MergeOnly  string // deterministic only
	NoModel    string // no model will be asked
	Starting   string
	Planning   string
	Planned    string // the plan was made anew
	AskTeam    string
	AskDrop    string // with the keys
	Visibility map[string]string
}

func englishPlan() Plan {
	return Plan{
		Title: "Before a model is asked", Change: "change", Read: "reads", CostLabel: "cost",
		Files: "%d files, +%d -%d lines", OneFile: "1 file, +%d -%d lines",
		Skipped: "%d skipped", Unread: "%d could not be read", Tier: "tier", Team: "team", Skips: "does not run: %s",
		Sends: "sends", SendsTo: "%s to %s (%s)", Loopback: "stays on this machine",
		Cost: "about %s", AtMost: "at most %s", NoBudget: "no limit set",
		Rules: "rules", RulesFrom: "from %s", Touched: "this change touches %s; the rules are those of %s",
		Agent: "agent", Gaps: "gaps", Merge: "merge", MergeOnly: "by rules only, no model",
		NoModel: "No model is asked.", Starting: "Starting …", Planning: "Planning …", Planned: "This is the new plan.",
		AskTeam: "team (persona:number, ...)", AskDrop: "Files not to be read:  j k move   x drop or keep   enter ok",
		Visibility: map[string]string{"public": "public", "private": "private", "unknown": "treated as private"},
	}
}

func chinesePlan() Plan {
	return Plan{
		Title: "询问模型之前", Change: "改动", Read: "读取", CostLabel: "费用",
		Files: "%d 个文件，+%d -%d 行", OneFile: "1 个文件，+%d -%d 行",
		Skipped: "跳过 %d 个", Unread: "%d 个无法读取", Tier: "级别", Team: "团队", Skips: "不运行：%s",
		Sends: "发送", SendsTo: "%s 给 %s（%s）", Loopback: "不离开本机",
		Cost: "约 %s", AtMost: "最多 %s", NoBudget: "未设上限",
		Rules: "规则", RulesFrom: "来自 %s", Touched: "本次改动涉及 %s；规则取自 %s",
		Agent: "代理", Gaps: "缺口", Merge: "合并", MergeOnly: "只按规则，不用模型",
		NoModel: "不会询问模型。", Starting: "正在启动 …", Planning: "正在计划 …", Planned: "这是新的计划。",
		AskTeam: "团队（角色:人数, …）", AskDrop: "不要读取的文件：  j k 移动   x 去掉或保留   enter 确定",
		Visibility: map[string]string{"public": "公开", "private": "私有", "unknown": "按私有处理"},
	}
}
