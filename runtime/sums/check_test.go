package sums

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

func file(name, content string) watch.File {
	return watch.File{Name: name, Content: []byte(content), Sum: sha256.Sum256([]byte(content))}
}

// line is a line of SHA256SUMS.
func line(f watch.File) string { return fmt.Sprintf("%x  %s\n", f.Sum, f.Name) }

// TestOf tests the verdict on a directory, with and without keys.
func TestOf(t *testing.T) {
	pair := ed(t)
	key := keys(t, pair)
	module, other := file("K.g_v1_v2.wasm", "module"), file("L.g_v1_v2.wasm", "other")
	text := line(module) + line(other)
	sums := file(ListFile, text)
	good, bad := file(SignatureFile, string(pair.sign(t, []byte(text)))), file(SignatureFile, string(ed(t).sign(t, []byte(text))))
	edited := file(module.Name, "edited")
	skipped := func(name string) []watch.Skipped { return []watch.Skipped{{Name: name, Reason: "is a pipe"}} }
	for _, c := range []struct {
		name          string
		files         []watch.File
		skipped       []watch.Skipped
		keys          Keys
		leftOut       bool
		problem       string // of the directory; "" if there is none
		listing, sum  bool
		module, whole string // errors
	}{
		{name: "no list", files: []watch.File{module}},
		{name: "no list, with other files left out", files: []watch.File{module}, leftOut: true, problem: "the directory has more files than are read, and SHA256SUMS is not among them: "},
		{name: "a list, with other files left out", files: []watch.File{module, sums}, leftOut: true, listing: true, sum: true},
		{name: "a list without keys", files: []watch.File{module, sums}, listing: true, sum: true},
		{name: "a list without keys, badly signed", files: []watch.File{module, sums, bad}, listing: true, sum: true},
		{name: "no list with keys", files: []watch.File{module}, keys: key, problem: "there is no SHA256SUMS, which --verify-key demands: "},
		{name: "no signature", files: []watch.File{module, sums}, keys: key, sum: true, problem: "there is no SHA256SUMS.sig or SHA256SUMS.sigstore.json, which --verify-key demands: "},
		{name: "signed", files: []watch.File{module, sums, good}, keys: key, listing: true, sum: true},
		{name: "signed by another", files: []watch.File{module, sums, bad}, keys: key, sum: true, problem: "SHA256SUMS.sig is not a signature of this SHA256SUMS"},
		{name: "signed once of two, the good one first", files: []watch.File{module, sums, good, file(BundleFile, "{}")}, keys: key, listing: true, sum: true},
		{name: "a list that cannot be read", files: []watch.File{module}, skipped: skipped(ListFile), problem: "SHA256SUMS cannot be read: it is a pipe"},
		{name: "a signature that cannot be read", files: []watch.File{module, sums}, skipped: skipped(SignatureFile), keys: key, sum: true, problem: "SHA256SUMS.sig cannot be read: it is a pipe"},
		{name: "a signature that cannot be read, without keys", files: []watch.File{module, sums}, skipped: skipped(SignatureFile), listing: true, sum: true},
		{name: "another file that cannot be read", files: []watch.File{module, sums, good}, skipped: skipped("M.g_v1_v2.wasm"), keys: key, listing: true, sum: true},
		{name: "an edited file", files: []watch.File{edited, sums}, listing: true, sum: true, module: "SHA256SUMS has sha256 ", whole: "and K.g_v1_v2.wasm does not match it yet"},
		{name: "two edited files", files: []watch.File{edited, file(other.Name, "edited"), sums}, listing: true, sum: true, module: "SHA256SUMS has sha256 ", whole: "and K.g_v1_v2.wasm does not match it yet"},
		{name: "a malformed list", files: []watch.File{module, file(ListFile, "x")}, sum: true, problem: "SHA256SUMS: line 1 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, unsettled := range []bool{false, true} {
				check := Of(watch.Snapshot{Files: c.files, Skipped: c.skipped, Unsettled: unsettled}, c.keys, c.leftOut)
				wantsModule := c.module
				if c.problem != "" {
					wantsModule = c.problem
				}
				matches := func(what string, err error, want string) {
					if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
						t.Errorf("%s: %v, want %q", what, err, want)
					}
				}
				matches("the directory", check.Problem(), c.problem)
				matches("the module", check.File(c.files[0]), wantsModule)
				matches("the whole", check.Whole(), c.whole)
				if listing, by := check.Listing(); listing != c.listing || (by != "") != (c.listing && c.keys != nil) {
					t.Errorf("listing %t by %q", listing, by)
				}
				if sum, ok := check.Sum(); ok != c.sum || ok && c.name != "a malformed list" && sum != sums.Sum {
					t.Errorf("sum %x, %t", sum, ok)
				}
				if want := unsettled && strings.Contains(c.problem, "cannot be read"); check.Waits() != want {
					t.Errorf("waits: %t", check.Waits())
				}
			}
		})
	}
	check := Of(watch.Snapshot{Files: []watch.File{module, sums}, Skipped: skipped("S.g_v1_v2.wasm")}, nil, false)
	if err := check.File(file("M.g_v1_v2.wasm", "")); err == nil || !strings.HasPrefix(err.Error(), "SHA256SUMS does not list M.g_v1_v2.wasm: ") {
		t.Errorf("a file that is not listed: %v", err)
	}
	if err := check.Missing(other.Name); err == nil || err.Error() != "SHA256SUMS lists L.g_v1_v2.wasm, which is not there" {
		t.Errorf("a listed file that is absent: %v", err)
	}
	if err := check.Missing("M.g_v1_v2.wasm"); err != nil {
		t.Error(err)
	}
	all := func(string) bool { return true }
	if names := check.Absent(watch.Snapshot{Files: []watch.File{module}}, all); len(names) != 1 || names[0] != other.Name {
		t.Errorf("absent: %q", names)
	}
	if names := check.Absent(watch.Snapshot{Files: []watch.File{module}, Skipped: skipped(other.Name)}, all); len(names) != 0 {
		t.Errorf("absent, though it is there: %q", names)
	}
}

// TestIs tests which names decide about others.
func TestIs(t *testing.T) {
	for name, want := range map[string]bool{ListFile: true, SignatureFile: true, BundleFile: true, "SHA256SUMS.txt": false, "K.g_v1_v2.wasm": false, "": false} {
		if Is(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
}
