package module

import (
	"bytes"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// SampleObjects returns made-up objects of a kind whose fields are unknown: a fragment, an object
// with metadata, and one with fields of every JSON type under names that are common to most kinds.
func SampleObjects(apiVersion, kind string) [][]byte {
	head := append(rawjson.Quote([]byte(`{"apiVersion":`), apiVersion), `,"kind":`...)
	head = rawjson.Quote(head, kind)
	object := func(rest string) []byte { return append(bytes.Clone(head), rest...) }
	return [][]byte{
		object(`}`),
		object(`,"metadata":{"name":"self-test","namespace":"default","uid":"1","labels":{"a":"b"},"annotations":{"c/d":"e"}}}`),
		object(`,"metadata":{"name":"self-test"},"spec":{"replicas":3,"text":"a \"b\" \u00e9 ü","ratio":0.25,"on":true,"none":null,"list":[1,"x",{}],"map":{"k":"v"},"big":9007199254740993},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`),
	}
}
