package load

import (
	"context"
	"encoding/json"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// fragmentHint is for a case that fails because its object is a fragment.
const fragmentHint = "without metadata.uid, the object is a fragment of server-side apply, and gets no defaults: with a uid in its metadata, the case passes"

// hintOf explains a failed case: its object has no metadata.uid, and the case passes with one. It
// returns "" for other cases.
func hintOf(ctx context.Context, m *module.Module, c *artifact.GoldenCase) string {
	whole := *c
	ok := false
	if whole.Object, ok = withUID(c.Object); !ok {
		return ""
	}
	if c.Want != nil {
		if whole.Want, ok = withUID(c.Want); !ok {
			return ""
		}
	}
	if passCase(ctx, m, &whole, &CaseResult{}) != nil {
		return ""
	}
	return fragmentHint
}

// withUID returns an object with a metadata.uid; not ok if it has one already, or its metadata cannot
// be read.
func withUID(object []byte) (with []byte, ok bool) {
	var members, metadata map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil || members == nil {
		return nil, false
	}
	if text := members["metadata"]; text != nil && json.Unmarshal(text, &metadata) != nil || metadata["uid"] != nil {
		return nil, false
	}
	if metadata == nil {
		metadata = map[string]json.RawMessage{}
	}
	metadata["uid"] = json.RawMessage(`"6f1d2c3b-0a59-4877-9e66-55d4c3b2a190"`)
	var err error
	if members["metadata"], err = json.Marshal(metadata); err != nil {
		return nil, false
	}
	with, err = json.Marshal(members)
	return with, err == nil
}
