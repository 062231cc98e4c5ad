package project

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
)

// unstructuredFunctions returns the function literals that call unstructured methods as a webhook
// does: with the object that is converted.
func unstructuredFunctions(spoke, hub, context string) string {
	return fmt.Sprintf(`func(spoke *%[1]s, hub *%[2]s) error {
		object, err := unstructuredOf(spoke)
		if err == nil {
			err = spoke.ConvertTo(%[3]s, object)
		}
		if err != nil {
			return err
		}
		text, err := utiljson.Marshal(object.Object) // the converter would allocate embedded pointers, whose members are then null
		if err != nil {
			return err
		}
		return utiljson.Unmarshal(text, hub)
	},
	func(hub *%[2]s, spoke *%[1]s) error {
		object, err := unstructuredOf(hub)
		if err != nil {
			return err
		}
		return spoke.ConvertFrom(%[3]s, object)
	}`, spoke, hub, context)
}

// unmarshal returns the member of a Kind that decodes objects: apimachinery's converter allocates
// embedded pointers, where encoding/json leaves them nil. Its error refuses the object. Shipwright's
// webhook logs the error, and converts the part that was decoded before it.
func unmarshal(k discover.Resource) string {
	if k.Form != discover.FormUnstructured {
		return ""
	}
	return "\t\tUnmarshal: unmarshal,\n"
}

// helpers returns the functions of main.go that unstructuredFunctions calls.
func helpers(k discover.Resource) string {
	if k.Form != discover.FormUnstructured {
		return ""
	}
	return `
func unstructuredOf(object any) (*unstructured.Unstructured, error) {
	members, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	return &unstructured.Unstructured{Object: members}, err
}

// unmarshal decodes an object as the operator's webhook does, which has it unstructured.
func unmarshal(text []byte, object any) error {
	var members map[string]any
	if err := utiljson.Unmarshal(text, &members); err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(members, object)
}
`
}
