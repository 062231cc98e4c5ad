package runtime

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// contentOf is the content that put writes for a fixture's name or a text.
func contentOf(from string) []byte {
	if content, err := os.ReadFile(filepath.Join("testdata", from+".wasm")); err == nil {
		return content
	}
	return []byte(from)
}

// listOf is a SHA256SUMS of files given by name and fixture, or text.
func listOf(files map[string]string) string {
	var list strings.Builder
	for name, from := range files {
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(contentOf(from)), name)
	}
	return list.String()
}

// signer is a key for tests, made of one byte.
func signer(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize)))
}

func publicKeys(t testing.TB, private ...ed25519.PrivateKey) sums.Keys {
	t.Helper()
	var content []byte
	for _, p := range private {
		der, err := x509.MarshalPKIXPublicKey(p.Public())
		if err != nil {
			t.Fatal(err)
		}
		content = append(content, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})...)
	}
	keys, err := sums.ReadKeys(content)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// swap replaces everything in the directory at once, through ..data, as a kubelet does.
func (f *following) swap(files map[string]string) {
	f.t.Helper()
	must := func(err error) {
		f.t.Helper()
		if err != nil {
			f.t.Fatal(err)
		}
	}
	version, err := os.MkdirTemp(f.dir, "..")
	must(err)
	for name, from := range files {
		must(os.WriteFile(filepath.Join(version, name), contentOf(from), 0o644))
	}
	before, _ := os.Readlink(filepath.Join(f.dir, "..data"))
	must(os.Symlink(filepath.Base(version), filepath.Join(f.dir, "..data_tmp")))
	must(os.Rename(filepath.Join(f.dir, "..data_tmp"), filepath.Join(f.dir, "..data")))
	for name := range files {
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(f.dir, name)); err != nil && !os.IsExist(err) {
			f.t.Fatal(err)
		}
	}
	if before != "" {
		must(os.RemoveAll(filepath.Join(f.dir, before)))
	}
}

// denied waits until a file is rejected for a reason, and checks that the previous version serves
// and that status and metrics say so.
func (f *following) denied(file, reason string, serves *module.Module) {
	f.t.Helper()
	f.until(file+": "+reason, func() bool { return f.status(file).LastError == reason })
	s := f.status(file)
	if f.module("v1", "v2") != serves || (s.State == StateServing) != (serves != nil) || s.FailedDigest == "" || s.Listed || s.SignedBy != "" {
		f.t.Errorf("%s: %s: not what served before serves: %+v", file, reason, s)
	}
	if v := testutil.ToFloat64(f.journal.metrics.reloadOK.WithLabelValues(file)); v != 0 {
		f.t.Errorf("%s: %s: last_reload_successful is %v", file, reason, v)
	}
	if !f.Ready() {
		f.t.Errorf("%s: %s: not ready", file, reason)
	}
}

func shortSum(from string) string { return fmt.Sprintf("%x", sha256.Sum256(contentOf(from)))[:12] }

