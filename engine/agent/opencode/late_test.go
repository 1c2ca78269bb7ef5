package opencode

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestLateWordsOfAnEarlierTurn: the server says the end of a turn twice. What
// comes after the next prompt does not end the next turn, nor is it its answer.
func TestLateWordsOfAnEarlierTurn(t *testing.T) {
	say := func(kind, properties string, args ...any) event {
		return event{Type: kind, Properties: json.RawMessage(fmt.Sprintf(properties, args...))}
	}
	message := func(id, role, parent, finish string) event {
		return say("message.updated", `{"sessionID":"ses_A","info":{"id":%q,"sessionID":"ses_A","role":%q,"parentID":%q,"finish":%q}}`, id, role, parent, finish)
	}
	text := func(id, text string) event {
		return say("message.part.updated", `{"part":{"id":"prt_%[1]s","messageID":%[1]q,"type":"text","text":%[2]q,"time":{"start":1,"end":2}}}`, id, text)
	}
	idle := say("session.idle", `{"sessionID":"ses_A"}`)
	tn := newTurn(turnOptions{Earlier: func(id string) bool { return id == "msg_U1" }})
	for _, e := range []event{
		message("msg_U2", "user", "", ""),
		message("msg_A1", "assistant", "msg_U1", "stop"), text("msg_A1", "the first answer"), idle, // late
		message("msg_A2", "assistant", "msg_U2", ""), text("msg_A2", "the second answer"),
	} {
		tn.event(e)
		if tn.state == over {
			t.Fatalf("a late word ends the turn: %s", e.Properties)
		}
	}
	tn.event(message("msg_A2", "assistant", "msg_U2", "stop"))
	tn.event(idle)
	if got, failure := tn.answer(); tn.state != over || got.Text != "the second answer" || failure != nil {
		t.Errorf("state %v, answer %q, %v", tn.state, got.Text, failure)
	}
}
