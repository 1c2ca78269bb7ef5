package forge

import (
	"context"
	"net"
	"net/http"
)

// connect makes the plain transport. With a socket every request goes there as
// plain HTTP, whatever its scheme, as in gh.
func connect(socket string) http.RoundTripper {
	if socket == "" {
		if t, ok := http.DefaultTransport.(*http.Transport); ok {
			return t.Clone()
		}
		return http.DefaultTransport
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
	return &http.Transport{DialContext: dial, DialTLSContext: dial, DisableKeepAlives: true}
}
