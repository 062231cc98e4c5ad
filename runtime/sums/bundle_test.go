package sums

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// The bundles that cosign v3.1.3 wrote for the list signedList, with throwaway keys. The payload of
// the attestation is shortened.
const (
	signedList  = "e3b0c442  a.wasm\n"
	cosignECDSA = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEu4EurTXIKUT5Qd3ay0q0MenMk6c/
hPbl3H33pFs/OyxtqB3K2Y4rS8RtabdROFGuA+/aUTZQKoJ+B/roWqbTqQ==
-----END PUBLIC KEY-----`
	cosignEd = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAb58qYPOlkf4u54JZpF5GbzhN55hLNqhcaVDGgFQRZKM=
-----END PUBLIC KEY-----`
	bundleECDSA = `{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"publicKey":{"hint":"Ku3w3t+tHSHtZ1kVtDvI0EWZxflLIDkKDSczWIlpwCo="}},"messageSignature":{"messageDigest":{"algorithm":"SHA2_256","digest":"vltcK0FPLIlUF1ud/q766XNV7CcoM9s6yJsR5x8m4+Q="},"signature":"MEUCIQC8DO0iCWGUKFDzf5fv74NXar5vZ9VGoNatG4jQNXjRGQIgCPXEFbDGXA8Fe0HKCmYV3swQfabyluP0n8BkxDI3pKk="}}`
	bundleEd    = `{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"publicKey":{"hint":"wTEyMu6Wleckfre3mfIE4JYlJWeonfMJPg9hHqiqtVo="}},"messageSignature":{"messageDigest":{},"signature":"pUH1/rNIwN8JeY4q5ZsBnFU2ea03RRcbr32r4ypknafrJwWACLUVHoLxDX44VAGRLX0RHHB/Vj7FAJsK/qXBDA=="}}`
	attestation = `{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"publicKey":{"hint":"Ku3w3t+tHSHtZ1kVtDvI0EWZxflLIDkKDSczWIlpwCo="}},"dsseEnvelope":{"payload":"e30=","payloadType":"application/vnd.in-toto+json","signatures":[{"sig":"MEUCIQDkq7HlefJz6YaHL8vZP838Y7epqSi+yFMd4lj6wlRDBQIgCfCL6OLi/GYR1Wx/AV6K9SiAm/v3q0NUIOwX5VrBtoY="}]}}`
	oldBundle   = `{"base64Signature":"MEUCIQDLo1tYxFYwPzG8267yjPDfAooMTe+rDtkFOkeVa5U0ZQIgZB0GAyXKw8fLsZx0g7lUUv9PQz6vWz8/EX3eRz5sM7g="}`
)

func cosignKeys(t *testing.T, pem string) Keys {
	t.Helper()
	k, err := ReadKeys([]byte(pem))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestVerifyBundle(t *testing.T) {
	both := cosignEd + "\n" + cosignECDSA
	change := func(old, new string) string {
		t.Helper()
		if strings.Count(bundleECDSA, old) != 1 {
			t.Fatalf("%q is not in the bundle once", old)
		}
		return strings.Replace(bundleECDSA, old, new, 1)
	}
	const unsigned = " is not a signature of this SHA256SUMS by a key of --verify-key ("
	for _, tc := range []struct{ name, keys, list, bundle, by, err string }{
		{"ECDSA", both, signedList, bundleECDSA, "ecdsa:", ""},
		{"Ed25519", both, signedList, bundleEd + "\n", "ed25519:", ""},
		{"after an empty line", both, signedList, "\n" + bundleECDSA, "ecdsa:", ""},
		{"an unknown key", cosignEd, signedList, bundleECDSA, "", unsigned},
		{"another list", both, signedList + "\n", bundleECDSA, "", " was made of another SHA256SUMS: sign the list that is there"},
		{"another list, without a digest", both, signedList + "\n", bundleEd, "", unsigned},
		{"a changed signature", both, signedList, change("MEUCIQC8DO0i", "MEUCIQC8DO0j"), "", unsigned},
		{"an attestation", both, signedList, attestation, "", " is an attestation (a DSSE envelope): sign with cosign sign-blob, not attest-blob"},
		{"an attestation beside a signature", both, signedList, change(`"messageSignature":`, `"dsseEnvelope":{},"messageSignature":`), "", " is an attestation (a DSSE envelope): sign with cosign sign-blob, not attest-blob"},
		{"the old format", both, signedList, oldBundle, "", " is a bundle in the old format of cosign: sign with cosign 3, or with cosign 2 and --new-bundle-format"},
		{"another version", both, signedList, change("bundle.v0.3+json", "bundle.v0.9+json"), "", ` has the media type "application/vnd.dev.sigstore.bundle.v0.9+json", not application/vnd.dev.sigstore.bundle.v0.3+json: sign with cosign sign-blob of version 3`},
		{"a certificate", both, signedList, change(`"publicKey":{"hint":`, `"certificate":{"rawBytes":`), "", " is signed by a certificate: sign with a key (cosign sign-blob --key), not keyless"},
		{"no signature", both, signedList, change(`"messageSignature"`, `"message"`), "", " has no signature by a key: sign with cosign sign-blob --key"},
		{"no key", both, signedList, change(`"publicKey"`, `"key"`), "", " has no signature by a key: sign with cosign sign-blob --key"},
		{"a signature that is no base64", both, signedList, change("MEUCIQC8DO0i", "!EUCIQC8DO0i"), "", " cannot be read as a Sigstore bundle: illegal base64 data at input byte 0"},
		{"cut off", both, signedList, bundleECDSA[:200], "", ", of 200 bytes, is not a signature: 64 bytes of Ed25519, ASN.1 of ECDSA, the base64 of either, or a Sigstore bundle"},
		{"too large", both, signedList, bundleECDSA + strings.Repeat(" ", maxBundle), "", "is not a signature: 64 bytes of Ed25519"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, name := range []string{BundleFile, SignatureFile} { // the content decides the format
				by, err := cosignKeys(t, tc.keys).verify([]byte(tc.list), name, []byte(tc.bundle))
				if tc.err == "" && (err != nil || !strings.HasPrefix(by, tc.by)) {
					t.Errorf("signed by %q, %v", by, err)
				}
				if tc.err != "" && (err == nil || by != "" || !strings.HasPrefix(err.Error(), name) || !strings.Contains(err.Error(), tc.err)) {
					t.Errorf("signed by %q, error %v\nwant %s%s", by, err, name, tc.err)
				}
			}
		})
	}
}

