package words

// Progress is what a run without a screen prints, a line each.
type Progress struct {
	Server        map[string]string // what an agent's server does
	Level         map[string]string // of a notice
	Planned       string            // files read, not read, tier, reviewers, agent, run
	Report        string            // reviewer, label, findings
	Deterministic string            // why there is no summary
	Thinking      string
	Alive         string // reviewer, what it does, seconds since last output
}

func englishProgress() Progress {
	return Progress{
		Server:  map[string]string{"starting": "starting", "ready": "ready", "restarted": "restarted", "gone": "gone"},
		Level:   map[string]string{"info": "info", "warn": "warn", "error": "error"},
		Planned: "files: %d read, %d not; tier %s; reviewers: %d; agent %s; run %s", Report: "%s  report: %s, findings: %d",
		Deterministic: "coordinator: deterministic only, no summary (%s)", Thinking: "thinking", Alive: "%s  %s, %d s since last output",
	}
}

func chineseProgress() Progress {
	return Progress{
		Server:  map[string]string{"starting": "启动中", "ready": "就绪", "restarted": "已重启", "gone": "已退出"},
		Level:   map[string]string{"info": "信息", "warn": "警告", "error": "错误"},
		Planned: "阅读 %d 个文件，%d 个不读，等级 %s，%d 位评审，代理 %s，运行 %s", Report: "%s  报告：%s，%d 个问题",
		Deterministic: "协调者：没有总结，只按规则合并（%s）", Thinking: "思考中", Alive: "%s  %s，距上次输出 %d 秒",
	}
}
