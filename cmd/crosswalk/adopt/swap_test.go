package adopt

import (
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
)

func TestSwapOfEncodingJSON(t *testing.T) {
	p := loadOperator(t, "./jsons")
	pkg := p.All["example.com/operator/jsons"]
	for name, want := range map[string]string{
		"Swapped":  "",
		"Ignored":  "example.com/operator/jsons ignores the error of a decoding",
		"Blank":    "example.com/operator/jsons ignores the error of a decoding",
		"Decoder":  "example.com/operator/jsons uses Decode",
		"Field":    "the codec cannot do the field Inner.Any of example.com/operator/jsons.marshaled",
		"Embedded": "the codec cannot do the field lower of example.com/operator/jsons.embeds",
	} {
		root := []types.Object{pkg.Types.Scope().Lookup(name)}
		x, err := extract.From(p, root, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.NeedsJSON(); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		files, err := x.Files()
		if err != nil || len(files) != 1 {
			t.Fatalf("%d files, %v", len(files), err)
		}
		if text := string(files[0].Text); !strings.Contains(text, `import "`+extract.OwnJSON+`"`) || strings.Contains(text, `"encoding/json"`) {
			t.Errorf("%s: the copy imports encoding/json: %s", name, text)
		}
		x.Swap = false
		if files, err := x.Files(); err != nil || !strings.Contains(string(files[0].Text), `import "encoding/json"`) {
			t.Errorf("%s: the copy that is not swapped has other imports: %s, %v", name, files[0].Text, err)
		}
	}
}

const marshalData = `func MarshalData(src Object) error {
	u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(src)
	if err != nil {
		return err
	}
	delete(u, "metadata")

	data, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return keep(data)
}`

func TestWaysByMaps(t *testing.T) {
	for text, want := range map[string]bool{
		marshalData: true,
		strings.Replace(marshalData, "keep(data)", "keep(u, data)", 1):                                  false,
		strings.Replace(marshalData, "delete(u", "delete(other", 1):                                     false,
		strings.Replace(marshalData, "Marshal(u)", "Marshal(src)", 1):                                   false,
		strings.Replace(marshalData, "err != nil {\n\t\treturn err", "err != nil {\n\t\treturn nil", 1): false,
	} {
		got := extract.AroundMaps(text, "true")
		if changed := got != text; changed != want {
			t.Errorf("changed: %v, want %v: %s", changed, want, got)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+got, 0); err != nil {
			t.Errorf("%v: %s", err, got)
		}
	}
	got := extract.AroundMaps(strings.Replace(marshalData, "return keep(data)", "err = keep(data)\n\treturn err", 1), "true")
	if !strings.Contains(got, "\tvar err error\n") {
		t.Errorf("err is not declared: %s", got)
	}
}
