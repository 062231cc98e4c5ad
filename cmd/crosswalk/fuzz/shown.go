package fuzz

import (
	"encoding/json"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// maxShown is the most bytes of a value, a message or an object in a line of a report.
const maxShown = 200

// shown returns a value for a finding; nil for an absent one.
func shown(v any) json.RawMessage {
	if _, gone := v.(absent); gone {
		return nil
	}
	return encode(v)
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return foreign.Cut(text, maxShown)
}
