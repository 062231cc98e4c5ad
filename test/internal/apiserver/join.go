package apiserver

import (
	"os"
)

// Second is another API server on the etcd of a first one, as in a control plane of several.
type Second struct {
	Server
	relay *relay
}

// Join starts another API server on the etcd of s, whose watches can be held. Stop it before s.
func (s *Server) Join(cfg Config) (second *Second, err error) {
	second = &Second{Server: Server{prefix: s.prefix}}
	started := second // not second, which an error makes nil
	defer func() {
		if err != nil {
			started.Stop()
		}
	}()
	if second.dir, err = os.MkdirTemp("", "crosswalk-apiserver-"); err != nil {
		return nil, err
	}
	if second.relay, err = startRelay(s.etcd.client.ActiveConnection()); err != nil {
		return nil, err
	}
	return second, second.launch(cfg, second.relay.endpoint)
}

// Hold makes the server learn nothing of what others write, until Release: it goes on to read and write
// etcd, with the definitions that it knows.
func (s *Second) Hold() { s.relay.hold() }

// Release ends Hold.
func (s *Second) Release() { s.relay.release() }

// Stop stops the server and removes everything it wrote. It may be called once.
func (s *Second) Stop() {
	s.Release()
	s.Server.Stop()
	if s.relay != nil {
		s.relay.stop()
	}
}
