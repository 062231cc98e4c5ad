package host

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/crontabs"
)

// walk writes a path as its versions: "v1alpha1→v1beta1→v1".
func walk(edges []Edge) string {
	if len(edges) == 0 {
		return ""
	}
	steps := []string{edges[0].From}
	for _, e := range edges {
		steps = append(steps, e.To)
	}
	return strings.Join(steps, "→")
}

func TestPath(t *testing.T) {
	tests := []struct{ name, edges, from, to, want string }{
		{"direct", "v1→v2 v2→v1", "v1", "v2", "v1→v2"},
		{"direct though a chain has better versions", "v1alpha1→v1beta1 v1alpha1→v1 v1→v1beta1", "v1alpha1", "v1beta1", "v1alpha1→v1beta1"},
		{"a chain", "v1alpha1→v1beta1 v1beta1→v1", "v1alpha1", "v1", "v1alpha1→v1beta1→v1"},
		{"the shorter chain though through alpha", "v1→v2alpha1 v2alpha1→v4 v1→v2 v2→v3 v3→v4", "v1", "v4", "v1→v2alpha1→v4"},
		{"stable before beta", "v1→v2beta1 v2beta1→v3 v1→v2 v2→v3", "v1", "v3", "v1→v2→v3"},
		{"beta before alpha", "v1→v2alpha9 v2alpha9→v3 v1→v1beta1 v1beta1→v3", "v1", "v3", "v1→v1beta1→v3"},
		{"an old stable before a new beta", "v3→v9beta1 v9beta1→v4 v3→v1 v1→v4", "v3", "v4", "v3→v1→v4"},
		{"newer before older", "v1→v2 v2→v4 v1→v3 v3→v4", "v1", "v4", "v1→v3→v4"},
		{"10 is newer than 9", "v1→v9 v9→v11 v1→v10 v10→v11", "v1", "v11", "v1→v10→v11"},
		{"newer beta before older beta", "v1→v2beta1 v2beta1→v3 v1→v2beta2 v2beta2→v3", "v1", "v3", "v1→v2beta2→v3"},
		{"Kubernetes' own spelling before any other", "v1→prod v1→v2alpha1 prod→v3 v2alpha1→v3", "v1", "v3", "v1→v2alpha1→v3"},
		{"other spellings in lexical order", "v1→zeta v1→beta zeta→v3 beta→v3", "v1", "v3", "v1→beta→v3"},
		{"one priority, two spellings", "v1→v02 v1→v2 v02→v3 v2→v3", "v1", "v3", "v1→v02→v3"},
		{"the first step decides", "v1→v2beta1 v2beta1→v9 v9→v10 v1→v3 v3→v4alpha1 v4alpha1→v10", "v1", "v10", "v1→v3→v4alpha1→v10"},
		{"a better version that leads nowhere", "v1→v9 v1→v2beta1 v2beta1→v3", "v1", "v3", "v1→v2beta1→v3"},
		{"a better version that leads the long way", "v1→v9 v9→v8 v8→v3 v1→v2beta1 v2beta1→v3", "v1", "v3", "v1→v2beta1→v3"},
		{"round a circle", "v1→v2 v2→v3 v3→v1", "v3", "v2", "v3→v1→v2"},
		{"no way back", "v1→v2", "v2", "v1", ""},
		{"no way", "v1→v2 v3→v4", "v1", "v4", ""},
		{"unknown source", "v1→v2", "v0", "v2", ""},
		{"unknown target", "v1→v2", "v1", "v0", ""},
		{"to itself", "v1→v2 v2→v1", "v1", "v1", ""},
		{"an edge to itself", "v1→v1", "v1", "v1", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list := edges(answers("{}"), strings.Fields(test.edges)...)
			for range 20 { // in random orders of the edges
				rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				if got := walk(NewRoutes(list).Path("stable.example.com", "CronTab", test.from, test.to)); got != test.want {
					t.Fatalf("%q, want %q, with %v", got, test.want, list)
				}
			}
		})
	}
}

