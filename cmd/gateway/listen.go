package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
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

// filesBeside is how many files a gateway has open beside the connections of clients: listeners,
// standard streams, directories that it follows, files of modules and children while they load.
const filesBeside = 48

// fitFiles lowers --max-connections to the limit of open files, so that the gateway closes idle
// connections and does not fail to accept new ones.
func (o *options) fitFiles(limit uint64, logger *slog.Logger) error {
	if limit >= uint64(o.maxConnections)+filesBeside {
		return nil
	}
	most := int(limit) - filesBeside
	if most < 1 {
		return fmt.Errorf("the limit of open files is %d (ulimit -n): must be at least %d more than --max-connections", limit, filesBeside)
	}
	logger.Warn("the limit of open files lowers --max-connections", "files", limit, "connections", most, "configured", o.maxConnections)
	o.maxConnections = most
	return nil
}

// openFiles returns the limit of open files of this process, which Go has raised as far as it may.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxUint64
	}
	return limit.Cur
}
