package state

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
)

// harmless reports whether a package of a library depends on something that is not in any result.
func harmless(path, name string) bool {
	switch path {
	case "k8s.io/apimachinery/pkg/util/runtime": // errors that are logged
		return true
	case "k8s.io/apimachinery/pkg/runtime":
		return name == "os.Getenv" // KUBE_PATCH_CONVERSION_DETECTOR, a check of the converter itself
	case "k8s.io/apimachinery/pkg/apis/meta/v1":
		return name == "time.Time.Local" // of decoded times, which are encoded in UTC
	case "knative.dev/pkg/apis":
		return name == "context.Context.Value" // the marks of admission: knative's webhook for conversions sets none
	}
	return loggers.MatchString(path)
}

// outerDependences are functions and variables of the standard library by their dependences.
// Each name is Function, Variable, or Type.Method.
var outerDependences = []struct {
	on, path    string
	names, pure *regexp.Regexp
}{
	{"the clock", "time", regexp.MustCompile(`^(Now|Since|Until|After|AfterFunc|Tick|NewTimer|NewTicker)$`), nil},
	{"the time zone", "time", regexp.MustCompile(`^(Local|LoadLocation|Time\.Local)$`), nil},
	{"the environment", "os", regexp.MustCompile(`^(Getenv|LookupEnv|Environ|ExpandEnv|Setenv|Unsetenv|Clearenv|Args|Hostname|Get\w+|Executable|User\w+|TempDir)$`), nil},
	{"the environment", "syscall", regexp.MustCompile(`^(Getenv|Environ|Get\w+)$`), nil},
	{"the command line", "flag", regexp.MustCompile(`^(Lookup|Args?|NArg|NFlag|Parsed|Visit|VisitAll|CommandLine|(Bool|Duration|Float64|U?[iI]nt(64)?|String)(Var)?|(Text)?Var|(Bool)?Func)$`), nil},
	{"files", "mime", regexp.MustCompile(`^(TypeByExtension|ExtensionsByType)$`), nil},
	{"files", "os", regexp.MustCompile(`^([A-Z]\w*|File\.\w+|Root\.\w+)$`), regexp.MustCompile(`^(Is\w+|Exit|New\w*Error|Err\w+|PathSeparator|PathListSeparator|Expand|DevNull|Stdout|Stderr|Same\w+)$`)},
	{"files", "io/ioutil", regexp.MustCompile(`.`), regexp.MustCompile(`^(Discard|ReadAll|NopCloser)$`)},
	{"files", "text/template", regexp.MustCompile(`^(Template\.)?Parse(Files|Glob)$`), nil},
	{"files", "html/template", regexp.MustCompile(`^(Template\.)?Parse(Files|Glob)$`), nil},
	{"files", "crypto/tls", regexp.MustCompile(`^LoadX509KeyPair$`), nil},
	{"files", "crypto/x509", regexp.MustCompile(`^SystemCertPool$`), nil},
	{"files", "plugin", regexp.MustCompile(`.`), nil},
	{"the environment", "os/user", regexp.MustCompile(`^(Current|Lookup\w*)$`), nil},
	{"files", "path/filepath", regexp.MustCompile(`^(Abs|EvalSymlinks|Glob|Walk|WalkDir)$`), nil},
	{"randomness", "math/rand", regexp.MustCompile(`.`), nil},
	{"randomness", "math/rand/v2", regexp.MustCompile(`.`), nil},
	{"randomness", "crypto/rand", regexp.MustCompile(`.`), nil},
	{"randomness", "hash/maphash", regexp.MustCompile(`^(MakeSeed|String|Bytes|Hash\..*)$`), nil},
	{"the network", "net", regexp.MustCompile(`^(Dial\w*|Listen\w*|Lookup\w*|Resolve\w*|Interface\w*|Dialer\.\w+|Resolver\.\w+|DefaultResolver|FileConn|FileListener)$`), nil},
	{"the network", "net/http", regexp.MustCompile(`^(Get|Head|Post|PostForm|Client\.\w+|Transport\.\w+|DefaultClient|DefaultTransport|ListenAndServe\w*|Serve\w*|Server\.\w+|ProxyFromEnvironment)$`), nil},
	{"the network", "net/rpc", regexp.MustCompile(`^Dial\w*$`), nil},
	{"the network", "net/smtp", regexp.MustCompile(`^(Dial|SendMail)$`), nil},
	{"the network", "crypto/tls", regexp.MustCompile(`^(Dial\w*|Listen|Dialer\.\w+)$`), nil},
	{"the network", "log/syslog", regexp.MustCompile(`^(Dial|New\w*)$`), nil},
	{"the network", "database/sql", regexp.MustCompile(`^(Open\w*|DB\.\w+)$`), nil},
	{"other programs", "os/exec", regexp.MustCompile(`.`), nil},
	{"signals", "os/signal", regexp.MustCompile(`.`), nil},
	{"the machine", "runtime", regexp.MustCompile(`^(GOOS|GOARCH|NumCPU|GOMAXPROCS|Version|NumGoroutine|ReadMemStats|NumCgoCall|GOROOT)$`), nil},
	{"the machine", "runtime/debug", regexp.MustCompile(`^(ReadBuildInfo|ReadGCStats|SetGCPercent|SetMemoryLimit)$`), nil},
}

