package agent_test

import (
	"testing"

	"github.com/mrv-dev/mrv/engine/agent"
)

// TestLoopback: what is on this machine, and what is not.
func TestLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1:11434/v1": true, "http://localhost:8080": true, "http://[::1]:1": true,
		"https://api.example.org/v1": false, "http://192.168.1.2:11434/v1": false, "": false, "%": false,
	} {
		if got := agent.Loopback(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
