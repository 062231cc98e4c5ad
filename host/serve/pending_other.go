//go:build !unix

package serve

import "net"

// pending reports whether a connection has bytes that the gateway has not read yet. It does not know
// on this system.
func pending(net.Conn) bool { return false }
