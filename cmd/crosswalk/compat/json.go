package compat

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// decoded returns a JSON value for comparison.
func decoded(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(raw)
	}
	return v
}

func same(a, b *apiextensionsv1.JSON) bool { return reflect.DeepEqual(decoded(a.Raw), decoded(b.Raw)) }

// encoded returns a schema as text for comparison.
func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// shown returns a value for a message.
func shown(v *apiextensionsv1.JSON) string {
	const most = 60
	text := string(v.Raw)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// canonical returns a form of a JSON value that equal values share.
func canonical(v apiextensionsv1.JSON) string { return encoded(decoded(v.Raw)) }

// setOf returns the elements of a list, in a form for comparison.
func setOf[T any](list []T, as func(T) string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, one := range list {
		set[as(one)] = true
	}
	return set
}

func itself(name string) string { return name }
