package schema_test

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

func Example() {
	crd, err := schema.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.stable.example.com
spec:
  group: stable.example.com
  names: {kind: CronTab, plural: crontabs}
  scope: Namespaced
  versions:
  - name: v2
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [image]
            properties:
              image: {type: string}
              replicas: {type: integer, minimum: 0}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	object := []byte(`{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name":"x"},"spec":{"replicas":"three","replica":3}}`)
	err = crd.Check("v2", object, schema.Options{}, func(v schema.Violation) bool {
		fmt.Println(v)
		return true
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// spec.replicas: must be an integer, not a string
	// spec.replica: unknown field, the API server drops it
	// spec.image: is required
}