// TestPathShortest compares path lengths with those of another algorithm (Floyd and Warshall's)
// over random graphs.
func TestPathShortest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	versions := strings.Fields("v1alpha1 v1alpha2 v1beta1 v1 v2alpha1 v2beta1 v2beta2 v2 v3 next")
	const far = 99
	for range 300 {
		var list []Edge
		distance := map[[2]string]int{}
		for _, from := range versions {
			for _, to := range versions {
				distance[[2]string{from, to}] = far
				if random.IntN(6) == 0 && from != to {
					list = append(list, edges(answers(""), from+"→"+to)...)
					distance[[2]string{from, to}] = 1
				}
			}
		}
		for _, via := range versions {
			for _, from := range versions {
				for _, to := range versions {
					if d := distance[[2]string{from, via}] + distance[[2]string{via, to}]; d < distance[[2]string{from, to}] {
						distance[[2]string{from, to}] = d
					}
				}
			}
		}
		r := NewRoutes(list)
		for _, from := range versions {
			for _, to := range versions {
				path := r.Path("stable.example.com", "CronTab", from, to)
				want := distance[[2]string{from, to}]
				if from == to || want == far {
					want = 0
				}
				if len(path) != want {
					t.Fatalf("%s→%s: %q, want %d steps, with %v", from, to, walk(path), want, list)
				}
				for i, e := range path {
					if i > 0 && path[i-1].To != e.From || !slices.Contains(list, e) {
						t.Fatalf("%s→%s: %q is no path", from, to, walk(path))
					}
				}
				if want > 0 && (path[0].From != from || path[want-1].To != to) {
					t.Fatalf("%s→%s: %q leads elsewhere", from, to, walk(path))
				}
			}
		}
	}
}

func TestRoutesSameEdgeTwice(t *testing.T) {
	a, b := &funcModule{File: "a.wasm"}, &funcModule{File: "b.wasm"}
	for _, list := range [][]Edge{
		append(edges(a, "v1→v2"), edges(b, "v1→v2")...),
		append(edges(b, "v1→v2"), edges(a, "v1→v2")...),
	} {
		routes := NewRoutes(list)
		path := routes.Path("stable.example.com", "CronTab", "v1", "v2")
		if len(path) != 1 || path[0].Module.Name() != "a.wasm" {
			t.Errorf("path %v", path)
		}
		if got := routes.find("stable.example.com", "CronTab").loaded(); got != "v1→v2 (a.wasm)" {
			t.Errorf("messages list %s", got)
		}
	}
}

// TestRoutesNoEdge has edges that lead nowhere and count for nothing.
func TestRoutesNoEdge(t *testing.T) {
	list := append(edges(answers("{}"), "v1→v1"), Edge{Group: "stable.example.com", Kind: "CronTab", From: "v1", To: "v2"})
	if kinds := NewRoutes(list).Kinds(); len(kinds) > 0 {
		t.Errorf("kinds %s", kinds)
	}
}

// TestByPriority checks that the order of versions is one: two different ones are never equal.
func TestByPriority(t *testing.T) {
	versions := strings.Fields("v10 v9 v01 v1 v2beta1 v1beta10 v1beta2 v3alpha1 v1alpha1 alpha v v1gamma1")
	for i, a := range versions {
		for j, b := range versions {
			if got := CompareVersions(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("CompareVersions(%s, %s) is %d", a, b, got)
			}
		}
	}
}

func TestRoutesNil(t *testing.T) {
	for name, r := range map[string]*Routes{"nil": nil, "empty": NewRoutes(nil)} {
		if len(r.Kinds()) > 0 || r.Versions("g", "K") != nil || r.Path("g", "K", "v1", "v2") != nil || r.Table() != nil {
			t.Errorf("%s routes know something", name)
		}
	}
}

