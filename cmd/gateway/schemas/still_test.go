package schemas

import (
	"context"
	"strings"
)

// still is a module that has a name and does not convert.
type still string

func (s still) Name() string              { return string(s) }
func (s still) Digest() string            { return strings.Repeat("0", 64) }
func (still) Fields(_, _ string) []string { return nil }
func (still) Convert(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
	return nil, nil, nil
}
