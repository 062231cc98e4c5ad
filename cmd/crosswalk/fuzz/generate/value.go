package generate

import (
	"encoding/json"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
)

func deepCopy(value any) any { return runtime.DeepCopyJSONValue(value) }

func equal(a, b any) bool {
	if x, y := number(a), number(b); x == x && y == y { // both are numbers
		return x == y && reflect.TypeOf(a) == reflect.TypeOf(b) && a == b
	}
	return reflect.DeepEqual(a, b)
}

// encode returns a value as JSON; values that API servers decode have nothing that does not encode.
func encode(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}
