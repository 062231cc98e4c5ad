// Package jsons has functions that use encoding/json.
package jsons

import (
	"encoding/json"
	"strings"
)

type text struct{ Raw json.RawMessage }

func Swapped(in string) (out string, err error) {
	var t text
	if err := json.Unmarshal([]byte(in), &t); err != nil {
		return "", err
	}
	result, err := json.Marshal(t)
	return string(result), err
}

func Ignored(in string) (t text) {
	json.Unmarshal([]byte(in), &t)
	return t
}

func Blank(in string) (t text) {
	_ = json.Unmarshal([]byte(in), &t)
	return t
}

func Decoder(in string) (t text, err error) {
	err = json.NewDecoder(strings.NewReader(in)).Decode(&t)
	return t, err
}

type marshaled struct {
	Inner []struct {
		Any interface{ MarshalJSON() ([]byte, error) }
	}
}

func Field(m marshaled) ([]byte, error) { return json.Marshal(m) }

type lower struct{}

type embeds struct {
	lower `json:"named"`
}

func Embedded(e embeds) ([]byte, error) { return json.Marshal(e) }
