package json_test

import (
	standard "encoding/json"
	"reflect"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/json"
)

type sample struct {
	Raw  json.RawMessage  `json:"raw"`
	More *json.RawMessage `json:"more,omitempty"`
	Any  any              `json:"any"`
	Text string           `json:"text"`
}

func TestEqualsEncodingJSON(t *testing.T) {
	for _, text := range []string{
		`{"raw": [1, {"a":"<"}], "more":{}, "any":{"b":[1,2.5,"x"],"a":null}, "TEXT":"é"}`,
		`{"raw":null,"any":[true,{}],"text":"\u2028"}`, `{}`, `null`, `{"text":1}`, `{"text":"x"`, ``, `{"raw":tru}`,
	} {
		var want, got sample
		wantErr, err := standard.Unmarshal([]byte(text), &want), json.Unmarshal([]byte(text), &got)
		if (err != nil) != (wantErr != nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v, %v", text, got, err, want, wantErr)
		}
		if err != nil {
			continue
		}
		a, err := json.Marshal(got)
		b, wantErr := standard.Marshal(want)
		if err != nil || wantErr != nil || string(a) != string(b) {
			t.Errorf("%s: got %s, %v, want %s, %v", text, a, err, b, wantErr)
		}
		if json.Valid([]byte(text)) != standard.Valid([]byte(text)) {
			t.Errorf("%s: Valid differs", text)
		}
	}
}
