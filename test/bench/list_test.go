package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
)

// list is an API server with CronTabs that are stored in v1. It has no watch cache, as after its
// start: a client that lists them in v2 waits for the conversion of each.
type list struct {
	server  *apiserver.Server
	client  *http.Client
	url     string // of the API, without the version
	objects int
	crd     string
}

// newList starts the API server, which converts with the endpoint until ask names another, and
// stores the objects. It ends with the benchmark.
func newList(tb testing.TB, size objectSize, objects int, first endpoint) *list {
	tb.Helper()
	log, err := os.Create(filepath.Join(tb.TempDir(), "apiserver.log"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { log.Close() })
	apiserver.LogTo(log)
	server, err := apiserver.Start(apiserver.Config{NoWatchCache: true})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(server.Stop)
	crd := crontabs(first)
	if err := server.Install(context.Background(), crd); err != nil {
		tb.Fatal(err)
	}
	if err := store(context.Background(), server, crd, size, objects); err != nil {
		tb.Fatal(err)
	}
	config := rest.CopyConfig(server.REST)
	config.DisableCompression = true // a second of CPU that has nothing to do with conversions
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		tb.Fatal(err)
	}
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		tb.Fatal(err)
	}
	return &list{server, client, base.JoinPath("apis", group).String(), objects, crd.Name}
}

// store puts objects into etcd, several at a time: most of the time of one is that of its way there
// and back.
func store(ctx context.Context, server *apiserver.Server, crd *apiextensions.CustomResourceDefinition, size objectSize, objects int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for i := range objects {
		group.Go(func() error {
			text, err := json.Marshal(size.make(i))
			if err != nil {
				return err
			}
			object := &unstructured.Unstructured{}
			if err := object.UnmarshalJSON(text); err != nil {
				return err
			}
			object.SetNamespace("default")
			object.SetResourceVersion("") // as etcd has it
			return server.Store(ctx, crd, object)
		})
	}
	return group.Wait()
}

// crontabs is the CRD, converted by an endpoint.
func crontabs(e endpoint) *apiextensions.CustomResourceDefinition {
	anything := true
	open := apiextensions.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &anything}
	crd := &apiextensions.CustomResourceDefinition{}
	crd.Name = "crontabs." + group
	crd.Spec.Group, crd.Spec.Scope = group, apiextensions.NamespaceScoped
	crd.Spec.Names = apiextensions.CustomResourceDefinitionNames{Kind: kind, ListKind: kind + "List", Plural: "crontabs", Singular: "crontab"}
	for _, version := range []string{"v1", "v2"} {
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensions.CustomResourceDefinitionVersion{
			Name: version, Served: true, Storage: version == "v1",
			Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &apiextensions.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{"spec": open, "status": open},
			}},
		})
	}
	e.convert(crd)
	return crd
}

// convert makes the endpoint the CRD's webhook, and its name that of a column of tables, by which
// followed knows it.
func (e endpoint) convert(crd *apiextensions.CustomResourceDefinition) {
	apiserver.Webhook(crd, "https://"+e.address+"/convert", e.authority)
	for i := range crd.Spec.Versions {
		crd.Spec.Versions[i].AdditionalPrinterColumns = []apiextensions.CustomResourceColumnDefinition{
			{Name: e.name, Type: "string", JSONPath: ".kind"},
		}
	}
}

// get asks the API server and returns its whole answer.
func (l *list) get(ctx context.Context, path, accept string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", accept)
	response, err := l.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s: %.1000s", path, response.Status, answer)
	}
	return answer, err
}

// follow points the CRD at an endpoint and waits until the API server asks it: until its tables
// have the new column.
func (l *list) follow(tb testing.TB, e endpoint) {
	tb.Helper()
	ctx := context.Background()
	if err := l.server.Update(ctx, l.crd, e.convert); err != nil {
		tb.Fatalf("%s: %v", e.name, err)
	}
	eventually.Succeeds(tb, "the API server to ask "+e.name, func() error {
		text, err := l.get(ctx, "/v2/namespaces/default/crontabs?limit=1", "application/json;as=Table;g=meta.k8s.io;v=v1")
		if err != nil {
			return err
		}
		var table struct {
			ColumnDefinitions []struct{ Name string }
		}
		if err := json.Unmarshal(text, &table); err != nil {
			return err
		}
		for _, column := range table.ColumnDefinitions {
			if column.Name == e.name {
				return nil
			}
		}
		return errors.New("its tables do not have the column")
	})
}

// all lists all objects in a version and returns the answer.
func (l *list) all(ctx context.Context, version string) ([]byte, error) {
	return l.get(ctx, "/"+version+"/namespaces/default/crontabs", "application/json")
}