// TestUnlistedFileIsNotLoadedS1 has an unsigned list. A file that is not listed, or is listed with
// another digest, does not load.
func TestUnlistedFileIsNotLoadedS1(t *testing.T) {
	const file, side, other, list = "K.g_v1_v2.wasm", "K.g_v1_v2.yaml", "L.g_v1_v2.wasm", sums.ListFile
	f := (&following{t: t, dir: t.TempDir()})
	f.put(file, "golden_fixed")
	f.put(list, listOf(map[string]string{file: "golden_fixed"}))
	f.run(Config{})
	good := f.module("v1", "v2")
	if s := f.status(file); good == nil || !s.Listed || s.SignedBy != "" {
		t.Fatalf("status %+v", s)
	}
	if s := f.status(list); s.State != StateListing || s.Digest != fmt.Sprintf("%x", sha256.Sum256([]byte(listOf(map[string]string{file: "golden_fixed"})))) {
		t.Errorf("status of the list: %+v", s)
	}

	f.put(file, "x07_grow")
	f.denied(file, "SHA256SUMS has sha256 "+shortSum("golden_fixed")+" for "+file+", which has "+shortSum("x07_grow")+": they are of different releases, or one was tampered with", good)
	f.put(list, listOf(map[string]string{other: "golden_fixed"}))
	f.denied(file, "SHA256SUMS does not list K.g_v1_v2.wasm: add it there if it is meant to be used", good)
	f.put(file, "golden_fixed") // the serving module: it is not listed either, and the status says so until it is
	f.put(other, "x07_grow")
	f.denied(file, "SHA256SUMS does not list K.g_v1_v2.wasm: add it there if it is meant to be used", good)
	f.until("refusal of another's content", func() bool { return f.status(other).State == StateFailed })
	f.until("the reason in the published set", func() bool { // which follows the status
		set := f.pin()
		defer set.Release()
		return len(set.Failed()) == 1 && set.Failed()[0].Reason == f.status(other).LastError
	})
	f.remove(other)
	f.put(list, "not a list")
	f.denied(file, "SHA256SUMS: line 1 is not as sha256sum writes it: 64 hexadecimal digits, two spaces, the name of a file", good)
	f.put(list, listOf(map[string]string{file: "golden_fixed"}))
	f.until("the listed module", func() bool { s := f.status(file); return s.Listed && s.LastError == "" })
	if f.module("v1", "v2") != good {
		t.Error("what served all the time was loaded again")
	}

	// A sidecar is part of the module: without one that is listed it would be held to less.
	f.put(side, wantsFixed)
	f.denied(file, "SHA256SUMS does not list K.g_v1_v2.yaml: add it there if it is meant to be used", good)
	f.remove(side)
	f.put(list, listOf(map[string]string{file: "golden_fixed", side: wantsFixed}))
	f.denied(file, "SHA256SUMS lists K.g_v1_v2.yaml, which is not there", good)
	f.put(side, wantsFixed)
	f.until("module and sidecar", func() bool { return f.module("v1", "v2") != good && f.status(file).Cases == 1 && f.status(file).Listed })

	// Nor does a file that is not listed take a module out of service.
	good = f.module("v1", "v2")
	f.put("K.g_v1_v2.removed", "")
	f.until("refusal", func() bool { return f.status("K.g_v1_v2.removed").State == StateRefused })
	if s := f.status("K.g_v1_v2.removed"); f.module("v1", "v2") != good || s.LastError != "SHA256SUMS does not list K.g_v1_v2.removed: add it there if it is meant to be used" {
		t.Errorf("status %+v", s)
	}
	f.put(list, listOf(map[string]string{file: "golden_fixed", side: wantsFixed, "K.g_v1_v2.removed": ""}))
	f.until("removal", func() bool { return f.module("v1", "v2") == nil })
}

// TestUnlistedFilesDoNotStopRetriesS1 has files that are not listed beside one that fails to load:
// the latter is tried again all the same.
func TestUnlistedFilesDoNotStopRetriesS1(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	f := &following{t: t, dir: t.TempDir()}
	f.put(file, "m15_no_convert")
	for i := range 30 { // checked before and after the other, in any order
		f.put(fmt.Sprintf("L%d.g_v1_v2.wasm", i), "good_echo")
	}
	f.put(sums.ListFile, listOf(map[string]string{file: "m15_no_convert"}))
	f.run(Config{Poll: time.Hour})
	f.until("the second try", func() bool { return refusals(f, file) >= 2 })
}

// TestUnlistedPackingIsSkippedS1 has two packings of a module, of which the one that would come
// first is not listed.
func TestUnlistedPackingIsSkippedS1(t *testing.T) {
	const file, packed = "K.g_v1_v2.wasm", "K.g_v1_v2.wasm.zst"
	content := string(zstandard(t, contentOf("good_echo")))
	f := &following{t: t, dir: t.TempDir()}
	f.put(file, "good_refuse")
	f.put(packed, content)
	f.put(sums.ListFile, listOf(map[string]string{packed: content}))
	f.run(Config{})
	if m := f.module("v1", "v2"); m == nil || m.Name() != packed {
		t.Errorf("%v serves", m)
	}
	if s := f.status(file); s.State != StateRefused || s.LastError != "SHA256SUMS does not list K.g_v1_v2.wasm: add it there if it is meant to be used" {
		t.Errorf("status %+v", s)
	}
}

