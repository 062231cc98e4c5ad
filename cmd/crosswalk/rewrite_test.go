package main

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
)

// compiledRules compiles a rules file into a directory of its own.
func compiledRules(t *testing.T, rules string) (dir string) {
	t.Helper()
	dir = t.TempDir() + string(filepath.Separator)
	if code, _, errors := crosswalk("", "compile", "-o", dir, rules); code != command.ExitOK {
		t.Fatal(errors)
	}
	return dir
}

// tree writes files into a directory of its own. read returns the text of one later.
func tree(t *testing.T, files map[string]string) (dir string, read func(name string) string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name), text)
	}
	return dir, func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

const (
	oldPool = `# The shop's pool.
apiVersion: example.com/v1   # keep in step with the chart
kind: Pool
metadata:
  name: shop
  labels: { app: shop, "tier": 'data' }
spec:
  # Pinned: see the runbook.
  image: "postgres:16"
  replicas: 3 # one a zone

  # how large
  size: 10Gi # grows
  mode: 'slow'
`
	newPool = `# The shop's pool.
apiVersion: example.com/v2   # keep in step with the chart
kind: Pool
metadata:
  name: shop
  labels: { app: shop, "tier": 'data' }
spec:
  # Pinned: see the runbook.
  engine: postgres
  tag: "16"
  storage:
    # how large
    size: 10Gi # grows
  count: 3 # one a zone

  mode: 'slow'
`
	badPool = "apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: bad}\nspec: {image: nothing}\n"
	secret  = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata:   {}\n"
)

