package schemas

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/widgets"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// TestSchemaFilesListed: SHA256SUMS must list definitions, too.
func TestSchemaFilesListed(t *testing.T) {
	const (
		listed  = `[{"file":"widgets.example.com.crd.yaml","state":"checking","defines":"Widget.example.com","versions":["v1 (storage)","v2"],"missing":["v2 is served, and nothing converts v1 (storage) to v2","v2 is served, and nothing converts v2 to v1 (storage)"]}]`
		refused = "SHA256SUMS does not list widgets.example.com.crd.yaml: add it there if it is meant to be used"
	)
	f := newFollowing(t)
	list := func(content string) string {
		return fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(content)), widgets.File)
	}
	check := func(status, want string) {
		t.Helper()
		if status != want {
			t.Errorf("status %s\nwant   %s", status, want)
		}
	}
	_, status := f.step(t, map[string]string{widgets.File: widgets.Definition("string"), sums.ListFile: "# none\n"})
	check(status, `[{"file":"widgets.example.com.crd.yaml","state":"failed","lastError":"`+refused+`"}]`)
	if f.Find("example.com", "Widget") != nil {
		t.Error("a schema that is not listed is used")
	}
	_, status = f.step(t, map[string]string{sums.ListFile: list(widgets.Definition("string"))})
	check(status, listed)
	used := f.Find("example.com", "Widget")
	log, status := f.step(t, map[string]string{widgets.File: widgets.Definition("integer")})
	if f.Find("example.com", "Widget") != used || !strings.Contains(status, `"lastError":"SHA256SUMS has sha256 `) || !strings.Contains(log, `instead="the previous schema is still used"`) {
		t.Errorf("%s\n%s", log, status)
	}
	if log, _ = f.step(t, nil); log != "" {
		t.Errorf("said twice: %s", log)
	}
	_, status = f.step(t, map[string]string{sums.ListFile: list(widgets.Definition("integer"))})
	check(status, listed)
	if now := f.Find("example.com", "Widget"); now == used || now == nil {
		t.Error("the new schema is not used")
	}
}

// TestListedSchemaStays deletes a definition that SHA256SUMS lists: the last good schema stays
// enforced, and a gateway that starts without the file does not become ready.
func TestListedSchemaStays(t *testing.T) {
	const lost = "SHA256SUMS lists widgets.example.com.crd.yaml, which is not there"
	sum := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(widgets.Definition("string"))), widgets.File)
	f := newFollowing(t)
	f.parser.enforce = true
	f.step(t, map[string]string{widgets.File: widgets.Definition("string"), sums.ListFile: sum})
	if f.Find("example.com", "Widget") == nil || f.Incomplete() != nil {
		t.Fatalf("the schema is not used: %v", f.Incomplete())
	}
	_, status := f.step(t, map[string]string{widgets.File: ""})
	if f.Find("example.com", "Widget") == nil || !strings.Contains(status, `"state":"checking"`) || !strings.Contains(status, `"lastError":"`+lost+`"`) || f.Incomplete() != nil {
		t.Errorf("status %s, %v", status, f.Incomplete())
	}
	if log, _ := f.step(t, nil); log != "" {
		t.Errorf("said twice: %s", log)
	}
	_, status = f.step(t, map[string]string{"widgets.example.com.crd.removed": "x"}) // not on the list
	if f.Find("example.com", "Widget") == nil {
		t.Errorf("a file that is not listed takes the schema out of service: %s", status)
	}
	_, status = f.step(t, map[string]string{sums.ListFile: ""}) // without a list, the gateway uses all files
	if f.Find("example.com", "Widget") != nil {
		t.Errorf("status %s", status)
	}

	started := newFollowing(t)
	started.parser.enforce = true
	if _, status = started.step(t, map[string]string{sums.ListFile: sum}); status != "[]" || started.Incomplete() == nil || started.Incomplete().Error() != lost {
		t.Errorf("status %s, %v", status, started.Incomplete())
	}
	started.parser.enforce = false
	if err := started.Incomplete(); err != nil {
		t.Errorf("with --schema-check=report: %v", err)
	}
	if started.step(t, map[string]string{widgets.File: widgets.Definition("string")}); started.lacks != nil || started.Find("example.com", "Widget") == nil {
		t.Errorf("the file is there: %v", started.lacks)
	}
}
