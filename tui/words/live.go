package words

// Live is what the panes of the reviewers say.
type Live struct {
	Status      map[string]string // by event.Status
	Silent      string            // "silent %s"
	RetryIn     string            // "retrying in %s"
	Attempt     string            // "attempt %d"
	NewBelow    string            // "new output below"
	Thinking    string            // "thinking … (%s)": folded, how much of it
	ThinkingNow string            // folded and still growing
	Waiting     string            // nothing has come yet
	NoText      string            // it ended without a word
	NA          string            // no effort or model
	Turn        map[string]string // by event.TurnKind, "" for the usual one
	Earlier     string            // text above is cut off, read the journal
	Coordinator string            // title of the coordinator's pane
	Findings    string            // "%d findings"
	OneFinding  string
	Broken      string            // the report breaks the contract
	AskModel    string            // title of the model prompt, "%s"
	AskPersona  string            // "%s": the personas there are
	NeedModel   string            // nothing was typed
	NeedPersona string            // the same; "%s": the personas
	AskAbort    string            // "Abort %s?"
	AskRetry    string            // "%s is done. Run it again?"
	Sent        string            // "%s: %s" what was asked of whom
	Asked       map[string]string // by event.CommandKind, what the person asked of a reviewer; "%d" minutes, "%s" model
	Loading     string            // the whole transcript is being read
	Empty       string            // no reviewer
	Notice      string            // "notice %d: %s": how many there are, the last
	OtherPanes  string            // "%d more: %s" panes that do not fit
	Severity    map[string]string // by review.Severity
	Failure     map[string]string // what a kind of failure is, in words
}

func englishLive() Live {
	return Live{
		Status: map[string]string{
			"planned": "planned", "queued": "queued", "starting": "starting", "running": "running", "retrying": "retrying",
			"done": "done", "failed": "failed", "aborted": "aborted", "contract violated": "contract violated", "skipped": "skipped",
		},
		Silent: "silent %s", RetryIn: "retrying in %s", Attempt: "attempt %d",
		NewBelow: "new output below", Thinking: "thinking, %s characters", ThinkingNow: "thinking … %s characters",
		Waiting: "waiting for the first words", NoText: "no text came", NA: "n/a",
		Turn: map[string]string{
			"review": "review", "part": "next part", "repair": "repairing the report", "shorter": "shortening the report",
			"judge": "judging", "challenge": "answering you",
		},
		Earlier: "earlier text is in the journal: zoom reads it", Coordinator: "coordinator",
		Findings: "%d findings", OneFinding: "1 finding", Broken: "the report breaks the contract",
		AskModel: "Model for %s (provider/model)", AskPersona: "One more of (%s)",
		NeedModel: "type a model as provider/model; esc leaves it as it is", NeedPersona: "type one of %s; esc adds none",
		AskAbort: "Abort %s?", AskRetry: "%s has ended. Run it again?",
		Sent:    "%s: %s",
		Asked:   map[string]string{"abort": "you: abort", "retry": "you: retry", "time": "you: +%d min", "model": "you: %s"},
		Loading: "reading the journal …", Empty: "No reviewer is at work.", Notice: "notice %d: %s", OtherPanes: "%d more: %s",
		Severity: map[string]string{"critical": "critical", "warning": "warning", "suggestion": "suggestion"},
		Failure: map[string]string{
			"auth": "refused by the provider", "model": "model not accepted", "overflow": "the prompt does not fit the model",
			"filter": "refused by a content filter", "rate": "rate limited", "provider": "the provider failed",
			"transport": "no connection to the provider", "silent": "no answer in time", "empty": "the answer was empty",
			"unknown": "the model stopped for an unknown reason", "steps": "too many steps", "server": "the agent's server failed",
			"aborted": "aborted", "no checks": "no checks", "other": "failed",
		},
	}
}

func chineseLive() Live {
	return Live{
		Status: map[string]string{
			"planned": "已计划", "queued": "排队中", "starting": "启动中", "running": "运行中", "retrying": "重试中",
			"done": "完成", "failed": "失败", "aborted": "已中止", "contract violated": "报告不合约定", "skipped": "已跳过",
		},
		Silent: "静默 %s", RetryIn: "%s 后重试", Attempt: "第 %d 次",
		NewBelow: "下方有新内容", Thinking: "思考，%s 字", ThinkingNow: "思考中 … %s 字",
		Waiting: "等待第一段输出", NoText: "没有收到文字", NA: "无",
		Turn: map[string]string{
			"review": "评审", "part": "下一部分", "repair": "修正报告", "shorter": "缩短报告",
			"judge": "裁决", "challenge": "回应质疑",
		},
		Earlier: "更早的文字在日志里：放大可读", Coordinator: "协调者",
		Findings: "%d 个问题", OneFinding: "1 个问题", Broken: "报告不合约定",
		AskModel: "%s 改用的模型（provider/model）", AskPersona: "再加一位（%s）",
		NeedModel: "请输入模型：provider/model；esc 保持不变", NeedPersona: "请输入其中之一：%s；esc 不增加",
		AskAbort: "中止 %s？", AskRetry: "%s 已结束。重新运行？",
		Sent:    "%s：%s",
		Asked:   map[string]string{"abort": "你：中止", "retry": "你：重试", "time": "你：+%d 分钟", "model": "你：%s"},
		Loading: "正在读取日志 …", Empty: "没有评审在工作。", Notice: "通知 %d：%s", OtherPanes: "另有 %d 个：%s",
		Severity: map[string]string{"critical": "严重", "warning": "警告", "suggestion": "建议"},
		Failure: map[string]string{
			"auth": "被服务商拒绝", "model": "模型不可用", "overflow": "提示超出模型的上下文",
			"filter": "被内容过滤拒绝", "rate": "被限流", "provider": "服务商出错",
			"transport": "无法连接服务商", "silent": "没有按时回答", "empty": "回答是空的",
			"unknown": "模型因未知原因停止", "steps": "步数过多", "server": "代理服务出错",
			"aborted": "已中止", "no checks": "没有检查项", "other": "失败",
		},
	}
}