func TestRoutesText(t *testing.T) {
	list := edges(&funcModule{File: "CronTab.stable.example.com_v1_v1beta1.wasm"}, "v1→v1beta1", "v1beta1→v1")
	list = append(list, edges(&funcModule{File: "CronTab.stable.example.com_v1alpha1_to_v1beta1.wasm"}, "v1alpha1→v1beta1")...)
	list = append(list, Edge{"example.com", "Bolt", "v1", "v2", &funcModule{File: "Bolt.example.com_v1_to_v2.wasm"}, nil})
	r := NewRoutes(list)
	const newer, older = "CronTab.stable.example.com_v1_v1beta1.wasm", "CronTab.stable.example.com_v1alpha1_to_v1beta1.wasm"
	if got, want := r.Table(), []Route{
		{"example.com", "Bolt", "v1", "v2", nil, []string{"Bolt.example.com_v1_to_v2.wasm"}},
		{"stable.example.com", "CronTab", "v1", "v1beta1", nil, []string{newer}},
		{"stable.example.com", "CronTab", "v1beta1", "v1", nil, []string{newer}},
		{"stable.example.com", "CronTab", "v1alpha1", "v1", []string{"v1beta1"}, []string{older, newer}},
		{"stable.example.com", "CronTab", "v1alpha1", "v1beta1", nil, []string{older}},
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
	if got := strings.Join(r.Kinds(), " "); got != "Bolt.example.com CronTab.stable.example.com" {
		t.Errorf("kinds %s", got)
	}
	if got := strings.Join(r.Versions("stable.example.com", "CronTab"), " "); got != "v1 v1beta1 v1alpha1" {
		t.Errorf("versions %s", got)
	}
}

// TestRoutesMissing has the messages for conversions that no module does.
func TestRoutesMissing(t *testing.T) {
	both := edges(&funcModule{File: "CronTab.stable.example.com_v1_v2.wasm"}, "v1→v2", "v2→v1")
	up := edges(&funcModule{File: "CronTab.stable.example.com_v1_to_v3.wasm"}, "v1→v3")
	down := edges(&funcModule{File: "CronTab.stable.example.com_v3_to_v1.wasm"}, "v3→v1")
	var many []Edge
	for _, v := range strings.Fields("v2 v3 v4 v5 v6 v7 v8 v9 v10 v11 v12 v13 v14 v15 v16 v17 v18 v19") {
		many = append(many, edges(&funcModule{File: v + ".wasm"}, "v1→"+v)...)
	}
	tests := []struct {
		name                  string
		edges                 []Edge
		group, kind, from, to string
		want                  string
	}{
		{"no module at all", nil, "stable.example.com", "CronTab", "v1", "v2",
			"no module converts CronTab.stable.example.com from v1 to v2: no module is loaded for this kind (its file would be named like CronTab.stable.example.com_v1_v2.wasm)"},
		{"another spelling", both, "stable.example.com", "Crontab", "v1", "v2",
			"no module converts Crontab.stable.example.com from v1 to v2: no module is loaded for this kind; one is loaded for CronTab.stable.example.com, and kinds in file names are case-sensitive"},
		{"another group", both, "example.com", "CronTab", "v1", "v2",
			"no module converts CronTab.example.com from v1 to v2: no module is loaded for this kind (its file would be named like CronTab.example.com_v1_v2.wasm)"},
		{"names that are none", both, "g", strings.Repeat("K", 300), "v 1", "v2",
			`no module converts "` + strings.Repeat("K", 253) + `"….g from "v 1" to v2: no module is loaded for this kind`},
		{"unknown target", both, "stable.example.com", "CronTab", "v1", "v3",
			"no module converts CronTab.stable.example.com from v1 to v3; loaded: v1⇄v2 (CronTab.stable.example.com_v1_v2.wasm); none supports version v3"},
		{"unknown source", both, "stable.example.com", "CronTab", "v0", "v1",
			"no module converts CronTab.stable.example.com from v0 to v1; loaded: v1⇄v2 (CronTab.stable.example.com_v1_v2.wasm); none supports version v0"},
		{"one way", append(slices.Clone(both), up...), "stable.example.com", "CronTab", "v3", "v2",
			"no module converts CronTab.stable.example.com from v3 to v2; loaded: v1→v3 (CronTab.stable.example.com_v1_to_v3.wasm), v1⇄v2 (CronTab.stable.example.com_v1_v2.wasm); that leads from v2 to v3 but not back"},
		{"two modules, one for each way, and an unknown version", append(slices.Clone(up), down...), "stable.example.com", "CronTab", "v3", "v2",
			"no module converts CronTab.stable.example.com from v3 to v2; loaded: v1⇄v3 (CronTab.stable.example.com_v1_to_v3.wasm, CronTab.stable.example.com_v3_to_v1.wasm); none supports version v2"},
		{"two known versions that nothing connects", append(edges(&funcModule{File: "a.wasm"}, "v1→v2"), edges(&funcModule{File: "b.wasm"}, "v3→v4")...), "stable.example.com", "CronTab", "v1", "v4",
			"no module converts CronTab.stable.example.com from v1 to v4; loaded: v3→v4 (b.wasm), v1→v2 (a.wasm)"},
		{"many", many, "stable.example.com", "CronTab", "v2", "v3",
			"no module converts CronTab.stable.example.com from v2 to v3; loaded: v1→v19 (v19.wasm), v1→v18 (v18.wasm), v1→v17 (v17.wasm), v1→v16 (v16.wasm), v1→v15 (v15.wasm), " +
				"v1→v14 (v14.wasm), v1→v13 (v13.wasm), v1→v12 (v12.wasm), v1→v11 (v11.wasm), v1→v10 (v10.wasm), v1→v9 (v9.wasm), v1→v8 (v8.wasm), v1→v7 (v7.wasm), v1→v6 (v6.wasm), " +
				"v1→v5 (v5.wasm), v1→v4 (v4.wasm), and 2 more"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			object := `{"apiVersion":"` + test.group + "/" + test.from + `","kind":"` + test.kind + `","spec":1}`
			a, outcome := runReview(t, converter(test.edges...), reviewOf("v1", test.group+"/"+test.to, object))
			if a.Response.Result.Message != test.want {
				t.Errorf("message\n%s\nwant\n%s", a.Response.Result.Message, test.want)
			}
			if outcome.Failure != FailureNoRoute || outcome.Module != "" {
				t.Errorf("outcome %+v", outcome)
			}
		})
	}
}