// TestInvalidSignatureRejectsDirectoryS2 requires a signature. If it is invalid, no file of the
// directory is read, and the serving modules stay.
func TestInvalidSignatureRejectsDirectoryS2(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	mine, old, theirs := signer(1), signer(2), signer(3)
	keys := publicKeys(t, mine, old)
	release := func(module string, by ed25519.PrivateKey) map[string]string {
		list := listOf(map[string]string{file: module})
		return map[string]string{file: module, sums.ListFile: list, sums.SignatureFile: string(ed25519.Sign(by, []byte(list)))}
	}
	with := func(release map[string]string, name, content string) map[string]string {
		release[name] = content
		return release
	}
	without := func(release map[string]string, name string) map[string]string {
		delete(release, name)
		return release
	}
	f := &following{t: t, dir: t.TempDir()}
	f.swap(release("good_echo", mine))
	f.run(Config{Keys: keys})
	good := f.module("v1", "v2")
	if s := f.status(file); good == nil || !s.Listed || s.SignedBy == "" || !strings.Contains(keys.String(), s.SignedBy) {
		t.Fatalf("status %+v", s)
	}
	const unsigned = "SHA256SUMS.sig is not a signature of this SHA256SUMS by a key of --verify-key"
	ids := " (" + keys.String() + ")"
	for _, tc := range []struct {
		name   string
		files  map[string]string
		reason string
	}{
		{"an unknown key", release("good_refuse", theirs), unsigned + ids},
		{"no signature", without(release("good_refuse", mine), sums.SignatureFile), "there is no SHA256SUMS.sig or SHA256SUMS.sigstore.json, which --verify-key demands: sign SHA256SUMS"},
		{"no list", without(release("good_refuse", mine), sums.ListFile), "there is no SHA256SUMS, which --verify-key demands: write it with sha256sum, and sign it"},
		{"a signature cut off", with(release("good_refuse", mine), sums.SignatureFile, release("good_refuse", mine)[sums.SignatureFile][:63]),
			"SHA256SUMS.sig, of 63 bytes, is not a signature: 64 bytes of Ed25519, ASN.1 of ECDSA, the base64 of either, or a Sigstore bundle"},
		{"the signature of another list", with(release("good_refuse", mine), sums.SignatureFile, release("good_echo", mine)[sums.SignatureFile]), unsigned + ids},
		{"a broken list with no signature is not read", with(release("good_refuse", mine), sums.ListFile, "not a list"), unsigned + ids},
		{"a broken list that is signed", with(with(release("good_refuse", mine), sums.ListFile, "not a list"), sums.SignatureFile, string(ed25519.Sign(mine, []byte("not a list")))),
			"SHA256SUMS: line 1 is not as sha256sum writes it: 64 hexadecimal digits, two spaces, the name of a file"},
		{"a module that was signed under another name", func() map[string]string {
			list := listOf(map[string]string{"L.g_v1_v2.wasm": "good_refuse"})
			return map[string]string{file: "good_refuse", sums.ListFile: list, sums.SignatureFile: string(ed25519.Sign(mine, []byte(list)))}
		}(), "SHA256SUMS does not list K.g_v1_v2.wasm: add it there if it is meant to be used"},
		{"a module that would take long to refuse is not looked at", with(release("good_refuse", mine), file, strings.Repeat("x", 1<<20)),
			"SHA256SUMS has sha256 " + shortSum("good_refuse") + " for " + file + ", which has " + shortSum(strings.Repeat("x", 1<<20)) + ": they are of different releases, or one was tampered with"},
	} {
		f.swap(tc.files)
		f.denied(file, tc.reason, good)
		s := f.status(sums.ListFile)
		if global := strings.HasPrefix(tc.reason, "there is no") || strings.HasPrefix(tc.reason, "SHA256SUMS.sig") || strings.HasPrefix(tc.reason, "SHA256SUMS: "); global != (s.State == StateRefused && s.LastError == tc.reason) {
			t.Errorf("%s: status of the list: %+v", tc.name, s)
		}
	}

	f.swap(release("good_refuse", old)) // both keys of the file count
	f.until("the release signed by the old key", func() bool { return f.module("v1", "v2") != good })
	if s := f.status(file); !s.Listed || s.SignedBy != publicKeys(t, old).String() || s.LastError != "" {
		t.Errorf("status %+v", s)
	}
}

