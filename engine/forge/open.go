package forge

import (
	"context"
	"slices"

	"github.com/cli/go-gh/v2/pkg/auth"
)

// agent is the User-Agent of every request.
const agent = "mrv"

// Open makes the reader for a host. What gh knows is GitHub; any other host is
// asked what it is.
func Open(ctx context.Context, host string) (Reader, error) {
	if !isGitHub(host) && isGitea(ctx, host, agent) {
		return NewGitea(host, agent)
	}
	c, err := NewClient(ctx, host, agent)
	if err != nil {
		return nil, err
	}
	return &GitHub{Client: c}, nil
}

func isGitHub(host string) bool {
	token, _ := auth.TokenFromEnvOrConfig(host)
	return !auth.IsEnterprise(host) || token != "" || slices.Contains(auth.KnownHosts(), host)
}
