package propose

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// twoVersions returns a CustomResourceDefinition with these properties of spec in v1 and v2.
func twoVersions(t *testing.T, v1, v2 string) *schema.CRD {
	t.Helper()
	version := func(name, properties string) string {
		return `{"name":"` + name + `","served":true,"storage":` + map[string]string{"v1": "true", "v2": "false"}[name] +
			`,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{` + properties + `}}}}}}`
	}
	text := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Thing","plural":"things"},"versions":[` + version("v1", v1) + `,` + version("v2", v2) + `]}}`
	crd, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// TestPropose compares the rules that are proposed for two versions.
func TestPropose(t *testing.T) {
	const text, number, boolean = `{"type":"string"}`, `{"type":"integer"}`, `{"type":"boolean"}`
	list := func(of string) string { return `{"type":"array","items":` + of + `}` }
	object := func(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }
	maps := func(of string) string { return `{"type":"object","additionalProperties":` + of + `}` }
	for _, c := range []struct{ name, v1, v2, want string }{
		{"another spelling", `"colour":` + text, `"color":` + text, "{rename: spec.colour, to: spec.color}"},
		{"the only one of its type", `"engine":` + text, `"kind":` + text, "{drop: spec.engine, in: v1} {drop: spec.kind, in: v2}"},
		{"the only one that remains", `"emailSANs":` + list(text) + `,"uriSANs":` + list(text), `"emailAddresses":` + list(text) + `,"uris":` + list(text),
			"{rename: spec.uriSANs, to: spec.uris} {rename: spec.emailSANs, to: spec.emailAddresses}"},
		{"the only one in its object", `"engine":` + text + `,"a":` + object(`"x":`+text), `"kind":` + text + `,"a":` + object(`"y":`+text),
			"{drop: spec.a.x, in: v1} {drop: spec.engine, in: v1} {drop: spec.a.y, in: v2} {drop: spec.kind, in: v2}"},
		{"another spelling of values", `"policy":{"type":"string","enum":["keep","delete-all","x"]}`, `"policy":{"type":"string","enum":["DeleteAll","Keep","x"]}`,
			`{translate: spec.policy, values: [["keep", "Keep"], ["delete-all", "DeleteAll"]]}`},
		{"another spelling of values, elsewhere", `"keyAlgorithm":{"type":"string","enum":["rsa"]},"key":` + object(`"x":`+number), `"key":` + object(`"x":`+number+`,"algorithm":{"type":"string","enum":["RSA"]}`),
			`shared: [spec.key] {translate: spec.keyAlgorithm, to: spec.key.algorithm, values: [["rsa", "RSA"]]}`},
		{"values with one partner", `"policy":{"type":"string","enum":["a","A"]}`, `"policy":{"type":"string","enum":["A"]}`, ""},
		{"the only object", `"old":` + object(`"a":`+text), `"new":` + object(`"b":`+number), "{drop: spec.old, in: v1} {drop: spec.new, in: v2}"},
		{"other values", `"policy":{"type":"string","enum":["a","b"]}`, `"policy":{"type":"string","enum":["A","c"]}`, ""},
		{"one to many", `"schedule":` + text, `"min":` + text + `,"hour":` + text, "{drop: spec.schedule, in: v1} {drop: spec.hour, in: v2} {drop: spec.min, in: v2}"},
		{"a name with a dot", `"a":` + object(`"bcde":`+text) + `,"a.bcde":` + text, `"a":` + object(`"bcdf":`+text), "{rename: spec.a.bcde, to: spec.a.bcdf}"},
		{"another object", `"storageClass":` + text, `"storage":` + object(`"storageClass":`+text), "{move: spec.storageClass, to: spec.storage.storageClass}"},
		{"the similar name in the same object first", `"resources":` + object(`"inputs":`+text) + `,"step":` + object(`"x":`+text+`,"resources":`+object(`"limits":`+text)), `"step":` + object(`"x":`+text+`,"computeResources":`+object(`"limits":`+text)),
			"{rename: spec.step.resources, to: spec.step.computeResources} {drop: spec.resources, in: v1}"},
		{"objects without a common member", `"resources":` + object(`"inputs":`+text), `"computeResources":` + object(`"limits":`+text), "{drop: spec.resources, in: v1} {drop: spec.computeResources, in: v2}"},
		{"a move", `"storage":` + object(`"x":`+number) + `,"class":` + text, `"storage":` + object(`"x":`+number+`,"class":`+text), "shared: [spec.storage] {move: spec.class, to: spec.storage.class}"},
		{"another type", `"count":` + text, `"count":` + number, "{convert: spec.count, as: [string, integer], unfit: stash}"},
		{"a unit", `"timeout":` + text, `"timeoutSeconds":` + number, "{convert: spec.timeout, to: spec.timeoutSeconds, as: [duration, s], unfit: stash}"},
		{"a map", `"env":` + maps(text), `"env":` + list(object(`"name":`+text+`,"value":`+text)), "{listFromMap: spec.env, key: name, value: value, unfit: stash}"},
		{"a list", `"disks":` + list(object(`"name":`+text)), `"disks":` + maps(object("")), "{mapFromList: spec.disks, key: name, unfit: stash}"},
		{"in elements", `"disks":` + list(object(`"colour":`+number)), `"disks":` + list(object(`"color":`+number)), `{rename: "spec.disks[].colour", to: "spec.disks[].color"}`},
		{"another unit", `"sizeGb":` + number, `"sizeMb":` + number, "{drop: spec.sizeGb, in: v1} {drop: spec.sizeMb, in: v2}"},
		{"an API group", `"ref":` + object(`"name":`+text+`,"group":`+text), `"ref":` + object(`"name":`+text+`,"apiVersion":`+text), "{drop: spec.ref.group, in: v1} {drop: spec.ref.apiVersion, in: v2}"},
		{"a unit in one version", `"timeout":` + number, `"timeoutSeconds":` + number, "{drop: spec.timeout, in: v1} {drop: spec.timeoutSeconds, in: v2}"},
		{"another spelling of a unit", `"timeoutSecs":` + number, `"timeoutSeconds":` + number, "{rename: spec.timeoutSecs, to: spec.timeoutSeconds}"},
		{"an object with members that the other version lacks", `"strategy":` + object(`"type":`+text+`,"x":`+text), `"rollout":` + object(`"strategy":`+object(`"type":`+text)), `{move: spec.strategy, to: spec.rollout.strategy, rules: [{drop: "x", in: v1}]}`},
		{"the same, renamed", `"strategy":` + object(`"type":`+text), `"strategies":` + object(`"type":`+text+`,"x":`+text), "{drop: spec.strategy, in: v1} {drop: spec.strategies, in: v2}"},
		{"members of another type", `"strategy":` + object(`"type":`+text), `"strategies":` + object(`"type":`+number), "{drop: spec.strategy, in: v1} {drop: spec.strategies, in: v2}"},
		{"lists whose elements share nothing", `"domains":` + list(object(`"count":`+number)), `"slices":` + list(object(`"size":`+text)), "{drop: spec.domains, in: v1} {drop: spec.slices, in: v2}"},
		{"values that have nothing in common", `"mode":{"type":"string","enum":["a"]}`, `"modes":{"type":"string","enum":["b"]}`, "{drop: spec.mode, in: v1} {drop: spec.modes, in: v2}"},
		{"strings become objects", `"users":` + list(text), `"users":` + list(object(`"name":`+text+`,"roles":`+list(text))), `{nest: "spec.users[]", key: name, type: string} {drop: "spec.users[].roles", in: v2}`},
		{"numbers become objects", `"users":` + list(number), `"users":` + list(object(`"name":`+text)), `{drop: spec.users, in: v1} {drop: spec.users, in: v2}`},
		{"a map becomes an object", `"limits":{"type":"object","additionalProperties":` + text + `}`, `"limits":` + object(`"cpu":`+text), "{drop: spec.limits, in: v1} {drop: spec.limits, in: v2}"},
		{"an object becomes a map", `"limits":` + object(`"cpu":`+text), `"limits":{"type":"object","additionalProperties":` + text + `}`, "{drop: spec.limits, in: v1} {drop: spec.limits, in: v2}"},
		{"a name becomes a reference", `"class":` + text + `,"classNamespace":` + text, `"classRef":` + object(`"name":`+text+`,"namespace":`+text+`,"uid":`+text),
			"{move: spec.class, to: spec.classRef.name} {move: spec.classNamespace, to: spec.classRef.namespace} {drop: spec.classRef.uid, in: v2}"},
		{"a reference becomes a name", `"classRef":` + object(`"name":`+text), `"class":` + text, "{move: spec.classRef.name, to: spec.class}"},
		{"a reference without a name", `"class":` + text, `"classRef":` + object(`"id":`+text), "{drop: spec.class, in: v1} {drop: spec.classRef, in: v2}"},
		{"no counterpart", `"a":` + text, `"a":` + text + `,"tls":` + boolean, "{drop: spec.tls, in: v2}"},
		{"another kind of value", `"a":` + boolean, `"a":` + list(text), "{drop: spec.a, in: v1} {drop: spec.a, in: v2}"},
		{"alike", `"a":` + text, `"a":` + text, ""},
		{"opposite names", `"enabled":` + boolean, `"disabled":` + boolean, "{drop: spec.enabled, in: v1} {drop: spec.disabled, in: v2}"},
		{"opposite names in other forms", `"enable":` + boolean, `"disabled":` + boolean, "{drop: spec.enable, in: v1} {drop: spec.disabled, in: v2}"},
		{"opposite bounds", `"minReplicas":` + number, `"maxReplicas":` + number, "{drop: spec.minReplicas, in: v1} {drop: spec.maxReplicas, in: v2}"},
		{"a word in common", `"maxUnhealthy":` + text, `"unhealthyLimit":` + text, "{rename: spec.maxUnhealthy, to: spec.unhealthyLimit}"},
		{"two with a word in common", `"maxUnhealthy":` + text, `"unhealthyLimit":` + text + `,"unhealthyRange":` + text, "{drop: spec.maxUnhealthy, in: v1} {drop: spec.unhealthyLimit, in: v2} {drop: spec.unhealthyRange, in: v2}"},
		{"two names as similar", `"template":` + text, `"primaryTemplate":` + text + `,"replicaTemplate":` + text, "{drop: spec.template, in: v1} {drop: spec.primaryTemplate, in: v2} {drop: spec.replicaTemplate, in: v2}"},
		{"into a new object", `"port":` + number + `,"tenantId":` + text + `,"minBackoff":` + text, `"tenant":` + object(`"id":`+text) + `,"advanced":` + object(`"port":`+number+`,"writeMinBackoff":`+text),
			"{move: spec.tenantId, to: spec.tenant.id} {move: spec.port, to: spec.advanced.port} {move: spec.minBackoff, to: spec.advanced.writeMinBackoff}"},
		{"into one of two new objects", `"port":` + number, `"a":` + object(`"port":`+number) + `,"b":` + object(`"port":`+number), "{drop: spec.port, in: v1} {drop: spec.a, in: v2} {drop: spec.b, in: v2}"},
		{"a text becomes a list", `"host":` + text, `"hosts":` + list(text), "{wrap: spec.host, to: spec.hosts, type: string}"},
		{"a list becomes a text", `"host":` + list(text), `"host":` + text, "{unwrap: spec.host, type: string}"},
		{"a text becomes an object's only text", `"image":` + text, `"image":` + object(`"name":`+text+`,"keep":`+boolean), "{nest: spec.image, key: name, type: string} {drop: spec.image.keep, in: v2}"},
		{"a text becomes one of two texts", `"image":` + text, `"image":` + object(`"name":`+text+`,"tag":`+text), "{drop: spec.image, in: v1} {drop: spec.image, in: v2}"},
		{"longer elements", `"disk":` + list(object(`"name":`+text)), `"disks":` + list(object(`"name":`+text+`,"size":`+number)), `{move: spec.disk, to: spec.disks, each: [{drop: "size", in: v2}]}`},
		{"a schedule", `"cronSpec":` + text, `"dayOfMonth":` + text + `,"dayOfWeek":` + text + `,"hour":` + text + `,"minute":` + text + `,"month":` + text,
			"{split: spec.cronSpec, to: [spec.minute, spec.hour, spec.dayOfMonth, spec.month, spec.dayOfWeek], words: true, unfit: stash}"},
		{"a schedule becomes an object", `"schedule":` + text, `"schedule":` + object(`"minute":`+text+`,"hour":`+text+`,"dayOfMonth":`+text+`,"month":`+text+`,"dayOfWeek":`+text),
			`{split: spec.schedule, to: [spec.schedule.minute, spec.schedule.hour, spec.schedule.dayOfMonth, spec.schedule.month, spec.schedule.dayOfWeek], words: true, absent: "*", unfit: stash}`},
		{"an object becomes a schedule", `"schedule":` + object(`"minute":`+text+`,"hour":`+text+`,"dayOfMonth":`+text+`,"month":`+text+`,"dayOfWeek":`+text), `"schedule":` + text,
			`{join: [spec.schedule.minute, spec.schedule.hour, spec.schedule.dayOfMonth, spec.schedule.month, spec.schedule.dayOfWeek], to: spec.schedule, words: true, absent: "*", unfit: stash}`},
		{"a plural beside a similar name", `"flavorUsage":` + list(number) + `,"flavors":` + list(number), `"flavorsUsage":` + list(number), "{rename: spec.flavorUsage, to: spec.flavorsUsage} {drop: spec.flavors, in: v1}"},
		{"an address", `"listen":` + text, `"port":` + number + `,"host":` + text, "{split: spec.listen, to: [spec.host, {path: spec.port, type: integer}], hostPort: true, unfit: stash}"},
	} {
		proposed := Rules(twoVersions(t, c.v1, c.v2), []string{"v1", "v2"}, nil).Text()
		var got []string
		for _, line := range strings.Split(string(proposed), "\n") {
			if strings.HasPrefix(line, "  shared:") {
				got = append(got, strings.TrimSpace(line))
			}
			if rule, ok := strings.CutPrefix(line, "  - "); ok {
				got = append(got, rule)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: proposed %v, want %s", c.name, got, c.want)
		}
		if _, err := rules.Parse(proposed); err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, proposed)
		}
	}
}

// TestProposeForRealDefinitions compiles the rules that are proposed for definitions of operators.
func TestProposeForRealDefinitions(t *testing.T) {
	packed, _ := filepath.Glob("../../../host/schema/testdata/*.yaml.gz")
	examples, _ := filepath.Glob("../../../plugins/*/crd.yaml")
	several := 0
	for _, file := range append(packed, examples...) {
		crd, err := schema.Parse(definitionIn(t, file))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var versions []string
		for _, v := range crd.Versions {
			versions = append(versions, v.Name)
		}
		if len(versions) < 2 {
			continue
		}
		several++
		proposed := Rules(crd, versions, nil).Text()
		// A field that has another name in each of three versions needs an author.
		if _, err := rules.Parse(proposed); err != nil && (len(versions) == 2 || !strings.Contains(err.Error(), "may be stashed on the way")) {
			t.Errorf("%s: %v\n%s", file, err, proposed)
		}
	}
	if several < 5 {
		t.Errorf("only %d definitions have several versions", several)
	}
}

// definitionIn returns the text of a file, which may be packed.
func definitionIn(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if filepath.Ext(file) == ".gz" {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
