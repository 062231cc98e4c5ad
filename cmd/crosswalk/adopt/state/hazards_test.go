package state

import "testing"

// TestDependsOn tells functions whose results differ from pure ones of the same packages.
func TestDependsOn(t *testing.T) {
	for _, test := range []struct{ path, name, want string }{
		{"time", "Now", "the clock"}, {"time", "Unix", ""}, {"time", "Time.Local", "the time zone"}, {"time", "Time.UTC", ""},
		{"os", "Getenv", "the environment"}, {"os", "IsNotExist", ""}, {"os", "Open", "files"}, {"os", "File.Read", "files"}, {"os", "ErrNotExist", ""},
		{"net", "ParseIP", ""}, {"net", "LookupHost", "the network"}, {"net/http", "StatusText", ""}, {"net/http", "Client.Do", "the network"},
		{"math/rand/v2", "IntN", "randomness"}, {"crypto/rand", "Reader", "randomness"}, {"math", "Floor", ""},
		{"flag", "String", "the command line"}, {"flag", "Int64Var", "the command line"}, {"flag", "NewFlagSet", ""}, {"text/template", "ParseFiles", "files"},
		{"text/template", "Template.Parse", ""}, {"os/user", "Current", "the environment"}, {"crypto/tls", "LoadX509KeyPair", "files"}, {"crypto/tls", "X509KeyPair", ""},
		{"runtime", "GOOS", "the machine"}, {"runtime", "KeepAlive", ""}, {"path/filepath", "Join", ""}, {"path/filepath", "Glob", "files"},
	} {
		if got := dependsOn(test.path, test.name); got != test.want {
			t.Errorf("%s.%s depends on %q, want %q", test.path, test.name, got, test.want)
		}
	}
}

// TestHarmless lists places in libraries that are in no result, and others of the same packages.
func TestHarmless(t *testing.T) {
	for _, test := range []struct {
		path, name string
		want       bool
	}{
		{"k8s.io/klog/v2", "time.Now", true},
		{"sigs.k8s.io/controller-runtime/pkg/log", "context.Context.Value", true},
		{"sigs.k8s.io/controller-runtime/pkg/client", "context.Context.Value", false},
		{"k8s.io/apimachinery/pkg/runtime", "os.Getenv", true},
		{"k8s.io/apimachinery/pkg/runtime", "time.Now", false},
		{"k8s.io/apimachinery/pkg/apis/meta/v1", "time.Time.Local", true},
		{"k8s.io/apimachinery/pkg/apis/meta/v1", "time.Now", false},
		{"knative.dev/pkg/apis", "context.Context.Value", true},
		{"knative.dev/pkg/injection", "context.Context.Value", false},
	} {
		if got := harmless(test.path, test.name); got != test.want {
			t.Errorf("%s in %s: got %v", test.name, test.path, got)
		}
	}
}
