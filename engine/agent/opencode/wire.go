package opencode

import "encoding/json"

// The parts of the server's JSON that are used. Unknown keys and types are
// ignored: the server breaks its own schema in places, so nothing is strict.

// event is one message of the server's event stream.
type event struct {
	Type       string          `json:"type"`
	Properties json.RawMessage `json:"properties"`
}

// properties is the union of what the events that matter carry.
type properties struct {
	SessionID string     `json:"sessionID"`
	Info      message    `json:"info"`
	Part      part       `json:"part"`
	MessageID string     `json:"messageID"`
	PartID    string     `json:"partID"`
	Field     string     `json:"field"`
	Delta     string     `json:"delta"`
	Status    status     `json:"status"`
	Error     *wireError `json:"error"`
	// Permission is what a permission.asked event asks for.
	Permission string `json:"permission"`
}

// status is what a session is doing: idle, busy or retry.
type status struct {
	Type    string `json:"type"`
	Attempt int    `json:"attempt"`
	Message string `json:"message"`
	Next    int64  `json:"next"` // Unix milliseconds
}

// message is the head of a user's or an assistant's message. In session.*
// events the same key holds a session, of which only ID is read.
type message struct {
	ID         string          `json:"id"`
	SessionID  string          `json:"sessionID"`
	Role       string          `json:"role"`
	ParentID   string          `json:"parentID"` // of an answer: the user message it answers
	ProviderID string          `json:"providerID"`
	ModelID    string          `json:"modelID"`
	Summary    json.RawMessage `json:"summary"` // true for a compaction's message; an object in a session
	Finish     string          `json:"finish"`
	Error      *wireError      `json:"error"`
	Structured json.RawMessage `json:"structured"`
}

// part is a piece of a message: text, reasoning, tool, step-start, step-finish.
type part struct {
	ID        string    `json:"id"`
	SessionID string    `json:"sessionID"`
	MessageID string    `json:"messageID"`
	Type      string    `json:"type"`
	Text      string    `json:"text"`
	Time      *partTime `json:"time"`
	Tool      string    `json:"tool"`
	State     toolState `json:"state"`
	Reason    string    `json:"reason"`
	Cost      float64   `json:"cost"`
	Tokens    tokens    `json:"tokens"`
}

type partTime struct {
	End int64 `json:"end"`
}

type toolState struct {
	Status string          `json:"status"`
	Input  json.RawMessage `json:"input"`
	Title  string          `json:"title"`
	Output string          `json:"output"`
	Error  string          `json:"error"`
}

type tokens struct {
	Input     int64 `json:"input"`
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning"`
	Cache     struct {
		Read  int64 `json:"read"`
		Write int64 `json:"write"`
	} `json:"cache"`
}

// wireError is the error of a message or of a session.
type wireError struct {
	Name string `json:"name"`
	Data struct {
		Message         string            `json:"message"`
		StatusCode      int               `json:"statusCode"`
		IsRetryable     bool              `json:"isRetryable"`
		ResponseHeaders map[string]string `json:"responseHeaders"`
		ResponseBody    string            `json:"responseBody"`
	} `json:"data"`
}

// stored is a message with its parts, as GET /session/:id/message has it.
type stored struct {
	Info  message `json:"info"`
	Parts []part  `json:"parts"`
}
