// Package imports tests the imports of all packages against the table below; docs/develop/rationale.md
// explains the table.
package imports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const project = "github.com/crosswalk-gateway/crosswalk/"

// rule lists the packages that a package, and those below it, may import besides the standard
// library. Of several matching rules, the longest name wins. A named import includes the packages
// below it.
type rule struct {
	of  string
	may []string
	why string
}

// groupsAreApart is why no group of commands may import another.
const groupsAreApart = "a group of commands imports libraries, and never another group"

func rules() []rule {
	return []rule{
		{"@/cmd", []string{"@/cmd", "@/docs", "@/host", "@/runtime", "@/internal", "@/sdk", "github.com/prometheus/client_golang", "github.com/spf13/pflag"},
			"commands join the others, and flags are theirs alone"},
		{"@/cmd/crosswalk", []string{"@/cmd/crosswalk", "@/docs", "@/cmd/crosswalk/internal", "@/internal", "@/runtime/load", "@/runtime/module", "github.com/spf13/cobra", "github.com/spf13/pflag"},
			"main joins the groups of commands; packages below it name what they may import"},
		{"@/cmd/crosswalk/command", []string{"@/cmd/crosswalk/output", "github.com/spf13/cobra"}, "command is what all commands share, and knows none of them"},
		{"@/cmd/crosswalk/modules", []string{"@/cmd/crosswalk/command", "@/cmd/crosswalk/definition", "@/host", "@/runtime", "@/cmd/crosswalk/internal", "@/internal", "github.com/spf13/pflag"}, "modules opens modules, and has no commands"},
		{"@/cmd/crosswalk/write", []string{"@/cmd/crosswalk/adopt", "@/cmd/crosswalk/bundle", "@/cmd/crosswalk/command", "@/cmd/crosswalk/definition", "@/cmd/crosswalk/fuzz", "@/cmd/crosswalk/input", "@/cmd/crosswalk/modules", "@/cmd/crosswalk/output", "@/cmd/crosswalk/propose", "@/cmd/crosswalk/prove", "@/cmd/crosswalk/rules", "@/cmd/crosswalk/scaffold", "@/cmd/crosswalk/script", "@/host", "@/runtime", "@/cmd/crosswalk/internal", "@/internal", "github.com/spf13/cobra"}, groupsAreApart},
		{"@/cmd/crosswalk/verify", []string{"@/cmd/crosswalk/attach", "@/cmd/crosswalk/bench", "@/cmd/crosswalk/cluster", "@/cmd/crosswalk/command", "@/cmd/crosswalk/compat", "@/cmd/crosswalk/conformance", "@/cmd/crosswalk/definition", "@/cmd/crosswalk/diff", "@/cmd/crosswalk/fuzz", "@/cmd/crosswalk/golden", "@/cmd/crosswalk/input", "@/cmd/crosswalk/manifest", "@/cmd/crosswalk/modules", "@/cmd/crosswalk/output", "@/cmd/crosswalk/prove", "@/cmd/crosswalk/rules", "@/cmd/crosswalk/scaffold", "@/host", "@/runtime", "@/cmd/crosswalk/internal", "@/internal", "github.com/spf13/cobra", "github.com/spf13/pflag", "go.yaml.in/yaml/v3"}, groupsAreApart},
		{"@/cmd/crosswalk/ship", []string{"@/cmd/crosswalk/command", "@/cmd/crosswalk/oci", "@/runtime", "@/cmd/crosswalk/internal", "@/internal", "github.com/spf13/cobra", "github.com/spf13/pflag", "k8s.io/apimachinery/pkg/util/validation"}, groupsAreApart},
		{"@/cmd/crosswalk/operate", []string{"@/cmd/crosswalk/attach", "@/cmd/crosswalk/cluster", "@/cmd/crosswalk/command", "@/cmd/crosswalk/manifest", "@/cmd/crosswalk/oci", "@/cmd/crosswalk/output", "@/cmd/crosswalk/internal", "@/internal", "github.com/spf13/cobra", "github.com/spf13/pflag", "k8s.io/apiextensions-apiserver/pkg/apis", "k8s.io/apimachinery"}, groupsAreApart},
		{"@/cmd/crosswalk/input", []string{"@/cmd/crosswalk/internal", "@/internal", "github.com/spf13/pflag", "go.yaml.in/yaml/v3"}, "input reads objects and knows no modules"},
		{"@/cmd/crosswalk/manifest", []string{"@/cmd/crosswalk/output", "@/cmd/crosswalk/internal", "@/internal", "go.yaml.in/yaml/v3"}, "manifest edits files of objects, and converts nothing itself"},
		{"@/cmd/crosswalk/output", []string{"@/internal/plainyaml", "@/internal/rawjson", "@/cmd/crosswalk/internal", "go.yaml.in/yaml/v3", "golang.org/x/term", "github.com/spf13/pflag"}, "output writes results and knows no modules"},
		{"@/cmd/crosswalk/diff", []string{"@/internal/difference", "@/internal/foreign", "@/internal/rawjson"}, "diff compares answers, and knows no modules"},
		{"@/cmd/crosswalk/compat", []string{"@/cmd/crosswalk/definition", "@/cmd/crosswalk/fuzz", "k8s.io/apiextensions-apiserver/pkg/apis"}, "compat compares definitions; its tests generate objects of them"},
		{"@/cmd/crosswalk/bench", []string{"@/runtime/module"}, "bench measures a conversion and knows no command line"},
		{"@/cmd/crosswalk/internal/yamlfile", []string{"go.yaml.in/yaml/v3"}, "yamlfile divides files, and looks members up"},
		{"@/cmd/crosswalk/golden", []string{"@/cmd/crosswalk/output", "@/cmd/crosswalk/internal", "@/internal", "@/runtime/load", "@/runtime/module", "go.yaml.in/yaml/v3"}, "golden reads and writes the files of cases, and runs nothing"},
		{"@/cmd/crosswalk/conformance", []string{"@/cmd/crosswalk/output", "@/host", "@/runtime", "@/cmd/crosswalk/internal", "@/internal"}, "conformance tests modules and knows no command line"},
		{"@/cmd/crosswalk/scaffold", []string{"@/host/schema", "@/cmd/crosswalk/internal", "@/internal", "@/sdk"}, "scaffold writes projects and knows no command line"},
		{"@/cmd/crosswalk/oci", []string{"@/cmd/crosswalk/oci/ociimage", "@/cmd/crosswalk/internal/bounded", "@/internal/buildinfo", "@/internal/foreign", "@/runtime/watch", "github.com/spf13/pflag", "github.com/docker/cli/cli/config", "github.com/google/go-containerregistry", "github.com/klauspost/compress/zstd", "golang.org/x/crypto/x509roots/fallback"}, "oci moves files to and from registries, and knows nothing of what is in them"},
		{"@/cmd/crosswalk/controller", []string{"@/cmd/crosswalk/attach", "@/internal/buildinfo", "@/internal/foreign", "github.com/go-logr/logr", "github.com/prometheus/client_golang/prometheus", "github.com/spf13/pflag", "k8s.io/api", "k8s.io/apiextensions-apiserver/pkg/apis", "k8s.io/apimachinery", "k8s.io/client-go", "sigs.k8s.io/controller-runtime"},
			"the controller writes definitions and knows no modules"},
		{"@/cmd/crosswalk/cluster", []string{"@/cmd/crosswalk/attach", "k8s.io/client-go", "github.com/spf13/cobra", "github.com/spf13/pflag"}, "cluster reads kubeconfigs, and knows nothing of modules"},
		{"@/cmd/crosswalk/rules", []string{"@/cmd/crosswalk/rules", "@/cmd/crosswalk/internal", "@/internal", "@/runtime/artifact", "@/runtime/watch", "go.yaml.in/yaml/v3"}, "rules compiles rules files and runs nothing"},
		{"@/cmd/crosswalk/rules/fieldpath", []string{"@/internal/foreign", "@/internal/projection"}, "fieldpath knows no rules"},
		{"@/cmd/crosswalk/rules/program", []string{"@/cmd/crosswalk/rules/fieldpath"}, "program is the format of the interpreter, and knows no rules"},
		{"@/cmd/crosswalk/rules/vocabulary", []string{"@/cmd/crosswalk/rules/program"}, "vocabulary is a table, and reads no files"},
		{"@/cmd/crosswalk/rules/syntax", []string{"@/cmd/crosswalk/rules/fieldpath", "@/cmd/crosswalk/rules/vocabulary", "@/cmd/crosswalk/internal", "@/internal", "@/runtime/artifact", "go.yaml.in/yaml/v3"}, "syntax reads rules, and derives no operations"},
		{"@/cmd/crosswalk/rules/lowering", []string{"@/cmd/crosswalk/rules/fieldpath", "@/cmd/crosswalk/rules/program", "@/cmd/crosswalk/rules/syntax", "@/cmd/crosswalk/rules/vocabulary", "@/cmd/crosswalk/internal/yamlfile", "@/internal/plainyaml", "go.yaml.in/yaml/v3", "k8s.io/apimachinery"}, "lowering derives operations, and knows no verb"},
		{"@/cmd/crosswalk/rules/verbs", []string{"@/cmd/crosswalk/rules/fieldpath", "@/cmd/crosswalk/rules/lowering", "@/cmd/crosswalk/rules/program", "@/cmd/crosswalk/rules/syntax", "@/cmd/crosswalk/rules/vocabulary", "@/internal/plainyaml", "go.yaml.in/yaml/v3"}, "verbs derives the operations of one rule, and reads no files"},
		{"@/cmd/crosswalk/rules/interpreter", []string{"@/cmd/crosswalk/wasmfile"}, "interpreter makes a module of a program, and knows no rules"},
		{"@/cmd/crosswalk/propose", []string{"@/cmd/crosswalk/definition", "@/cmd/crosswalk/fuzz", "@/host/schema", "@/cmd/crosswalk/internal", "@/internal", "@/cmd/crosswalk/propose/values", "@/cmd/crosswalk/rules", "@/runtime", "k8s.io/apiextensions-apiserver/pkg/apis"}, "propose verifies rules with generated objects, and knows no command line"},
		{"@/cmd/crosswalk/propose/values", []string{"@/cmd/crosswalk/rules/fieldpath", "@/host/schema", "@/internal/foreign", "k8s.io/apiextensions-apiserver/pkg/apis"}, "values relates the values of objects, and writes no rules"},
		{"@/cmd/crosswalk/prove", []string{"@/cmd/crosswalk/definition", "@/cmd/crosswalk/fuzz", "@/cmd/crosswalk/propose", "@/cmd/crosswalk/rules", "@/host/schema", "@/runtime", "k8s.io/apiextensions-apiserver/pkg", "k8s.io/apimachinery"}, "prove decides about rules from schemas, and looks for objects that contradict it; it knows no command line"},
		{"@/cmd/crosswalk/script", []string{"@/cmd/crosswalk/wasmfile", "@/sdk", "github.com/tetratelabs/wazero"}, "script runs an author's own script, once, and knows nothing of gateways"},
		{"@/cmd/crosswalk/bundle", []string{"@/cmd/crosswalk/wasmfile", "@/runtime/meter"}, "bundle links an interpreter that the gateway's scan accepts, and runs nothing"},
		{"@/cmd/crosswalk/wasmfile", nil, "wasmfile edits modules and knows nothing of what is in them"},
		{"@/cmd/crosswalk/adopt", []string{"@/cmd/crosswalk/adopt", "@/internal/dictionary", "@/sdk", "golang.org/x/tools/cover", "golang.org/x/tools/go/packages", "golang.org/x/tools/go/ssa", "golang.org/x/tools/go/types/typeutil", "github.com/klauspost/compress/zstd"}, "adopt reads and builds Go programs, and knows nothing of gateways"},
		{"@/cmd/crosswalk/adopt/gocmd", []string{"@/cmd/crosswalk/internal"}, "gocmd runs the go command, and reads no programs"},
		{"@/cmd/crosswalk/adopt/operator", []string{"@/cmd/crosswalk/adopt/code", "@/cmd/crosswalk/adopt/gocmd", "golang.org/x/tools/go/packages"}, "operator loads packages, and knows no kinds"},
		{"@/cmd/crosswalk/adopt/discover", []string{"@/cmd/crosswalk/adopt/code", "@/cmd/crosswalk/adopt/operator", "golang.org/x/tools/go/packages"}, "discover finds conversions, and copies nothing"},
		{"@/cmd/crosswalk/adopt/extract", []string{"@/cmd/crosswalk/adopt/calls", "@/cmd/crosswalk/adopt/code", "@/cmd/crosswalk/adopt/discover", "@/cmd/crosswalk/adopt/gocmd", "@/cmd/crosswalk/adopt/operator", "@/cmd/crosswalk/adopt/state", "golang.org/x/tools/go/packages", "golang.org/x/tools/go/ssa"}, "extract copies declarations, and writes no files"},
		{"@/cmd/crosswalk/adopt/project", []string{"@/cmd/crosswalk/adopt/code", "@/cmd/crosswalk/adopt/discover", "@/cmd/crosswalk/adopt/extract", "@/cmd/crosswalk/adopt/gocmd", "@/cmd/crosswalk/adopt/operator", "@/internal/dictionary", "@/sdk", "github.com/klauspost/compress/zstd"}, "project builds a module, and compares nothing"},
		{"@/cmd/crosswalk/adopt/compare", []string{"@/cmd/crosswalk/adopt/calls", "@/cmd/crosswalk/adopt/code", "@/cmd/crosswalk/adopt/discover", "@/cmd/crosswalk/adopt/extract", "@/cmd/crosswalk/adopt/gocmd", "@/cmd/crosswalk/adopt/operator", "@/cmd/crosswalk/adopt/project", "golang.org/x/tools/cover", "golang.org/x/tools/go/ssa"}, "compare says what it saw, and judges nothing"},
		{"@/cmd/crosswalk/adopt/verdict", []string{"@/cmd/crosswalk/adopt/compare", "@/cmd/crosswalk/adopt/gocmd", "@/cmd/crosswalk/adopt/project"}, "verdict judges what compare saw, and runs nothing"},
		{"@/cmd/crosswalk/adopt/report", []string{"@/cmd/crosswalk/adopt/compare", "@/cmd/crosswalk/adopt/extract", "@/cmd/crosswalk/adopt/gocmd", "@/cmd/crosswalk/adopt/project", "@/cmd/crosswalk/adopt/state", "@/cmd/crosswalk/adopt/verdict"}, "report tells people, and decides nothing"},
		{"@/cmd/crosswalk/adopt/code", []string{"@/cmd/crosswalk/internal", "golang.org/x/tools/go/packages", "golang.org/x/tools/go/ssa"}, "code is what is loaded, and knows nothing of conversions"},
		{"@/cmd/crosswalk/adopt/calls", []string{"@/cmd/crosswalk/adopt/code", "golang.org/x/tools/go/ssa", "golang.org/x/tools/go/types/typeutil"}, "calls follows functions, and copies none"},
		{"@/cmd/crosswalk/adopt/state", []string{"@/cmd/crosswalk/adopt/calls", "@/cmd/crosswalk/adopt/code", "golang.org/x/tools/go/packages", "golang.org/x/tools/go/ssa"}, "state reads a program, and copies nothing"},
		{"@/cmd/crosswalk/definition", []string{"@/host/schema", "@/cmd/crosswalk/internal", "@/internal", "go.yaml.in/yaml/v3", "k8s.io/apiextensions-apiserver/pkg/apis", "k8s.io/apimachinery"}, "definition reads files into Kubernetes' own types"},
		{"@/cmd/crosswalk/fuzz", []string{"@/cmd/crosswalk/fuzz", "@/cmd/crosswalk/definition", "@/cmd/crosswalk/scaffold", "@/host", "@/cmd/crosswalk/internal", "@/internal", "@/runtime", "k8s.io/apiextensions-apiserver/pkg", "k8s.io/apimachinery", "k8s.io/apiserver/pkg/apis/cel", "k8s.io/kube-openapi/pkg/validation"},
			"fuzz decides about objects with the API server's code and converts them with the gateway's"},
		{"@/host", []string{"@/host/schema", "@/internal", "k8s.io/apimachinery", "sigs.k8s.io/json"},
			"host turns one review into one response and knows no HTTP, no files and no WebAssembly"},
		{"@/host/serve", []string{"@/host", "@/internal", "github.com/prometheus/client_golang", "golang.org/x/time/rate"},
			"host/serve is HTTP, TLS and metrics around a converter"},
		{"@/runtime", []string{"@/runtime/load", "@/runtime/module", "@/runtime/artifact", "@/runtime/codecache", "@/internal/faults", "@/internal/foreign", "@/runtime/sums", "@/internal/turns", "@/runtime/watch", "github.com/prometheus/client_golang"},
			"runtime makes a directory of files a set of serving modules, and runs nothing itself"},
		{"@/runtime/load", []string{"@/runtime/module", "@/runtime/artifact", "@/runtime/memory", "@/runtime/meter", "@/internal/child", "@/runtime/codecache", "@/internal/difference", "@/internal/faults", "@/internal/foreign", "@/internal/projection", "@/internal/rawjson", "@/runtime/watch", "github.com/prometheus/client_golang", "github.com/tetratelabs/wazero"},
			"runtime/load makes modules of files and does not know the registry"},
		{"@/runtime/module", []string{"@/runtime/artifact", "@/runtime/memory", "@/runtime/meter", "@/runtime/wasi", "@/internal/child", "@/internal/fair", "@/internal/faults", "@/internal/foreign", "@/internal/growth", "@/internal/projection", "@/internal/rawjson", "@/runtime/watch", "github.com/prometheus/client_golang", "github.com/tetratelabs/wazero", "golang.org/x/time/rate"},
			"runtime/module serves one module, and knows neither the loader nor the registry"},
		{"@/runtime/artifact", []string{"@/internal/bytesize", "@/internal/dictionary", "@/internal/foreign", "@/internal/plainyaml", "@/internal/projection", "@/internal/rawjson", "@/runtime/watch", "github.com/klauspost/compress/zstd", "go.yaml.in/yaml/v3"},
			"runtime/artifact parses a module's files and runs nothing"},
		{"@/host/schema", []string{"@/host/schema", "@/internal/foreign", "@/internal/plainyaml", "@/internal/rawjson", "k8s.io/apimachinery"}, "host/schema reads definitions of others, and depends on nobody for it"},
		{"@/runtime/sums", []string{"@/internal/foreign", "@/runtime/watch"}, "runtime/sums reads hostile bytes and knows no modules"},
		{"@/internal/testing/links", []string{"@/docs"}, "internal/testing/links follows the links of pages, as docs finds their anchors"},
		{"@/internal/testing/words", []string{"@/docs"}, "internal/testing/words reads the prose of pages, as docs finds their code"},
		{"@/internal/testing/crontabs", []string{"@/host/schema"}, "internal/testing/crontabs has the schema of the tests' objects"},
		{"@/runtime/wasi", []string{"github.com/tetratelabs/wazero"}, "runtime/wasi works on a guest's behalf; what its calls reach is for runtime to give it"},
		{"@/runtime/memory", []string{"github.com/tetratelabs/wazero"}, "runtime/memory is a leaf: memory and its reset"},
		{"@/runtime/meter", []string{"@/internal/foreign"}, "runtime/meter reads hostile bytes and depends on nobody for it"},
		{"@/internal", []string{"@/internal", "k8s.io/apimachinery", "sigs.k8s.io/json"}, "internal lies below host and runtime"},
		{"@/cmd/crosswalk/oci/ociimage", []string{"github.com/google/go-containerregistry"}, "ociimage makes images, for crosswalk push and for releases"},
		{"@/deploy/release", []string{"@/cmd/crosswalk/oci/ociimage", "@/sdk", "github.com/google/go-containerregistry"}, "deploy/release makes the files of a release, and knows nothing of what they do"},
		{"@/deploy/catalogue", []string{"@/cmd/crosswalk", "@/host/schema", "@/internal", "@/runtime", "go.yaml.in/yaml/v3"}, "deploy/catalogue is a program that runs the tool for a list of operators; nothing imports it"},
		{"@/cmd/crosswalk/attach", []string{"@/cmd/crosswalk/compat", "@/cmd/crosswalk/internal", "@/internal", "@/runtime/sums", "@/runtime/watch", "golang.org/x/sync/errgroup", "golang.org/x/time/rate", "k8s.io/api", "k8s.io/apiextensions-apiserver/pkg/apis", "k8s.io/apimachinery", "k8s.io/client-go", "k8s.io/kube-openapi/pkg/validation/spec", "k8s.io/streaming", "sigs.k8s.io/structured-merge-diff"},
			"cmd/crosswalk/attach talks to an API server for the commands and the controller; nothing that converts imports it"},
		{"@/internal/testing/soak", []string{"github.com/klauspost/compress/zstd"}, "internal/testing/soak drives a gateway from outside, and packs modules for it"},
		{"@/internal/testing/vetsource", []string{"golang.org/x/tools/go/analysis"}, "internal/testing/vetsource is go vet's analyzers"},
		{"@/internal/dictionary", []string{"github.com/klauspost/compress/zstd"}, "internal/dictionary has the content of dictionaries and depends on nobody for it"},
		{"@/internal/foreign", nil, "internal/foreign is used by all that read hostile bytes, and depends on nobody"},
		{"@/internal/faults", nil, "internal/faults is what host and runtime, which do not know each other, have in common"},
		{"@/internal/rawjson", []string{"@/internal/foreign"}, "internal/rawjson reads hostile bytes and depends on nobody for it"},
		{"@/runtime/codecache", nil, "runtime/codecache guards code that runs outside of every sandbox, and depends on nobody for it"},
		{"@/internal/child", nil, "internal/child stands between untrusted bytes and the gateway, and depends on nobody for it"},
		{"@/internal/plainyaml", []string{"@/internal/foreign", "@/internal/rawjson", "go.yaml.in/yaml/v3"}, "internal/plainyaml reads hostile bytes with one parser of YAML"},
		{"@/runtime/watch", []string{"@/internal/testing/kubelet", "github.com/fsnotify/fsnotify"}, "runtime/watch knows files only; its tests, how a kubelet writes them"},
		{"@/docs", nil, "docs is the text of the documentation, for programs that show it"},
		{"@/sdk", nil, "sdk is the text of the SDKs, for commands that write projects"},
		{"@/sdk/go", []string{"@/sdk/go"}, "authors who depend on the SDK depend on nothing through it"},
		{"@/plugins", []string{"@/plugins", "@/sdk/go"}, "the examples show what can be done with the SDK alone"},
	}
}

