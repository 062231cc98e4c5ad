// Package unstructured compares the SDK's MarshalUnstructured with apimachinery.
package unstructured

import (
	standard "encoding/json"
	"math/rand"
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/json"
)

// rules has the rules that core's types do not have.
type rules struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta      `json:"metadata,omitempty"`
	Zero            inner                  `json:"zero,omitzero"`
	Float           float32                `json:"float,omitempty"`
	Wide            *float64               `json:"wide"`
	Small           uint16                 `json:"small"`
	Bytes           []byte                 `json:"bytes"`
	Named           map[name]inner         `json:"named,omitempty"`
	Lists           [][]*inner             `json:"lists"`
	Raw             runtime.RawExtension   `json:"raw,omitempty"`
	Raws            []runtime.RawExtension `json:"raws"`
	Mine            marshals               `json:"mine"`
	MineMap         map[string]*marshals   `json:"mineMap"`
	When            metav1.MicroTime       `json:"when"`
	Took            metav1.Duration        `json:"took"`
	Same            *rules                 `json:"<same>,omitempty"`
	Skipped         string                 `json:"-"`
}

type name string

type inner struct {
	B string `json:"b"`
	A int64  `json:"a,omitempty"`
}

// marshals writes JSON that is written otherwise when it is decoded before.
type marshals struct{ N int }

func (m *marshals) MarshalJSON() ([]byte, error) {
	return []byte([]string{`{"b":1.50,"a":["\u00e9","<"]}`, `"\/x"`, `1e2`, `12345678901234567890`, `null`, `[ 1, {} ]`}[m.N%6]), nil
}

// left are types that are left to the library.
func left() []any {
	return []any{
		&struct {
			N uint64 `json:"n"`
		}{1},
		&struct {
			N int
		}{1},
		&struct {
			N int `json:"n,string"`
		}{1},
		&struct {
			N any `json:"n"`
		}{1},
		&struct {
			M map[string]marshals `json:"m"`
		}{map[string]marshals{"a": {1}}},
		&struct {
			inner `json:",inline"`
			B     string `json:"b"`
		}{inner{"x", 1}, "y"},
		&struct {
			A [2]int `json:"a"`
		}{},
		&struct {
			hidden int
		}{1},
		new(int), map[string]any{}, nil, (*rules)(nil),
	}
}

func TestEqualsApimachinery(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range 400 {
		var v any = &corev1.Pod{}
		if i%2 == 0 {
			v = &rules{}
		}
		fill(r, reflect.ValueOf(v).Elem(), 7)
		u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(v)
		if err != nil {
			t.Fatal(err)
		}
		delete(u, "metadata")
		want, err := standard.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := json.MarshalUnstructured(v, json.Unstructured{OmitZero: true, Without: []string{"metadata"}})
		if _, is := v.(*rules); !ok && is {
			t.Fatalf("%T is left to the library", v)
		}
		if !ok || string(got) != string(want) {
			t.Fatalf("%T:\ngot  %s, %v\nwant %s", v, got, ok, want)
		}
	}
	if text, ok := json.MarshalUnstructured(&struct{ metav1.TypeMeta }{}, json.Unstructured{}); ok {
		t.Errorf("an embedded struct without a tag is not left to a library before 0.34, but %s", text)
	}
	for _, v := range left() {
		if text, ok := json.MarshalUnstructured(v, json.Unstructured{OmitZero: true}); ok {
			t.Errorf("%T is not left to the library, but %s", v, text)
		}
	}
}

// fill puts random values into v.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	if depth < 0 || r.Intn(3) == 0 || !v.CanSet() {
		return
	}
	words := []string{"", "a", "<b>&", "é", "line\u2028", "bad\xff", "\x00\t\"\\"}
	switch p := v.Addr().Interface().(type) {
	case *metav1.Time:
		*p = metav1.Unix(r.Int63n(1e9), 0)
		return
	case *metav1.MicroTime:
		*p = metav1.NewMicroTime(time.UnixMicro(r.Int63n(1e15)))
		return
	case *resource.Quantity:
		*p = resource.MustParse([]string{"1", "0.5", "100m", "1Gi", "1e3"}[r.Intn(5)])
		return
	case *intstr.IntOrString:
		*p = []intstr.IntOrString{intstr.FromInt32(8080), intstr.FromString("<http>")}[r.Intn(2)]
		return
	case *runtime.RawExtension:
		p.Raw = []byte([]string{`{"b":1.0,"a":"<"}`, `[1,2.5]`, `"x"`, "null"}[r.Intn(4)])
		return
	case *metav1.FieldsV1:
		p.Raw = []byte(`{"f:spec":{"f:b":{},"f:a":{}}}`)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(words[r.Intn(len(words))])
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.Intn(100)))
	case reflect.Uint8, reflect.Uint16:
		v.SetUint(uint64(r.Intn(100)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 0.1, -1e-7, 1e21, 3}[r.Intn(5)])
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem(), depth-1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.Intn(3), 3))
		for i := range v.Len() {
			fill(r, v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.Intn(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, key, 3)
			fill(r, value, depth-1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i), depth-1)
		}
	}
}
