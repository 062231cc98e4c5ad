//go:build !unix

package oci

// lock does nothing: a gateway's directory is on Linux.
func lock(string) (unlock func(), err error) { return func() {}, nil }