// violation describes a forbidden import; "" if the import is allowed. Tests may use any library,
// but of the project only the packages that the tested package may use.
func violation(importer, imported string, test bool) string {
	importer, imported = strings.Replace(importer, project, "@/", 1), strings.Replace(imported, project, "@/", 1)
	domain, _, _ := strings.Cut(imported, "/")
	if importer == "@/host" && imported == "net/http" && !test {
		return "@/host imports net/http: HTTP belongs to @/host/serve"
	}
	if test && imported == "@/internal/testing/eventually" {
		return "" // waiting is the same for all
	}
	if own := domain == "@"; !own && (test || !strings.Contains(domain, ".")) || imported == importer {
		return "" // the standard library, a test's library, or an external test's own package
	}
	var found rule
	for _, r := range rules() {
		if within(importer, r.of) && len(r.of) > len(found.of) {
			found = r
		}
	}
	if found.of == "" {
		return fmt.Sprintf("%s has no rule: add it to the table in internal/testing/imports", importer)
	}
	if slices.ContainsFunc(found.may, func(may string) bool { return within(imported, may) }) {
		return ""
	}
	may := "the standard library only"
	if len(found.may) > 0 {
		may = "the standard library, " + strings.Join(found.may, ", ")
	}
	return fmt.Sprintf("%s imports %s, but may import %s: %s", importer, imported, may, found.why)
}

