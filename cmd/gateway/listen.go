package main

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// listeners opens both ports. admin is nil if --admin-listen is empty.
func (o *options) listeners() (reviews, admin net.Listener, err error) {
	if reviews, err = listen("--listen", o.listen); err != nil {
		return nil, nil, err
	}
	if o.adminListen == "" {
		return reviews, nil, nil
	}
	if admin, err = listen("--admin-listen", o.adminListen); err != nil {
		reviews.Close()
		return nil, nil, err
	}
	return reviews, admin, nil
}

// listen opens a port. Its errors name the flag and the remedy.
func listen(flag, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s %s: the address is in use: choose another port", flag, address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s %s: ports below 1024 need a privilege: choose a port above", flag, address)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%s %s: this machine has no such address: omit the host to listen on all addresses", flag, address)
	default:
		return nil, fmt.Errorf("%s %s: %w", flag, address, err)
	}
}
