package runtime

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// TestVersionsOfKindAreBoundedM27: files of 200 bytes that convert v1 to v2, v2 to v3 and so on
// make the paths of their kind grow with the cube of their number. The bound counts modules that
// serve; the names of files that do not load take no place.
func TestVersionsOfKindAreBoundedM27(t *testing.T) {
	f := &following{t: t, dir: t.TempDir()}
	many := make([]string, 16)
	for i := range 3 { // sorted before the good one
		for n := range many {
			many[n] = fmt.Sprintf("v%d", 100*i+n+100)
		}
		f.put("K.g_"+strings.Join(many, "_")+".wasm", "")
	}
	f.put("K.g_v1_v2.wasm", "good_echo")
	f.run(Config{})
	if st := f.status("K.g_v1_v2.wasm"); st.State != StateServing {
		t.Errorf("beside names without content: %+v", st)
	}

	r := resting(t)
	m := loadFixture(t, smallLimits, "good_echo")
	r.state.entry(testName.Base).serving = m
	for i := range 14 { // with v1 and v2 that is 30
		r.state.entry(fmt.Sprintf("K.g_b%d_c%[1]d", i)).serving = loadFixtureAs(t, smallLimits, "good_echo", fmt.Sprintf("K.g_b%d_c%[1]d", i))
	}
	check := func(base, want string) {
		t.Helper()
		j := jobOf(t, base, 1)
		left, dropped := known{entries: r.state.entries}.admit([]*job{j}, &contents{rejected: map[string]string{}})
		j.module = loadFixtureAs(t, smallLimits, "good_echo", base)
		r.state.record(j, time.Now())
		s := r.state.entries[base]
		fits := s != nil && s.serving == j.module
		if got := r.state.rejected[j.name.File].reason; got != want || fits != (want == "") || len(left) != 1-len(dropped) || len(left) == 1 != fits {
			t.Errorf("%s: fits %v, refused with\n %q, want\n %q; %d of 1 planned", base, fits, got, want, len(left))
		}
		if !fits && s != nil {
			t.Errorf("%s: there is an entry", base)
		}
	}
	check("K.g_d1_d2", "")
	check("K.g_v1_v2", "")
	check("K.g_v1_d1_d2_d3", "with it, the modules of K.g have 33 versions; 32 are allowed: take modules of old versions out of service")
	check("L.g_d1_d2_d3_d4", "")

	denied := jobOf(t, "K.g_d1_d2_d3", 1)
	denied.denied = errors.New("not listed")
	if left, _ := (known{entries: r.state.entries}).admit([]*job{denied}, &contents{}); len(left) != 1 {
		t.Error("a denied file has another reason")
	}

	many = append(many, "v17")
	if _, err := artifact.ParseName("K.g_" + strings.Join(many[:16], "_") + ".wasm"); err != nil {
		t.Error(err)
	}
	const refused = "names 17 versions, and a file may name 16; name fewer, and convert the others by other modules"
	if _, err := artifact.ParseName("K.g_" + strings.Join(many, "_") + ".wasm"); err == nil || !strings.HasSuffix(err.Error(), refused) {
		t.Errorf("error %v, want %q", err, refused)
	}
}
