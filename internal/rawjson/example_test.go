package rawjson_test

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// One strict pass finds the metadata. It checks the members that it skips, too.
func Example() {
	doc := []byte(`{"apiVersion":"stable.example.com/v1","metadata":{"name":"nightly"},"spec":{"replicas":9007199254740993}}`)
	var s rawjson.Scanner
	var metadata rawjson.Span
	s.Reset(doc, 0)
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		if string(m.Key) == "metadata" {
			metadata = s.Skip()
		}
	}
	s.End()
	fmt.Println(s.Err())
	fmt.Printf("%s\n", metadata.Of(doc))
	// Output:
	// <nil>
	// {"name":"nightly"}
}

func ExampleSyntaxError() {
	var s rawjson.Scanner
	s.Reset([]byte(`{"metadata":{},"m\u0065tadata":{}}`), 0)
	s.End()
	fmt.Println(s.Err())
	// Output:
	// duplicate key "metadata" at byte 15
}