func within(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }

func TestImports(t *testing.T) {
	for _, module := range []struct{ dir, platform string }{
		{".", ""}, {"cmd/crosswalk", ""}, {"deploy", ""}, {"sdk", ""}, {"sdk", "wasip1/wasm"}, {"plugins", ""}, {"plugins", "wasip1/wasm"},
	} {
		t.Run(strings.TrimSpace(module.dir+" "+module.platform), func(t *testing.T) {
			dir := filepath.Join("..", "..", "..", filepath.FromSlash(module.dir))
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
				t.Skip(err)
			}
			lookAt(t, dir)
			list := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
			list.Dir, list.Env = dir, os.Environ()
			if goos, goarch, ok := strings.Cut(module.platform, "/"); ok {
				list.Env = append(list.Env, "GOOS="+goos, "GOARCH="+goarch)
			}
			var stderr bytes.Buffer
			list.Stderr = &stderr
			out, err := list.Output()
			if err != nil {
				t.Fatalf("go list: %v: %s", err, stderr.Bytes())
			}
			packages := 0
			for all := json.NewDecoder(bytes.NewReader(out)); all.More(); packages++ {
				var p struct {
					ImportPath                         string
					Imports, TestImports, XTestImports []string
				}
				if err := all.Decode(&p); err != nil {
					t.Fatal(err)
				}
				for _, imported := range p.Imports {
					if v := violation(p.ImportPath, imported, false); v != "" {
						t.Error(v)
					}
				}
				for _, imported := range slices.Concat(p.TestImports, p.XTestImports) {
					if v := violation(p.ImportPath, imported, true); v != "" {
						t.Error("a test of " + v)
					}
				}
			}
			if packages == 0 {
				t.Error("go list found no packages")
			}
		})
	}
}