// TestStartWithUnsignedModulesS2 has nothing but an unsigned module at the start: nothing serves,
// the gateway is up and says why.
func TestStartWithUnsignedModulesS2(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	f := &following{t: t, dir: t.TempDir()}
	f.put(file, "good_echo")
	f.run(Config{Keys: publicKeys(t, signer(1))})
	f.denied(file, "there is no SHA256SUMS, which --verify-key demands: write it with sha256sum, and sign it", nil)
	if f.status(file).State != StateFailed {
		t.Errorf("status %+v", f.status(file))
	}
}

// TestModulesOfReleaseAreReplacedTogetherS3 copies a release file by file into a plain directory:
// while a file differs from the list, no serving module is replaced, not even modules that are
// right already; then all are, in one set.
func TestModulesOfReleaseAreReplacedTogetherS3(t *testing.T) {
	const k, l, same = "K.g_v1_v2.wasm", "K.g_v2_v3.wasm", "M.g_v1_v2.wasm"
	old := map[string]string{k: "good_echo", l: "good_echo", same: "good_echo"}
	next := map[string]string{k: "good_refuse", l: "good_refuse", same: "good_echo"}
	f := &following{t: t, dir: t.TempDir()}
	f.put(k, "good_echo")
	f.put(l, "good_echo")
	f.put(same, "good_echo")
	f.put(sums.ListFile, listOf(old))
	f.run(Config{})
	good, goodL := f.module("v1", "v2"), f.module("v2", "v3")
	f.put(sums.ListFile, listOf(next))
	differs := func(file string) string {
		return "SHA256SUMS has sha256 " + shortSum("good_refuse") + " for " + file + ", which has " + shortSum("good_echo") + ": they are of different releases, or one was tampered with"
	}
	f.denied(k, differs(k), good)
	f.put(k, "good_refuse")
	f.denied(k, "waiting: the files in SHA256SUMS are replaced together, and K.g_v2_v3.wasm does not match it yet", good)
	if s := f.status(same); s.LastError != "" || !s.Listed {
		t.Errorf("one that is the same in both releases: %+v", s)
	}
	if f.status(l).LastError != differs(l) || f.module("v2", "v3") != goodL {
		t.Errorf("status %+v", f.status(l))
	}
	f.put("New.g_v1_v2.wasm", "good_echo") // one that replaces nothing need not wait, if it is right
	f.put(sums.ListFile, listOf(map[string]string{k: "good_refuse", l: "good_refuse", same: "good_echo", "New.g_v1_v2.wasm": "good_echo"}))
	f.until("a new module", func() bool { return f.status("New.g_v1_v2.wasm").State == StateServing })
	if f.module("v1", "v2") != good || f.module("v2", "v3") != goodL {
		t.Error("half of a release serves")
	}
	sets := f.sets.Load()
	f.put(l, "good_refuse")
	f.until("both", func() bool { return f.module("v1", "v2") != good && f.module("v2", "v3") != goodL })
	if n := f.sets.Load() - sets; n != 1 {
		t.Errorf("they came in %d sets", n)
	}
	f.until("no errors", func() bool { return f.status(k).LastError+f.status(l).LastError == "" })
}