// dependsOn returns the dependence of a function or variable of a package; "" without one.
func dependsOn(path, name string) string {
	for _, d := range outerDependences {
		if d.path == path && d.names.MatchString(name) && (d.pure == nil || !d.pure.MatchString(name)) {
			return d.on
		}
	}
	return ""
}

// hazards returns the clock, files and the like that called functions use, the values of contexts
// that they read and the feature gates that they ask, by name.
func hazards(c *calls.Calls, p *code.Placer) (list []Dependence) {
	found := map[string]*Dependence{}
	add := func(on, name string, at ...calls.Place) {
		for _, at := range at {
			if harmless(p.Package(at.At), name) {
				continue
			}
			if found[name] == nil {
				found[name] = &Dependence{Name: name, On: on}
			}
			found[name].At = append(found[name].At, p.Place(at.At))
		}
	}
	for what, at := range c.Places {
		var o types.Object
		switch what := what.(type) {
		case *ssa.Function:
			o = what.Object()
		case *ssa.Global:
			o = what.Object()
		case *types.Func:
			o = what
		}
		if o == nil || o.Pkg() == nil {
			continue
		}
		path, name := o.Pkg().Path(), outerName(o)
		full := path + "." + name
		if c.Program.All[path] == nil {
			if on := dependsOn(path, name); on != "" {
				add(on, full, at...)
			}
		}
		switch {
		case full == "context.Context.Value":
			add(contextValues, full, at...)
		case path == featureGate && (name == "FeatureGate.Enabled" || name == "MutableFeatureGate.Enabled"):
			add(featureGates, full, at...)
		}
	}
	for f := range c.Functions {
		constants(c, f, add)
		if on, name := ofLibrary(f); on != "" {
			for _, at := range c.Sites(f) {
				if at.In.Pkg == nil || at.In.Pkg != f.Pkg {
					add(on, name, at)
				}
			}
		}
	}
	for _, d := range found {
		slices.Sort(d.At)
		d.At = slices.Compact(d.At)
		list = append(list, *d)
	}
	slices.SortFunc(list, func(a, b Dependence) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// constants adds the constants of package runtime that a function's declaration mentions: they have
// no instruction.
func constants(c *calls.Calls, f *ssa.Function, add func(on, name string, at ...calls.Place)) {
	if f.Pkg == nil || f.Syntax() == nil || f.Parent() != nil || c.Program.All[f.Pkg.Pkg.Path()] == nil {
		return
	}
	info := c.Program.All[f.Pkg.Pkg.Path()].TypesInfo
	ast.Inspect(f.Syntax(), func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o, ok := info.Uses[id].(*types.Const); ok && o.Pkg() != nil && o.Pkg().Path() == "runtime" {
				if on := dependsOn("runtime", o.Name()); on != "" {
					add(on, "runtime."+o.Name(), calls.Place{In: f, At: id.Pos()})
				}
			}
		}
		return true
	})
}

// pflag is a library of flags. The programs' own code need not name the call that parses them.
var pflag = regexp.MustCompile(`^(FlagSet\.)?((Bool|Duration|Float|U?[iI]nt|String|IP|Bytes|Count)\w*|(Text)?VarP?|VarPF|(Bool)?FuncP?|Get\w+|Lookup|Changed|Args?|Parsed|CommandLine)$`)

// ofLibrary returns the dependence of a library's function that depends on main in ways that the search
// for changes of memory does not follow.
func ofLibrary(f *ssa.Function) (on, name string) {
	o, ok := f.Object().(*types.Func)
	if !ok || o.Pkg() == nil {
		return "", ""
	}
	name = outerName(o)
	switch path := o.Pkg().Path(); {
	case path == featureGate && name == "featureGate.Enabled":
		on = featureGates
	case path == "github.com/spf13/pflag" && pflag.MatchString(name):
		on = "the command line"
	}
	return on, o.Pkg().Path() + "." + name
}

const featureGate = "k8s.io/component-base/featuregate"

// changesGates reports whether called functions change feature gates.
func changesGates(c *calls.Calls) bool {
	for what := range c.Places {
		if m, ok := what.(*types.Func); ok && m.Pkg() != nil && m.Pkg().Path() == featureGate && changes.MatchString(m.Name()) {
			return true
		}
	}
	for f := range c.Functions {
		if f.Pkg != nil && f.Pkg.Pkg.Path() == featureGate && changes.MatchString(f.Name()) {
			return true
		}
	}
	return false
}