// lookAt stats all Go files below a directory, so that go test does not reuse a result after they
// changed: it tracks the files that a test opens itself, but not those that go list opens.
func lookAt(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "bin" || entry.Name() == ".git"):
			return filepath.SkipDir
		case filepath.Ext(path) == ".go":
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestViolation(t *testing.T) {
	for _, tc := range []struct {
		importer, imported string
		test               bool
		want               string
	}{
		{"cmd/gateway", project + "host", false, ""},
		{"cmd/gateway", project + "runtime", false, ""},
		{"host", "net/http", false, "@/host imports net/http: HTTP belongs to @/host/serve"},
		{"host/serve", "net/http", false, ""},
		{"host", project + "host/serve", false, "@/host imports @/host/serve, but may import the standard library, @/host/schema, @/internal, k8s.io/apimachinery, sigs.k8s.io/json: host turns one review into one response and knows no HTTP, no files and no WebAssembly"},
		{"host", project + "internal/rawjson", false, ""},
		{"host", "k8s.io/apimachinery/pkg/api/validation", false, ""},
		{"host", project + "host", true, ""},
		{"host", project + "runtime", true, "@/host imports @/runtime, but may import the standard library, @/host/schema, @/internal, k8s.io/apimachinery, sigs.k8s.io/json: host turns one review into one response and knows no HTTP, no files and no WebAssembly"},
		{"runtime/module", project + "runtime/meter", false, ""},
		{"runtime", project + "runtime/module", false, ""},
		{"runtime/meter", project + "internal/testing/eventually", true, ""},
		{"runtime/meter", project + "internal/testing/eventually", false, "@/runtime/meter imports @/internal/testing/eventually, but may import the standard library, @/internal/foreign: runtime/meter reads hostile bytes and depends on nobody for it"},
		{"runtime", project + "host", false, "@/runtime imports @/host, but may import the standard library, @/runtime/load, @/runtime/module, @/runtime/artifact, @/runtime/codecache, @/internal/faults, @/internal/foreign, @/runtime/sums, @/internal/turns, @/runtime/watch, github.com/prometheus/client_golang: runtime makes a directory of files a set of serving modules, and runs nothing itself"},
		{"runtime/meter", "encoding/binary", false, ""},
		{"runtime/meter", "github.com/tetratelabs/wazero", true, ""},
		{"runtime/meter", "github.com/tetratelabs/wazero", false, "@/runtime/meter imports github.com/tetratelabs/wazero, but may import the standard library, @/internal/foreign: runtime/meter reads hostile bytes and depends on nobody for it"},
		{"internal/rawjson", project + "runtime/watch", false, "@/internal/rawjson imports @/runtime/watch, but may import the standard library, @/internal/foreign: internal/rawjson reads hostile bytes and depends on nobody for it"},
		{"internal/other", project + "host", false, "@/internal/other imports @/host, but may import the standard library, @/internal, k8s.io/apimachinery, sigs.k8s.io/json: internal lies below host and runtime"},
		{"cmd/crosswalk/ship", project + "cmd/crosswalk/operate", false, "@/cmd/crosswalk/ship imports @/cmd/crosswalk/operate, but may import the standard library, @/cmd/crosswalk/command, @/cmd/crosswalk/oci, @/runtime, @/cmd/crosswalk/internal, @/internal, github.com/spf13/cobra, github.com/spf13/pflag, k8s.io/apimachinery/pkg/util/validation: a group of commands imports libraries, and never another group"},
		{"sdk/go/kubebuilder", project + "sdk/go", false, ""},
		{"sdk/go", "k8s.io/apimachinery/pkg/runtime", false, "@/sdk/go imports k8s.io/apimachinery/pkg/runtime, but may import the standard library, @/sdk/go: authors who depend on the SDK depend on nothing through it"},
		{"plugins/crontab/go", project + "internal/rawjson", false, "@/plugins/crontab/go imports @/internal/rawjson, but may import the standard library, @/plugins, @/sdk/go: the examples show what can be done with the SDK alone"},
		{"hosting", project + "host", false, "@/hosting has no rule: add it to the table in internal/testing/imports"},
	} {
		if got := violation(project+tc.importer, tc.imported, tc.test); got != tc.want {
			t.Errorf("%s → %s (test: %v):\n got %s\nwant %s", tc.importer, tc.imported, tc.test, got, tc.want)
		}
	}
}

// TestGatewayLinksNoGoTools shows that the packages that read Go programs, for crosswalk adopt, are
// not in the gateway.
func TestGatewayLinksNoGoTools(t *testing.T) {
	for binary, want := range map[string]bool{"gateway": false, "crosswalk": true} {
		out, err := exec.Command("go", "list", "-C", "../../../cmd/"+binary, "-deps").Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(out), "golang.org/x/tools/"); got != want {
			t.Errorf("cmd/%s links golang.org/x/tools: %v", binary, got)
		}
	}
}