// inUTF16 returns a text as PowerShell 5 writes it.
func inUTF16(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

func TestRewriteManifests(t *testing.T) {
	modules := compiledRules(t, "testdata/manifests/rules.yaml")
	files := map[string]string{
		"pool.yaml":                   oldPool,
		"windows.yml":                 strings.ReplaceAll(oldPool, "\n", "\r\n"),
		"several.yaml":                secret + "---\n" + oldPool + "--- # more\n" + "apiVersion: v1\nkind: List\nitems:\n- apiVersion: example.com/v1\n  kind: Pool\n  metadata: {name: a} # first\n- apiVersion: v1\n  kind:   ConfigMap\n  metadata: {name: a}\n",
		"pool.json":                   "{\n  \"apiVersion\": \"example.com/v1\",\n  \"kind\": \"Pool\",\n  \"metadata\": {\"name\": \"j\"},\n  \"spec\": {\n    \"replicas\": 3\n  }\n}\n",
		"deep/down/bad.yaml":          oldPool + "---\n" + badPool,
		"broken.yaml":                 "apiVersion: example.com/v1\nkind: Pool\nmetadata:\n  name: a\n  name: b\n",
		"new.yaml":                    "apiVersion:   example.com/v2\nkind: Pool\nmetadata: {name: a}\n",
		"other.yaml":                  secret,
		"kustomize/kustomization.yml": "resources: [../pool.yaml]\npatches:\n- path: patch.yaml\n- patch: |-\n    apiVersion: example.com/v1\n    kind: Pool\n    metadata: {name: shop}\n",
		"kustomize/patch.yaml":        "apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: shop}\nspec: {replicas: 5}\n",
		"old/Kustomization":           "patchesStrategicMerge: [patch.yaml]\npatches:\n- patch: |-\n    apiVersion: example.com/v1\n    kind: Pool\n",
		"old/patch.yaml":              "apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: shop}\nspec: {replicas: 5}\n",
		"joined.yaml":                 secret + "---\n\ufeff" + oldPool,
		"powershell.yaml":             inUTF16(oldPool),
		"mac.yaml":                    strings.ReplaceAll(oldPool, "\n", "\r"),
		"sops.yaml":                   "apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: a}\nspec: {image: \"ENC[AES256_GCM,data:x]\"}\nsops: {version: 3}\n",
		"flux.yaml":                   "apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: \"${NAME}\"}\nspec: {image: \"${IMAGE:-x}\", mode: \"${MODE}\"}\n",
		"vault.yaml":                  "apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: a}\nspec: {mode: \"<path:a#b>\", replicas: 2}\n",
		"chart/Chart.yaml":            "name: a\n",
		"chart/templates/a.yaml":      "apiVersion: example.com/v1\nkind: Pool\nmetadata:\n  name: \"{{ .Release.Name }}\"\n",
		"chart/templates/b.yaml":      "{{- if .Values.a }}\napiVersion: example.com/v1\nkind: Pool\n{{- end }}\n",
		"loose.yaml":                  "apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: {{ .Values.name }}}\n",
		".git/a.yaml":                 oldPool,
	}
	dir, read := tree(t, files)
	outside := filepath.Join(t.TempDir(), "a.yaml")
	writeFile(t, outside, oldPool)
	if err := os.Symlink(outside, filepath.Join(dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "pool.yaml"), 0o640); err != nil {
		t.Fatal(err)
	}
	code, out, errors := crosswalk("", "convert", "--to", "v2", "-f", dir, "-R", "--write", "--crd", "testdata/manifests/crd.yaml", modules)
	for _, line := range []string{
		"pool.yaml: converted 1 object\n", "several.yaml: converted 2 objects\n",
		"deep/down/bad.yaml:16: refused: cannot convert bad of Pool.example.com from v1 to v2: .spec.image must have 2 parts",
		"broken.yaml:5: refused: the key \"name\" is there twice\n",
		"kustomize/kustomization.yml:5: left alone: in a kustomization: change it by hand\n",
		"kustomize/patch.yaml:1: left alone: a patch of a kustomization: change it by hand\n",
		"old/Kustomization:4: left alone: in a kustomization: change it by hand\n", "old/patch.yaml:1: left alone: a patch of a kustomization: change it by hand\n",
		"joined.yaml:6: refused: a byte order mark stands before the document: remove it\n", "powershell.yaml:2: refused: the file is UTF-16: write it in UTF-8\n",
		"mac.yaml:2: refused: its line breaks are neither all LF nor all CR LF: make them so\n",
		"sops.yaml:1: left alone: encrypted by sops: change it by hand\n",
		"flux.yaml:1: left alone: the conversion changes a text with a variable, \"${IMAGE:-x}\": change it by hand\n",
		"chart/templates/a.yaml:1: left alone: a template: change it by hand\n", "chart/templates/b.yaml:2: left alone: a template: change it by hand\n",
		"loose.yaml:1: left alone: a template: change it by hand\n",
		"vault.yaml:1: note: the value of \"<path:a#b>\" is not converted: check that it is one of the other version\n",
		"6 objects in 5 files converted to v2, 5 refused, 9 left alone\n",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("no line %q", line)
		}
	}
	if code != command.ExitFinding || errors != "crosswalk convert: "+dir+"/link.yaml is a symbolic link that leaves "+dir+": not followed\n" {
		t.Errorf("code %d, out %s, errors %s", code, out, errors)
	}
	for name, want := range files {
		switch name {
		case "pool.yaml":
			want = newPool
		case "windows.yml":
			want = strings.ReplaceAll(newPool, "\n", "\r\n")
		case "several.yaml":
			want = strings.Replace(strings.Replace(want, oldPool, newPool, 1), "- apiVersion: example.com/v1\n  kind: Pool\n  metadata: {name: a} # first\n", "- apiVersion: example.com/v2\n  kind: Pool\n  metadata: {name: a} # first\n", 1)
		case "pool.json", "vault.yaml":
			want = strings.Replace(strings.Replace(want, "v1", "v2", 1), "replicas", "count", 1)
		}
		if got := read(name); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
	// a patch that is named without its kustomization, and a file that is not there
	for path, want := range map[string]string{
		filepath.Join(dir, "kustomize", "patch.yaml"): "patch.yaml:1: left alone: a patch of a kustomization",
		filepath.Join(dir, "nowhere"):                 filepath.Join(dir, "nowhere") + " does not exist\n",
	} {
		code, out, errors := crosswalk("", "convert", "--to", "v2", "-f", path, "--write", "--crd", "testdata/manifests/crd.yaml", modules)
		if code == command.ExitOK || !strings.Contains(out+errors, want) {
			t.Errorf("%s: code %d, out %s, errors %s", path, code, out, errors)
		}
	}
	for _, to := range []string{"other.example.com/v2", "example.com/v9"} {
		code, out, errors := crosswalk("", "convert", "--to", to, "-f", dir, "-R", "--write", "--crd", "testdata/manifests/crd.yaml", modules)
		if code != command.ExitError || out != "" || !strings.Contains(errors, "--to "+to+": no module converts to this version") {
			t.Errorf("--to %s: code %d, out %s, errors %s", to, code, out, errors)
		}
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != oldPool {
		t.Error("a file outside of the directory is changed")
	}
	if info, err := os.Stat(filepath.Join(dir, "pool.yaml")); err != nil || info.Mode() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".crosswalk-*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files stay: %v, %v", left, err)
	}
}

