// +groupName=wrapped.example.com
package v2

import v2 "example.com/odd/wrapped/api/v2"

type Thing struct{ v2.Thing }

func (*Thing) Hub() {}
