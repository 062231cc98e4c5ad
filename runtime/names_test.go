package runtime

import (
	"testing"
	"time"
)

// TestStatusShowsNamesSafely: a file's name cannot color a terminal or turn the text around it in /modules
// and on the page.
func TestStatusShowsNamesSafely(t *testing.T) {
	st := &state{rejected: map[string]rejectedFile{"a\x1b[31m\u202e.wasm": {"no module", time.Now()}}}
	if got := st.status(nil, time.Now()); len(got) != 1 || got[0].File != "a\uFFFD[31m\uFFFD.wasm" {
		t.Errorf("%+v", got)
	}
}