// TestRewrittenManifestsMeanTheSame has an API server store a manifest and a gateway convert it, and
// compares the object with the rewritten manifest after an API server has stored that.
func TestRewrittenManifestsMeanTheSame(t *testing.T) {
	for _, test := range []struct {
		name, rules, crd, kind, from, to, text, want string
	}{
		{
			"a default that only v1 has is written, and others are not", "testdata/manifests/rules.yaml", "testdata/manifests/crd.yaml", "Pool", "v1", "v2",
			"apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: a}\nspec:\n  size: 1Gi\n",
			"apiVersion: example.com/v2\nkind: Pool\nmetadata: {name: a}\nspec:\n  storage:\n    size: 1Gi\n  count: 1\n",
		}, {
			"a value that v2 has no field for", "testdata/manifests/rules.yaml", "testdata/manifests/crd.yaml", "Pool", "v1", "v2",
			"apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: a}\nspec: {colour: blue, replicas: 2}\n", "conversion.example.com/stash",
		}, {
			"and back", "testdata/manifests/rules.yaml", "testdata/manifests/crd.yaml", "Pool", "v2", "v1",
			"apiVersion: example.com/v2\nkind: Pool\nmetadata: {name: a}\nspec:\n  engine: pg # the engine\n  tag: '1'\n",
			"apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: a}\nspec:\n  # the engine\n  image: \"pg:1\"\n  replicas: 3\n",
		}, {
			"a database", "../../plugins/database/rules/rules.yaml", "../../plugins/database/crd.yaml", "Database", "v1beta1", "v1",
			"apiVersion: db.example.com/v1beta1\nkind: Database\nmetadata:\n  name: shop\nspec:\n  image: \"pg:16\"\n  users:\n    - alice # the owner\n    - bob\n",
			"apiVersion: db.example.com/v1\nkind: Database\nmetadata:\n  name: shop\nspec:\n  engine: pg\n  version: \"16\"\n  users:\n    # the owner\n    - name: alice\n    - name: bob\n",
		}, {
			"a certificate", "../../plugins/certificate/rules/rules.yaml", "../../plugins/certificate/crd.yaml", "Certificate", "v1alpha2", "v1",
			"apiVersion: cert-manager.io/v1alpha2\nkind: Certificate\nmetadata:\n  name: acme-crt\nspec:\n  secretName: acme-crt-secret\n  duration: 2160h # 90d\n  renewBefore: 360h # 15d\n  organization:\n  - jetstack # the company\n  keySize: 2048\n  keyAlgorithm: rsa\n  keyEncoding: pkcs1\n  dnsNames:\n  - foo.example.com\n  uriSANs:\n  - spiffe://cluster.local/ns/sandbox/sa/example\n  issuerRef:\n    name: ca-issuer\n    # We can reference ClusterIssuers by changing the kind here.\n    kind: Issuer\n",
			"    # We can reference ClusterIssuers by changing the kind here.\n    kind: Issuer\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			modules := compiledRules(t, test.rules)
			dir, read := tree(t, map[string]string{"a.yaml": test.text})
			code, out, errors := crosswalk("", "convert", "--to", test.to, "-f", dir, "--write", "--keep-stash", "--crd", test.crd, modules)
			if code != command.ExitOK || errors != "" {
				t.Fatal(out, errors)
			}
			got := read("a.yaml")
			if !strings.Contains(got, test.want) {
				t.Errorf("%s\nwant\n%s", got, test.want)
			}
			d, err := definition.ReadFile(test.crd, "")
			if err != nil {
				t.Fatal(err)
			}
			server, err := apiserver.New(d.CRD)
			if err != nil {
				t.Fatal(err)
			}
			before, after := stored(t, server.Version(test.from), test.text), stored(t, server.Version(test.to), got)
			for _, there := range []string{test.to, test.from} {
				want := stored(t, server.Version(there), convertedTo(t, there, before, modules))
				if got := stored(t, server.Version(there), convertedTo(t, there, after, modules)); !sameMeaning(t, got, want) {
					t.Errorf("in %s the manifest is\n%s\nand the object is\n%s", there, got, want)
				}
			}
		})
	}
}

