package forge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/cli/go-gh/v2/pkg/auth"
	"github.com/cli/safeexec"
)

// keychainWait is how long gh may take to read its keychain. A locked one
// hangs without a word where there is no desktop to ask on.
const keychainWait = 5 * time.Second

// ErrKeychain says that gh holds the token in a keychain that does not open.
var ErrKeychain = errors.New("gh did not get its token out of the keychain within 5 s; it may be locked")

// Token finds the person's token for a host, in gh's order: environment, gh's
// configuration, gh's keychain. It is "" if there is none. source is where it
// came from, for people to read.
func Token(ctx context.Context, host string) (token, source string, err error) {
	if token, source := auth.TokenFromEnvOrConfig(host); token != "" {
		return token, source, nil
	}
	gh := os.Getenv("GH_PATH")
	if gh == "" {
		if gh, err = safeexec.LookPath("gh"); err != nil {
			return "", "", nil
		}
	}
	limit, cancel := context.WithTimeout(ctx, keychainWait)
	defer cancel()
	cmd := exec.CommandContext(limit, gh, "auth", "token", "--secure-storage", "--hostname", host)
	cmd.WaitDelay = time.Second
	alone(cmd)
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", "", fmt.Errorf("asking gh for a token: %w", context.Cause(ctx))
	case limit.Err() != nil:
		return "", "", fmt.Errorf("%w: unlock it or set %s", ErrKeychain, tokenVariable(host))
	case err != nil:
		return "", "", nil // gh has none for this host
	}
	return strings.TrimSpace(string(out)), "gh", nil
}

// tokenVariable is the environment variable that holds a token for a host.
func tokenVariable(host string) string {
	if auth.IsEnterprise(host) {
		return "GH_ENTERPRISE_TOKEN"
	}
	return "GH_TOKEN"
}
