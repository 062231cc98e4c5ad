package runtime

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// TestVersionsOfKindAreBoundedM27: files of 200 bytes that convert v1 to v2, v2 to v3 and so on
// make the paths of their kind grow with the cube of their number.
func TestVersionsOfKindAreBoundedM27(t *testing.T) {
	m := loadFixture(t, smallLimits, "good_echo") // K.g_v1_v2
	k := known{slots: map[string]*slot{testName.Base: {serving: m, present: true}}}
	fileOf := func(file string, denied error) *job {
		name, err := artifact.ParseName(file)
		if err != nil {
			t.Fatal(err)
		}
		return &job{name: name, denied: denied}
	}
	chosen := []*job{fileOf("K.g_a0_a1.wasm", errors.New("not listed")), fileOf("K.g_a1_v1.wasm", nil)}
	for i := range 29 { // with v1, v2 and a1 that is 32
		chosen = append(chosen, fileOf(fmt.Sprintf("K.g_b%d_v1.wasm", i), nil))
	}
	late := fileOf("K.g_c0_c1.wasm", nil)
	chosen = append(chosen, fileOf("K.g_b0_b1.wasm", nil), late, fileOf("K.g_v1_v2.wasm", nil), fileOf("L.g_c0_c1.wasm", nil))
	all := len(chosen)
	c := &contents{rejected: map[string]string{}}
	left, dropped := k.boundVersions(chosen, c)
	if len(left) != all-1 || len(c.rejected) != 1 {
		t.Errorf("%d of %d files are left, %v are rejected", len(left), all, c.rejected)
	}
	const want = "with it, the modules of K.g have 34 versions; 32 are allowed: take modules of old versions out of service"
	if got := c.rejected["K.g_c0_c1.wasm"]; got != want {
		t.Errorf("rejected with\n %q, want\n %q", got, want)
	}
	if len(dropped) != 1 || dropped[0] != late.name.Base {
		t.Errorf("%v are not loaded any more", dropped)
	}
	many := make([]string, 17)
	for i := range many {
		many[i] = fmt.Sprintf("v%d", i+1)
	}
	if _, err := artifact.ParseName("K.g_" + strings.Join(many[:16], "_") + ".wasm"); err != nil {
		t.Error(err)
	}
	const refused = "names 17 versions, and a file may name 16; name fewer, and convert the others by other modules"
	if _, err := artifact.ParseName("K.g_" + strings.Join(many, "_") + ".wasm"); err == nil || !strings.HasSuffix(err.Error(), refused) {
		t.Errorf("error %v, want %q", err, refused)
	}
}