// TestWriteLeavesKeptValuesOut: a manifest gets no annotation of the stash, which would stay in Git for
// good; the report names the values.
func TestWriteLeavesKeptValuesOut(t *testing.T) {
	dir, read := tree(t, map[string]string{"a.yaml": "apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: a}\nspec: {colour: blue, replicas: 2}\n"})
	code, out, errors := crosswalk("", "convert", "--to", "v2", "-f", dir, "--write", "--crd", "testdata/manifests/crd.yaml", compiledRules(t, "testdata/manifests/rules.yaml"))
	if got := read("a.yaml"); code != command.ExitOK || errors != "" || strings.Contains(got, "annotations") || !strings.Contains(got, "apiVersion: example.com/v2") {
		t.Errorf("%s\n%s%s", got, out, errors)
	}
	if want := "note: left out spec.colour: v2 has no field for it; --keep-stash keeps it in an annotation\n"; strings.Count(out, "left out") != 1 || !strings.Contains(out, want) {
		t.Errorf("%s\nwant %s", out, want)
	}
}

// stored returns a manifest with the defaults of a version and a uid.
func stored(t *testing.T, v *apiserver.Version, text string) string {
	t.Helper()
	objects, err := input.Parse("a", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	object, err := apiserver.Decode(objects[0].JSON)
	if err != nil {
		t.Fatal(err)
	}
	v.Store(object)
	object["metadata"].(map[string]any)["uid"] = "1"
	stored, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(stored)
}

func convertedTo(t *testing.T, version, object, modules string) string {
	t.Helper()
	code, out, errors := crosswalk(object, "convert", "--to", version, modules)
	if code != command.ExitOK {
		t.Fatal(errors)
	}
	return out
}

// sameMeaning compares all but the annotations, whose values decide about the way back.
func sameMeaning(t *testing.T, a, b string) bool {
	t.Helper()
	var objects [2]map[string]any
	for i, text := range []string{a, b} {
		if err := json.Unmarshal([]byte(text), &objects[i]); err != nil {
			t.Fatal(err)
		}
		delete(objects[i]["metadata"].(map[string]any), "annotations")
	}
	return reflect.DeepEqual(objects[0], objects[1])
}

// TestConvertIgnoresOtherKinds tests that convert names objects of other kinds, and where a refused
// object is.
func TestConvertIgnoresOtherKinds(t *testing.T) {
	modules := compiledRules(t, "testdata/manifests/rules.yaml")
	dir, _ := tree(t, map[string]string{"a/a.yaml": secret + "---\n" + oldPool, "b.yaml": "\n---\n" + badPool})
	code, out, errors := crosswalk("", "convert", "--to", "v2", "-f", filepath.Join(dir, "a"), modules)
	if code != command.ExitOK || !strings.HasPrefix(out, "apiVersion: example.com/v2\n") || strings.Contains(out, "Secret") || strings.Contains(out, "uid") ||
		errors != "crosswalk convert: "+filepath.Join(dir, "a", "a.yaml")+":1: ignored: Secret of v1\n" {
		t.Errorf("code %d, out %s, errors %s", code, out, errors)
	}
	code, _, errors = crosswalk("", "convert", "--to", "v2", "-R", "-f", dir, modules)
	if code != command.ExitFinding || !strings.Contains(errors, filepath.Join(dir, "b.yaml")+":3: cannot convert") {
		t.Errorf("code %d, errors %s", code, errors)
	}
	code, _, errors = crosswalk(secret, "convert", "--to", "v2", modules)
	if code != command.ExitError || !strings.Contains(errors, "no object is of a kind that the modules convert (Pool.example.com)") {
		t.Errorf("code %d, errors %s", code, errors)
	}
	// a manifest is a whole object, and gets the defaults of the conversion
	manifest := `{"apiVersion":"example.com/v1","kind":"Pool","metadata":{"name":"a"},"spec":{"n": 1.0}}`
	for _, test := range []struct{ flag, want string }{
		{"--compact", `{"apiVersion":"example.com/v2","kind":"Pool","metadata":{"name":"a"},"spec":{"n": 1.0,"policy":"Retain"}}` + "\n"},
		{"--fragments", `{"apiVersion":"example.com/v2","kind":"Pool","metadata":{"name":"a"},"spec":{"n": 1.0}}` + "\n"},
	} {
		if code, out, errors := crosswalk(manifest, "convert", "--to", "v2", "--compact", test.flag, modules); code != command.ExitOK || out != test.want {
			t.Errorf("%s: code %d, out %s, errors %s", test.flag, code, out, errors)
		}
	}
}

// TestPlaceholdersInConvertedFields: another program puts a value of the old version where a manifest has
// a placeholder, so a file with one in a field whose values are converted stays. A renamed field may have one.
func TestPlaceholdersInConvertedFields(t *testing.T) {
	dir := t.TempDir()
	rules, crd := filepath.Join(dir, "rules.yaml"), filepath.Join(dir, "crd.yaml")
	writeFile(t, rules, "kind: Pool\ngroup: example.com\nconversions:\n- from: v1\n  to: v2\n  rules:\n  - {translate: spec.model, values: [[DIRECT, Direct], [KAFKA, Kafka]]}\n  - {rename: spec.mode, to: spec.pace}\n  - {drop: spec.note, in: v1, for: [spec.pace]}\n  - {drop: spec.old, in: v1}\n")
	of := func(version, stored, fields string) string {
		return "  - {name: " + version + ", served: true, storage: " + stored + ", schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {" + fields + "}}}}}}\n"
	}
	writeFile(t, crd, "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: pools.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Pool, plural: pools}\n  versions:\n"+
		of("v1", "true", "model: {type: string, enum: [DIRECT, KAFKA]}, mode: {type: string, enum: [fast, slow]}, note: {type: string}, old: {type: string, enum: [a, b]}")+
		of("v2", "false", "model: {type: string, enum: [Direct, Kafka]}, pace: {type: string, enum: [fast, slow]}"))
	modules := compiledRules(t, rules)
	pool := func(spec string) string {
		return "apiVersion: example.com/v1\nkind: Pool\nmetadata: {name: a}\nspec: {" + spec + "}\n"
	}
	files := map[string]string{
		"helm.yaml": pool(`model: "{{ .Values.model }}"`), "flux.yaml": pool("model: '${MODEL}'"), "kubernetes.yaml": pool("model: $(MODEL)"), "vault.yaml": pool("model: <path:secret/data/x#model>"),
		"renamed.yaml": pool("mode: $(MODE)"), "both.yaml": pool("model: KAFKA, mode: $(MODE)"),
		"beside.yaml": pool("mode: $(MODE), note: q"), "dropped.yaml": pool("old: $(OLD)"),
	}
	tree, read := tree(t, files)
	code, out, errs := crosswalk("", "convert", "--to", "v2", "-f", tree, "--write", "--crd", crd, modules)
	for _, name := range []string{"helm.yaml", "flux.yaml", "kubernetes.yaml", "vault.yaml"} {
		if want := name + ":1: left alone: a placeholder in spec.model, whose values are converted: change it by hand\n"; !strings.Contains(out, want) || read(name) != files[name] {
			t.Errorf("%s is\n%s\nand there is no line %q", name, read(name), want)
		}
	}
	if want := `dropped.yaml:1: left alone: the conversion changes a text with a variable, "$(OLD)": change it by hand`; !strings.Contains(out, want) {
		t.Errorf("there is no line %q", want)
	}
	if code != command.ExitFinding || !strings.HasSuffix(out, "3 objects in 3 files converted to v2, 0 refused, 5 left alone\n") || errs != "" {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	for name, want := range map[string]string{"renamed.yaml": "pace: $(MODE)}", "both.yaml": "model: Kafka, pace: $(MODE)}", "beside.yaml": "spec: {pace: $(MODE)}"} {
		if !strings.Contains(read(name), want) {
			t.Errorf("%s is\n%s", name, read(name))
		}
	}
}
