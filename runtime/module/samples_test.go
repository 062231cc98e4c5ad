package module

import "testing"

// TestObjectsWithDeclaredFields: each path has a value, of another type in each object.
func TestObjectsWithDeclaredFields(t *testing.T) {
	objects := ObjectsWith("g/v1", "K", []string{"spec.list[].port", "spec.list[].name", "spec.env.*", "spec.list", "spec['a.b']"})
	if len(objects) != 5 || ObjectsWith("g/v1", "K", nil) != nil {
		t.Fatalf("%d objects", len(objects))
	}
	const want = `{"apiVersion":"g/v1","kind":"K","metadata":{"name":"self-test"},"spec":{"a.b":3,"env":{"any":3},"list":[{"name":3,"port":3}]}}`
	if got := string(objects[1]); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