// items are the objects of an answer, as they are written.
func items(answer []byte) ([]json.RawMessage, error) {
	var list struct{ Items []json.RawMessage }
	err := json.Unmarshal(answer, &list)
	return list.Items, err
}

// agree fails unless the listed objects are equal, byte for byte, for all servers.
func (l *list) agree(tb testing.TB, servers []endpoint) {
	tb.Helper()
	var want []json.RawMessage
	for i, e := range servers {
		l.follow(tb, e)
		answer, err := l.all(context.Background(), "v2")
		if err != nil {
			tb.Fatalf("%s: %v", e.name, err)
		}
		got, err := items(answer)
		switch {
		case err != nil:
			tb.Fatalf("%s: %v", e.name, err)
		case len(got) != l.objects:
			tb.Fatalf("%s: the list has %d objects instead of %d", e.name, len(got), l.objects)
		case i == 0:
			want = got
			continue
		}
		for n := range got {
			if !bytes.Equal(got[n], want[n]) {
				tb.Fatalf("%s answered\n%.3000s\nand %s\n%.3000s", e.name, got[n], servers[0].name, want[n])
			}
		}
	}
}

// listed is how many objects BenchmarkList lists.
const listed = 10000

// listRounds is how often each server has its turn at most: a turn is 10,000 reviews, and takes
// some seconds.
const listRounds = 3

// listServers are those that BenchmarkList compares with B1 and the echo: the two ends of the range
// of compiled languages. Further languages would add little, because most of a list is the API
// server's own work.
var listServers = flag.String("lists", "c,go", "`languages`, separated by commas, whose gateways BenchmarkList measures; also B2 and cached")

// storedName is the name of a list in the stored version, which needs no conversion.
const storedName = "none"

// BenchmarkList lists 10,000 objects of the usual size through an API server, in a version that it
// has to convert all of them to: it sends a review for each, one after the other. The servers take
// turns and report:
//
//	wall-ms/list      from the request to the end of the answer, the best of the turns
//	server-ms/list    user and system time of the server's process, by the kernel's ticks
//	x-B1-wall         B1's wall time divided by this one
//	x-echo-wall       the wall time against that with a server that converts nothing
//
// server=none is the list in the stored version.
func BenchmarkList(b *testing.B) {
	if goruntime.GOOS != "linux" {
		b.Skip("reads the time of other processes from /proc")
	}
	wanted := append(strings.Split(*listServers, ","), "B1", "echo")
	servers := endpoints(b, func(name string) bool { return slices.Contains(wanted, name) })
	l := newList(b, usual, listed, servers[0])
	results := sync.OnceValue(func() map[string]map[string]float64 { // the harness calls sub-benchmarks again
		l.agree(b, servers)
		return l.measure(b, servers)
	})
	for _, name := range append(names(servers), storedName) {
		b.Run(fmt.Sprintf("objects=%d/server=%s", listed, name), func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			for unit, value := range results()[name] {
				b.ReportMetric(value, unit)
			}
		})
	}
}

func names(servers []endpoint) []string {
	all := make([]string, len(servers))
	for i, e := range servers {
		all[i] = e.name
	}
	return all
}

// measure lets the servers take turns, and returns the metrics of each by unit. Other processes
// have their part of wall time, so the best turn counts.
func (l *list) measure(b *testing.B, servers []endpoint) map[string]map[string]float64 {
	b.Helper()
	turn := func(version string) float64 { // ms
		began := time.Now()
		if _, err := l.all(context.Background(), version); err != nil {
			b.Fatal(err)
		}
		return float64(time.Since(began)) / 1e6
	}
	walls := map[string][]float64{}
	used := map[string]time.Duration{}
	turns := min(*rounds, listRounds)
	for range turns {
		walls[storedName] = append(walls[storedName], turn("v1"))
		for _, e := range servers {
			l.follow(b, e)
			before, err := cpuOf(e.pid)
			if err != nil {
				b.Fatal(err)
			}
			walls[e.name] = append(walls[e.name], turn("v2"))
			after, err := cpuOf(e.pid)
			if err != nil {
				b.Fatal(err)
			}
			used[e.name] += after - before
		}
	}
	results := map[string]map[string]float64{storedName: {"wall-ms/list": slices.Min(walls[storedName])}}
	for _, e := range servers {
		wall := slices.Min(walls[e.name])
		results[e.name] = map[string]float64{
			"wall-ms/list": wall, "server-ms/list": float64(used[e.name]) / 1e6 / float64(turns),
			"x-B1-wall": slices.Min(walls["B1"]) / wall, "x-echo-wall": wall / slices.Min(walls["echo"]),
		}
	}
	return results
}
