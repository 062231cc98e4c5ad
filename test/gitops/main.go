// Command gitops compares a directory of manifests with a cluster and applies it, with the libraries
// of Flux or Argo CD, once for each line of standard input. It writes one line of JSON for each
// round.
//
//	gitops --engine ENGINE --kubeconfig FILE --dir DIR
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Round is the result of one round.
type Round struct {
	Objects int      `json:"objects"`
	Drift   []string `json:"drift,omitempty"`   // objects that differ from their manifest
	Changed []string `json:"changed,omitempty"` // objects that the engine says it changed
	Errors  []string `json:"errors,omitempty"`
}

// engine compares and applies objects as one GitOps engine does.
type engine interface {
	compare(ctx context.Context, objects []*unstructured.Unstructured) (drift []string, err error)
	apply(ctx context.Context, objects []*unstructured.Unstructured) (changed []string, err error)
}

// engines are the engines by their name.
var engines = map[string]func(*rest.Config) (engine, error){
	"flux":               newFlux,
	"argocd-server-side": func(c *rest.Config) (engine, error) { return newArgoCD(c, true) },
	"argocd-client-side": func(c *rest.Config) (engine, error) { return newArgoCD(c, false) },
}

// roundTime bounds one round.
const roundTime = 2 * time.Minute

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	name := flag.String("engine", "", "flux, argocd-server-side or argocd-client-side")
	kubeconfig := flag.String("kubeconfig", "", "file with the address of the API server and credentials")
	dir := flag.String("dir", "", "directory of manifests")
	flag.Parse()
	create := engines[*name]
	if create == nil {
		return fmt.Errorf("there is no engine %q", *name)
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	e, err := create(config)
	if err != nil {
		return fmt.Errorf("starting %s: %w", *name, err)
	}
	encoder := json.NewEncoder(out)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if err := encoder.Encode(round(e, *dir)); err != nil {
			return err
		}
	}
	return nil
}

// round compares the manifests with the cluster, and then applies all of them.
func round(e engine, dir string) (r Round) {
	ctx, cancel := context.WithTimeout(context.Background(), roundTime)
	defer cancel()
	fail := func(doing string, err error) {
		if err != nil {
			r.Errors = append(r.Errors, doing+": "+err.Error())
		}
	}
	objects, err := manifests(dir)
	fail("reading manifests", err)
	r.Objects = len(objects)
	r.Drift, err = e.compare(ctx, copies(objects))
	fail("comparing", err)
	r.Changed, err = e.apply(ctx, copies(objects))
	fail("applying", err)
	return r
}
