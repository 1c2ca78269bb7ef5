package opencode

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
)

var connected = regexp.MustCompile(`connect\(\d+, \{sa_family=AF_INET6?, .*?(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"`)

// TestNoForeignConnection watches every connection that the server and its
// children make during a whole run: all of them stay on this machine.
func TestNoForeignConnection(t *testing.T) {
	b := binary(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace (apt-get install strace)")
	}
	p := scripted.Start(t)
	scenarios(p)
	root := t.TempDir()
	log := filepath.Join(root, "connects")
	wrapper := filepath.Join(root, "traced")
	script := fmt.Sprintf("#!/bin/sh\nexec %s -f -qq -e trace=connect -o %s %s \"$@\"\n", strace, log, b.Path)
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	c := configure(t, p, root, tree(t, root, snapshotFiles))
	c.Binary.Path = wrapper
	a, err := New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	got := once(t, a, spec("reader"), "go")
	if err := a.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got.failure != nil {
		t.Fatal(got.failure)
	}
	trace, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	all := connected.FindAllStringSubmatch(string(trace), -1)
	local := 0
	for _, m := range all {
		if address := m[1]; strings.HasPrefix(address, "127.") || address == "::1" {
			local++
		} else {
			t.Errorf("the server connected to %s", address)
		}
	}
	if local == 0 {
		t.Errorf("not even the provider was seen in the trace:\n%.500s", trace)
	}
}
