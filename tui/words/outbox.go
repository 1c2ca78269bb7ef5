package words

// Outbox is what the page that shows where findings go says.
type Outbox struct {
	Empty string
}

func englishOutbox() Outbox {
	return Outbox{Empty: "Nothing is ready to go out yet."}
}

func chineseOutbox() Outbox {
	return Outbox{Empty: "还没有可以发送的内容。"}
}
