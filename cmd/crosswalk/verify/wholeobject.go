package verify

import (
	"bytes"
	"encoding/json"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// placeholderUID stands in for the metadata.uid that an API server would give a manifest. Without
// one, converters take an object for a fragment of server-side apply, which gets no defaults.
const placeholderUID = "00000000-0000-4000-8000-000000000000"

// placeholder is the member with placeholderUID.
const placeholder = `"uid":"` + placeholderUID + `"`

// completed returns a manifest with a metadata.uid. It is nil for an object that has one, and for a
// fragment without a name. All else keeps its text.
func completed(object json.RawMessage) json.RawMessage {
	var head struct {
		Metadata struct {
			UID                *string
			Name, GenerateName string
		}
	}
	if json.Unmarshal(object, &head) != nil || head.Metadata.UID != nil || head.Metadata.Name+head.Metadata.GenerateName == "" {
		return nil
	}
	var s rawjson.Scanner
	s.Reset(object, 0)
	s.Object()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		isMetadata := string(m.Key) == "metadata"
		value := s.Skip()
		if isMetadata && s.Err() == nil {
			brace := value.Start + 1 // a name follows at least
			return slices.Concat(object[:brace], []byte(placeholder+","), object[brace:])
		}
	}
	return nil
}

// uncompleted removes the metadata.uid that completed added.
func uncompleted(object json.RawMessage) json.RawMessage {
	for _, text := range []string{placeholder + ",", "," + placeholder, placeholder} {
		if before, after, found := bytes.Cut(object, []byte(text)); found {
			return slices.Concat(before, after)
		}
	}
	root, err := output.Node(object) // a converter may write white space
	if err != nil {
		return object
	}
	if metadata := yamlfile.Member(root, "metadata"); metadata != nil && yamlfile.Text(metadata, "uid") == placeholderUID {
		removeMember(metadata, "uid")
		if text := textOf(root); text != nil {
			return text
		}
	}
	return object
}

// textOf returns a node as JSON; nil if it is none.
func textOf(n *yaml.Node) json.RawMessage {
	text, err := plainyaml.AppendJSON(nil, n, plainyaml.JSONNumber)
	if err != nil {
		return nil
	}
	return text
}

func setMember(n *yaml.Node, name string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			n.Content[i+1] = value
			return
		}
	}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, value)
}

func removeMember(n *yaml.Node, name string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}
