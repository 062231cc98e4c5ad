package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/widgets"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

func TestParseOwners(t *testing.T) {
	for _, tc := range []struct{ values, want string }{
		{"", "--modules is required: the directory of modules to serve"},
		{"/a", "[{ /a [] []}]"},
		{"/odd=name", "[{ /odd=name [] []}]"},
		{"a=/a", "[{a /a [] []}]"},
		{"a=/a b=/b", "[{a /a [] []} {b /b [] []}]"},
		{"/a /b", "--modules /a must be OWNER=DIRECTORY, such as payments=/modules/payments: --modules is repeated, so each directory has an owner"},
		{"a=/a B=/b", `--modules B=/b: the owner "B" must be a name of at most 63 lower-case letters, digits and hyphens, like a namespace's`},
		{"a=/a b=", "--modules b= must name a directory after the owner"},
		{"a=/a a=/b", "--modules names the owner a twice: an owner has one directory"},
		{"a=/a b=/a/", "--modules gives the owners a and b the same directory /a/: each owner needs its own"},
	} {
		owners, err := parseOwners(strings.Fields(tc.values))
		got := fmt.Sprint(owners)
		if err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("--modules %s: %s, want %s", tc.values, got, tc.want)
		}
	}
}

// TestRequireReservesKinds: --require with an owner gives the owner the kind.
func TestRequireReservesKinds(t *testing.T) {
	for _, tc := range []struct{ values, want string }{
		{"K.g_v1_v2 L.g_v1_to_v2", "[{a /a [] []} {b /b [] []}] 3"},
		{"a/K.g_v1_v2 a/K.g_v2_v3 b/L.g_v1_v2", "[{a /a [] [K.g]} {b /b [] [L.g]}] 6"},
		{"a/K.g_v1_v2.wasm L.g_v1_v2.wasm", "[{a /a [] [K.g]} {b /b [] []}] 4"},
		{"a/K.g_v1.wasm", "--require a/K.g_v1.wasm: names 1 version(s), and a conversion needs two; a module is named like CronTab.stable.example.com_v1_v2.wasm"},
		{"a/K.g_v1_v2 b/K.g_v2_v3", "--require reserves the kind K.g for the owners a and b: a kind has one owner"},
		{"c/K.g_v1_v2", "--require c/K.g_v1_v2 must begin with an owner of --modules, or with the kind"},
	} {
		owners := []runtime.Owner{{Name: "a", Dir: "/a"}, {Name: "b", Dir: "/b"}}
		edges, err := parseRequired(strings.Fields(tc.values), owners)
		got := fmt.Sprint(owners, " ", len(edges))
		if err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("--require %s: %s, want %s", tc.values, got, tc.want)
		}
	}
}

// TestGroupsOfOwnersW22: with several owners, each kind that is converted is reserved for one of them.
func TestGroupsOfOwnersW22(t *testing.T) {
	const form = " must be an owner of --modules and its API group, such as payments=payments.example.com"
	for _, tc := range []struct{ owners, groups, require, want string }{
		{"a b", "a=g a=h b=i.example.com", "", "[{a /a [g h] []} {b /b [i.example.com] []}]"},
		{"a b", "a=g", "b/K.h_v1_v2", "[{a /a [g] []} {b /b [] [K.h]}]"},
		{"a b", "a=g b=h", "a/K.g_v1_v2", "[{a /a [g] [K.g]} {b /b [h] []}]"},
		{"a", "", "", "[{a /a [] []}]"},
		{"a", "a=g", "", "[{a /a [g] []}]"},
		{"a b", "a=g", "", "neither --groups nor --require reserves a kind for the owner b, so no module of it could serve: name its API groups, such as --groups b=example.com"},
		{"a b", "a=g b=g", "", "--groups reserves the group g for the owners a and b: a group has one owner; reserve kinds of a shared group with --require"},
		{"a b", "a=g b=h", "b/K.g_v1_v2", "--require reserves the kind K.g for the owner b, and --groups its group for the owner a: a kind has one owner"},
		{"a b", "c=g", "", "--groups c=g" + form},
		{"a b", "a=G", "", "--groups a=G" + form},
		{"a b", "a=g_v0", "", "--groups a=g_v0" + form},
		{"a b", "a", "", "--groups a" + form},
		{"", "=g", "", "--groups =g" + form},
	} {
		var owners []runtime.Owner
		for _, name := range strings.Fields(tc.owners) {
			owners = append(owners, runtime.Owner{Name: name, Dir: "/" + name})
		}
		if tc.owners == "" {
			owners = []runtime.Owner{{Dir: "/a"}}
		}
		_, err := parseRequired(strings.Fields(tc.require), owners)
		if err == nil {
			err = parseGroups(strings.Fields(tc.groups), owners)
		}
		got := fmt.Sprint(owners)
		if err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("--groups %s --require %s: %s, want %s", tc.groups, tc.require, got, tc.want)
		}
	}
}

