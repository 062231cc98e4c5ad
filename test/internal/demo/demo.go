// Package demo shows the gateway at work with a real API server, in a minute and in words.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
	"github.com/crosswalk-gateway/crosswalk/test/internal/volume"
)

const (
	plugin = "crontab" // the example that is shown, below plugins
	file   = "CronTab.stable.example.com_v1_v2.wasm"
)

// demo holds everything that runs. Each step uses the results of earlier steps.
type demo struct {
	tell       *teller
	statusPage string // a file, or empty
	dir        string // everything that is written, but for the build's output
	binary     string
	plugins    *artifacts.Plugins
	mount      *volume.ConfigMap // the gateway's modules
	server     *apiserver.Server
	gateway    *gateway.Process
	crd        *apiextensions.CustomResourceDefinition
}

// Config configures the demo.
type Config struct {
	Out io.Writer
	// StatusPage is a file for a picture of the gateway's status page at the end, as PNG. It needs
	// chromium. Empty = no picture.
	StatusPage string
}

// Run shows everything and cleans up. It stops early, and cleans up, when ctx ends.
func Run(ctx context.Context, c Config) (err error) {
	d := &demo{tell: &teller{out: c.Out}, statusPage: c.StatusPage}
	if d.dir, err = os.MkdirTemp("", "crosswalk-demo-"); err != nil {
		return err
	}
	defer os.RemoveAll(d.dir)
	defer func() { err = errors.Join(err, d.end()) }()

	d.tell.title("Crosswalk with a real Kubernetes API server")
	for _, step := range []func(context.Context) error{
		d.build, d.startServer, d.startGateway, d.install, d.create, d.change, d.refuse, d.swap, d.photograph,
	} {
		if err := step(ctx); err != nil {
			if ctx.Err() != nil {
				return errors.New("interrupted")
			}
			return err
		}
	}
	d.tell.step("Ending all of it")
	return nil
}

// end stops everything that runs.
func (d *demo) end() (err error) {
	if d.gateway != nil {
		err = d.gateway.Stop()
		d.gateway.Remove()
	}
	if d.server != nil {
		d.server.Stop()
	}
	return err
}

func (d *demo) build(ctx context.Context) (err error) {
	d.tell.step("Building the gateway and the example converters")
	if d.binary, err = artifacts.Gateway(ctx); err != nil {
		return err
	}
	d.plugins, err = artifacts.BuildPlugins(ctx)
	if err == nil && d.plugins.Skipped != "" {
		d.tell.text(d.plugins.Skipped)
	}
	return err
}

func (d *demo) startServer(context.Context) (err error) {
	d.tell.step("Starting an API server in this process: apiextensions-apiserver %s on etcd %s",
		version("k8s.io/apiextensions-apiserver"), version("go.etcd.io/etcd/server/v3"))
	d.server, err = apiserver.Start(apiserver.Config{})
	return err
}

// version returns the version of a module that this program was built with.
func version(path string) string {
	info, _ := debug.ReadBuildInfo()
	if info != nil {
		for _, dependency := range info.Deps {
			if dependency.Path == path {
				return dependency.Version
			}
		}
	}
	return "(unknown version)"
}

func (d *demo) startGateway(ctx context.Context) error {
	language := d.plugins.Languages[0]
	if slices.Contains(d.plugins.Languages, "go") {
		language = "go"
	}
	module, err := d.plugins.Module(language, file)
	if err != nil {
		return err
	}
	d.tell.step("Starting the gateway with one module in its directory: %s, written in %s, %s", file, spoken(language), size(module))
	d.mount = &volume.ConfigMap{Dir: filepath.Join(d.dir, "modules")}
	if err := os.Mkdir(d.mount.Dir, 0o755); err != nil {
		return err
	}
	if err := d.mount.Write(map[string][]byte{file: module}); err != nil {
		return err
	}
	if d.gateway, err = gateway.Start(gateway.Config{Binary: d.binary, Modules: d.mount.Dir}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return d.gateway.WaitReady(ctx)
}

func (d *demo) install(ctx context.Context) error {
	d.tell.step("Creating the CustomResourceDefinition in plugins/%s/crd.yaml, yet without its patterns, with %s as its conversion webhook", plugin, d.gateway.URL())
	text, err := artifacts.Read("plugins", plugin, "crd.yaml")
	if err != nil {
		return err
	}
	if d.crd, err = apiserver.ParseCRD(text); err != nil {
		return err
	}
	apiserver.WithoutPatterns(d.crd) // a pattern would refuse the object that the converter refuses
	apiserver.Webhook(d.crd, d.gateway.URL(), d.gateway.CA)
	return d.server.Install(ctx, d.crd)
}

// crontab returns an object as a user writes it.
func crontab(name, schedule string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "stable.example.com/v1", "kind": "CronTab",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"team": "batch"}},
		"spec":     map[string]any{"cronSpec": schedule, "image": "registry.example.com/backup:1.4"},
	}}
}

func (d *demo) create(ctx context.Context) error {
	d.tell.step("Creating a CronTab at v1, the version that is stored")
	created, err := d.server.Resource(d.crd, "v1").Create(ctx, crontab("nightly", "30 2 * * 1-5"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	d.tell.object(created)
	d.tell.step("Reading it at v2")
	read, err := d.server.Resource(d.crd, "v2").Get(ctx, "nightly", metav1.GetOptions{})
	if err != nil {
		return err
	}
	d.tell.object(read)
	return nil
}

func (d *demo) change(ctx context.Context) error {
	const patch = `{"spec":{"hour":"4"}}`
	d.tell.step("Patching it at v2 with %s, and reading it at v1", patch)
	_, err := d.server.Resource(d.crd, "v2").Patch(ctx, "nightly", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	read, err := d.server.Resource(d.crd, "v1").Get(ctx, "nightly", metav1.GetOptions{})
	if err != nil {
		return err
	}
	d.tell.object(read)
	return nil
}

func (d *demo) refuse(ctx context.Context) error {
	d.tell.step("Creating one at v1 whose schedule, @daily, cannot be said at v2, and reading it at v2")
	v1 := d.server.Resource(d.crd, "v1")
	if _, err := v1.Create(ctx, crontab("daily", "@daily"), metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err := d.server.Resource(d.crd, "v2").Get(ctx, "daily", metav1.GetOptions{})
	if err == nil {
		return errors.New("an object that cannot be converted was converted")
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d.tell.text(fmt.Sprintf("Error from server: %v", err))
	return v1.Delete(ctx, "daily", metav1.DeleteOptions{})
}