// TestFilesNameKindsOfMissingRoutes: a review without a route is counted for its kind if a file of the
// directory names the kind, and never if only a client does.
func TestFilesNameKindsOfMissingRoutes(t *testing.T) {
	loading := Loading{File: "CronTab.stable.example.com_v1_v2.wasm", Since: time.Now()}
	for _, test := range []struct {
		name, kind string
		loading    Loading
		schemas    Schemas
		want       string
	}{
		{"nothing names it", "CronTab", Loading{}, nil, ""},
		{"its module loads", "CronTab", loading, nil, "CronTab"},
		{"it has a definition", "CronTab", Loading{}, crontabs.Schema(t), "CronTab"},
		{"another kind has one", "Invented", Loading{}, crontabs.Schema(t), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newConverter(ConverterConfig{Modules: &fixedModules{routes: NewRoutes(nil), loading: test.loading}, Schemas: test.schemas})
			_, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", `{"apiVersion":"stable.example.com/v1","kind":"`+test.kind+`","spec":1}`))
			group := ""
			if test.want != "" {
				group = "stable.example.com"
			}
			if outcome.Failure != FailureNoRoute || outcome.Kind != test.want || outcome.Group != group || outcome.From != "" || outcome.To != "" {
				t.Errorf("%+v, want the kind %q", outcome, test.want)
			}
		})
	}
}

// TestNextKeepsPathsOfOtherKinds: Next equals NewRoutes, and works on changed kinds only.
func TestNextKeepsPathsOfOtherKinds(t *testing.T) {
	list := edges(answers("{}"), "v1→v2", "v2→v3")
	other := slices.Clone(list)
	for i := range other {
		other[i].Kind = "Other"
	}
	before := NewRoutes(slices.Concat(list, other))
	next := before.Next(slices.Concat(list, other[:1]))
	if next.find("stable.example.com", "CronTab") != before.find("stable.example.com", "CronTab") {
		t.Error("the paths of an unchanged kind were made again")
	}
	if got, want := next.Table(), NewRoutes(slices.Concat(list, other[:1])).Table(); !reflect.DeepEqual(got, want) || len(got) != 4 {
		t.Errorf("the routes are\n%v, want\n%v", got, want)
	}
	replaced := slices.Clone(list)
	replaced[0].Module = answers("[]")
	if got := before.Next(replaced).Path("stable.example.com", "CronTab", "v1", "v3"); len(got) != 2 || got[0] != replaced[0] {
		t.Errorf("a replaced module does not serve: %v", got)
	}
	if got := before.Next(replaced).Kinds(); len(got) != 1 {
		t.Errorf("a kind without modules has routes: %v", got)
	}
}

// TestRoutesManyVersions builds the routes of a module with as many versions as fit its name.
func TestRoutesManyVersions(t *testing.T) {
	var list []Edge
	m := &funcModule{File: "many.wasm"}
	var versions []string
	for c := 'a'; c <= 'z'; c++ {
		versions = append(versions, string(c), "v"+string(c), "w"+string(c))
	}
	for _, from := range versions {
		for _, to := range versions {
			list = append(list, edges(m, from+"→"+to)...)
		}
	}
	if table := NewRoutes(list).Table(); len(table) != len(versions)*(len(versions)-1) {
		t.Errorf("%d routes among %d versions", len(table), len(versions))
	}
}

// TestRoutesNameFailedModules: the message about a missing conversion names the module that failed
// to load, and the reason.
func TestRoutesNameFailedModules(t *testing.T) {
	r := NewRoutes(nil, FailedModule{"g", "K", "K.g_v1_v2.wasm", "the module does not export memory"}, FailedModule{"g", "L", "L.g_v1_v2.wasm", strings.Repeat("ä", 1000)})
	for kind, want := range map[string]string{
		"K": "no module converts K.g from v1 to v2: module K.g_v1_v2.wasm exists but is not loaded: the module does not export memory",
		"L": "no module converts L.g from v1 to v2: module L.g_v1_v2.wasm exists but is not loaded: " + strings.Repeat("ä", 250) + "…",
		"M": "no module converts M.g from v1 to v2: no module is loaded for this kind (its file would be named like M.g_v1_v2.wasm)",
	} {
		if got := r.Missing("g", kind, "v1", "v2", Loading{}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
