package watch

import "testing"

// TestOwners: the name of a file is its owner and its name within the owner's directory, and both
// lead back to it.
func TestOwners(t *testing.T) {
	for file, want := range map[string][2]string{
		"a.wasm":      {"", "a.wasm"},
		"team/a.wasm": {"team", "a.wasm"},
	} {
		owner, name := SplitOwner(file)
		if owner != want[0] || name != want[1] {
			t.Errorf("%s: owner %q, name %q", file, owner, name)
		}
		if got := JoinOwner(owner, name); got != file {
			t.Errorf("%q and %q are %s, want %s", owner, name, got, file)
		}
	}
}
