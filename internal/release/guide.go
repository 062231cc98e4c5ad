package main

import (
	"context"
	_ "embed"
	"os"
	"strings"
)

//go:embed guide.md
var guideText string

// guide writes README.md, which says what the files are for: whoever has the files alone has no
// other documentation.
func (r release) guide(context.Context) error {
	text := strings.NewReplacer("VERSION", r.version, "NUMBER", strings.TrimPrefix(r.version, "v")).Replace(guideText)
	return os.WriteFile(r.path("README.md"), []byte(text), 0o644)
}
