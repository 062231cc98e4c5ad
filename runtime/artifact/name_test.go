package artifact

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseName(t *testing.T) {
	for _, tc := range []struct{ file, want string }{
		{"CronTab.stable.example.com_v1_v2.wasm", "v1→v2 v2→v1"},
		{"CronTab.stable.example.com_v1_v2.wasm.gz", "v1→v2 v2→v1"},
		{"CronTab.stable.example.com_v1_v2.wasm.zst", "v1→v2 v2→v1"},
		{"CronTab.stable.example.com_v1_to_v2.wasm", "v1→v2"},
		{"CronTab.stable.example.com_v1alpha1_v1beta1_v1.wasm", "v1alpha1→v1beta1 v1alpha1→v1 v1beta1→v1alpha1 v1beta1→v1 v1→v1alpha1 v1→v1beta1"},
		{"foo.x_v1_v2.wasm", "v1→v2 v2→v1"},
	} {
		n, err := ParseName(tc.file)
		if err != nil {
			t.Errorf("%s: %v", tc.file, err)
			continue
		}
		var got []string
		for _, e := range n.Edges() {
			got = append(got, e.From+"→"+e.To)
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%s: edges %q, want %q", tc.file, s, tc.want)
		}
		if n.File != tc.file || !strings.HasPrefix(tc.file, n.Base) {
			t.Errorf("%s: File %q, Base %q", tc.file, n.File, n.Base)
		}
	}
}

func TestParseNameErrors(t *testing.T) {
	const like = `; a module is named like CronTab.stable.example.com_v1_v2.wasm`
	for _, tc := range []struct{ file, want string }{
		{"README.md", `must end in .wasm, .wasm.gz or .wasm.zst`},
		{"converter.wasm", `"converter" is not <Kind>.<group>` + like},
		{"converter.example.com.wasm", `names 0 version(s), and a conversion needs two` + like},
		{"CronTab_v1_v2.wasm", `"CronTab" is not <Kind>.<group>` + like},
		{"CronTab.stable.example.com_v1.wasm", `names 1 version(s), and a conversion needs two` + like},
		{"Cron Tab.stable.example.com_v1_v2.wasm", `"Cron Tab" is not a kind as a CustomResourceDefinition spells it` + like},
		{"CronTab.Stable.example.com_v1_v2.wasm", `"Stable.example.com" is not an API group (a DNS name in lower case)` + like},
		{"CronTab.stable.example.com_v1_v1.wasm", `names version v1 twice`},
		{"CronTab.stable.example.com_v1_.wasm", `"" is not an API version` + like},
		{"CronTab.stable.example.com_v1_V2.wasm", `"V2" is not an API version` + like},
		{".wasm", `"" is not <Kind>.<group>` + like},
	} {
		_, err := ParseName(tc.file)
		if want := fmt.Sprintf("file name %q: %s", tc.file, tc.want); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", tc.file, err, want)
		}
	}
}
