package forge

import (
	"context"
)

// agent is the User-Agent of every request.
const agent = "mrv"

// Open makes the reader for a repository's forge.
func Open(ctx context.Context, host string) (Reader, error) {
	c, err := NewClient(ctx, host, agent)
	if err != nil {
		return nil, err
	}
	return &GitHub{Client: c}, nil
}
