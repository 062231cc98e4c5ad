package attach

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
)

// TestModulesFitAConfigMap asserts that files of others in a ConfigMap stay in use when a
// catalogue's signed list joins them.
func TestModulesFitAConfigMap(t *testing.T) {
	list := func(files ...string) (text []byte) {
		for _, f := range files {
			text = fmt.Appendf(text, "%x  %s\n", sha256.Sum256([]byte(f)), f)
		}
		return text
	}
	const a, b = "A.x.io_v1_v2.wasm", "B.x.io_v1_v2.wasm"
	both := list(a, b)
	for _, tc := range []struct {
		name   string
		text   map[string]string
		binary map[string][]byte
		files  map[string][]byte
		want   string
	}{
		{"an empty one", nil, nil, map[string][]byte{a: []byte(a), "SHA256SUMS": both}, ""},
		{"another entry of the catalogue", nil, map[string][]byte{b: []byte(b), "SHA256SUMS": both}, map[string][]byte{a: []byte(a), "SHA256SUMS": both}, ""},
		{"a newer list with the same file", nil, map[string][]byte{b: []byte(b), "SHA256SUMS": list(b)}, map[string][]byte{a: []byte(a), "SHA256SUMS": both}, ""},
		{"a module of somebody else", nil, map[string][]byte{"C.x.io_v1_v2.wasm": nil}, map[string][]byte{a: []byte(a), "SHA256SUMS": both},
			"gateways would ignore C.x.io_v1_v2.wasm beside the files of a.x.io: SHA256SUMS does not list C.x.io_v1_v2.wasm"},
		{"a sidecar of somebody else, as text", map[string]string{"C.x.io_v1_v2.yaml": "cases: []"}, nil, map[string][]byte{a: []byte(a), "SHA256SUMS": both}, "gateways would ignore C.x.io_v1_v2.yaml"},
		{"another version in the list", nil, map[string][]byte{b: []byte("old")}, map[string][]byte{a: []byte(a), "SHA256SUMS": both}, "gateways would ignore B.x.io_v1_v2.wasm beside the files of a.x.io: SHA256SUMS has sha256"},
		{"files that do not match their list", nil, nil, map[string][]byte{a: []byte("changed"), "SHA256SUMS": both}, "gateways would ignore A.x.io_v1_v2.wasm"},
		{"too large", nil, map[string][]byte{b: make([]byte, 1<<20)}, map[string][]byte{a: []byte(a)}, "with the files of a.x.io it would have 1048593 bytes; a ConfigMap may have 1048576: let the pods pull the entry"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Modules{Owner: "a.x.io", Files: tc.files}.fits(&core.ConfigMap{Data: tc.text, BinaryData: tc.binary})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