// A directory may have either signature; with both, one that is good is enough.
func TestSignatureFiles(t *testing.T) {
	known := cosignKeys(t, cosignECDSA)
	list := watch.File{Name: ListFile, Content: []byte("# none\n")}
	p := p256(t)
	signed := watch.File{Name: SignatureFile, Content: p.sign(t, list.Content)}
	stale := watch.File{Name: BundleFile, Content: []byte(bundleECDSA)}
	for _, tc := range []struct {
		name  string
		files []watch.File
		keys  Keys
		want  string
	}{
		{"none", []watch.File{list}, known, "there is no SHA256SUMS.sig or SHA256SUMS.sigstore.json, which --verify-key demands: sign SHA256SUMS"},
		{"a signature", []watch.File{list, signed}, keys(t, p), ""},
		{"a signature, and a bundle of another list", []watch.File{list, signed, stale}, keys(t, p), ""},
		{"a bundle of another list", []watch.File{list, stale}, known, "SHA256SUMS.sigstore.json was made of another SHA256SUMS: sign the list that is there"},
	} {
		c := Of(watch.Snapshot{Files: tc.files}, tc.keys, false)
		if err := c.Problem(); tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
	for _, name := range []string{SignatureFile, BundleFile} {
		c := Of(watch.Snapshot{Files: []watch.File{list}, Skipped: []watch.Skipped{{Name: name, Reason: "is too large"}}}, known, false)
		if err := c.Problem(); err == nil || err.Error() != name+" cannot be read: it is too large" {
			t.Errorf("%v", err)
		}
	}
}

// TestVerifyCosign verifies signatures that cosign makes, by the commands of docs/use/tasks.md.
func TestVerifyCosign(t *testing.T) {
	if _, err := exec.LookPath("cosign"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	list := []byte(digest + "  K.g_v1_v2.wasm\n")
	if err := os.WriteFile(filepath.Join(dir, ListFile), list, 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("sh", "-ec", `cosign generate-key-pair
		echo '{"mediaType":"application/vnd.dev.sigstore.signingconfig.v0.2+json","rekorTlogConfig":{},"tsaConfig":{}}' > no-services.json
		case $(cosign version 2>&1) in
		*v2.*)
			cosign sign-blob --yes --key cosign.key --tlog-upload=false --output-signature SHA256SUMS.sig SHA256SUMS
			cosign sign-blob --yes --key cosign.key --tlog-upload=false --new-bundle-format --bundle SHA256SUMS.sigstore.json SHA256SUMS;;
		*)
			cosign sign-blob --yes --key cosign.key --signing-config no-services.json --bundle SHA256SUMS.sigstore.json SHA256SUMS;;
		esac`)
	run.Dir, run.Env = dir, append(os.Environ(), "COSIGN_PASSWORD=", "HOME="+dir)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	k := cosignKeys(t, string(read("cosign.pub")))
	written, err := filepath.Glob(filepath.Join(dir, ListFile+".*"))
	if err != nil || len(written) == 0 {
		t.Fatalf("%q, %v", written, err)
	}
	for _, file := range written {
		name := filepath.Base(file)
		if by, err := k.verify(list, name, read(name)); err != nil || by != k.String() {
			t.Errorf("%s: signed by %q, %v", name, by, err)
		}
	}
}
