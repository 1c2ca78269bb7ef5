package git

import (
	"context"
	"fmt"
	"strings"
)

// Signed is a commit with the e-mail addresses of those who made it.
type Signed struct {
	SHA       string
	Author    string
	Committer string
	Parents   int
}

// Since lists the commits that HEAD has and from has not, newest first. ok is
// false if from is not known here, or is no ancestor of HEAD.
func (c *Clone) Since(ctx context.Context, from string) (list []Signed, ok bool, err error) {
	if _, err := c.Resolve(ctx, from); err != nil {
		return nil, false, nil // a commit that is not here is answered by ok
	}
	_, err = c.git(ctx, "looking whether "+short(from)+" is below HEAD", "merge-base", "--is-ancestor", from, "HEAD")
	if exited(err, 1) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	out, err := c.git(ctx, "reading the commits since "+short(from), "log", "--no-color", "--no-show-signature", "--no-mailmap",
		"--format=%H%x01%ae%x01%ce%x01%p", "--end-of-options", "^"+from, "HEAD", "--")
	if err != nil {
		return nil, false, err
	}
	for _, line := range strings.Split(out, "\n") {
		if line == "" {
			continue
		}
		p := strings.Split(line, "\x01")
		if len(p) != 4 {
			return nil, false, fmt.Errorf("reading the commits since %s: unknown record", short(from))
		}
		list = append(list, Signed{SHA: p[0], Author: p[1], Committer: p[2], Parents: len(strings.Fields(p[3]))})
	}
	return list, true, nil
}

// Email is the address with which the person commits here; "" if none is set.
func (c *Clone) Email(ctx context.Context) (string, error) {
	out, err := c.git(ctx, "reading your e-mail address", "config", "--get", "user.email")
	if exited(err, 1) {
		return "", nil
	}
	return out, err
}
