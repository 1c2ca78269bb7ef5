package agent

import (
	"net"
	"net/url"
)

// Loopback reports whether an address is on this machine.
func Loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