// TestNoSwapOfSignedReleaseIsRejectedS3 replaces modules, list and signature together, again and
// again, through ..data: no swap is ever refused.
func TestNoSwapOfSignedReleaseIsRejectedS3(t *testing.T) {
	const k, l = "K.g_v1_v2.wasm", "K.g_v2_v3.wasm"
	key := signer(1)
	f := &following{t: t, dir: t.TempDir()}
	release := func(module string) map[string]string {
		list := listOf(map[string]string{k: module, l: module})
		return map[string]string{k: module, l: module, sums.ListFile: list, sums.SignatureFile: string(ed25519.Sign(key, []byte(list)))}
	}
	f.swap(release("good_echo"))
	f.run(Config{Keys: publicKeys(t, key)})
	for i := range 20 {
		before := f.module("v1", "v2")
		f.swap(release([]string{"good_refuse", "good_echo"}[i%2]))
		f.until(fmt.Sprintf("swap %d", i), func() bool { return f.module("v1", "v2") != before })
		s := f.pin()
		digests := map[string]bool{}
		for _, b := range s.Bindings() {
			digests[b.Module.Digest()] = true
		}
		s.Release()
		if len(digests) != 1 {
			t.Fatalf("swap %d: a set has modules of %d releases", i, len(digests))
		}
	}
	if n := refusals(f, k) + refusals(f, l); n != 0 {
		t.Errorf("%d refusals", n)
	}
}

// TestOlderSignedReleaseServesS4 goes back to an older release, whose signature is as good: it
// serves, and its digest is in the status and the metric.
func TestOlderSignedReleaseServesS4(t *testing.T) {
	const file = "K.g_v1_v2.wasm"
	key := signer(1)
	release := func(module string) map[string]string {
		list := listOf(map[string]string{file: module})
		return map[string]string{file: module, sums.ListFile: list, sums.SignatureFile: string(ed25519.Sign(key, []byte(list)))}
	}
	f := &following{t: t, dir: t.TempDir()}
	f.swap(release("good_echo"))
	f.run(Config{Keys: publicKeys(t, key)})
	for _, module := range []string{"good_refuse", "good_echo"} {
		digest := fmt.Sprintf("%x", sha256.Sum256(contentOf(module)))
		f.swap(release(module))
		f.until(module, func() bool { s := f.status(file); return s.Digest == digest && s.Listed })
		if v := testutil.ToFloat64(f.journal.metrics.info.WithLabelValues(file, digest)); v != 1 || testutil.CollectAndCount(f.journal.metrics.info) != 1 {
			t.Errorf("%s: the metric has %v for it, and %d series", module, v, testutil.CollectAndCount(f.journal.metrics.info))
		}
	}
}

// TestListLeftOut: of a directory with too many files the list is read first. If it is left out
// nevertheless, because there are more names than the gateway looks at, no file is accepted.
func TestListLeftOut(t *testing.T) {
	const file = "A.g_v1_v2.wasm"
	f := &following{t: t, dir: t.TempDir()}
	f.put(file, "good_echo")
	f.put(sums.ListFile, listOf(map[string]string{file: "good_echo"}))
	for i := range scanFiles {
		f.put(fmt.Sprintf("A.g_v1_v%d.wasm", i+3), "")
	}
	f.run(Config{})
	if s := f.status(sums.ListFile); s.State != StateListing {
		t.Errorf("status of the list: %+v", s)
	}
	if s := f.status(file); s.State != StateServing || !s.Listed {
		t.Errorf("status %+v", s)
	}

	var cut watch.Snapshot
	if leftOut(f.dir, cut) {
		t.Error("the list is left out of a whole directory")
	}
	cut.Skipped = []watch.Skipped{{Name: ".", Reason: "has more than 10000 entries"}}
	if !leftOut(f.dir, cut) || leftOut(t.TempDir(), cut) {
		t.Error("the list is not missed, or one that does not exist is")
	}
	const want = "the directory has more files than are read, and SHA256SUMS is not among them: take files out of it"
	if why := sums.Of(cut, nil, true).Problem(); why == nil || why.Error() != want {
		t.Errorf("problem %v", why)
	}
}