// TestOwnersBesideEachOtherW22: one owner fills its directory, brings slow modules, other versions,
// names and definitions of the other owner's kind, and a broken volume. The other owner's conversions
// answer all the time, also after a restart, and the gateway is ready.
func TestOwnersBesideEachOtherW22(t *testing.T) {
	good, bad, cache := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "cache")
	const file = "Widget.example.com_v1_v2.wasm"
	copyTo(t, "testdata/one.wasm", filepath.Join(good, file))
	widgets.Put(t, good, widgets.File, widgets.Definition("string"))
	spin, err := os.ReadFile("../../runtime/testdata/m09_start_spin.wasm") // it uses up its fuel when it starts
	if err != nil {
		t.Fatal(err)
	}
	attack := func(round int) {
		for i := range 40 { // slow modules of forty kinds, with new content each time
			name := fmt.Sprintf("Slow%d.hostile.example.com_v1_v2.wasm", i)
			if err := os.WriteFile(filepath.Join(bad, name), append(slices.Clip(spin), 0, 4, 1, 'n', byte(round), byte(i)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	attack(0)
	copyTo(t, "testdata/two.wasm", filepath.Join(bad, file))
	copyTo(t, "testdata/two.wasm", filepath.Join(bad, "Widget.example.com_v2_v3.wasm"))
	widgets.Put(t, bad, widgets.File, widgets.Definition("integer")) // no answer of the good module satisfies it
	for i := range 600 {
		widgets.Put(t, bad, fmt.Sprintf("Side%d.hostile.example.com_v1_v2.yaml", i), "cases: []")
	}
	if err := os.Truncate(filepath.Join(bad, "Side0.hostile.example.com_v1_v2.yaml"), 1<<40); err != nil {
		t.Fatal(err)
	}

	flags := []string{"--modules", "good=" + good, "--modules", "bad=" + bad, "--groups", "good=example.com", "--groups", "bad=hostile.example.com", "--schema-check", "enforce", "--compile-cache", cache, "--cache-bytes", "0", "--drain-delay", "0s"}
	for _, run := range []string{"start", "restart"} {
		p := start(t, flags...)
		p.waitReady(t)
		if run == "start" { // without a memory, ready says that each file was tried once, on a busy machine perhaps in vain
			p.reviewUntil(t, `{"module":"one"}, <nil>`)
		}
		refused := ""
		for reviews := range 250 {
			var got string
			var err error
			done := make(chan struct{})
			go func() { // ends with the review
				defer close(done)
				got, err = p.review()
			}()
			eventually.Before(t, 10*time.Second, child.Used, "a review beside a hostile owner", done)
			if err != nil || got != `{"module":"one"}` {
				t.Fatalf("%s: review %d beside a hostile owner: %s, %v\n%s", run, reviews, got, err, p.output.seen.String())
			}
			if reviews%50 == 49 {
				attack(reviews/50 + 1)
			}
			if reviews == 100 {
				if err := os.Symlink("nowhere", filepath.Join(bad, "..data")); err != nil {
					t.Fatal(err)
				}
			}
			if reviews == 40 {
				_, refused = p.get(t, "/modules")
			}
			time.Sleep(20 * time.Millisecond) // so that the gateway meets each part of the attack
		}
		if run == "start" {
			for _, want := range []string{
				`"file": "good/` + file + `"`,
				"the kind Widget.example.com is reserved for owner good, so owner bad cannot serve it: delete this file",
				"the kind Widget.example.com belongs to owner good, whose modules serve it, so the definition of owner bad is not used",
			} {
				if !strings.Contains(refused, want) {
					t.Errorf("/modules does not say %q:\n%.3000s", want, refused)
				}
			}
		}
		if _, metrics := p.get(t, "/metrics"); !strings.Contains(metrics, `crosswalk_module_info{module="good/`+file+`",`) {
			t.Error("the metrics do not name the owner")
		}
		if code, text := p.get(t, "/readyz"); code != 200 {
			t.Errorf("%s: /readyz says %d: %s", run, code, text)
		}
		if err := os.Remove(filepath.Join(bad, "..data")); err != nil {
			t.Fatal(err)
		}
		_ = p.cmd.Process.Kill() // the memory of what serves is on disk by now
		<-p.exit
		flags[1], flags[3] = flags[3], flags[1] // after the restart, the hostile owner is named first
	}
}

// TestOwnersShareSlots: the kinds of one owner hold half of the slots together, whatever their number.
func TestOwnersShareSlots(t *testing.T) {
	t.Setenv("GOMAXPROCS", "2") // 16 slots
	good, busy := t.TempDir(), t.TempDir()
	copyTo(t, "testdata/one.wasm", filepath.Join(good, "Widget.example.com_v1_v2.wasm"))
	const kinds = 4
	for i := range kinds {
		copyTo(t, "testdata/one.wasm", filepath.Join(busy, fmt.Sprintf("Thing%d.busy.example.com_v1_v2.wasm", i)))
	}
	p := start(t, "--modules", "good="+good, "--modules", "busy="+busy, "--groups", "good=example.com", "--groups", "busy=busy.example.com", "--cache-bytes", "0", "--drain-delay", "0s")
	eventually.True(t, "all modules to serve", func() bool {
		_, metrics := p.get(t, "/metrics")
		return strings.Count(metrics, "\ncrosswalk_module_info{") == kinds+1
	})

	var answered [kinds]atomic.Int64
	var clients sync.WaitGroup
	busyNow := atomic.Bool{}
	busyNow.Store(true)
	for i := range 4 * kinds {
		kind := i % kinds
		review := fmt.Sprintf(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"busy.example.com/v2","objects":[`+
			`{"apiVersion":"busy.example.com/v1","kind":"Thing%d","metadata":{"name":"a","namespace":"b","uid":"c"},"spec":{"text":"%s"}}]}}`, kind, strings.Repeat("x", 1<<20-1<<10)) // takes four slots
		clients.Go(func() { // ends with busyNow
			for busyNow.Load() {
				if code, _, err := p.post(review); err == nil && code == http.StatusOK {
					answered[kind].Add(1)
				}
			}
		})
	}
	most := 0
	eventually.True(t, "answers of all kinds", func() bool {
		for range 10 {
			_, metrics := p.get(t, "/metrics")
			_, slots, _ := strings.Cut(metrics, "\ncrosswalk_reviews_in_flight ")
			held := 0
			if _, err := fmt.Sscan(slots, &held); err != nil {
				t.Fatal(err)
			}
			most = max(most, held)
		}
		for i := range answered {
			if answered[i].Load() < 5 {
				return false
			}
		}
		return true
	})
	busyNow.Store(false)
	clients.Wait()
	if most != 8 {
		t.Errorf("the kinds of one owner hold up to %d of the 16 slots, want 8", most)
	}
}
