package generate

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
)

func deepCopy(value any) any { return runtime.DeepCopyJSONValue(value) }

// encode returns a value as JSON; values that API servers decode have nothing that does not encode.
func encode(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}
