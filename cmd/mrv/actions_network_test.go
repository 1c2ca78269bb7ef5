package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestTheActionsBuildAndInstall runs the two steps of the actions that fetch:
// mrv is built from the sources that the runner has, and OpenCode installed
// where the mrv of the next step finds it.
func TestTheActionsBuildAndInstall(t *testing.T) {
	if os.Getenv("MRV_TEST_NETWORK") == "" {
		t.Skip("fetches modules and 60 MB from the npm registry; set MRV_TEST_NETWORK=1 to run it")
	}
	home, temp := t.TempDir(), t.TempDir()
	goEnv, err := exec.Command("go", "env", "GOMODCACHE", "GOCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	v := strings.Split(strings.TrimSpace(string(goEnv)), "\n")
	for _, name := range []string{"publish", "review"} {
		dir, err := filepath.Abs("../../.github/actions/" + name)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join(dir, "action.yml"))
		if err != nil {
			t.Fatal(err)
		}
		var a action
		if err := yaml.Unmarshal(raw, &a); err != nil {
			t.Fatal(err)
		}
		run := map[string]string{}
		for _, s := range a.Runs.Steps {
			run[s.Name] = s.Run
			// setup-go reads the version that mrv asks for.
			if strings.HasPrefix(s.Uses, "actions/setup-go@") {
				file := strings.ReplaceAll(s.With["go-version-file"], "${{ github.action_path }}", dir)
				if mod, err := os.ReadFile(file); err != nil || !strings.Contains(string(mod), "\ngo 1.") {
					t.Errorf("%s: %s names no version of Go: %v", name, file, err)
				}
			}
		}
		steps := []string{"Build mrv"}
		if name == "review" {
			steps = append(steps, "Install OpenCode")
		}
		for _, step := range steps {
			if run[step] == "" {
				t.Fatalf("%s has no step %q", name, step)
			}
			cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", run[step])
			cmd.Dir = t.TempDir() // the runner's workspace, which is empty
			cmd.Env = []string{
				"HOME=" + home, "PATH=" + os.Getenv("PATH"), "RUNNER_TEMP=" + temp, "GITHUB_ACTION_PATH=" + dir, "GITHUB_ACTIONS=true", "CI=true",
				"GOMODCACHE=" + v[0], "GOCACHE=" + v[1], "GOPROXY=" + v[2], "GOFLAGS=-buildvcs=false",
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s, %s: %v\n%s", name, step, err, out)
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(temp, "mrv"), "doctor")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "XDG_STATE_HOME=" + filepath.Join(temp, "mrv-state")}
	out, _ := cmd.CombinedOutput() // what else the doctor finds is of no matter here
	if !strings.Contains(string(out), filepath.Join(home, ".local/share/mrv/opencode")) {
		t.Errorf("the mrv that was built does not find the OpenCode that was installed:\n%s", out)
	}
}
