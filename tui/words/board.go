package words

// Board is what the board of findings says.
type Board struct {
	Empty string
}

func englishBoard() Board {
	return Board{Empty: "No findings yet."}
}

func chineseBoard() Board {
	return Board{Empty: "还没有问题。"}
}
