package apiserver

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
)

// etcdLog is the file in a server's directory that etcd logs to.
const etcdLog = "etcd.log"

// etcd is one etcd member in this process, and a client of it.
type etcd struct {
	member   *embed.Etcd
	client   *clientv3.Client
	endpoint string
}

// startEtcd starts a member that keeps its data below dir and logs into a file there.
func startEtcd(dir string) (*etcd, error) {
	cfg := embed.NewConfig()
	cfg.Dir = filepath.Join(dir, "etcd")
	cfg.LogOutputs = []string{filepath.Join(dir, etcdLog)}
	cfg.LogLevel = "warn"
	cfg.UnsafeNoFsync = true // the data need not outlive the process
	free := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = free, free
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = free, free
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)

	member, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("starting etcd: %w", err)
	}
	select {
	case <-member.Server.ReadyNotify():
	case err := <-member.Err():
		member.Close()
		return nil, fmt.Errorf("starting etcd: %w", err)
	case <-time.After(time.Minute):
		member.Close()
		return nil, errors.New("starting etcd: not ready after a minute")
	}
	e := &etcd{member: member, endpoint: "http://" + member.Clients[0].Addr().String()}
	e.client, err = clientv3.New(clientv3.Config{Endpoints: []string{e.endpoint}, DialTimeout: time.Minute, Logger: member.GetLogger()})
	if err != nil {
		member.Close()
		return nil, fmt.Errorf("connecting to etcd: %w", err)
	}
	return e, nil
}

func (e *etcd) stop() {
	_ = e.client.Close() // it only repeats that its context is cancelled
	e.member.Close()
}

// Etcd starts an etcd for another API server, which keeps its data below dir. stop ends it.
func Etcd(dir string) (endpoint string, stop func(), err error) {
	e, err := startEtcd(dir)
	if err != nil {
		return "", nil, err
	}
	return e.endpoint, e.stop, nil
}
