// Command kubernetes is the API server for custom resources of one version of Kubernetes: the one
// that its module file names (go build -modfile 1.29.mod). The end-to-end tests start it with
// $CROSSWALK_APISERVER.
//
// Its arguments are the API server's flags. It prints how to connect as one line of JSON, and ends
// when its standard input does.
//
// Do not build it with -trimpath: the server finds its certificate fixtures by their source path.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	servertesting "k8s.io/apiextensions-apiserver/pkg/cmd/server/testing"
	"k8s.io/apiserver/pkg/server/options"
)

// connection is what a client needs to know.
type connection struct {
	Version string // of the module that the server is from
	Host    string
	Name    string // in its certificate
	Token   string
	CA      []byte
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	// Admission plugins would call the core API, which is absent. Versions have different ones.
	flags := append(os.Args[1:], "--disable-admission-plugins="+strings.Join(options.NewAdmissionOptions().Plugins.Registered(), ","))
	server, err := servertesting.StartTestServer(messages{}, nil, flags, nil)
	if err != nil {
		return err
	}
	defer os.RemoveAll(server.TmpDir) // a teardown would wait for clients and for etcd
	c := server.ClientConfig
	err = json.NewEncoder(os.Stdout).Encode(connection{Version: version(), Host: c.Host, Name: c.ServerName, Token: c.BearerToken, CA: c.CAData})
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin) // the tests hold the other end
	return err
}

// version returns the version of the module that the server is from.
func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, d := range info.Deps {
		if d.Path == "k8s.io/apiextensions-apiserver" {
			return d.Version
		}
	}
	return "unknown"
}

// messages is the logger that the server's test support wants.
type messages struct{}

func (messages) Logf(format string, args ...any)   { fmt.Fprintf(os.Stderr, format+"\n", args...) }
func (messages) Errorf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// Fatalf is not called when a server is started without the OrDie functions.
func (messages) Fatalf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
