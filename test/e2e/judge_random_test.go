package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crosswalk-gateway/crosswalk/test/internal/judge"
	"github.com/crosswalk-gateway/crosswalk/test/internal/review"
)

// answers generates objects, and answers of modules that are correct, hostile or confused.
type answers struct{ *rand.Rand }

// one returns one of the texts.
func (a answers) one(texts ...string) string { return texts[a.IntN(len(texts))] }

// some returns some of the members, in any order, as an object. One that is empty is left out.
func (a answers) some(members ...string) string {
	var kept []string
	for _, m := range members {
		if m != "" && a.IntN(3) > 0 {
			kept = append(kept, m)
		}
	}
	a.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
	space := a.one("", "", " ", "\n\t")
	return "{" + space + strings.Join(kept, space+","+space) + space + "}"
}

func (a answers) texts() string {
	return a.some(`"app":"x"`, `"app.kubernetes.io/name":"`+a.one("a", "", "b-c")+`"`, a.one("", "", "", `"\u0061":"1"`, `"bad key":"x"`, `"v":"not ok!"`, `"n":1`, `"n":null`, `"/":""`))
}

// metadata generates the metadata of a stored object, or of a module's answer.
func (a answers) metadata(module bool) string {
	other := func(members ...string) string { // members that only a module would write
		if !module || a.IntN(4) > 0 {
			return ""
		}
		return a.one(members...)
	}
	labels, annotations := `"labels":`+a.some(`"a":"1"`, `"b":"2"`), `"annotations":`+a.some(`"x.example.com/y":"z\n"`, `"c":""`)
	if module {
		labels = a.one(labels, `"labels":`+a.texts(), `"labels":null`, `"l\u0061bels":{}`, `"labels":{"a":"2"}`, `"labels":[]`)
		annotations = a.one(annotations, annotations, `"annotations":`+a.texts(), `"annotations":null`, `"annotations":""`)
	}
	identity := func(name, value string) string {
		if module && a.IntN(12) == 0 {
			value = a.one(`"other"`, `null`, `""`, `1`, `{}`)
		}
		return fmt.Sprintf(`%q:%s`, name, value)
	}
	return a.some(identity("name", `"n"`), identity("namespace", `"default"`), identity("uid", `"u-1"`), labels, annotations,
		`"generation":`+a.one("1", "9007199254740993"), `"resourceVersion":"7"`, `"finalizers":["a/b"]`,
		`"creationTimestamp":"2024-01-01T00:00:00Z"`, `"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"o"}]`,
		`"managedFields":[{"manager":"m","operation":"Update","apiVersion":"`+puppetGroup+`/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]`,
		other(`"creationTimestamp":null`, `"creationTimestamp":5`, `"selfLink":"x"`), other(`"deletionTimestamp":"yesterday"`, `"deletionGracePeriodSeconds":"x"`),
		other(`"Name":"other"`, `"LABELS":{"x":1}`, `"unknown":[1]`), other(`"generateName":{}`, `"clusterName":"c"`))
}

// content is any JSON but metadata, in which nothing gets lost on the way through an API server.
func (a answers) content(depth int) string {
	if depth == 0 || a.IntN(3) == 0 {
		return a.one("null", "true", "0", "-1", "1.5", "9007199254740993", "100000000000000000000", "-0.25", `""`, `"text \u00e9 \ud83d\ude00 <&>"`, `"\u0000"`, "[]", "{}")
	}
	if a.IntN(2) == 0 {
		return "[" + a.content(depth-1) + "," + a.content(depth-1) + "]"
	}
	return a.some(`"a":`+a.content(depth-1), `"b.c":`+a.content(depth-1), `"\"":`+a.content(depth-1), `"metadata":`+a.content(depth-1), `"apiVersion":`+a.content(depth-1))
}

func (a answers) answer() string {
	metadata := a.one(a.metadata(true), a.metadata(true), a.metadata(true), a.metadata(true), "null", "[]")
	return a.some(
		`"apiVersion":`+a.one(`"puppet.example.com/v2"`, `"puppet.example.com/v2"`, `"puppet.example.com/v2"`, `"puppet.example.com\/v2"`, `"puppet.example.com/v1"`, `"v2"`),
		`"kind":`+a.one(`"Puppet"`, `"Puppet"`, `"Puppet"`, `"\u0050uppet"`, `"puppet"`), `"metadata":`+metadata,
		`"spec":`+a.content(3), `"status":`+a.content(2), a.one("", "", "", `"Metadata":{}`, `"KIND":"x"`, `"items":[]`, `"items":[{}]`, `"kind ":1`))
}

// TestJudgeRandom asserts, for any answer to any object, that the API server either receives the
// gateway's error message, or has nothing to complain about and nothing to correct.
func TestJudgeRandom(t *testing.T) {
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}))
	j, err := judge.New(judge.Config{Group: puppetGroup, Kind: "Puppet", Versions: []string{"v1", "v2"}, Address: p.Reviews, CA: p.CA})
	if err != nil {
		t.Fatal(err)
	}
	client, err := p.Client()
	if err != nil {
		t.Fatal(err)
	}
	a := answers{rand.New(rand.NewPCG(1, 2))}
	fine := 0
	for range 2000 {
		answer := a.answer()
		metadata := `"metadata":` + a.metadata(false) + ","
		if a.IntN(8) == 0 {
			metadata = "" // server-side apply
		}
		text := fmt.Sprintf(`{"apiVersion":"%s/v1","kind":"Puppet",%s"spec":{"answer":%q}}`, puppetGroup, metadata, script('0', answer))
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		converted, err := j.Convert(object, "v2")
		if err != nil {
			clean(t, err, "v1", "cannot convert object 0 ")
			if t.Failed() {
				t.Fatalf("the object is\n\t%s\nand the answer\n\t%s", text, answer)
			}
			continue
		}
		fine++
		sent, err := object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		direct, err := review.New("v1", puppetGroup+"/v2", string(sent)).Send(client, p.URL())
		if err != nil || len(direct.ConvertedObjects) != 1 {
			t.Fatalf("%v, %+v", err, direct)
		}
		var own unstructured.Unstructured
		if err := own.UnmarshalJSON(direct.ConvertedObjects[0]); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(own.Object, converted.Object) {
			after, _ := json.Marshal(converted.Object)
			t.Fatalf("the object\n\t%s\nand the answer\n\t%s\nmake the gateway answer\n\t%s\nof which the API server makes\n\t%s", text, answer, direct.ConvertedObjects[0], after)
		}
	}
	if fine < 200 || fine > 1800 {
		t.Errorf("%d of 2000 were converted: little was tested", fine)
	}
}
