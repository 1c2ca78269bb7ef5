package opencode

import "encoding/json"

// sessionOf is the id of the session that an event is about, or "". Older
// servers name it in the message or the part only.
func sessionOf(e event) string {
	var p struct {
		SessionID string `json:"sessionID"`
		Info      struct {
			ID        string `json:"id"`
			SessionID string `json:"sessionID"`
		} `json:"info"`
		Part struct {
			SessionID string `json:"sessionID"`
		} `json:"part"`
	}
	if json.Unmarshal(e.Properties, &p) != nil {
		return ""
	}
	switch {
	case p.SessionID != "":
		return p.SessionID
	case p.Info.SessionID != "":
		return p.Info.SessionID
	}
	return p.Part.SessionID
}
